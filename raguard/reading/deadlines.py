"""Which days does a text reckon: 30 days after 1 May 2025, two weeks before the hearing, a year ago?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Any, NamedTuple

from raguard.reading.date_words import one_of
from raguard.rulebook import Rulebook
from raguard.values.calendar import Span, resolved
from raguard.values.dates import DateValue, SpokenDate
from raguard.values.quantities import Quantity
from raguard.values.value import Fact

__all__ = ["Deadline", "DeadlineReader", "whole_span"]

_SPANS = {
    "day": Span(days=1),
    "week": Span(days=7),
    "fortnight": Span(days=14),
    "month": Span(months=1),
    "year": Span(months=12),
}
_REACH = 40
_END_REACH = 60


class Deadline(NamedTuple):
    """So long a way from a day: ``day`` where it leads, None when the text does not say from which day it counts."""

    start: int
    end: int
    span: Span
    day: DateValue | None


class DeadlineReader:
    """Reads deadlines by the family ``dates``; ``today`` is the day from which "yesterday" counts, if known."""

    def __init__(self, rulebook: Rulebook, today: date | None) -> None:
        family = rulebook["dates"]
        self.today = today
        self._away = {
            rule.id.rpartition(".")[2]: rule.data["number"]
            for role in ("relative", "loose_relative", "lead", "loose_lead")
            for rule in family.role(role)
        }
        words = {
            role: one_of(form.lower() for rule in family.role(role) for form in rule.forms)
            for role in ("term_after", "term_before", "term_of", "term_limit", "term_ago", "term_in", "term_skips")
        }
        self._link = re.compile(
            rf"\s(?:(?P<after>{words['term_after']})|(?P<before>{words['term_before']})|{words['term_of']})\s(?:the\s)?",
            re.IGNORECASE,
        )
        self._limit = re.compile(rf"\b(?:{words['term_limit']})\s(?:the\s)?$", re.IGNORECASE)
        self._ago = re.compile(rf"\s(?:{words['term_ago']})\b", re.IGNORECASE)
        self._skips = re.compile(rf"\b(?:{words['term_skips']})\b", re.IGNORECASE)
        self._end = family.pattern("term_end")
        self._in = re.compile(rf"\b(?:{words['term_in']})\s$", re.IGNORECASE)

    def ends_on(self, text: str, start: int) -> bool:
        """Whether the words before a day that begins at ``start`` say that something ends on it."""
        return self._end.search(text, max(0, start - _END_REACH), start) is not None

    def find(self, text: str, facts: Iterable[Fact]) -> list[Deadline]:
        """The deadlines among the ``facts`` of ``text``, in their order."""
        days = {fact.start: fact for fact in facts if fact.value.axis == "date"}
        spans = ((fact, whole_span(fact)) for fact in facts)
        found = (
            self._deadline(text, fact, span, days)
            for fact, span in spans
            if span is not None and not self._skips.search(text, fact.start, fact.end)
        )
        return [deadline for deadline in found if deadline is not None]

    def _deadline(self, text: str, fact: Fact, span: Span, days: dict[int, Fact]) -> Deadline | None:
        link = self._link.match(text, fact.end)
        before = text[max(0, fact.start - _REACH) : fact.start]
        if link is None:
            if self._ago.match(text, fact.end):
                return self._from_today(fact, span.back)
            return self._from_today(fact, span) if self._in.search(before) else None
        span = span.back if link["before"] else span
        start = days.get(link.end())
        if start is None:
            # "three days of rain" is no deadline
            counts = link["after"] or link["before"] or self._limit.search(before)
            return Deadline(fact.start, fact.end, span, None) if counts else None
        day = start.value if isinstance(start.value, DateValue) else self.meant(start.value)
        reached = span.after(day) if isinstance(day, DateValue) else None
        return None if reached is None else Deadline(fact.start, start.end, span, reached)

    def _from_today(self, fact: Fact, span: Span) -> Deadline | None:
        if self.today is None:
            return None
        reached = span.after(DateValue.day(self.today.year, self.today.month, self.today.day))
        return None if reached is None else Deadline(fact.start, fact.end, span, reached)

    def meant(self, value: object) -> Any:
        """The day or period that words such as "last week" mean today; None for all else."""
        if self.today is None or not isinstance(value, SpokenDate) or not value.words:
            return None
        return resolved(value, self.today, self._away)


def whole_span(fact: Fact) -> Span | None:
    """The length of a whole number of days, weeks, months or years."""
    value = fact.value
    unit = value.unit if isinstance(value, Quantity) and value.hedge in ("exact", "upper") else None
    if unit is None or unit.id not in _SPANS or not isinstance(value, Quantity):
        return None
    amount, one = value.readings[0].amount, _SPANS[unit.id]
    return Span(one.days * int(amount), one.months * int(amount)) if amount == int(amount) else None
