"""Which time of day does a text state, and when are two times the same?

A time is minutes after midnight. "9:30" without am or pm means two of them, and either will do. Two times
that both name a zone are compared as moments: 22:00 UTC is 23:00 CET.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from raguard.values.value import Alone, Point, Window

__all__ = ["ClockRange", "ClockValue"]

_DAY = 24 * 60
_MOMENTS = 10_000


@dataclass(frozen=True, slots=True)
class ClockValue(Alone):
    """A time of day: the ``minutes`` that it may mean, and how many minutes its zone may be ahead of UTC.

    >>> ClockValue((9 * 60, 21 * 60)).covers(ClockValue((21 * 60,)))
    True
    """

    axis: ClassVar[str] = "clock"

    minutes: tuple[int, ...]
    zones: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """What a reader of the result calls it."""
        return "time"

    @property
    def times(self) -> tuple[ClockValue, ...]:
        """The single times that it is made of."""
        return (self,)

    def points(self) -> tuple[Point, ...]:
        """Each minute that it may mean; with a zone also the moments, which stand apart on the axis."""
        return (*self.minutes, *(_MOMENTS + moment for moment in self.moments()))

    def windows(self) -> tuple[Window, ...]:
        """Each minute and each moment that it may mean."""
        return tuple((point, point) for point in self.points())

    def moments(self) -> set[int]:
        """The minutes in UTC that it may mean, none without a zone."""
        return {(minute - zone) % _DAY for minute in self.minutes for zone in self.zones}

    def covers(self, other: Any) -> bool:
        """Whether both can be the same time: the same moment when both name a zone, else the same minute."""
        if not isinstance(other, ClockValue):
            return False
        if self.zones and other.zones:
            return not self.moments().isdisjoint(other.moments())
        return not set(self.minutes).isdisjoint(other.minutes)

    def distance(self, other: Any) -> float:
        """Minutes between the two, the short way round."""
        return min(_apart(mine, theirs) for mine in self.times for theirs in other.times)


@dataclass(frozen=True, slots=True)
class ClockRange(Alone):
    """From one time of day to another."""

    axis: ClassVar[str] = "clock"

    start: ClockValue
    end: ClockValue

    @property
    def kind(self) -> str:
        """What a reader of the result calls it."""
        return "time"

    @property
    def times(self) -> tuple[ClockValue, ClockValue]:
        """The single times that it is made of."""
        return self.ends()

    def ends(self) -> tuple[ClockValue, ClockValue]:
        """When it begins and when it ends, which a text may also state apart."""
        return self.start, self.end

    def points(self) -> tuple[Point, ...]:
        """The points of both ends."""
        return tuple(dict.fromkeys((*self.start.points(), *self.end.points())))

    def windows(self) -> tuple[Window, ...]:
        """The windows of its start: what covers the range states that too."""
        return self.start.windows()

    def covers(self, other: Any) -> bool:
        """Whether ``other`` is one of its ends or the same range."""
        if isinstance(other, ClockRange):
            return self.start.covers(other.start) and self.end.covers(other.end)
        return self.start.covers(other) or self.end.covers(other)

    def distance(self, other: Any) -> float:
        """Minutes between the nearest ends of the two; for two ranges the mean over start and end."""
        if isinstance(other, ClockRange):
            return (self.start.distance(other.start) + self.end.distance(other.end)) / 2
        return min(_apart(mine, theirs) for mine in self.times for theirs in other.times)


def _apart(one: ClockValue, other: ClockValue) -> float:
    steps = (abs(mine - theirs) for mine in one.minutes for theirs in other.minutes)
    return float(min(min(step, _DAY - step) for step in steps))
