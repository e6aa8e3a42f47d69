"""How likely is it that the answer says what is not true? One number, made of three others."""

from __future__ import annotations

__all__ = ["WEIGHTS", "hallucination_risk"]

WEIGHTS = {"answer_groundedness": 0.4, "citation_faithfulness": 0.4, "retrieval_precision": 0.2}
"""How much each part counts, where it is defined."""


def hallucination_risk(groundedness: float | None, faithfulness: float | None, precision: float | None) -> float | None:
    """1 − (0.4 · groundedness + 0.4 · faithfulness + 0.2 · precision), each from 0 to 1; higher is worse.

    Parts that are None are left out, and the weights of the others are scaled to a sum of 1; None where all are None.
    It is no probability: it is as good as its parts.

    >>> hallucination_risk(1.0, 0.5, 0.5), hallucination_risk(0.75, None, None), hallucination_risk(None, None, None)
    (0.3, 0.25, None)
    """
    parts = zip(WEIGHTS.values(), (groundedness, faithfulness, precision), strict=True)
    defined = [(weight, part) for weight, part in parts if part is not None]
    if not defined:
        return None
    carried = sum(weight * part for weight, part in defined) / sum(weight for weight, _ in defined)
    # what the binary fractions of the weights leave over
    return min(1.0, max(0.0, round(1 - carried, 12)))
