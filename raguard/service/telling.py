"""What is a caller told of a result? All of it if the key's policy gives texts; else types, places, ids and counts."""

from __future__ import annotations

from typing import Any

from raguard.gate import disclosed

__all__ = ["disclosed", "told_guard", "told_screens"]

_TEXTS_OF_CLAIM = ("claim", "reasons")


def told_guard(result: Any, *, texts: bool = False) -> dict[str, Any]:
    """A GuardResult as plain data; without ``texts`` a claim is told by its offsets, its status and its scores.

    >>> from raguard.claims import HallucinationGuard
    >>> result, _ = HallucinationGuard().check_sync(None, "The moon is cheese.", ["Paris lies on the Seine."])
    >>> "claim" in told_guard(result)["claims"][0], told_guard(result, texts=True)["claims"][0]["claim"]
    (False, 'The moon is cheese.')
    """
    told: dict[str, Any] = result.to_dict()
    if not texts:
        told["claims"] = [
            {key: value for key, value in claim.items() if key not in _TEXTS_OF_CLAIM} for claim in told["claims"]
        ]
    return told


def told_screens(report: Any, *, texts: bool = False) -> dict[str, Any]:
    """A ScreenReport as plain data; without ``texts`` it lacks the words that were found."""
    told: dict[str, Any] = report.to_dict(text=texts)
    return told
