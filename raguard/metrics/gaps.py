"""What of an answer has nobody read, so that a score of it would be too good? Each function says why, or None."""

from __future__ import annotations

from raguard import ClaimsResult, VerifyResult

__all__ = ["unjudged", "unread"]

_FAULTS = ("input_error", "check_error")
_FAILED = ("the check failed", "a finding could not be used")


def unjudged(claims: ClaimsResult) -> str | None:
    """Why the claims of an answer say too little of it, or None."""
    for gap in claims.unchecked:
        if gap.what in ("claims", "input"):
            return _plain(gap.why)
        if gap.why in _FAILED:
            return f"a check failed ({gap.what})"
    return None


def unread(verdict: VerifyResult) -> str | None:
    """Why the facts of a verdict say too little of the answer, or None."""
    errors = [warning.suggestion for warning in verdict.warnings if warning.type in _FAULTS]
    return _plain(errors[0]) if errors else None


def _plain(sentence: str) -> str:
    return sentence.rstrip(".")
