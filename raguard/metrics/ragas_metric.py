"""How does a metric of ragas score a slice? By its own code, given the slice's parts under the names of ragas."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from typing import Any

from raguard import ConfigError
from raguard.claims.running import run
from raguard.kinds import kind_of
from raguard.metrics.metric import UndefinedScoreError
from raguard.metrics.slices import EvalSlice

__all__ = ["RagasMetric"]

_FREE = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


class RagasMetric:
    """A metric of ragas 0.4 or later as a Metric: one of ``ragas.metrics.collections``, or a single-turn one.

    It brings its own model, if it needs one, and may send the slice's texts to it. ragas reports what is used to its
    makers unless RAGAS_DO_NOT_TRACK is "true", which is set here where it is not set at all.

        from ragas.metrics.collections import ExactMatch
        score(slice, extra_metrics=[RagasMetric(ExactMatch())])
    """

    def __init__(
        self, metric: Any, *, name: str | None = None, higher_is_better: bool = True, timeout_s: float = 60.0
    ) -> None:
        """After ``timeout_s`` seconds a score is undefined; the default ``name`` is "ragas_" and the metric's own name.

        Raises ConfigError for what is no such metric, and without ragas.
        """
        os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
        try:
            samples: Any = import_module("ragas.dataset_schema")
        except ImportError as error:
            # ragas 0.4.3 imports what later versions of its own dependencies do not have
            broken = "" if (error.name or "").partition(".")[0] == "ragas" else f" (it misses {error.name})"
            raise ConfigError(f"RagasMetric needs ragas{broken}: pip install 'raguard-verify[ragas]'") from error
        if isinstance(metric, type) or not _scores(metric):
            raise ConfigError(
                f"metric must be a metric of ragas with ascore or single_turn_ascore, not {kind_of(metric)}"
            )
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float) or not timeout_s > 0:
            raise ConfigError(f"timeout_s must be a number of seconds above 0, not {timeout_s!r}")
        self.name = name if name is not None else f"ragas_{getattr(metric, 'name', type(metric).__name__)}"
        self.higher_is_better = higher_is_better
        self._metric = metric
        self._sample: Callable[..., Any] = samples.SingleTurnSample
        self._timeout_s = float(timeout_s)

    def score(self, slice: EvalSlice, /) -> float | None:
        """The score as ragas gives it; what ragas raises propagates, and TimeoutError when it takes too long.

        UndefinedScoreError where the slice has not what the metric needs.
        """
        parts = {name: part for name, part in _parts(slice).items() if part is not None}
        work = self._single_turn(parts) if _is_single_turn(self._metric) else self._collected(parts)
        result = run(asyncio.wait_for(work, self._timeout_s))
        value: float | None = getattr(result, "value", result)
        return value

    def _single_turn(self, parts: Mapping[str, Any]) -> Coroutine[Any, Any, Any]:
        needed = self._metric.required_columns.get("SINGLE_TURN", ())
        _refuse_lack(needed, parts)
        work: Coroutine[Any, Any, Any] = self._metric.single_turn_ascore(self._sample(**parts))
        return work

    def _collected(self, parts: Mapping[str, Any]) -> Coroutine[Any, Any, Any]:
        taken = inspect.signature(self._metric.ascore).parameters.values()
        needed = [each.name for each in taken if each.default is each.empty and each.kind not in _FREE]
        _refuse_lack(needed, parts)
        names = {each.name for each in taken}
        work: Coroutine[Any, Any, Any] = self._metric.ascore(
            **{name: part for name, part in parts.items() if name in names}
        )
        return work


def _scores(metric: object) -> bool:
    return _is_single_turn(metric) or callable(getattr(metric, "ascore", None))


def _is_single_turn(metric: object) -> bool:
    return callable(getattr(metric, "single_turn_ascore", None))


def _parts(slice: EvalSlice) -> dict[str, Any]:
    """What a slice holds, under the names of ragas; None for what it has not."""
    texts = [chunk if isinstance(chunk, str) else chunk.text for chunk in slice.chunks]
    gold = slice.gold_chunk_ids
    return {
        "user_input": slice.question,
        "response": slice.answer,
        "retrieved_contexts": texts or None,
        "retrieved_context_ids": list(slice.chunk_ids) or None,
        "reference": slice.reference,
        "reference_context_ids": list(gold) if gold else None,
    }


def _refuse_lack(needed: Any, parts: Mapping[str, Any]) -> None:
    lacking = sorted(name for name in needed if name not in parts)
    if lacking:
        raise UndefinedScoreError(f"the metric needs {', '.join(lacking)}, which the slice has not")
