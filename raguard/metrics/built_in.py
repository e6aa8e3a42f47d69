"""Which metrics are there from the start? Each has a name, a score for a slice, and says what that rests on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from raguard.metrics.facts import KINDS, precision_of
from raguard.metrics.faithfulness import faithfulness_of
from raguard.metrics.groundedness import groundedness_of
from raguard.metrics.retrieval import retrieval_precision, retrieval_recall
from raguard.metrics.risk import WEIGHTS, hallucination_risk
from raguard.metrics.slices import EvalSlice, Explained

__all__ = ["METRICS", "BuiltInMetric"]

_NO_GOLD = "no gold chunk ids are given"


@dataclass(frozen=True, slots=True)
class BuiltInMetric:
    """A Metric that also says what its score rests on, or why there is none."""

    name: str
    higher_is_better: bool = True

    def score(self, slice: EvalSlice, /) -> float | None:
        """The score from 0 to 1, or None."""
        return self.explain(slice)[0]

    def explain(self, slice: EvalSlice, /) -> Explained:
        """The score of a slice, and in words what it rests on; worked out once for a slice."""
        return slice.once(self.name, _EXPLAINED[self.name])


def _precision(slice: EvalSlice) -> Explained:
    gold, found = set(slice.gold_chunk_ids or ()), set(slice.chunk_ids)
    value = retrieval_precision(found, gold)
    if value is None:
        return None, "nothing was retrieved" if gold else _NO_GOLD
    return value, f"{len(found & gold)} of {len(found)} retrieved chunks are gold"


def _recall(slice: EvalSlice) -> Explained:
    gold, found = set(slice.gold_chunk_ids or ()), set(slice.chunk_ids)
    value = retrieval_recall(found, gold)
    return value, _NO_GOLD if value is None else f"{len(found & gold)} of {len(gold)} gold chunks retrieved"


def _groundedness(slice: EvalSlice) -> Explained:
    return groundedness_of(slice.judged)


def _risk(slice: EvalSlice) -> Explained:
    parts = {name: slice.once(name, _EXPLAINED[name])[0] for name in WEIGHTS}
    defined = [name for name, part in parts.items() if part is not None]
    if set(defined) <= {"retrieval_precision"}:
        # good retrieval says nothing of an answer that nobody has judged
        return None, "nothing of the answer was judged"
    return hallucination_risk(*parts.values()), f"of {', '.join(defined)}"


_EXPLAINED: dict[str, Callable[[EvalSlice], Explained]] = {
    "retrieval_precision": _precision,
    "retrieval_recall": _recall,
    "citation_faithfulness": faithfulness_of,
    "answer_groundedness": _groundedness,
    **{name: partial(precision_of, name) for name in KINDS},
    "hallucination_risk": _risk,
}

METRICS: tuple[BuiltInMetric, ...] = tuple(
    BuiltInMetric(name, higher_is_better=name != "hallucination_risk") for name in _EXPLAINED
)
"""Retrieval, citations, groundedness, the kinds of facts, and the risk made of them."""
