"""Which days do the documents lead to without naming them?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from raguard.evidence.sources import Place, Sources
from raguard.reading.deadlines import Deadline, DeadlineReader
from raguard.values.calendar import Span
from raguard.values.dates import DateValue

__all__ = ["Deadlines"]

_MOST_DAYS = 200
"""More days than that in the documents lead to any day by chance."""


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
        reached = (span.after(day) for span, _ in self._spans for day in self._named)
        if any(day is not None and day.covers(value) for day in reached):
            return self._spans[0][1]
        return None

    @cached_property
    def _found(self) -> list[tuple[Deadline, Place]]:
        return [
            (deadline, Place(chunk, deadline.start, deadline.end))
            for chunk in self._sources.chunks
            for deadline in self._reader.find(chunk.reading.text, chunk.reading.facts)
        ]

    @cached_property
    def _days(self) -> list[tuple[Any, Place]]:
        days: list[tuple[Any, Place]] = [(found.day, place) for found, place in self._found if found.day is not None]
        return [*days, *self._spoken()]

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
