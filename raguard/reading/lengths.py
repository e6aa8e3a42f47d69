"""When does "a" or "one" before a unit of time count it? "Within an hour" states a length, "twice a month" does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from raguard.reading.measures import LENGTHS
from raguard.rulebook import Rulebook
from raguard.text.words import occurrences

__all__ = ["ARTICLES", "Lengths"]

ARTICLES = frozenset({"a", "an"})
_WORD_BEFORE = re.compile(r"(?<![\w'])[a-z]{2,12} $")
_WORD_AFTER = re.compile(r" ([a-z]{2,12})(?!\w)")
_REACH = 14
_TIED = frozenset("_'$/-")
"""Right after these an article is part of something else."""
_ORDINALS = frozenset({"second", "quarter"})
"""After an article these are no lengths but ranks and parts."""
_GOES_ON = (" and ", " or ")
"""An hour and 30 minutes, a year or more."""


class Lengths:
    """The cues of the family ``numbers`` that tell lengths of time; texts are given in lower case."""

    def __init__(self, rulebook: Rulebook) -> None:
        units = {
            form.lower()
            for rule in rulebook["units"].rules
            if rule.data["dimension"] in LENGTHS
            for form in rule.forms
            if form.isalpha() and len(form) > 2
        }
        self._units = frozenset(units - _ORDINALS)
        self._before, self._near, self._after = (
            rulebook["numbers"].words(role) for role in ("length_before", "length_near", "length_after")
        )

    def spots(self, lower: str, words: Set[str]) -> Iterator[int]:
        """Where an article before a unit of time may count it in a text that holds ``words``; not in "5 a day"."""
        for unit in self._units & words:
            for start, end in _counted_by_article(lower, unit):
                word = _word_before(lower, start)
                if word in self._before or word in self._near or lower.startswith(_GOES_ON, end):
                    yield start

    def measured(self, lower: str, start: int) -> bool:
        """Whether the word before ``start`` asks for a length: for, after, takes."""
        return _word_before(lower, start) in self._before

    def told(self, lower: str, end: int) -> bool:
        """Whether the word after ``end`` makes it a point in time: a week ago, one year later."""
        after = _WORD_AFTER.match(lower, end)
        return after is not None and after[1] in self._after


def _counted_by_article(lower: str, unit: str) -> Iterator[tuple[int, int]]:
    """Where an article and the whole word ``unit`` stand."""
    for article in ARTICLES:
        for start in occurrences(lower, f"{article} {unit}"):
            before, end = lower[start - 1 : start], start + len(article) + 1 + len(unit)
            after = lower[end : end + 1]
            if not (before.isalnum() or before in _TIED or after.isalnum() or after == "_"):
                yield start, end


def _word_before(lower: str, start: int) -> str:
    before = _WORD_BEFORE.search(lower, max(0, start - _REACH), start)
    return before.group().rstrip() if before else ""
