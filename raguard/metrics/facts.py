"""How many of the names, numbers and dates in the answer do the retrieved chunks hold?"""

from __future__ import annotations

from raguard.metrics.gaps import left_out, unread
from raguard.metrics.slices import EvalSlice, Explained

__all__ = ["KINDS", "precision_of"]

KINDS = {
    "entity_precision": ("name", "term"),
    "number_precision": ("number", "money", "percent"),
    "date_precision": ("date", "time", "relative_date"),
}
"""The kinds of facts (``CheckedFact.kind``) that each metric counts."""
_NOUNS = {"entity_precision": "name", "number_precision": "number", "date_precision": "date or time"}


def precision_of(name: str, slice: EvalSlice) -> Explained:
    """Of a slice's checked facts of the kinds of that metric, the share that its chunks hold, and what it rests on.

    Facts that follow from the chunks (*derived*) count as held. Facts that only the question holds (*echo*) are not
    counted: the answer neither made them up nor took them from the chunks.
    """
    why = unread(slice.checked)
    if why is not None:
        return None, why
    facts = [fact.status for fact in slice.checked.facts if fact.kind in KINDS[name] and fact.status != "echo"]
    if not facts:
        return None, f"the answer tells no {_NOUNS[name]} that was checked"
    held = sum(status != "unsupported" for status in facts)
    return held / len(facts), f"{held} of {len(facts)} held by the chunks{left_out(slice.checked.unchecked)}"
