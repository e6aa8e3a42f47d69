"""What do many scores amount to: their mean and its certainty, and do they tell bad answers from good ones?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["auroc", "histogram", "interval"]

_RESAMPLES = 1_000
_SEED = 20_240_930
_INSIDE = (2.5, 97.5)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The bounds between which the mean lies in 95 % of all resamples of one or more values; the same every time.

    These are percentiles of 1,000 bootstrap means from a fixed seed (Efron and Tibshirani, 1993). For few values the
    interval is too narrow, and for equal values it has no width.

    >>> interval([0.5, 0.5]), interval([0.0, 1.0] * 50)
    ((0.5, 0.5), (0.4, 0.6))
    """
    given = np.asarray(values, dtype=np.float64)
    draw = np.random.default_rng(_SEED)
    means = [given[draw.integers(0, len(given), len(given))].mean() for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, _INSIDE)
    return float(round(low, 12)), float(round(high, 12))


def auroc(labels: Sequence[bool], risks: Sequence[float]) -> float | None:
    """How often one with the label has the higher risk than one without, ties counting half: from 0 to 1.

    None where all have the same label.

    >>> auroc([True, False, True, False], [0.9, 0.1, 0.4, 0.4]), auroc([True], [0.9])
    (0.875, None)
    """
    marked = np.asarray(labels, dtype=bool)
    given = np.asarray(risks, dtype=np.float64)
    bad: npt.NDArray[np.float64] = given[marked]
    good: npt.NDArray[np.float64] = np.sort(given[~marked])
    if not len(bad) or not len(good):
        return None
    below = np.searchsorted(good, bad, "left") + np.searchsorted(good, bad, "right")
    return float(below.sum() / 2 / len(bad) / len(good))


def histogram(values: Sequence[float], bins: int = 10) -> list[int]:
    """How many of the values from 0 to 1 lie in each of so many equal parts; 1 belongs to the last.

    >>> histogram([0.0, 0.05, 0.1, 1.0], bins=10)
    [2, 1, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    counts = [0] * bins
    for value in values:
        counts[min(int(value * bins + 1e-9), bins - 1)] += 1
    return counts
