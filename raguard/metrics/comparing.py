"""Has a metric become worse than it was?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raguard import ConfigError
from raguard.metrics.summary import MetricSummary, Summary

__all__ = ["Regression", "regressions"]

_SLACK = 1e-9
"""What two means may differ by because they were added up in another order."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A metric whose mean is worse than before; ``after`` is None where it is defined for nothing any more."""

    name: str
    before: float
    after: float | None

    def __str__(self) -> str:
        """The sentence that says so.

        >>> str(Regression("retrieval_recall", 0.9, 0.8)), str(Regression("tone", 0.9, None))
        ('retrieval_recall fell from 0.900 to 0.800', 'tone was 0.900 and is not defined any more')
        """
        if self.after is None:
            return f"{self.name} was {self.before:.3f} and is not defined any more"
        return (
            f"{self.name} {'fell' if self.after < self.before else 'rose'} from {self.before:.3f} to {self.after:.3f}"
        )


def regressions(old: Mapping[str, Any], new: Summary, tolerance: float = 0.02) -> list[Regression]:
    """The metrics whose mean is worse than in ``old``, a ``Summary.to_dict()``, by more than ``tolerance``.

    Worse is lower, and for a metric such as hallucination_risk higher; the metric of ``new`` says which. A metric that
    had a mean and has none any more is worse, too; one that had none is not compared.

    Raises ConfigError for an ``old`` of another form, or without any mean, for nothing was compared then, and for a
    tolerance that is no number from 0 to 1.

    >>> from raguard.metrics import MetricScore, ScoredSlice, summarize
    >>> def told(value):
    ...     return summarize([ScoredSlice("a", (MetricScore("tone", value, ""),), words=3)])
    >>> [str(each) for each in regressions(told(0.9).to_dict(), told(0.85))]
    ['tone fell from 0.900 to 0.850']
    >>> regressions(told(0.9).to_dict(), told(0.89))
    []
    """
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance <= 1:
        raise ConfigError(f"tolerance must be a number from 0 to 1, not {tolerance!r}")
    after = {metric.name: metric for metric in new.metrics}
    found = []
    for name, before in _means(old).items():
        metric = after.get(name)
        if metric is None or metric.mean is None:
            found.append(Regression(name, before, None))
        elif _loss(before, metric.mean, metric) > tolerance + _SLACK:
            found.append(Regression(name, before, metric.mean))
    return found


def _loss(before: float, mean: float, metric: MetricSummary) -> float:
    return before - mean if metric.higher_is_better else mean - before


def _means(old: object) -> dict[str, float]:
    """The mean of each metric that has one, by its name."""
    metrics = old.get("metrics") if isinstance(old, Mapping) else None
    if not isinstance(metrics, list):
        raise ConfigError("the baseline must be an object with a list of metrics, as raguard score writes it")
    found: dict[str, float] = {}
    for place, metric in enumerate(metrics):
        if not isinstance(metric, Mapping) or not isinstance(metric.get("name"), str):
            raise ConfigError(f"metrics[{place}] of the baseline has no name")
        mean = metric.get("mean")
        if mean is None:
            continue
        if isinstance(mean, bool) or not isinstance(mean, int | float) or not 0 <= mean <= 1:
            raise ConfigError(f"metrics[{place}] of the baseline has a mean that is no number from 0 to 1")
        if found.setdefault(metric["name"], float(mean)) != mean:
            raise ConfigError(f"metrics[{place}] of the baseline has a second mean of the same metric")
    if not found:
        raise ConfigError("the baseline has no metric with a mean, so that nothing can be compared")
    return found
