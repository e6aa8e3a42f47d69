"""Which day is so many days, months or years from another, and which one do "yesterday" and "next week" mean?"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, NamedTuple

from raguard.values.dates import DateValue, SpokenDate
from raguard.values.periods import either

__all__ = ["Span", "resolved"]

_ANY_YEARS = (2001, 2004)
"""A common year and a leap year: what comes out alike in both holds for a date without year."""
_FARTHEST = 4_000


class Span(NamedTuple):
    """A way on the calendar, forward or back."""

    days: int = 0
    months: int = 0

    @property
    def back(self) -> Span:
        """The same way back."""
        return Span(-self.days, -self.months)

    def after(self, start: DateValue) -> DateValue | None:
        """The day at its end; None from anything but a day, and beyond the calendar.

        >>> Span(days=30).after(DateValue.day(2025, 5, 1)) == DateValue.day(2025, 5, 31)
        True
        """
        if start.unit != "day":
            return None
        month, day = start.first // 100 % 100, start.first % 100
        ends = [self._from(start.year or year, month, day) for year in _ANY_YEARS]
        if None in ends or len({(end.month, end.day) for end in ends if end}) > 1:
            return None
        end = ends[0]
        assert end is not None
        if start.year is None:
            return DateValue.day(None, end.month, end.day)
        return DateValue.day(end.year, end.month, end.day)

    def _from(self, year: int, month: int, day: int) -> date | None:
        if abs(self.months) > _FARTHEST or abs(self.days) > _FARTHEST:
            return None
        months = year * 12 + month - 1 + self.months
        year, month = months // 12, months % 12 + 1
        try:
            return date(year, month, min(day, _days(year, month))) + timedelta(self.days)
        except (ValueError, OverflowError):
            return None


def _days(year: int, month: int) -> int:
    """How many days the month has; raises ValueError for a year that no calendar has."""
    return 31 if month == 12 else (date(year, month + 1, 1) - timedelta(days=1)).day


def resolved(said: SpokenDate, today: date, away: dict[str, int]) -> Any:
    """What the words mean on the day ``today``, by how many days or periods each is ``away``; None if nothing.

    >>> resolved(SpokenDate("yesterday"), date(2024, 5, 5), {"yesterday": -1}) == DateValue.day(2024, 5, 4)
    True
    """
    lead, _, unit = said.words.partition(" ")
    if lead not in away:
        return None
    step = away[lead]
    if said.weekday is not None:
        return _weekday(today, said.weekday, step)
    if not unit:
        return _day(today + timedelta(step))
    if unit == "week":
        return either(*(_week(first, first + timedelta(6)) for first in _weeks(today, step)))
    if unit == "weekend":
        saturday = today + timedelta(7 * step + 5 - today.weekday())
        return _week(saturday, saturday + timedelta(1))
    if unit in ("month", "quarter"):
        size = 3 if unit == "quarter" else 1
        months = today.year * 12 + today.month - 1 + size * step
        year, month = months // 12, months % 12
        return DateValue.quarter(year, month // 3 + 1) if unit == "quarter" else DateValue.month(year, month + 1)
    if unit == "year":
        return DateValue.years("year", today.year + step)
    return DateValue.years("decade", today.year // 10 * 10 + 10 * step, 10) if unit == "decade" else None


def _weeks(today: date, step: int) -> tuple[date, date]:
    """The first days of the week so many away, which begins on Monday or on Sunday."""
    named = today + timedelta(7 * step)
    return named - timedelta(today.weekday()), named - timedelta((today.weekday() + 1) % 7)


def _weekday(today: date, weekday: int, step: int) -> Any:
    """The weekday of the week before or after, or the nearest one in that direction: people say both."""
    monday, sunday = _weeks(today, step)
    named = [monday + timedelta(weekday), sunday + timedelta((weekday + 1) % 7)]
    if step > 0:
        named.append(today + timedelta((weekday - today.weekday()) % 7 or 7))
    elif step < 0:
        named.append(today - timedelta((today.weekday() - weekday) % 7 or 7))
    return either(*map(_day, named))


def _day(day: date) -> DateValue:
    return DateValue.day(day.year, day.month, day.day)


def _week(first: date, last: date) -> DateValue:
    return DateValue("week", _day(first).first, _day(last).last)
