"""What does every metric say of one slice? In their order; whatever one of them does, the others are not lost."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any

from raguard import ConfigError
from raguard.kinds import has_methods, kind_of
from raguard.metrics.built_in import METRICS, BuiltInMetric
from raguard.metrics.metric import Metric, MetricScore, UndefinedScoreError
from raguard.metrics.slices import EvalSlice

__all__ = ["score"]


def score(
    slice: EvalSlice, extra_metrics: Sequence[Metric] = (), *, metrics: Sequence[Metric] = METRICS
) -> tuple[MetricScore, ...]:
    """The scores of ``metrics``, then those of ``extra_metrics``; a name that occurs again gets the suffix " (2)".

    A metric that raises, or returns anything but a number from 0 to 1, is undefined, and the reason names the type of
    its fault. Raises ConfigError for anything but an EvalSlice, and for a metric without ``score``.

    >>> class Words:
    ...     name = "brevity"
    ...     def score(self, slice):
    ...         return 1 / len(slice.answer.split())
    >>> told = EvalSlice(question="", answer="The rent is $900.", chunks=["The rent is $900."])
    >>> [(each.name, each.value) for each in score(told, extra_metrics=[Words()])][-1:]
    [('brevity', 0.25)]
    """
    if not isinstance(slice, EvalSlice):
        raise ConfigError(f"slice must be an EvalSlice, not {type(slice).__name__}")
    asked = (*_able(metrics, "metrics"), *_able(extra_metrics, "extra_metrics"))
    names = unique_names(asked)
    return tuple(_scored(metric, name, slice) for metric, name in zip(asked, names, strict=True))


def unique_names(metrics: Iterable[Metric]) -> list[str]:
    """The name of each metric, or that of its type; names that occur again are numbered."""
    names: list[str] = []
    for metric in metrics:
        plain = name = _name(metric)
        count = 1
        while name in names:
            count += 1
            name = f"{plain} ({count})"
        names.append(name)
    return names


def _able(metrics: object, name: str) -> tuple[Metric, ...]:
    if isinstance(metrics, str | bytes) or not isinstance(metrics, Iterable):
        raise ConfigError(f"{name} must be a list of metrics, not {type(metrics).__name__}")
    given = tuple(metrics)
    for place, metric in enumerate(given):
        if not has_methods(metric, "score"):
            raise ConfigError(f"{name}[{place}] must be an object with score(EvalSlice), not {kind_of(metric)}")
    return given


def _name(metric: Metric) -> str:
    name: Any = None
    with suppress(Exception):
        name = metric.name
    return name if isinstance(name, str) and name else type(metric).__name__


def _scored(metric: Metric, name: str, slice: EvalSlice) -> MetricScore:
    better = True
    try:
        better = getattr(metric, "higher_is_better", True) is not False
        if isinstance(metric, BuiltInMetric):
            value, reason = metric.explain(slice)
        else:
            value, reason = _read(metric.score(slice))
    except UndefinedScoreError as undefined:
        value, reason = None, str(undefined)
    except KeyboardInterrupt:
        raise
    except BaseException as fault:
        value, reason = None, f"the metric failed ({type(fault).__name__})"
    return MetricScore(name, value, reason, better)


def _read(value: Any) -> tuple[float | None, str]:
    """A number from 0 to 1 as it is, of anything else None and why."""
    if value is None:
        return None, "the metric says that it is undefined"
    if inspect.iscoroutine(value):
        value.close()
    if isinstance(value, bool) or not isinstance(value, Real):
        return None, f"the metric gave {type(value).__name__}, no number"
    number = float(value)
    if math.isnan(number):
        return None, "the metric gave NaN"
    if not 0 <= number <= 1:
        return None, "the metric gave a number outside of 0 to 1"
    return number, ""
