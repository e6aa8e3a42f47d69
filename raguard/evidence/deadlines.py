"""Which days do the documents lead to without naming them?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from raguard.evidence.sources import Place, Sources
from raguard.reading.deadlines import Deadline, DeadlineReader
from raguard.values.calendar import Span
from raguard.values.dates import DateValue, SpokenDate

__all__ = ["Deadlines"]

_MOST_DAYS = 200
"""With more days than that in the documents any day could be reached by chance."""

_HEAD = 200
"""How many characters at the beginning of a chunk hold the day on which it was written."""


class Deadlines:
    """The deadlines of some chunks, and the days that their words mean on the day of the config."""

    def __init__(self, sources: Sources, reader: DeadlineReader) -> None:
        self._sources = sources
        self._reader = reader

    def reaching(self, value: Any) -> Place | None:
        """Where a deadline stands, or words counted from today, that lead to ``value``."""
        return next((place for day, place in self._days if day.covers(value)), None)

    def reckoned(self, value: Any) -> Place | None:
        """Where a deadline stands that leads to ``value`` from some day that the documents name."""
        day = replace(value, weekday=None) if isinstance(value, DateValue) else value
        return self._reached.get(day)

    @cached_property
    def _reached(self) -> dict[Any, Place]:
        """The days that lie a deadline's length from a day of the documents, with and without their year."""
        reached = ((span.after(day), place) for span, place in self._spans for day in self._named)
        days = {day: place for day, place in reached if day is not None}
        return days | {day.without_year(): place for day, place in days.items() if day.year is not None}

    def on_weekday(self, value: DateValue) -> Place | None:
        """Where a weekday is named that is ``value`` in the week before the date of its chunk."""
        if value.weekday not in (None, value.calendar_weekday()):
            return None
        return self._weekdays.get(replace(value, weekday=None))

    @cached_property
    def _weekdays(self) -> dict[DateValue, Place]:
        """The days that the weekdays of each chunk mean beside the date at its head."""
        found: dict[DateValue, Place] = {}
        for chunk in self._sources.chunks:
            facts = chunk.reading.facts
            head = (fact.value for fact in facts if fact.end <= _HEAD)
            days = {value for value in head if isinstance(value, DateValue) and value.unit == "day" and value.year}
            named = {
                fact.value.weekday: Place(chunk, fact.start, fact.end)
                for fact in reversed(facts)
                if isinstance(fact.value, SpokenDate) and not fact.value.words
            }
            for day in days if named and len(days) == 1 else ():
                for before in (Span(days=-step).after(day) for step in range(1, 8)):
                    if before is not None and before.calendar_weekday() in named:
                        found.setdefault(before, named[before.calendar_weekday()])
        return found

    @cached_property
    def _found(self) -> list[tuple[Deadline, Place]]:
        return [
            (deadline, Place(chunk, deadline.start, deadline.end))
            for chunk in self._sources.chunks
            for deadline in self._reader.find(chunk.reading.text, chunk.reading.facts)
        ]

    @cached_property
    def _days(self) -> list[tuple[Any, Place]]:
        """The days to which the documents lead, each once."""
        told = ((found.day, place) for found, place in self._found if found.day is not None)
        days = dict[Any, Place]()
        for day, place in chain(told, self._spoken()):
            days.setdefault(day, place)
        return list(days.items())[:_MOST_DAYS]

    def _spoken(self) -> Iterator[tuple[Any, Place]]:
        for chunk in self._sources.chunks if self._reader.today is not None else ():
            for fact in chunk.reading.facts:
                if (day := self._reader.meant(fact.value)) is not None:
                    yield day, Place(chunk, fact.start, fact.end)

    @cached_property
    def _spans(self) -> list[tuple[Span, Place]]:
        """The lengths of the deadlines that do not say from which day they count, each once."""
        spans = {found.span: place for found, place in reversed(self._found) if found.day is None}
        return list(spans.items())[:_MOST_DAYS]

    @cached_property
    def _named(self) -> list[DateValue]:
        days = {
            fact.value
            for chunk in self._sources.chunks
            for fact in chunk.reading.facts
            if isinstance(fact.value, DateValue) and fact.value.unit == "day"
        }
        return list(days) if len(days) <= _MOST_DAYS else []
