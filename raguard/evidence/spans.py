"""How long does it last, when the documents say from when to when?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cached_property
from itertools import pairwise

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.measures import LENGTHS
from raguard.values.clock import ClockRange, ClockValue
from raguard.values.dates import Dated, DateValue
from raguard.values.periods import DateRange
from raguard.values.quantities import Quantity, Reading, Unit
from raguard.values.value import Fact

__all__ = ["Spans"]

_TO = re.compile(
    r",?\s?[-–—]\s?|,?\s(?:and\s)?(?:to|until|till|through|ends\son|ending\son|expires\son|and)\s(?:and\sincluding\s)?"
)
_DAY = 24 * 60
_MOST_LENGTHS = 12
"""More lengths than that hold any hedged one by chance."""
_MOST_TIMES = 6
"""A chunk with more times than that is a timetable."""
_PROSE = re.compile(r"(?:[^\w\n|]{1,3}[a-z]{1,15}){2,16}[^\w\n|]{1,3}")


class Spans:
    """The lengths of the spans that some chunks state by their ends: 10:00–11:20, 1 May 2024 to 30 April 2026."""

    def __init__(self, sources: Sources, ended: re.Pattern[str]) -> None:
        """``ended`` finds the words between two times that say that the second one ends what the first one began."""
        self._sources, self._ended = sources, ended

    def lasting(self, value: Quantity) -> Place | None:
        """Where a span is stated that is as long as ``value``, a length of time, says."""
        unit, amount = value.unit, value.readings[0].amount
        if unit is None or unit.dimension not in LENGTHS:
            return None
        place = self._lengths.get((unit.dimension, unit.base(amount)))
        if place is not None or value.hedge == "exact" or len(self._lengths) > _MOST_LENGTHS:
            return place
        lengths = (
            (length, place) for (dimension, length), place in self._lengths.items() if dimension == unit.dimension
        )
        return next((place for length, place in lengths if _about(value, unit, length)), None)

    @cached_property
    def _lengths(self) -> dict[tuple[str, float], Place]:
        """The first place of each length, in seconds or in months."""
        found: dict[tuple[str, float], Place] = {}
        for chunk in self._sources.chunks:
            for dimension, length, place in _lengths(chunk, self._ended):
                found.setdefault((dimension, length), place)
        return found


def _about(value: Quantity, unit: Unit, length: float) -> bool:
    """Whether a hedged length, over four hours, says so long a time, in base units."""
    return Quantity((Reading((length - unit.offset) / unit.factor, unit),)).covers(value)


def _lengths(chunk: Chunk, ended: re.Pattern[str]) -> Iterator[tuple[str, float, Place]]:
    for fact in chunk.reading.facts:
        if isinstance(fact.value, ClockRange):
            place = Place(chunk, fact.start, fact.end)
            for opens in fact.value.start.minutes:
                for closes in fact.value.end.minutes:
                    yield "time", 60.0 * ((closes - opens) % _DAY), place
    yield from _time_pairs(chunk, ended)
    for first, last, place in _day_pairs(chunk):
        # the last day may belong to the span or end it
        for end in (last, last + timedelta(days=1)):
            yield "time", (end - first).total_seconds(), place
            if end.day == first.day:
                yield "calendar", 12.0 * (end.year - first.year) + end.month - first.month, place


def _time_pairs(chunk: Chunk, ended: re.Pattern[str]) -> Iterator[tuple[str, float, Place]]:
    """What lies between two times told one after the other in prose, which say their half of the day."""
    times = [fact for fact in chunk.reading.facts if isinstance(fact.value, ClockValue)]
    for one, other in pairwise(times) if len(times) <= _MOST_TIMES else ():
        opens, closes = (fact.value.minutes for fact in (one, other) if isinstance(fact.value, ClockValue))
        text = chunk.reading.text
        if (
            len(opens) == len(closes) == 1
            and _PROSE.fullmatch(text, one.end, other.start)
            and ended.search(text, one.end, other.start)
        ):
            yield "time", 60.0 * ((closes[0] - opens[0]) % _DAY), Place(chunk, one.start, other.end)


def _day_pairs(chunk: Chunk) -> Iterator[tuple[date, date, Place]]:
    """The first and the last day of each span that is stated by two full dates."""
    facts = [fact for fact in chunk.reading.facts if isinstance(fact.value, Dated) and not fact.tentative]
    for fact in facts:
        if isinstance(fact.value, DateRange):
            first, last = (_day(moment) for moment in fact.value.ends())
            if first and last and first < last:
                yield first, last, Place(chunk, fact.start, fact.end)
    for one, other in pairwise(facts):
        first, last = _day_of(one), _day_of(other)
        if first and last and first < last and _TO.fullmatch(chunk.reading.text, one.end, other.start):
            yield first, last, Place(chunk, one.start, other.end)


def _day_of(fact: Fact) -> date | None:
    return _day(fact.value) if isinstance(fact.value, DateValue) else None


def _day(moment: object) -> date | None:
    """The calendar day that a moment is, None when it is less or more."""
    if not isinstance(moment, DateValue) or moment.unit != "day" or not moment.year:
        return None
    year, rest = divmod(moment.first, 10_000)
    try:
        return date(year, rest // 100, rest % 100)
    except ValueError:
        return None
