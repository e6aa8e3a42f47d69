"""What of an answer was not read? Where that is too much, a score would be too good, so there is none."""

from __future__ import annotations

from collections.abc import Iterable

from raguard import ClaimsResult, Unchecked, VerifyResult
from raguard.result import CHECK_FAILED, FINDING_UNUSABLE
from raguard.text.scripts import is_mostly_other

__all__ = ["left_out", "unjudged", "unread"]

_FAULTS = ("input_error", "check_error")
_CHOSEN = "this check does not run"
"""Why something is unchecked that the config leaves out."""
_FAILED = (CHECK_FAILED, FINDING_UNUSABLE)


def unjudged(claims: ClaimsResult) -> str | None:
    """Why the claims of an answer say too little about it, or None."""
    for gap in claims.unchecked:
        if gap.what in ("claims", "input", "everything"):
            return _plain(gap.why)
        if gap.why in _FAILED:
            return f"a check failed ({gap.what})"
        if gap.what == "other scripts" and any(is_mostly_other(claim.text) for claim in claims.claims):
            return "a sentence is in a script that is not read"
    return None


def unread(verdict: VerifyResult) -> str | None:
    """Why the facts of a verdict say too little about the answer, or None."""
    errors = [warning.suggestion for warning in verdict.warnings if warning.type in _FAULTS]
    whole = [gap.why for gap in verdict.unchecked if gap.what == "everything"]
    return next((_plain(why) for why in (*errors, *whole)), None)


def left_out(gaps: Iterable[Unchecked]) -> str:
    """What a score left out although it is defined, to be appended to its reason; "" for nothing.

    >>> left_out([Unchecked("code", "fenced code blocks are no claims"), Unchecked("/sure", "no document tells")])
    '; not wholly checked: code, a leaf'
    """
    # the place of a leaf names keys of the answer
    names = ["a leaf" if gap.what.startswith("/") else gap.what for gap in gaps if gap.why != _CHOSEN]
    return f"; not wholly checked: {', '.join(dict.fromkeys(names))}" if names else ""


def _plain(sentence: str) -> str:
    return sentence.rstrip(".")
