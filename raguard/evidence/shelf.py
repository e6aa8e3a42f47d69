"""Which stated values may cover this one? They stand in the order of their points: a look-up is a binary search."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.values.value import Fact, Point, Window

__all__ = ["Shelf", "Stated"]


class Stated(NamedTuple):
    """A fact of a chunk."""

    chunk: Chunk
    fact: Fact


_MOST_INSIDE = 200
"""How many entries inside a window are enough to name a near one."""


class Shelf:
    """The values of one axis that some chunks state, in the order of their points.

    Of a value that is stated again and again the first statement stands for all, unless ``every`` one is asked for.
    """

    def __init__(self, stated: Iterable[Stated], *, every: bool = False) -> None:
        first: dict[object, Stated] = {}
        for entry in stated:
            first.setdefault(entry if every else (entry.fact.value, entry.fact.tentative), entry)
        filed = sorted(
            (
                (point, order, entry)
                for order, entry in enumerate(first.values())
                for point in entry.fact.value.points()
            ),
            key=lambda item: (item[0], item[1]),
        )
        self._points: list[Point] = [point for point, _, _ in filed]
        self._stated = [entry for _, _, entry in filed]

    def within(self, windows: Iterable[Window]) -> Iterator[Stated]:
        """What is filed inside any of the windows (both ends included)."""
        for low, high in windows:
            for place in range(bisect_left(self._points, low), bisect_right(self._points, high)):
                yield self._stated[place]

    def narrowest(self, choices: Iterable[Sequence[Window]]) -> Sequence[Window]:
        """Of several groups of windows the one with the least filed inside."""
        return min(choices, key=self._filed)

    def _filed(self, windows: Iterable[Window]) -> int:
        return sum(bisect_right(self._points, high) - bisect_left(self._points, low) for low, high in windows)

    def around(self, windows: Iterable[Window], reach: int = 6) -> Iterator[Stated]:
        """What is filed nearest to the windows: at most ``reach`` entries on either side of each, and some inside."""
        for low, high in windows:
            first, last = bisect_left(self._points, low), bisect_right(self._points, high)
            yield from self._stated[max(0, first - reach) : min(last, first + _MOST_INSIDE)]
            yield from self._stated[last : last + reach]
