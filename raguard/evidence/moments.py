"""Which moments do the documents name by day, time and zone, and on which day are they elsewhere?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property

from raguard.evidence.sources import Place, Sources
from raguard.values.clock import ClockRange, ClockValue
from raguard.values.dates import DateValue
from raguard.values.value import Fact

__all__ = ["Moments", "dated_times"]

_BETWEEN = re.compile(r",?\s(?:(?:at|on|from|um|ab)\s)?(?:the\s)?\(?")
_LONGEST = 12
_MOST_YEARS = 20
_DAY = 24 * 60


class Moments:
    """The moments of some chunks, in minutes of UTC."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def at(self, day: DateValue, times: Iterable[ClockValue]) -> Place | None:
        """Where one of the moments stands that ``day`` and a time make, in whatever zone."""
        moments = (moment for time in times for moment in self._of(day, time))
        return next((self._stated[moment] for moment in moments if moment in self._stated), None)

    def _of(self, day: DateValue, time: ClockValue) -> Iterator[int]:
        years = (day.year,) if day.year else self._years
        return (moment for year in years for moment in _minutes(day.with_year(year), time))

    @cached_property
    def _stated(self) -> dict[int, Place]:
        return {
            moment: Place(chunk, fact.start, fact.end)
            for chunk in self._sources.chunks
            for fact, day, time in dated_times(chunk.reading.text, chunk.reading.facts)
            for moment in _minutes(day, time)
        }

    @cached_property
    def _years(self) -> tuple[int, ...]:
        return tuple({date.fromordinal(moment // _DAY).year for moment in self._stated})[:_MOST_YEARS]


def dated_times(text: str, facts: Iterable[Fact]) -> Iterator[tuple[Fact, DateValue, ClockValue]]:
    """Each day with the time in a zone that stands right beside it."""
    last: Fact | None = None
    for fact in facts:
        if fact.tentative or fact.value.axis not in ("date", "clock"):
            continue
        if last is not None and last.value.axis != fact.value.axis and fact.start - last.end <= _LONGEST:
            day, clock = (last, fact) if last.value.axis == "date" else (fact, last)
            if _BETWEEN.fullmatch(text, last.end, fact.start) and isinstance(day.value, DateValue):
                time = clock.value.start if isinstance(clock.value, ClockRange) else clock.value
                if day.value.unit == "day" and isinstance(time, ClockValue) and time.zones:
                    yield day, day.value, time
        last = fact


def _minutes(day: DateValue, time: ClockValue) -> Iterator[int]:
    """The minutes of UTC since the calendar began that the two may name; none for a day without year."""
    try:
        days = date(day.first // 10_000, day.first // 100 % 100, day.first % 100).toordinal()
    except ValueError:
        return
    yield from (days * _DAY + minute - zone for minute in time.minutes for zone in time.zones)
