"""Which of the retrieved chunks are the right ones, and which of the right ones were retrieved? By ids alone."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["retrieval_precision", "retrieval_recall"]


def retrieval_precision(retrieved_ids: Iterable[str], gold_ids: Iterable[str] | None) -> float | None:
    """The share of the retrieved chunks, each counted once, that are gold: from 0 to 1.

    None without gold ids, and where nothing was retrieved.

    >>> retrieval_precision(["a", "b", "c", "d"], ["a", "x"]), retrieval_precision(["a"], None)
    (0.25, None)
    """
    retrieved, gold = set(retrieved_ids), set(gold_ids or ())
    return len(retrieved & gold) / len(retrieved) if retrieved and gold else None


def retrieval_recall(retrieved_ids: Iterable[str], gold_ids: Iterable[str] | None) -> float | None:
    """The share of the gold chunks that were retrieved: from 0 to 1, and 0 where nothing was retrieved.

    None without gold ids.

    >>> retrieval_recall(["a", "b"], ["a", "x"]), retrieval_recall([], ["a"]), retrieval_recall(["a"], [])
    (0.5, 0.0, None)
    """
    retrieved, gold = set(retrieved_ids), set(gold_ids or ())
    return len(retrieved & gold) / len(gold) if gold else None
