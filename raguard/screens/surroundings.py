"""What stands around a candidate, and does it say that the candidate is something else?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from raguard.rulebook import Family
from raguard.screens.knowing import ends_before
from raguard.text.words import plain_words

__all__ = ["Surroundings", "near_pattern"]

_BEFORE, _BEHIND = 60, 30
_RIGHT_BEFORE = 60


def near_pattern(forms: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of some words as whole words, in any case."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)", re.IGNORECASE)


class Surroundings:
    """Asks for the words around ``text[start:end]`` of a folded text."""

    def __init__(self, family: Family) -> None:
        self._other = ends_before(family.role("other_number"))
        self._version = ends_before(family.role("version"))

    def name(self, text: str, start: int, end: int, pattern: re.Pattern[str]) -> bool:
        """Whether one of a pattern's words stands up to 60 characters before or 30 behind."""
        return bool(
            pattern.search(text, max(0, start - _BEFORE), start)
            or pattern.search(text, end, min(len(text), end + _BEHIND))
        )

    def hold(self, text: str, start: int, end: int, words: Collection[str]) -> bool:
        """Whether one of some single words stands there."""
        around = f"{text[max(0, start - _BEFORE) : start]} {text[end : end + _BEHIND]}"
        return not frozenset(plain_words(around).split()).isdisjoint(words)

    def say_other_number(self, text: str, start: int) -> bool:
        """Whether what stands right before says that this is the number of an order, a ticket, a book …"""
        return self._other.search(text[max(0, start - _RIGHT_BEFORE) : start]) is not None

    def say_version(self, text: str, start: int) -> bool:
        """Whether what stands right before says that this is a version or a section."""
        return self._version.search(text[max(0, start - _RIGHT_BEFORE) : start]) is not None
