"""When does one number support another? Amounts with their unit, currency or percent, compared as written.

A written number can have several readings (3.355 may be 3355, "20 pounds" may be money); one match is enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from raguard.values.rounding import Hedge, converted, interval, same
from raguard.values.value import Alone, Point, Window

__all__ = ["Quantity", "QuantityKind", "Range", "Reading", "Unit"]

QuantityKind: TypeAlias = Literal["money", "percent", "number"]

_HEAD = 1e-9
_LEAST_DIGITS_BARE, _LEAST_DIGITS_MONEY = 10, 100
"""How large the written digits must be, read as a whole number, to agree without their scale word."""


class Unit(NamedTuple):
    """What an amount is counted in: ``amount * factor + offset`` is in the base unit of the dimension.

    A currency is a unit too (its dimension is its ISO code, a cent has factor 0.01), and so is percent.
    """

    id: str
    dimension: str
    factor: float = 1.0
    offset: float = 0.0
    kind: QuantityKind = "number"

    def base(self, amount: float) -> float:
        """``amount`` of this unit in the base unit of its dimension."""
        return amount * self.factor + self.offset

    def evenly(self, other: Unit) -> bool:
        """Whether conversion to ``other`` comes out even, so that nothing excuses a difference."""
        ratio = max(self.factor, other.factor) / min(self.factor, other.factor)
        return self.offset == other.offset and same(ratio, round(ratio))


class Reading(NamedTuple):
    """One way to understand a written number; ``place`` is one unit in its last written significant place."""

    amount: float
    unit: Unit | None = None
    place: float = 1.0


@dataclass(frozen=True, slots=True)
class Quantity(Alone):
    """A number as written: its readings (the likeliest first) and what was said about it."""

    axis: ClassVar[str] = "quantity"

    readings: tuple[Reading, ...]
    decimals: bool = False
    scale: float = 1.0
    """What the scale word is worth ("million"); 1 without one. The amounts hold it already."""
    hedge: Hedge = "exact"
    ordinal: bool = False
    either_sign: bool = False
    """The sign may be told by words or brackets: "fell by 4 %", "(4)"."""
    counts: bool = False
    """A noun that is not a unit follows: 20 users are neither $20 nor 20 %."""
    fold: float | None = None
    """How many times as much something became, when a word says so: doubled."""

    @property
    def kind(self) -> str:
        """ "money", "percent" or "number"."""
        unit = self.readings[0].unit
        return unit.kind if unit else "number"

    @property
    def amounts(self) -> tuple[float, ...]:
        """The amounts that the number may mean, without repeats."""
        return tuple(dict.fromkeys(reading.amount for reading in self.readings))

    @property
    def unit(self) -> Unit | None:
        """The unit of the likeliest reading, None for a bare number."""
        return self.readings[0].unit

    @property
    def currency(self) -> str | None:
        """The ISO code of the likeliest currency, None when the number is no money."""
        return next((unit.dimension for _, unit, _ in self.readings if unit and unit.kind == "money"), None)

    @property
    def bare(self) -> bool:
        """Whether the number stands without unit, currency and percent."""
        return self.readings[0].unit is None

    @property
    def scaled(self) -> bool:
        """Whether a scale word was written."""
        return self.scale != 1.0

    def points(self) -> tuple[Point, ...]:
        """Each amount as written and in base units, with both signs when the sign is told by words."""
        found: dict[Point, None] = {}
        for amount, unit, _ in self.readings:
            for signed in (amount, -amount) if self.either_sign else (amount,):
                found[signed] = None
                if unit is not None:
                    found[unit.base(signed)] = None
        return tuple(found)

    def windows(self) -> tuple[Window, ...]:
        """Where amounts that round to this one may lie: as written, without the scale, and in base units."""
        found: dict[Window, None] = {}
        for reading in self.readings:
            for low, high in self._reach(reading):
                slack = _HEAD * max(abs(low), abs(high)) + 1e-12
                found[low - slack, high + slack] = None
                if self.either_sign:
                    found[-high - slack, slack - low] = None
        return tuple(found)

    def _reach(self, reading: Reading) -> Iterator[Window]:
        yield self._interval(reading)
        if self.scaled:
            yield reading.amount / self.scale, reading.amount / self.scale
        if reading.unit is not None:
            low, high = self._interval(reading)
            loose = converted(reading.amount, reading.place, decimals=self.decimals)
            yield reading.unit.base(min(low, loose[0])), reading.unit.base(max(high, loose[1]))

    def _interval(self, reading: Reading) -> Window:
        return interval(
            reading.amount,
            reading.place,
            hedge=self.hedge,
            decimals=self.decimals,
            scaled=self.scaled,
            counted=reading.unit is None,
        )

    def covers(self, other: Quantity | Range) -> bool:
        """Whether a document stating this number supports an answer stating ``other``.

        A lone number never covers a range; ask for the ``ends()`` of the range.
        """
        if isinstance(other, Range) or (self.ordinal and not other.ordinal):
            return False
        if self.fold is not None and other.fold is not None:
            return same(self.fold, other.fold)
        return self.by_digits(other) or any(
            self._supports(mine, other, theirs) for mine in self.readings for theirs in other.readings
        )

    def by_digits(self, other: Quantity | Range) -> bool:
        """Whether only the digits agree: this 1.5 may be the 1.5 million of ``other``, as in a table.

        A sum of money in the table needs three significant digits, for "$5" beside "$5 million" is an error.
        """
        if isinstance(other, Range) or not other.scaled or self.scaled or self.ordinal:
            return False
        either = self.either_sign or other.either_sign
        return any(
            _same_digits(mine, theirs, other.scale, either=either)
            for mine in self.readings
            for theirs in other.readings
            if mine.unit == theirs.unit or (None in (mine.unit, theirs.unit) and not self._something_else(mine, theirs))
        )

    def _supports(self, mine: Reading, other: Quantity, theirs: Reading) -> bool:
        amount = mine.amount
        if self._something_else(mine, theirs):
            return False
        if mine.unit is None or mine.unit == theirs.unit:
            low, high = other._interval(theirs)
        elif theirs.unit is None:
            if other.ordinal:
                return False
            low = high = theirs.amount
        elif mine.unit.dimension != theirs.unit.dimension:
            return False
        else:
            amount = (mine.unit.base(amount) - theirs.unit.offset) / theirs.unit.factor
            low, high = other._interval(theirs)
            if not mine.unit.evenly(theirs.unit):
                loose = converted(theirs.amount, theirs.place, decimals=other.decimals)
                low, high = min(low, loose[0]), max(high, loose[1])
        return _within(amount, low, high) or ((self.either_sign or other.either_sign) and _within(-amount, low, high))

    def _something_else(self, mine: Reading, theirs: Reading) -> bool:
        """Whether this number counts things and the other is measured in a unit, or it has a percentage of its own."""
        if mine.unit is not None or theirs.unit is None:
            return False
        return self.counts or (theirs.unit.kind == "percent" and self.readings[-1].unit == theirs.unit)

    def distance(self, other: Quantity | Range) -> float:
        """The relative difference to ``other``, more when the unit differs; ``inf`` for unlike things."""
        if isinstance(other, Range):
            return other.distance(self)
        if self.kind == "money" and self.unit == other.unit and len(self.amounts) == len(other.amounts) == 1:
            # the same symbol, and so the same currencies
            return _apart(self.readings[0], other.readings[0])
        return min(_apart(mine, theirs) for mine in self.readings for theirs in other.readings)


@dataclass(frozen=True, slots=True)
class Range(Alone):
    """Two numbers written as one: "3 to 5 days", "$10-20", a score of "4-3"."""

    axis: ClassVar[str] = "quantity"

    low: Quantity
    high: Quantity

    @property
    def kind(self) -> str:
        """The kind of its ends."""
        return self.high.kind

    def ends(self) -> tuple[Quantity, Quantity]:
        """Both numbers with the shared unit; documents that state each of them support the range."""
        return self.low, self.high

    def points(self) -> tuple[Point, ...]:
        """The points of both ends."""
        return tuple(dict.fromkeys(self.low.points() + self.high.points()))

    def windows(self) -> tuple[Window, ...]:
        """The windows of the first end: a range that covers this one has an end there."""
        return self.low.windows()

    def covers(self, other: Quantity | Range) -> bool:
        """Whether a document stating this range supports ``other``: the same two ends, or one of them."""
        if isinstance(other, Quantity):
            return self.low.covers(other) or self.high.covers(other)
        return (self.low.covers(other.low) and self.high.covers(other.high)) or (
            self.low.covers(other.high) and self.high.covers(other.low)
        )

    def distance(self, other: Quantity | Range) -> float:
        """The distance of the ends that differ most, or of the nearer end from a lone number."""
        if isinstance(other, Quantity):
            return min(self.low.distance(other), self.high.distance(other))
        return max(self.low.distance(other.low), self.high.distance(other.high))


def _same_digits(mine: Reading, theirs: Reading, scale: float, *, either: bool) -> bool:
    amount = theirs.amount / scale
    digits = round(abs(amount) * scale / theirs.place)
    least = _LEAST_DIGITS_BARE if mine.unit is None else _LEAST_DIGITS_MONEY
    return digits >= least and (same(mine.amount, amount) or (either and same(mine.amount, -amount)))


def _within(amount: float, low: float, high: float) -> bool:
    return low <= amount <= high or same(amount, low) or same(amount, high)


def _apart(mine: Reading, theirs: Reading) -> float:
    one, other = mine.amount, theirs.amount
    if mine.unit == theirs.unit:
        penalty = 0.0
    elif mine.unit is None or theirs.unit is None:
        penalty = 0.5
    elif mine.unit.dimension == theirs.unit.dimension:
        one, other, penalty = mine.unit.base(one), theirs.unit.base(other), 0.25
    elif mine.unit.kind == theirs.unit.kind != "number":
        penalty = 1.0
    else:
        return math.inf
    largest = max(abs(one), abs(other))
    return penalty + (abs(one - other) / largest if largest else 0.0)
