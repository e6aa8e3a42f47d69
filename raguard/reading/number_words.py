"""Which number do these words spell? From "five" to "two and a half million" and "twenty-first"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from raguard.reading.numerals import Number
from raguard.rulebook import Family

__all__ = ["NumberWords"]

_STEP = re.compile(r"(?:[ \n-]| - )?([a-z]{1,14})(?![\w'])")
_LONGEST = 12
_BETWEEN = frozenset({"and", "a", "an"})
_ROLES = ("cardinal", "hundred", "scale", "ordinal", "half", "part", "loose", "fold")


class _Word(NamedTuple):
    text: str
    end: int


class NumberWords:
    """Reads spelled numbers by the family ``numbers``; every text given to it is in lower case."""

    def __init__(self, numbers: Family) -> None:
        self._values: dict[str, dict[str, float]] = {role: {} for role in _ROLES}
        for rule in numbers.rules:
            role = str(rule.data.get("role"))
            if role in self._values:
                for form in rule.forms:
                    self._values[role][form] = float(rule.data["value"])
        self.known = frozenset(word for table in self._values.values() for word in table)
        """Every word that can belong to a number."""
        self._patterns = {word: _whole(re.escape(word)) for word in self.known}
        self._cardinals = self._values["cardinal"] | {"one": 1.0}

    def spots(self, lower: str, words: Set[str]) -> Iterator[int]:
        """Where number words stand in a text that holds ``words``, in no order."""
        for word in self.known & words:
            for match in self._patterns[word].finditer(lower):
                yield match.start()

    def read(self, lower: str, start: int) -> Number | None:
        """The number spelled from ``start`` on, an article before it included, or None."""
        words = self._run(lower, start)
        if not words:
            return None
        first = words[0].text
        article = _article(lower, start)
        if first in self._values["half"]:
            return self._half(lower, start, words)
        if first in self._values["ordinal"] or first in self._values["part"]:
            return self._single(lower, start, words[0], article)
        fold = self._values["fold"].get(first)
        if fold is not None:
            return Number(start, words[0].end, ((fold, 1.0),), digits=False, fold=True)
        loose = self._values["loose"].get(first)
        if article is not None and first in self._cardinals:
            article = None
        number = self._cardinal(lower, start if article is None else article, words)
        if number is not None and article is None and first not in self._cardinals:
            # hundreds and thousands that nothing counts: a few thousand dollars
            number = number._replace(loose=True)
        if loose is not None and (number is None or number.end == words[0].end):
            return _number(start, words[0].end, loose, loose=True)
        return number

    def alone(self, word: str) -> Number | None:
        """The number that ``word`` is when no word beside it belongs to a number; None for one that needs others."""
        if any(word in self._values[role] for role in ("hundred", "scale", "half", "part", "fold")):
            return None
        return self.read(word, 0)

    def tail(self, lower: str, end: int) -> tuple[float, int] | None:
        """The fraction in " and a half" after a number, with its end, or None."""
        if not lower.startswith(" and ", end):
            return None
        words = self._run(lower, end)
        if len(words) < 2:
            return None
        if words[1].text in ("a", "one", "three") and len(words) > 2:
            under = 2.0 if words[2].text in self._values["half"] else self._values["part"].get(words[2].text)
            top = 3.0 if words[1].text == "three" else 1.0
            return (top / under, words[2].end) if under and top < under else None
        return (0.5, words[1].end) if words[1].text == "half" else None

    def _run(self, lower: str, start: int) -> list[_Word]:
        """The words from ``start`` on as long as they can belong to a number, and one more."""
        words: list[_Word] = []
        while len(words) < _LONGEST and (not words or words[-1].text in self.known or words[-1].text in _BETWEEN):
            match = _STEP.match(lower, start)
            if match is None:
                break
            start = match.end()
            words.append(_Word(match[1], start))
        return words

    def _half(self, lower: str, start: int, words: list[_Word]) -> Number:
        """Half of something, or half a million."""
        if len(words) > 2 and words[1].text in ("a", "an") and words[2].text in self._values["scale"]:
            scale = self._values["scale"][words[2].text]
            return Number(start, words[2].end, ((scale / 2, scale / 10),), decimals=True, digits=False, scale=scale)
        claimed = len(words) > 1 and words[1].text in ("of", "the", "a", "an")
        article = _article(lower, start)
        return Number(
            start if article is None else article,
            words[0].end,
            ((0.5, 0.01),),
            part=True,
            loose=not claimed,
            digits=False,
        )

    def _single(self, lower: str, start: int, word: _Word, article: int | None) -> Number | None:
        """An ordinal word, or with an article and "of" the part of that name."""
        under = self._values["part"].get(word.text)
        if under and article is not None and lower.startswith(" of", word.end):
            return _part(article, word.end, 1, under)
        rank = self._values["ordinal"].get(word.text)
        return None if rank is None else _number(start, word.end, rank, ordinal=True)

    def _cardinal(self, lower: str, start: int, words: list[_Word]) -> Number | None:
        """Groups below one thousand, each with its scale word: "two hundred and five thousand and one"."""
        scales = self._values["scale"]
        total, group, scale, end = 0.0, -1.0, math.inf, start
        for place, (word, word_end) in enumerate(words):
            if word in self._cardinals and _joins(group, self._cardinals[word]):
                group = max(group, 0) + self._cardinals[word]
            elif word in self._values["hundred"] and group < 100:
                group = 100 * (group if group > 0 else 1)
            elif word in scales and scales[word] < scale:
                scale = scales[word]
                total, group = total + scale * (group if group >= 0 else 1), -1.0
            elif word == "and" and (group >= 100 or total) and self._goes_on(words, place):
                continue
            else:
                closed = self._closed(start, total, group, word, word_end) if group > 0 else None
                if closed is not None:
                    return closed
                break
            end = word_end
        if end == start:
            return None
        amount = total + max(group, 0)
        tail = self.tail(lower, end)
        if tail is not None:
            return self._with_tail(lower, start, amount + tail[0], tail[1])
        return _number(start, end, amount, scale=scale if 100 < scale < math.inf else 1.0)

    def _with_tail(self, lower: str, start: int, amount: float, end: int) -> Number:
        """Two and a half, and the scale word that may follow."""
        following = self._run(lower, end)
        scale = self._values["scale"].get(following[0].text, 1.0) if following else 1.0
        if scale != 1.0:
            end = following[0].end
        return Number(start, end, ((amount * scale, scale / 10),), decimals=True, digits=False, scale=scale)

    def _goes_on(self, words: list[_Word], place: int) -> bool:
        """Whether "and" continues the number: one hundred and five, but not one hundred and two hundred."""
        after = [word.text for word in words[place + 1 : place + 3]]
        if not after or after[0] not in self._cardinals:
            return False
        return len(after) < 2 or (after[1] != "hundred" and after[1] not in self._values["scale"])

    def _closed(self, start: int, total: float, group: float, word: str, end: int) -> Number | None:
        """A number that an ordinal closes ("twenty-first"), or a part ("two thirds")."""
        rank = self._values["ordinal"].get(word)
        if rank is not None and group >= 20 and _joins(group, rank):
            return _number(start, end, total + group + rank, ordinal=True)
        under = self._values["part"].get(word)
        if under and not total and group < under and (group == 1 or word.endswith("s")):
            return _part(start, end, group, under)
        return None


def _joins(group: float, value: float) -> bool:
    """Whether a cardinal continues the group before it: nothing, twenty (one), one hundred (five)."""
    if group < 0:
        return True
    if group % 100 == 0:
        return value < 100 <= group
    return group % 100 >= 20 and group % 10 == 0 and 0 < value < 10


def _article(lower: str, start: int) -> int | None:
    """Where the "a" or "an" right before ``start`` stands, or None."""
    for article in ("a ", "an "):
        place = start - len(article)
        if place >= 0 and lower.startswith(article, place) and not lower[place - 1 : place].isalnum():
            return place
    return None


def _number(
    start: int, end: int, amount: float, *, ordinal: bool = False, loose: bool = False, scale: float = 1.0
) -> Number:
    place = 1.0
    while amount and amount % (10 * place) == 0:
        place *= 10
    return Number(start, end, ((amount, place),), ordinal=ordinal, loose=loose, digits=False, scale=scale)


def _part(start: int, end: int, top: float, under: float) -> Number:
    return Number(start, end, ((top / under, 0.01),), decimals=100 * top % under != 0, part=True, digits=False)


def _whole(word: str) -> re.Pattern[str]:
    """A word that is not a part of another one; its own letters come first, so that it fails fast."""
    return re.compile(rf"{word}(?<!\w{word})(?![\w'])")
