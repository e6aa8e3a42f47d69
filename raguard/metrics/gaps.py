"""What of an answer has nobody read, so that a score of it would be too good? Each function says why, or None."""

from __future__ import annotations

import re

from raguard import ClaimsResult, VerifyResult

__all__ = ["unjudged", "unread"]

_FAULTS = ("input_error", "check_error")
_FAILED = ("the check failed", "a finding could not be used")
_LATIN = re.compile(r"[^\W\d_\u0370-\u1dff\u1f00-\uff20\uff5b-\U0010ffff]")
_LETTER = re.compile(r"[^\W\d_]")


def unjudged(claims: ClaimsResult) -> str | None:
    """Why the claims of an answer say too little of it, or None."""
    for gap in claims.unchecked:
        if gap.what in ("claims", "input"):
            return _plain(gap.why)
        if gap.why in _FAILED:
            return f"a check failed ({gap.what})"
        if gap.what == "other scripts" and any(_is_in_another_script(claim.text) for claim in claims.claims):
            return "a sentence is in a script that is not read"
    return None


def _is_in_another_script(text: str) -> bool:
    """Whether less than half of the letters are Latin; a foreign name in brackets is no foreign sentence."""
    return 2 * len(_LATIN.findall(text)) < len(_LETTER.findall(text))


def unread(verdict: VerifyResult) -> str | None:
    """Why the facts of a verdict say too little of the answer, or None."""
    errors = [warning.suggestion for warning in verdict.warnings if warning.type in _FAULTS]
    return _plain(errors[0]) if errors else None


def _plain(sentence: str) -> str:
    return sentence.rstrip(".")
