"""Which day or period does a text state, and when does one statement of it cover another?

A period is the interval of its days. A day is the number ``year * 10000 + month * 100 + day``, with year 0
where the text gives none, and every month is thought to have 31 days: then "September 2024" holds September
30, 2024 exactly when the numbers say so, and a document covers whatever is no finer than itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from math import inf
from typing import Any, ClassVar
from zlib import crc32

from raguard.values.value import Alone, Point, Window

__all__ = ["RANK", "DateValue", "Dated", "SpokenDate"]

RANK = {
    "day": 0,
    "week": 1,
    "month": 1,
    "quarter": 2,
    "season": 2,
    "half": 3,
    "year": 4,
    "fiscal": 4,
    "decade": 5,
    "century": 6,
}
"""The units of a period from fine to coarse."""

_YEAR = 10_000
_OTHER_UNIT = 10_000
_SEASONS = {3: (301, 531), 6: (601, 831), 9: (901, 1130), 12: (1200, 1231)}
"""First and last day by first month; winter counts in the year of its start and is more than December."""


class Dated(Alone):
    """What all values of the axis share: alternatives (``readings``) are compared one by one."""

    __slots__ = ()
    axis: ClassVar[str] = "date"

    @property
    def kind(self) -> str:
        """What a reader of the result calls it."""
        return "date"

    @property
    def readings(self) -> tuple[Any, ...]:
        """The values that the words may mean; only an ambiguous date has several."""
        return (self,)

    @property
    def moments(self) -> tuple[Any, ...]:
        """The single dates that it is made of: the ends of a range, all readings of an ambiguous date."""
        return (self,)

    def covers(self, other: Any) -> bool:
        """Whether a document stating this value supports an answer stating ``other``."""
        return any(mine.states(theirs) for mine in self.readings for theirs in other.readings)

    def distance(self, other: Any) -> float:
        """About how many days lie between the two; ``inf`` when they cannot be compared."""
        return min(float(mine.gap(theirs)) for mine in self.moments for theirs in other.moments)

    @property
    def year(self) -> int | None:
        """The (first) year, or None."""
        return None

    @property
    def needs_context(self) -> bool:
        """Whether it names no year."""
        return all(moment.year is None for moment in self.moments)

    def in_context(self) -> tuple[Any, Any] | None:
        """The value without its year, and the year; None when it has no such parts."""
        plain, year = self.without_year(), self.year_part()
        return None if plain is None or year is None else (plain, year)

    def without_year(self) -> Any:
        """The same day, month, quarter or season of any year, or None when there is no such thing."""
        return None

    def year_part(self) -> Any:
        """The year that the value names besides a finer part, or None."""
        return None


@dataclass(frozen=True, slots=True)
class DateValue(Dated):
    """A day or a period: the days ``first..last``, the ``unit`` of its name, its ``part`` (early, mid, late).

    >>> DateValue.day(2024, 9, 30).covers(DateValue.month(2024, 9))
    True
    >>> DateValue.month(2024, 9).covers(DateValue.day(2024, 9, 12))
    False
    """

    unit: str
    first: int
    last: int
    part: str = ""
    weekday: int | None = None

    @classmethod
    def day(cls, year: int | None, month: int, day: int) -> DateValue:
        """A calendar day, of any year when ``year`` is None."""
        code = (year or 0) * _YEAR + month * 100 + day
        return cls("day", code, code)

    @classmethod
    def month(cls, year: int | None, month: int) -> DateValue:
        """A calendar month, of any year when ``year`` is None."""
        code = (year or 0) * _YEAR + month * 100
        return cls("month", code + 1, code + 31)

    @classmethod
    def quarter(cls, year: int | None, number: int) -> DateValue:
        """A quarter (1 to 4)."""
        code = (year or 0) * _YEAR + number * 300
        return cls("quarter", code - 199, code + 31)

    @classmethod
    def half(cls, year: int | None, number: int) -> DateValue:
        """A half year (1 or 2)."""
        code = (year or 0) * _YEAR + number * 600
        return cls("half", code - 499, code + 31)

    @classmethod
    def season(cls, year: int | None, month: int) -> DateValue:
        """The season that begins in ``month`` (3, 6, 9 or 12)."""
        first, last = _SEASONS[month]
        return cls("season", (year or 0) * _YEAR + first, (year or 0) * _YEAR + last)

    @classmethod
    def years(cls, unit: str, first: int, count: int = 1) -> DateValue:
        """A year, fiscal year, decade or century from the first to the last day of its years."""
        return cls(unit, first * _YEAR + 101, (first + count - 1) * _YEAR + 1231)

    @property
    def year(self) -> int | None:
        """The (first) year, or None."""
        return self.first // _YEAR or None

    def with_year(self, year: int) -> DateValue:
        """The same day or period of another year."""
        shift = (year - self.first // _YEAR) * _YEAR
        return replace(self, first=self.first + shift, last=self.last + shift)

    def without_year(self) -> DateValue | None:
        """The same day, month or season of any year; a weekday that the calendar confirms is dropped."""
        if self.first < _YEAR or RANK[self.unit] >= RANK["year"]:
            return None
        weekday = None if self.weekday == self.calendar_weekday() else self.weekday
        return replace(self, first=self.first % _YEAR, last=self.last % _YEAR, weekday=weekday)

    def year_part(self) -> DateValue | None:
        """The year of a dated day, month, quarter, half or season."""
        if self.year is None or RANK[self.unit] >= RANK["year"]:
            return None
        return DateValue.years("year", self.year)

    def calendar_weekday(self) -> int | None:
        """The weekday (Monday is 0) of a full date, None for anything else or an impossible date."""
        if self.unit != "day" or self.year is None:
            return None
        try:
            return date(self.year, self.first // 100 % 100, self.first % 100).weekday()
        except ValueError:
            return None

    def ends(self) -> tuple[DateValue, SpokenDate] | tuple[()]:
        """The day and the weekday of a date without year, which a text may also state apart."""
        if self.weekday is None or self.year is not None:
            return ()
        return replace(self, weekday=None), SpokenDate(weekday=self.weekday)

    def points(self) -> tuple[Point, ...]:
        """Its first day, the same without its year, and its weekday when named."""
        found: list[Point] = [self.first]
        if self.first >= _YEAR and RANK[self.unit] < RANK["year"]:
            found.append(self.first % _YEAR)
        if self.weekday is not None:
            found.append(-1 - self.weekday)
        return tuple(found)

    def windows(self) -> tuple[Window, ...]:
        """Everything that begins within it."""
        return ((self.first, self.last),)

    def states(self, other: Any) -> bool:
        """Whether this day or period lies within ``other``, so that ``other`` says no more."""
        if not isinstance(other, DateValue):
            return isinstance(other, SpokenDate) and not other.words and other.weekday == self.weekday
        mine = self.without_year() if other.year is None and self.year is not None else self
        if mine is None or (mine.year is None) != (other.year is None):
            return False
        if not (other.first <= mine.first and mine.last <= other.last):
            return False
        if self.part and other.part and self.part != other.part and self.unit == other.unit:
            return False
        if other.weekday is None:
            return True
        return other.weekday == (self.calendar_weekday() if self.weekday is None else self.weekday)

    def gap(self, other: Any) -> float:
        """Days between the middles of the two, without the years when only one has a year; another unit is far off."""
        if not isinstance(other, DateValue):
            return inf
        mine, theirs = self, other
        if (self.year is None) != (other.year is None):
            mine, theirs = self.without_year() or self, other.without_year() or other
            if mine.year is not None or theirs.year is not None:
                return inf
        return abs(_middle(mine) - _middle(theirs)) + (0 if self.unit == other.unit else _OTHER_UNIT)


@dataclass(frozen=True, slots=True)
class SpokenDate(Dated):
    """A weekday, or words that mean a day only to the speaker ("next Tuesday"): compared as said."""

    words: str = ""
    weekday: int | None = None

    @property
    def kind(self) -> str:
        """Words that count from the day of speaking are a kind of their own: a document rarely says them."""
        return "relative_date" if self.words else "date"

    def points(self) -> tuple[Point, ...]:
        """Negative numbers: one per weekday, one per phrase."""
        found: list[Point] = [] if self.weekday is None else [-1 - self.weekday]
        return (*found, self._phrase()) if self.words else tuple(found)

    def windows(self) -> tuple[Window, ...]:
        """Its phrase when it has one, else its weekday."""
        point = self._phrase() if self.words else self.points()[0]
        return ((point, point),)

    def _phrase(self) -> int:
        return -100 - crc32(f"{self.words} {self.weekday}".encode())

    def states(self, other: Any) -> bool:
        """Whether ``other`` is the same phrase or this one's bare weekday."""
        if not isinstance(other, SpokenDate) or self.weekday != other.weekday:
            return False
        return other.words in ("", self.words)

    def gap(self, other: Any) -> float:
        """Days between the weekdays the short way round."""
        if not isinstance(other, SpokenDate) or self.weekday is None or other.weekday is None:
            return inf
        days = abs(self.weekday - other.weekday)
        return min(days, 7 - days)


def _middle(value: DateValue) -> float:
    return (_days(value.first) + _days(value.last)) / 2


def _days(code: int) -> float:
    return code // _YEAR * 365.25 + (code // 100 % 100) * 30.4 + code % 100
