"""What does a range of dates hold, and what does a date mean that can be read in two ways?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeAlias

from raguard.values.dates import RANK, Dated, DateValue, SpokenDate
from raguard.values.value import Point, Window

__all__ = ["DateRange", "EitherDate", "Moment", "either"]

Moment: TypeAlias = DateValue | SpokenDate

_YEAR = 10_000
_LONGEST = 128
"""How many steps inside a range are known; a longer one is known in coarser steps."""


@dataclass(frozen=True, slots=True)
class DateRange(Dated):
    """From one day, period or weekday to another, both included.

    >>> served = DateRange(DateValue.years("year", 2010), DateValue.years("year", 2014))
    >>> served.covers(DateValue.years("year", 2012)), served.covers(DateValue.month(2012, 5))
    (True, False)
    """

    start: Moment
    end: Moment

    @property
    def moments(self) -> tuple[Moment, Moment]:
        """Its ends."""
        return self.ends()

    def ends(self) -> tuple[Moment, Moment]:
        """Its first and its last date, which a text may also state apart."""
        return self.start, self.end

    def without_year(self) -> DateRange | None:
        """The range of the same days or months of any year, or None."""
        start, end = self.start.without_year(), self.end.without_year()
        return None if start is None or end is None or self.year_part() is None else DateRange(start, end)

    def year_part(self) -> DateValue | None:
        """The year of both ends when it is the same, or None."""
        year: DateValue | None = self.start.year_part()
        return year if year == self.end.year_part() else None

    def points(self) -> tuple[Point, ...]:
        """The points of its ends and of the steps between them."""
        return tuple(dict.fromkeys((*self.start.points(), *self.end.points(), *self._inside()[1])))

    def windows(self) -> tuple[Window, ...]:
        """The windows of its start: what covers the range states that too."""
        return self.start.windows()

    def states(self, other: Any) -> bool:
        """Whether an end states ``other``, or ``other`` lies inside and is no finer than the ends."""
        if isinstance(other, DateRange):
            return self._holds(other.start) and self._holds(other.end)
        return self._holds(other)

    def _holds(self, other: Any) -> bool:
        if self.start.states(other) or self.end.states(other):
            return True
        if isinstance(other, SpokenDate):
            return not other.words and other.weekday is not None and -1 - other.weekday in self._inside()[1]
        if not isinstance(other, DateValue) or other.weekday is not None:
            return False
        finest, points = self._inside()
        return RANK[other.unit] >= finest and any(other.first <= point <= other.last for point in points)

    def _inside(self) -> tuple[int, tuple[int, ...]]:
        """The rank of the finest unit known inside the range, and where each step stands on the axis."""
        start, end = self.ends()
        if not isinstance(start, DateValue) or not isinstance(end, DateValue):
            return 0, _weekdays(start, end)
        finest = max(RANK[start.unit], RANK[end.unit])
        steps = [unit for unit in _STEPS if RANK[unit] <= finest][-1:] + [
            unit for unit in _STEPS if RANK[unit] > finest
        ]
        for unit in steps:
            points = _STEPS[unit](start.first, end.last)
            if len(points) <= _LONGEST:
                known = max(finest, RANK[unit])
                same_year = start.year is not None and start.year == end.year and known < RANK["year"]
                return known, (*points, *(point % _YEAR for point in points if same_year))
        return RANK["century"], ()


@dataclass(frozen=True, slots=True)
class EitherDate(Dated):
    """One date that can be read in several ways, such as 09/10/2025; any reading will do."""

    choices: tuple[DateValue | DateRange, ...]

    @property
    def readings(self) -> tuple[DateValue | DateRange, ...]:
        """The values that the words may mean."""
        return self.choices

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The dates of all readings."""
        return tuple(moment for choice in self.choices for moment in choice.moments)

    def points(self) -> tuple[Point, ...]:
        """The points of all readings."""
        return tuple(dict.fromkeys(point for choice in self.choices for point in choice.points()))

    def windows(self) -> tuple[Window, ...]:
        """The windows of all readings."""
        return tuple(window for choice in self.choices for window in choice.windows())

    def without_year(self) -> DateValue | EitherDate | None:
        """Both readings without their year, or None when one has no such form."""
        plain = [choice.without_year() for choice in self.choices]
        return None if None in plain else either(*plain)

    def year_part(self) -> DateValue | None:
        """The year that all readings share, or None."""
        years = {choice.year_part() for choice in self.choices}
        return years.pop() if len(years) == 1 else None


def either(*choices: Any) -> Any:
    """The value with the given readings: the only one itself when they do not differ."""
    different = tuple(dict.fromkeys(choices))
    return different[0] if len(different) == 1 else EitherDate(different)


def _weekdays(start: Moment, end: Moment) -> tuple[int, ...]:
    if start.weekday is None or end.weekday is None:
        return ()
    return tuple(-1 - (start.weekday + step) % 7 for step in range((end.weekday - start.weekday) % 7 + 1))


def _days(first: int, last: int) -> Sequence[int]:
    try:
        # a range of days without year needs some leap year to count in
        start, end = (date(code // _YEAR or 2000, code // 100 % 100, code % 100) for code in (first, last))
    except ValueError:
        return ()
    if (end - start).days > _LONGEST:
        return range(_LONGEST + 1)
    away = _YEAR * 2000 if first < _YEAR else 0
    days = (start + timedelta(step) for step in range((end - start).days + 1))
    return tuple(day.year * _YEAR + day.month * 100 + day.day - away for day in days)


def _months(first: int, last: int) -> Sequence[int]:
    steps = range(first // _YEAR * 12 + first // 100 % 100 - 1, last // _YEAR * 12 + last // 100 % 100)
    return steps if len(steps) > _LONGEST else tuple(step // 12 * _YEAR + (step % 12 + 1) * 100 + 1 for step in steps)


def _years(first: int, last: int) -> range:
    return range(first // _YEAR * _YEAR + 101, last + 1, _YEAR)


def _decades(first: int, last: int) -> range:
    return range(first // (10 * _YEAR) * 10 * _YEAR + 101, last + 1, 10 * _YEAR)


_STEPS: dict[str, Callable[[int, int], Sequence[int]]] = {
    "day": _days,
    "month": _months,
    "year": _years,
    "decade": _decades,
}
"""How to step through a range, from fine to coarse; more than the longest is only counted."""
