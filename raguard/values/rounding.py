"""Which amounts may a written number stand for? Only those that round to it where its digits end."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

__all__ = ["Hedge", "converted", "interval", "same"]

Hedge: TypeAlias = Literal["exact", "about", "upper", "lower"]
"""As it stands, near it on both sides, at most it ("nearly"), at least it ("over")."""

_CAP = 0.1
"""Round figures without decimals would stretch far (2 million: 1.5 to 2.5); they reach this share at most."""
_EXACT_BELOW = 10
_CONVERTED_CAP = 0.05
_CONVERTED_LEAST = 0.01


def same(one: float, other: float) -> bool:
    """Whether two amounts are equal but for the noise of binary arithmetic."""
    return math.isclose(one, other, rel_tol=1e-13, abs_tol=1e-12)


def interval(
    amount: float, place: float, *, hedge: Hedge, decimals: bool, scaled: bool, counted: bool
) -> tuple[float, float]:
    """The least and the greatest amount that may be written so; both are ``amount`` when only itself may.

    ``place`` is what one unit in the last written place is worth. Signs mirror: "over -30" goes down.
    ``counted`` things have no unit; below ten they are exact however they are hedged.

    >>> interval(1_500_000, 100_000, hedge="exact", decimals=True, scaled=True, counted=False)
    (1450000.0, 1550000.0)
    >>> interval(15, 1, hedge="exact", decimals=False, scaled=False, counted=True)
    (15, 15)
    """
    size = abs(amount)
    rounded = decimals or scaled
    if not rounded and (hedge == "exact" or (counted and size < _EXACT_BELOW)):
        return amount, amount
    most = size if decimals else _CAP * size
    if hedge == "lower":
        low, high = size, size + place
    elif hedge == "upper":
        low, high = size - min(place, most), size
    else:
        half = min(place / 2, most)
        low, high = size - half, size + half
    return (low, high) if amount >= 0 else (-high, -low)


def converted(amount: float, place: float, *, decimals: bool) -> tuple[float, float]:
    """The least and the greatest amount that may be written so after an uneven conversion."""
    size = abs(amount)
    slack = place / 2 if decimals else min(place / 2, _CONVERTED_CAP * size)
    slack = max(slack, min(_CONVERTED_LEAST * size, 2 * place))
    return amount - slack, amount + slack
