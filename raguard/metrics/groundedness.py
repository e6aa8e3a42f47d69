"""How far do the retrieved chunks together carry the answer? Judged by its weakest claims."""

from __future__ import annotations

from collections.abc import Sequence

from raguard import ClaimsResult, Verifier
from raguard.metrics.gaps import left_out, unjudged
from raguard.metrics.slices import Chunk, EvalSlice, Explained

__all__ = ["answer_groundedness", "groundedness_of"]

_LIKELY = 0.5
_WEAKEST = 2


def answer_groundedness(
    answer: str, chunks: Sequence[Chunk], question: str = "", *, verifier: Verifier | None = None
) -> float | None:
    """1 − (half of the largest and half of the mean of the two largest probabilities that a claim is unsupported).

    From 0 to 1. None where the answer could not be judged: without chunks, without a claim, in a language other than
    English, beyond the limits of the config, or when a check failed. Raises ConfigError for parts of the wrong kind.
    Words of the question do not count against the answer: one that merely repeats it is not called ungrounded.

    >>> rooms = ["The rent is $900 a month.", "Pets are not allowed."]
    >>> answer_groundedness("The rent is $900. Pets are not allowed.", rooms) > 0.9
    True
    >>> answer_groundedness("The rent is $900. There is a heated pool.", rooms) < 0.4
    True
    >>> answer_groundedness("", rooms) is None
    True
    """
    slice = EvalSlice(question=question, answer=answer, chunks=chunks, verifier=verifier)
    return groundedness_of(slice.judged)[0]


def groundedness_of(claims: ClaimsResult) -> Explained:
    """The groundedness of judged claims, and what it rests on."""
    why = unjudged(claims)
    if why is not None:
        return None, why
    if not claims.claims:
        return None, f"the answer makes no claim{left_out(claims.unchecked)}"
    worst = sorted((claim.unsupported for claim in claims.claims), reverse=True)[:_WEAKEST]
    value = 1 - (0.5 * worst[0] + 0.5 * sum(worst) / len(worst))
    falling = sum(claim.unsupported > _LIKELY for claim in claims.claims)
    found = f"{falling} of {len(claims.claims)} claims likely unsupported, the likeliest by {worst[0]:.2f}"
    return value, f"{found}{left_out(claims.unchecked)}"
