"""What does a service's claim guard say? Its result, if it holds together, and the answer to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from raguard.client.shapes import UnreadableError, count, listed, share, span, text

if TYPE_CHECKING:
    from raguard.claims import ChunkRef, ClaimVerdict, GuardResult

__all__ = ["read_guard"]


def read_guard(body: Any, answer: str) -> tuple[GuardResult, str]:
    """What a claim guard said of ``answer``, and the answer to show; raises UnreadableError for what is neither."""
    from raguard.claims import GuardAction, GuardResult, GuardVerdict

    try:
        result = body["result"]
        read = GuardResult(
            GuardVerdict(result["verdict"]),
            GuardAction(result["action"]),
            share(result["threshold"]),
            count(result["claims_n"]),
            count(result["blocked_n"]),
            count(result["unchecked_n"]),
            tuple(_claim(each, answer) for each in listed(result["claims"])),
            text(result["reason"]),
            share(result["risk"]),
            result["degraded"] is not False,
            count(result.get("words_left_out", 0)),
        )
        shown = text(body["answer"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnreadableError from None
    # what is not blocked is shown as it is
    if not _holds_together(read) or (read.verdict is not GuardVerdict.BLOCKED and shown != answer):
        raise UnreadableError
    return read, shown


def _claim(given: Mapping[str, Any], answer: str) -> ClaimVerdict:
    from raguard.claims import ClaimStatus, ClaimVerdict, NLILabel

    if given["start"] is None or given["end"] is None:
        start, end, words = None, None, ""
    else:
        start, end = span(given, answer)
        words = answer[start:end]
    claim, status = given.get("claim"), ClaimStatus(given["status"])
    entailment, support = (None if given[key] is None else share(given[key]) for key in ("entailment", "support_score"))
    is_told = claim is None or start is None or claim == words
    # a claim has a score where somebody judged it
    is_judged = status is not ClaimStatus.UNCHECKED
    if not is_told or given["supported"] is not (status is ClaimStatus.SUPPORTED) or is_judged is (entailment is None):
        raise UnreadableError
    return ClaimVerdict(
        words if claim is None else text(claim),
        status,
        None if given["label"] is None else NLILabel(given["label"]),
        entailment,
        support,
        given["supported"],
        start,
        end,
        tuple(_passage(ref) for ref in listed(given["evidence"])),
        text(given["votes"]),
        tuple(map(text, listed(given.get("reasons", [])))),
    )


def _passage(given: Mapping[str, Any]) -> ChunkRef:
    from raguard.claims import ChunkRef

    return ChunkRef(count(given["index"]), None if given["id"] is None else text(given["id"]))


def _holds_together(read: GuardResult) -> bool:
    """Whether the counts are those of the claims, and the verdict follows from them as the guard draws it."""
    from raguard.claims import ClaimStatus, GuardAction, GuardVerdict

    statuses = [claim.status for claim in read.claims]
    flagged, unchecked = (statuses.count(one) for one in (ClaimStatus.HALLUCINATION_FLAG, ClaimStatus.UNCHECKED))
    if (read.claims_n, read.unchecked_n) != (len(statuses), unchecked) or (read.risk and unchecked == len(statuses)):
        return False
    # claims that nobody could check may count as unsupported; short ones are passed over where another was judged
    most = flagged + unchecked if read.degraded else flagged
    is_looked_at = read.degraded or unchecked < len(statuses) or not statuses
    if not flagged <= read.blocked_n <= most or not is_looked_at:
        return False
    if read.verdict is GuardVerdict.PASS:
        return not read.blocked_n and not read.degraded
    if read.verdict is GuardVerdict.FLAGGED:
        return read.action is GuardAction.ANNOTATE if read.blocked_n else read.degraded
    # an answer that cannot be read at all is withheld, whatever the action
    return read.action is not GuardAction.ANNOTATE if read.blocked_n else read.degraded and not statuses
