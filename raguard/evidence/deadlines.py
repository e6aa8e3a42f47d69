"""Which days do the documents lead to without naming them?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

from raguard.evidence.sources import Place, Sources
from raguard.reading.deadlines import Deadline, DeadlineReader, whole_span
from raguard.values.calendar import Span
from raguard.values.dates import DateValue, SpokenDate

__all__ = ["Deadlines"]

_MOST_DAYS = 200
"""With more days than that in the documents any day could be reached by chance."""

_FEW_DAYS = 8
"""With more days than that, one that the documents leave out is reached by chance."""

_YEAR = 10_000
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

    @cached_property
    def few_days(self) -> Sequence[DateValue]:
        """The days that they name, none when they name so many that any length leads from one to another."""
        return self._named if len(self._named) <= _FEW_DAYS else ()

    def in_year(self, value: DateValue) -> Place | None:
        """Where a day is named by day, month and weekday that is ``value`` in the year of that."""
        weekday = value.calendar_weekday()
        if weekday is None or value.weekday not in (None, weekday):
            return None
        return self._of_any_year.get((value.first % _YEAR, weekday))

    @cached_property
    def _of_any_year(self) -> dict[tuple[int, int], Place]:
        """The days without year that some chunks name with their weekday."""
        return {
            (fact.value.first, fact.value.weekday): Place(chunk, fact.start, fact.end)
            for chunk in self._sources.chunks
            for fact in chunk.reading.facts
            if isinstance(fact.value, DateValue) and fact.value.year is None and fact.value.weekday is not None
        }

    def beside_weekday(self, value: DateValue) -> Place | None:
        """Where a weekday is named that is ``value`` by the day and weekday that a chunk names at its head.

        "(Oct 21) … on Tuesday" makes Thursday of the same week October 23.
        """
        if value.weekday is None or value.unit != "day":
            return None
        for head, weekday in self._heads:
            for way in range(-6, 7):
                day = Span(days=way).after(head)
                if (weekday + way) % 7 == value.weekday and day is not None and day.first == value.first % _YEAR:
                    return self._named_weekdays.get(value.weekday)
        return None

    @cached_property
    def _heads(self) -> list[tuple[DateValue, int]]:
        """The only day at the head of a chunk, without its year, with the only weekday that the chunk names."""
        found: list[tuple[DateValue, int]] = []
        for chunk in self._sources.chunks:
            head = set(
                filter(None, (_day_of_any_year(fact.value) for fact in chunk.reading.facts if fact.end <= _HEAD))
            )
            weekdays = {weekday for fact in chunk.reading.facts if (weekday := _weekday(fact.value)) is not None}
            if len(head) == len(weekdays) == 1:
                found.append((head.pop(), weekdays.pop()))
        return found

    @cached_property
    def _named_weekdays(self) -> dict[int, Place]:
        """Where each weekday is named alone for the first time."""
        found: dict[int, Place] = {}
        for chunk in self._sources.chunks:
            for fact in chunk.reading.facts:
                if (weekday := _weekday(fact.value)) is not None:
                    found.setdefault(weekday, Place(chunk, fact.start, fact.end))
        return found

    def closing(self, value: DateValue) -> Place | None:
        """Where a length of months or years stands that ends on ``value`` when it begins on a day of the documents."""
        if value.unit != "day" or self._names_an_end:
            return None
        return self._closed.get(replace(value, weekday=None))

    @cached_property
    def _names_an_end(self) -> bool:
        """Whether some chunk says itself on which day something ends."""
        return any(
            isinstance(fact.value, DateValue)
            and fact.value.unit == "day"
            and self._reader.ends_on(chunk.reading.text, fact.start)
            for chunk in self._sources.chunks
            for fact in chunk.reading.facts
        )

    @cached_property
    def _closed(self) -> dict[DateValue, Place]:
        """The last days of all lengths from all days of the documents, and the days behind them."""
        found: dict[DateValue, Place] = {}
        days = [day for day in self.few_days if day.year is not None]
        for span, place in self._terms[:_FEW_DAYS]:
            for end in filter(None, map(span.after, days)):
                for last in (end, Span(days=-1).after(end)):
                    if last is not None:
                        found.setdefault(last, place)
        return found

    @cached_property
    def _terms(self) -> list[tuple[Span, Place]]:
        """The lengths of months and years that the chunks state, each once."""
        facts = ((chunk, fact) for chunk in self._sources.chunks for fact in chunk.reading.facts)
        spans = ((whole_span(fact), Place(chunk, fact.start, fact.end)) for chunk, fact in facts)
        found: dict[Span, Place] = {}
        for span, place in spans:
            if span is not None and span.months:
                found.setdefault(span, place)
        return list(found.items())

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


def _weekday(value: object) -> int | None:
    """The weekday that is named alone: on Tuesday."""
    return value.weekday if isinstance(value, SpokenDate) and not value.words else None


def _day_of_any_year(value: object) -> DateValue | None:
    return value if isinstance(value, DateValue) and value.unit == "day" and value.year is None else None
