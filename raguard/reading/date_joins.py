"""What do neighbouring dates mean together? Ranges, and lists that name a month or a year once."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from raguard.reading.date_words import GAP, DateWords, Hit, word_before
from raguard.values.dates import RANK, DateValue, SpokenDate
from raguard.values.periods import DateRange, either

__all__ = ["DateJoins"]

_LONGEST_GAP = 16
_LONGEST_ABBREVIATION = len("Thurs")
_PLAUSIBLE = 1800
"""From here on two bare numbers with "to" between them are taken for years."""


class DateJoins:
    """Joins neighbours by the words between them."""

    def __init__(self, words: DateWords) -> None:
        self._until = re.compile(words.until)
        self._also = re.compile(words.also)
        self._listed = re.compile(rf"{words.also}|,{GAP}|{GAP}?/{GAP}?|{GAP}(?:vs\.?|versus){GAP}")

    def join(self, low: str, hits: list[Hit]) -> list[Hit]:
        """The hits in lower-case text with lists and ranges resolved."""
        if len(hits) < 2:
            return hits
        joined: list[Hit] = []
        for hit in self._with_listed_years(low, hits):
            whole = self._range(low, joined[-1], hit) if joined else None
            if whole is None:
                joined.append(hit)
            else:
                joined[-1] = whole
        return self._with_shared_year(low, joined)

    def _with_listed_years(self, low: str, hits: list[Hit]) -> list[Hit]:
        """ "December 31, 2016, 2015 and 2014": the years of the list stand for the same day as the first."""
        listed = list(hits)
        start = 0
        while start < len(hits):
            end, conjunction = start + 1, False
            while end < len(hits) and _near(hits[end - 1], hits[end]) and _plain_year(hits[end]):
                gap = self._listed.fullmatch(_between(low, hits[end - 1], hits[end]))
                if gap is None:
                    break
                conjunction = conjunction or gap[0].strip() != ","
                end += 1
            first = hits[start].value
            if conjunction and hits[start].sure and isinstance(first, DateValue) and first.year is not None:
                listed[start + 1 : end] = [_same_in(hit, first) for hit in hits[start + 1 : end]]
            start = end
        return listed

    def _with_shared_year(self, low: str, hits: list[Hit]) -> list[Hit]:
        """ "March and April 2024", "Q1, Q2 and Q3 2024": the year of the last counts for all."""
        shared = False
        for index in range(len(hits) - 2, -1, -1):
            if not _near(hits[index], hits[index + 1]):
                shared = False
                continue
            first, second = hits[index].value, hits[index + 1].value
            gap = self._listed.fullmatch(_between(low, hits[index], hits[index + 1]))
            shared = gap is not None and (shared or gap[0].strip() != ",")
            if not (shared and isinstance(first, DateValue) and isinstance(second, DateValue)):
                continue
            if first.unit == second.unit and first.year is None and second.year is not None:
                hits[index] = hits[index]._replace(value=first.with_year(second.year))
        return hits

    def _range(self, low: str, first: Hit, second: Hit) -> Hit | None:
        """Both as one range when the words between them say so."""
        if not _near(first, second):
            return None
        gap = _between(low, first, second)
        if first.end - first.start <= _LONGEST_ABBREVIATION:
            gap = gap.removeprefix(".")
        between = self._also.fullmatch(gap) and word_before(low, first.start) == "between"
        if not between and not self._until.fullmatch(gap):
            return None
        ranges = [_span(start, end) for start in first.value.readings for end in second.value.readings]
        choices = [choice for choice in ranges if choice is not None]
        if not choices:
            return None
        sure = first.sure or second.sure or _plain_year(first) >= _PLAUSIBLE
        return Hit(first.start, second.end, either(*choices), sure)


def _near(first: Hit, second: Hit) -> bool:
    """Whether so little stands between neighbours that it may join them."""
    return second.start - first.end <= _LONGEST_GAP


def _between(low: str, first: Hit, second: Hit) -> str:
    return low[first.end : second.start]


def _plain_year(hit: Hit) -> int:
    """The year when the hit is nothing but a year, else 0."""
    value = hit.value
    if not isinstance(value, DateValue) or value.unit != "year" or value.part:
        return 0
    return value.year or 0


def _same_in(hit: Hit, first: DateValue) -> Hit:
    """The year of ``hit`` as what ``first`` is in that year."""
    if RANK[first.unit] > RANK["year"]:
        return hit._replace(sure=True)
    value = replace(first, weekday=None, part="").with_year(_plain_year(hit))
    return hit._replace(value=value, sure=True)


def _span(start: Any, end: Any) -> DateRange | None:
    """The range between two dates; a year that only one of them has counts for both."""
    if isinstance(start, SpokenDate) and isinstance(end, SpokenDate):
        plain = not start.words and not end.words and start.weekday != end.weekday
        return DateRange(start, end) if plain else None
    if not isinstance(start, DateValue) or not isinstance(end, DateValue):
        return None
    if start.year is None and end.year is not None and RANK[end.unit] < RANK["year"]:
        start = start.with_year(end.year - (start.first > end.first % 10_000))
    elif end.year is None and start.year is not None and RANK[start.unit] < RANK["year"]:
        end = end.with_year(start.year + (end.first < start.first % 10_000))
    if (start.year is None) != (end.year is None) or (start.year is not None and start.first >= end.first):
        return None
    return DateRange(start, end)
