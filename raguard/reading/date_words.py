"""Which words and fragments are dates written with? The family ``dates`` as look-ups and pieces of patterns.

All patterns run on lower-case text. Every repeat is bounded, so that any text is read in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from raguard.rulebook import Family, Rulebook
from raguard.values.dates import DateValue, SpokenDate
from raguard.values.periods import DateRange, EitherDate

__all__ = [
    "DAY",
    "GAP",
    "ORDINAL_END",
    "SHORT_YEAR",
    "YEAR",
    "AnyDate",
    "DateWords",
    "Hit",
    "Spot",
    "forms_of",
    "full_year",
    "numbers_of",
    "one_of",
    "word_before",
]

AnyDate = DateValue | SpokenDate | DateRange | EitherDate

GAP = r"(?:[ \t]{1,3}|[ \t]?\n[ \t]?)"
"""Between two words of one date: spaces or one line break, never an empty line."""
YEAR = r"(?:1[0-9]{3}|20[0-9]{2}|2100)"
SHORT_YEAR = r"['’][0-9]{2}"
DAY = r"(?:3[01]|[12][0-9]|0?[1-9])"
ORDINAL_END = r"(?:st|nd|rd|th)?"


class Hit(NamedTuple):
    """A date as it was found; what is not ``sure`` becomes a tentative fact."""

    start: int
    end: int
    value: AnyDate
    sure: bool = True


class Spot(NamedTuple):
    """Where a date may begin: at ``text[start:end]``, ``cued`` when a word before announced it."""

    text: str
    low: str
    start: int
    end: int
    cued: bool = False

    @property
    def word(self) -> str:
        """What stands there in lower case, with plain spaces."""
        return " ".join(self.low[self.start : self.end].split())


class DateWords:
    """The words of the family ``dates`` by role, and the fragments that several patterns share."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._family = rulebook["dates"]
        self.months = self.numbers("month")
        self.weekdays = self.numbers("weekday")
        self.short_weekdays = self.numbers("weekday_short")
        self.seasons = self.numbers("season")
        self.ordinals = self.numbers("ordinal")
        self.periods = self.numbers("period")
        self.decades = self.numbers("decade")
        self.parts = self.names("part")
        self.counted = rf"(?!{GAP}(?:{one_of(self.forms('counted'))})(?!\w))"
        self.month = rf"(?:{one_of(self.months)})(?!\w)"
        self.fiscal = rf"(?:{one_of(self.forms('fiscal'))})"
        self.any_weekday = rf"(?:{one_of([*self.weekdays, *self.short_weekdays])})(?!\w)"
        self.until = rf"(?:{GAP}?[-–—]{GAP}?|{GAP}(?:{one_of(self.forms('to'))}){GAP}(?:the{GAP})?)"
        self.also = rf",?{GAP}(?:{one_of(self.forms('and'))}){GAP}(?:the{GAP})?"
        self.day_end = rf"{ORDINAL_END}(?![\w%]|[.:/][0-9]|,[0-9]{{3}}(?![0-9])|-(?!{self.month})[a-z])"
        self.year_end = rf"(?![a-z0-9%]|[.][0-9]|,[0-9]{{3}}(?![0-9])){self.counted}"

    def forms(self, role: str) -> frozenset[str]:
        """All forms of a role in lower case."""
        return forms_of(self._family, role)

    def numbers(self, role: str) -> dict[str, int]:
        """Each form of a role in lower case with its rule's number."""
        return numbers_of(self._family, role)

    def names(self, role: str) -> dict[str, str]:
        """Each form of a role in lower case with the last part of its rule's id."""
        return {form.lower(): rule.id.rpartition(".")[2] for rule in self._family.role(role) for form in rule.forms}


def forms_of(family: Family, role: str) -> frozenset[str]:
    """All forms of a role in lower case."""
    return frozenset(map(str.lower, family.forms(role)))


def numbers_of(family: Family, role: str) -> dict[str, int]:
    """Each form of a role in lower case with its rule's number."""
    return {form.lower(): rule.data["number"] for rule in family.role(role) for form in rule.forms}


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of ``words``, longest first, sorted by first letter so that it fails fast.

    >>> one_of(["may", "march", "june", "next day"])
    'j(?:une)|m(?:arch|ay)|n(?:ext\\\\sday)'
    """
    tails: dict[str, list[str]] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        tails.setdefault(word[0], []).append(r"\s".join(map(re.escape, word[1:].split(" "))))
    return "|".join(rf"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in sorted(tails.items()))


def full_year(digits: str) -> int:
    """The year that two or four digits mean, with or without an apostrophe: 24 is 2024, 85 is 1985.

    >>> full_year("'85"), full_year("24"), full_year("1066")
    (1985, 2024, 1066)
    """
    number = int(digits.lstrip("'’"))
    if len(digits) == 4:
        return number
    return number + (2000 if number < 50 else 1900)


def word_before(text: str, start: int) -> str:
    """The word right before ``start`` without what opens a bracket or quotation; empty when there is none.

    >>> word_before("starts in (May", 11)
    'in'
    """
    words = text[max(0, start - 24) : start].rstrip(" \t\n([\"'“‘-*").split()
    return words[-1].lstrip("([\"'“‘-*") if words else ""
