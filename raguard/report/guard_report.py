"""What of a GuardResult is marked? Every claim, by what was found of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from raguard.documents import Document, read_document
from raguard.report.marks import Kind, MarkedSpan, Passage, Report, Tone, clip, emphasis, in_order
from raguard.report.quoting import quoted
from raguard.version import __version__

if TYPE_CHECKING:
    from raguard.claims.verdicts import ChunkRef, ClaimVerdict, GuardResult

__all__ = ["guard_report"]

_KINDS: dict[str, Kind] = {"supported": "supported", "hallucination_flag": "flagged", "unchecked": "unchecked"}
_LEGEND: dict[Kind, str] = {
    "flagged": "unsupported: the evidence does not carry it",
    "unchecked": "unchecked: nobody judged it",
    "supported": "supported by the evidence",
}
_NAMED = 12
"""How many claims a sentence about unchecked ones names."""


def guard_report(
    result: GuardResult, answer: str | None = None, evidence: Sequence[str | Document | Any] | None = None
) -> Report:
    """``result`` as a report on ``answer``, the one that was checked; without it, on its claims alone.

    ``evidence`` is what was given with the answer, or the chunks of the retriever: whatever has a ``text`` is shown.
    ValueError when either is not what was checked.
    """
    if answer is not None and not isinstance(answer, str):
        raise ValueError(f"answer must be the text that was checked, not {type(answer).__name__}")
    if evidence is not None:
        in_order("evidence", evidence)
    spans = tuple(_span(number, claim, answer, evidence) for number, claim in enumerate(result.claims, 1))
    return Report(
        verdict=result.verdict.value.capitalize(),
        tone=_tone(result),
        told=result.reason,
        counts=(
            f"{result.blocked_n} of {result.claims_n} {'claim' if result.claims_n == 1 else 'claims'} unsupported",
            f"{result.unchecked_n} unchecked",
            f"threshold {result.threshold:g}",
            f"risk {result.risk:.2f}",
            f"action {result.action.value}",
        ),
        text=answer,
        title="Answer as given" if result.verdict.value == "blocked" else "Answer",
        spans=spans,
        heading="Claims",
        legend=_LEGEND,
        unmarked="Text without a mark is no claim that was looked at.",
        gaps=_gaps(result),
        complete="Every claim was judged.",
        footer=f"raguard {__version__}",
    )


def _tone(result: GuardResult) -> Tone:
    if result.verdict.value == "pass":
        return "good"
    return "bad" if result.blocked_n or result.verdict.value == "blocked" else "unsure"


def _span(number: int, claim: ClaimVerdict, answer: str | None, evidence: Sequence[Any] | None) -> MarkedSpan:
    text = str(claim.claim)
    if answer is not None and claim.start is not None and answer[claim.start : claim.end] != text:
        raise ValueError(
            f"answer is not the text that was checked: claim {number} is not at {claim.start}-{claim.end} of it; "
            "pass the answer that check() was given, not the one that it returned"
        )
    missing = answer is not None and claim.start is None
    return MarkedSpan(
        kind=_KINDS[claim.status.value],
        title="not judged" if claim.entailment is None else f"entailment {claim.entailment:.2f}",
        text=text,
        start=claim.start,
        end=claim.end,
        lines=(
            *(_reason(claim, reason) for reason in claim.reasons),
            *(["The answer does not hold this claim word for word."] if missing else ()),
        ),
        passages=tuple(_passage(ref, evidence, text) for ref in claim.evidence),
        origin=", ".join(_origin(claim)),
    )


def _reason(claim: ClaimVerdict, reason: str) -> str:
    """A reason; one that speaks against a claim that is supported all the same says so."""
    return clip(f"weak point, {reason}" if claim.supported and emphasis(reason) else reason)


def _origin(claim: ClaimVerdict) -> list[str]:
    if claim.entailment is None or claim.label is None:
        return []
    return [f"label {claim.label.value}", *([f"votes {claim.votes}"] if claim.votes else [])]


def _passage(ref: ChunkRef, evidence: Sequence[Any] | None, claim: str) -> Passage:
    name = f"passage {ref.index + 1}" + (f" ({clip(ref.id, 200)})" if ref.id else "")
    if evidence is None:
        return Passage(name, "")
    if ref.index >= len(evidence):
        raise ValueError(
            f"evidence is not what the answer was checked against: it has {len(evidence)} passages, "
            f"and a claim rests on passage {ref.index + 1}; pass the same passages in the same order, or none"
        )
    entry = read_document(evidence[ref.index])
    own_id = getattr(entry, "id", None)
    if ref.id and own_id and own_id != ref.id:
        raise ValueError(
            f"evidence is not what the answer was checked against: passage {ref.index + 1} bears another id; "
            "pass the same passages in the same order, or none"
        )
    text = entry if isinstance(entry, str) else getattr(entry, "text", "")
    return quoted(name, text, claim) if isinstance(text, str) else Passage(name, "")


def _gaps(result: GuardResult) -> tuple[str, ...]:
    """What was not judged, a sentence for each reason, with the numbers of the claims."""
    by_reason: dict[str, list[int]] = {}
    for number, claim in enumerate(result.claims, 1):
        if claim.entailment is None:
            by_reason.setdefault("; ".join(claim.reasons) or "no reason was given", []).append(number)
    gaps = [f"{_counted(numbers)}: {reason}" for reason, numbers in by_reason.items()]
    if result.words_left_out:
        words = "1 word" if result.words_left_out == 1 else f"{result.words_left_out} words"
        gaps.append(f"{words} of the answer, which stand in no claim")
    if not gaps and result.degraded:
        gaps.append(result.reason)
    return tuple(gaps)


def _counted(numbers: list[int]) -> str:
    named = ", ".join(map(str, numbers[:_NAMED])) + (", …" if len(numbers) > _NAMED else "")
    return f"1 claim (no. {named})" if len(numbers) == 1 else f"{len(numbers)} claims (no. {named})"
