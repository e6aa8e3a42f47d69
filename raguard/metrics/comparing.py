"""Has a metric become worse than it was, or does it say less than it did?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from raguard import ConfigError
from raguard.metrics.summary import MetricSummary, Summary

__all__ = ["FewerAnswers", "Regression", "fewer_answers", "regressions"]

_SLACK = 1e-9
"""What two means may differ by because they were added up in another order."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A metric whose mean is worse than before; ``after`` is None where it is no longer defined for any slice."""

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


@dataclass(frozen=True, slots=True)
class FewerAnswers:
    """A metric that is defined for fewer answers than before: its mean leaves out what it counted then."""

    name: str
    before: int
    after: int

    def __str__(self) -> str:
        """The sentence that says so.

        >>> str(FewerAnswers("retrieval_recall", 1200, 1))
        'retrieval_recall is defined for 1 answer, and was for 1,200'
        """
        answers = f"{self.after:,} answer{'' if self.after == 1 else 's'}"
        return f"{self.name} is defined for {answers}, and was for {self.before:,}"


def regressions(old: Mapping[str, Any], new: Summary, tolerance: float = 0.02) -> list[Regression]:
    """The metrics whose mean is worse than in ``old``, a ``Summary.to_dict()``, by more than ``tolerance``.

    Worse means lower, or higher for a metric such as hallucination_risk; the metric of ``new`` says which. A metric
    that had a mean and has none any more is worse, too; one that had none is not compared.

    Raises ConfigError for an ``old`` of another form or without any mean, since nothing could be compared, and for a
    tolerance that is not a number from 0 to 1.

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


def fewer_answers(old: Mapping[str, Any], new: Summary) -> list[FewerAnswers]:
    """The metrics that are defined for fewer answers than in ``old``, a ``Summary.to_dict()``, but still for some.

    A metric that is no longer defined for any is a regression. An ``old`` without these numbers is not compared.
    Raises ConfigError for an ``old`` of another form, and for an ``n`` that is no whole number of at least 0.

    >>> from raguard.metrics import MetricScore, ScoredSlice, summarize
    >>> def told(*values):
    ...     return summarize([ScoredSlice("a", (MetricScore("tone", value, ""),), words=3) for value in values])
    >>> [str(each) for each in fewer_answers(told(0.9, 0.9).to_dict(), told(0.9, None))]
    ['tone is defined for 1 answer, and was for 2']
    >>> fewer_answers(told(0.9, None).to_dict(), told(0.9, 0.9))
    []
    """
    after = {metric.name: metric.n for metric in new.metrics}
    found = []
    for place, name, metric in _metrics(old):
        before = metric.get("n", 0)
        if isinstance(before, bool) or not isinstance(before, int) or before < 0:
            raise ConfigError(f"metrics[{place}] of the baseline has an n that is no whole number of at least 0")
        if 0 < after.get(name, 0) < before:
            found.append(FewerAnswers(name, before, after[name]))
    return found


def _loss(before: float, mean: float, metric: MetricSummary) -> float:
    return before - mean if metric.higher_is_better else mean - before


def _means(old: object) -> dict[str, float]:
    """The mean of each metric that has one, by its name."""
    found: dict[str, float] = {}
    for place, name, metric in _metrics(old):
        mean = metric.get("mean")
        if mean is None:
            continue
        if isinstance(mean, bool) or not isinstance(mean, int | float) or not 0 <= mean <= 1:
            raise ConfigError(f"metrics[{place}] of the baseline has a mean that is no number from 0 to 1")
        if found.setdefault(name, float(mean)) != mean:
            raise ConfigError(f"metrics[{place}] of the baseline has a second mean of the same metric")
    if not found:
        raise ConfigError("the baseline has no metric with a mean, so that nothing can be compared")
    return found


def _metrics(old: object) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """The metrics of a baseline, each with its place and name."""
    metrics = old.get("metrics") if isinstance(old, Mapping) else None
    if not isinstance(metrics, list):
        raise ConfigError("the baseline must be an object with a list of metrics, as raguard score writes it")
    for place, metric in enumerate(metrics):
        if not isinstance(metric, Mapping) or not isinstance(metric.get("name"), str):
            raise ConfigError(f"metrics[{place}] of the baseline has no name")
        yield place, metric["name"], metric
