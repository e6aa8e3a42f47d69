"""What is a metric, and what comes back from one?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from raguard import RaguardError
from raguard.metrics.slices import EvalSlice

__all__ = ["Metric", "MetricScore", "UndefinedScoreError"]


class UndefinedScoreError(RaguardError):
    """A metric has no score for a slice; the message says why, without any text of the slice."""


class Metric(Protocol):
    """Scores one slice from 0 to 1.

    It may have ``higher_is_better``; without one, higher is better.
    """

    @property
    def name(self) -> str:
        """What it is called in tables and reports."""
        ...

    def score(self, slice: EvalSlice, /) -> float | None:
        """The score from 0 to 1; where it is undefined, None, or UndefinedScoreError, which says why."""
        ...


@dataclass(frozen=True, slots=True)
class MetricScore:
    """The score of one metric; ``value`` is from 0 to 1, or None, and ``reason`` says in words what it rests on.

    >>> MetricScore("retrieval_recall", None, "no gold ids are given").value is None
    True
    """

    name: str
    value: float | None
    reason: str
    higher_is_better: bool = True
