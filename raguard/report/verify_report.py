"""What of a VerifyResult is marked? Every warning by its severity, and every fact that the documents carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from raguard.documents import Document, read_document
from raguard.report.marks import Kind, MarkedSpan, Passage, Report, clip, in_order, passage
from raguard.version import __version__

if TYPE_CHECKING:
    from raguard.result import CheckedFact, Evidence, VerifyResult, Warning

__all__ = ["verify_report"]

_LEGEND: dict[Kind, str] = {
    "high": "high: review it",
    "medium": "medium: doubtful",
    "low": "low: a hint",
    "supported": "supported by the documents",
}
_TOLD = {
    "review": "At least one warning is high: somebody should look at this answer before it is used.",
    "proceed": "No warning is high.",
}
_SUPPORT = {"supported": "The documents state it.", "derived": "It follows from what the documents state."}


def verify_report(result: VerifyResult, response: str, docs: Sequence[str | Document] | None = None) -> Report:
    """``result`` as a report on ``response``, the answer that was judged; ``docs`` show the evidence in its context.

    ValueError when the response or the documents are not those that were judged.
    """
    if not isinstance(response, str):
        raise ValueError(f"response must be the text that was judged, not {type(response).__name__}")
    texts = None if docs is None else [_text(entry) for entry in in_order("docs", docs)]
    spans = [_warned(number, warning, response, texts) for number, warning in enumerate(result.warnings, 1)]
    spans.extend(_supported(result, response, texts))
    counts, facts = result.summary, result.facts
    supported = sum(fact.status in _SUPPORT for fact in facts)
    return Report(
        verdict=result.action.capitalize(),
        tone="bad" if result.action == "review" else "unsure" if result.warnings else "good",
        told=_TOLD[result.action],
        counts=(
            f"{counts.high} high, {counts.medium} medium, {counts.low} low",
            f"{len(facts)} {'fact' if len(facts) == 1 else 'facts'} checked, {supported} supported",
        ),
        text=response,
        spans=tuple(spans),
        heading="Warnings",
        legend=_LEGEND,
        unmarked="Text without a mark holds no fact that was checked.",
        gaps=tuple(f"{gap.what}: {gap.why}" for gap in result.unchecked),
        complete="Every check that is on ran, and nothing in the answer is known to be left unread.",
        footer=f"raguard {__version__}, rules {result.ruleset.version} {result.ruleset.hash[:12]}",
    )


def _warned(number: int, warning: Warning, response: str, texts: list[str | None] | None) -> MarkedSpan:
    _fit(f"warning {number} ({warning.rule})", warning, response)
    placed = warning.start < warning.end
    return MarkedSpan(
        kind=warning.severity,
        title=warning.type.replace("_", " "),
        text=warning.text,
        start=warning.start if placed else None,
        end=warning.end if placed else None,
        lines=(clip(warning.suggestion), *([f"JSON pointer {warning.pointer}"] if warning.pointer else ())),
        passages=_passages(warning.evidence, texts),
        origin=f"rule {warning.rule}",
    )


def _supported(result: VerifyResult, response: str, texts: list[str | None] | None) -> Iterator[MarkedSpan]:
    """The facts that the documents carry, without those that a warning speaks of."""
    warned = {(warning.start, warning.end) for warning in result.warnings}
    for number, fact in enumerate(result.facts, 1):
        _fit(f"fact {number} ({fact.kind})", fact, response)
        if fact.status in _SUPPORT and (fact.start, fact.end) not in warned:
            yield MarkedSpan(
                kind="supported",
                title=f"{fact.status} {fact.kind.replace('_', ' ')}",
                text=fact.text,
                start=fact.start,
                end=fact.end,
                lines=(_SUPPORT[fact.status],),
                passages=_passages(fact.evidence, texts),
                listed=False,
            )


def _fit(name: str, span: Warning | CheckedFact, response: str) -> None:
    """ValueError when ``span`` is not where its result says; the message holds no text."""
    if not 0 <= span.start <= span.end <= len(response) or response[span.start : span.end] != span.text:
        raise ValueError(
            f"response is not the text that was judged: {name} is not at {span.start}-{span.end} of it; "
            "pass the response that verify() was given"
        )


def _passages(evidence: Evidence | None, texts: list[str | None] | None) -> tuple[Passage, ...]:
    if evidence is None:
        return ()
    if evidence.source == "history":
        return (Passage(f"turn {evidence.doc + 1} of the history", clip(evidence.text)),)
    name = f"document {evidence.doc + 1}" + (f" ({clip(evidence.doc_id, 200)})" if evidence.doc_id else "")
    text = texts[evidence.doc] if texts is not None and evidence.doc < len(texts) else None
    if text is not None and text[evidence.start : evidence.end] == evidence.text:
        return (passage(name, text, evidence.start, evidence.end),)
    if texts is not None:
        raise ValueError(
            f"docs are not the documents that were judged: evidence is not at {evidence.start}-{evidence.end} "
            f"of document {evidence.doc + 1}; pass the docs that verify() was given, or none"
        )
    return (Passage(name, clip(evidence.text)),)


def _text(entry: Any) -> str | None:
    """The text of a document, however it was given; None where it has none."""
    document = read_document(entry)
    text = document.text if isinstance(document, Document) else document
    return text if isinstance(text, str) else None
