"""What does a service's answer say? The same results as here; a text that it leaves out is cut from what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from raguard.client.exchange import ServiceError
from raguard.client.shapes import UnreadableError, count, listed, place, span, text
from raguard.documents import Document
from raguard.result import (
    SEVERITIES,
    CheckedFact,
    Evidence,
    FactStatus,
    Ruleset,
    Summary,
    Unchecked,
    VerifyResult,
    Warning,
)
from raguard.version import __version__

if TYPE_CHECKING:
    from raguard.screens import ScreenReport

__all__ = ["failed", "read_screen", "read_verdict", "sent_case", "sent_docs"]

_UNTOLD = "The service tells this key no more."
_NOBODY = Ruleset(__version__, "0" * 64)
"""No rule has judged."""


def sent_case(query: Any, docs: Any, response: Any, history: Any) -> dict[str, Any]:
    """A case as it is sent.

    >>> sent_case("When?", ["a", Document("b", "id")], "On 9 May.", None)["docs"]
    ['a', {'text': 'b', 'id': 'id', 'metadata': None}]
    """
    case = {"query": query, "docs": sent_docs(docs), "response": response}
    return case if history is None else {**case, "history": _listed(history)}


def sent_docs(docs: Any) -> Any:
    """Documents as they are sent; what is not a list goes as it is, and the service says what is wrong with it."""
    return [_sent(doc) for doc in docs] if isinstance(docs, Sequence) and not isinstance(docs, str | bytes) else docs


def _sent(doc: Any) -> Any:
    if not isinstance(doc, Document):
        return doc
    metadata = dict(doc.metadata) if isinstance(doc.metadata, Mapping) else doc.metadata
    return {"text": doc.text, "id": doc.id, "metadata": metadata}


def _listed(history: Any) -> Any:
    return list(history) if isinstance(history, Sequence) and not isinstance(history, str | bytes) else history


def failed(error: Exception) -> VerifyResult:
    """The result for an answer that no service has judged, and why; a fault of another kind is told by its type alone.

    >>> failed(ServiceError("it cannot be reached")).to_dict()["unchecked"]
    [{'what': 'everything', 'why': 'it cannot be reached'}]
    """
    kind, why = "check_error", f"the client failed ({type(error).__name__})"
    if isinstance(error, ServiceError):
        kind, why = "input_error" if error.status == 422 else kind, str(error)
    warning = Warning("high", kind, "", f"The answer was not checked: {why}.", 0, 0, kind.replace("_", "."))
    return VerifyResult("review", [warning], Summary(high=1), [], [Unchecked("everything", why)], _NOBODY)


def read_verdict(verdict: Any, case: Mapping[str, Any]) -> VerifyResult:
    """The verdict that a service gave of a case; raises UnreadableError for anything else."""
    try:
        warnings = [_warning(each, case) for each in listed(verdict["warnings"])]
        counts = [sum(warning.severity == severity for warning in warnings) for severity in SEVERITIES]
        result = VerifyResult(
            verdict["action"],
            warnings,
            Summary(*counts),
            _facts(verdict["facts"], case),
            [_gap(gap) for gap in listed(verdict["unchecked"])],
            Ruleset(text(verdict["ruleset"]["version"]), text(verdict["ruleset"]["hash"])),
        )
        is_sound = verdict["action"] == ("review" if counts[0] else "proceed")
        is_whole = [count(verdict["summary"][severity]) for severity in SEVERITIES] == counts
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise UnreadableError from None
    if not (is_sound and is_whole):
        raise UnreadableError
    return result


def _warning(entry: Mapping[str, Any], case: Mapping[str, Any]) -> Warning:
    if entry["severity"] not in SEVERITIES:
        raise UnreadableError
    start, end = span(entry, case["response"])
    return Warning(
        entry["severity"],
        text(entry["type"]),
        case["response"][start:end] if end else "",
        text(entry.get("suggestion", _UNTOLD)),
        start,
        end,
        text(entry["rule"]),
        _evidence(entry["evidence"], case),
        None if entry.get("pointer") is None else text(entry["pointer"]),
    )


def _fact(entry: Mapping[str, Any], case: Mapping[str, Any]) -> CheckedFact:
    start, end = span(entry, case["response"])
    words, evidence = case["response"][start:end], _evidence(entry["evidence"], case)
    if entry["status"] not in get_args(FactStatus):
        raise UnreadableError
    return CheckedFact(text(entry["kind"]), words, start, end, entry["status"], evidence)


def _evidence(entry: Mapping[str, Any] | None, case: Mapping[str, Any]) -> Evidence | None:
    if entry is None:
        return None
    doc, source, said = count(entry["doc"]), entry.get("source", "docs"), entry.get("text")
    doc_id = None if entry["doc_id"] is None else text(entry["doc_id"])
    if source == "docs":
        whole = _content(case["docs"][doc])
        start, end = span(entry, whole)
        if said not in (None, whole[start:end]):
            raise UnreadableError
        return Evidence(doc, doc_id, start, end, whole[start:end])
    start, end = count(entry["start"]), count(entry["end"])
    if source != "history" or doc >= len(case["history"]) or start > end:
        raise UnreadableError
    # the text of a turn may have been joined of parts, whose offsets are the service's
    return Evidence(doc, doc_id, start, end, "" if said is None else text(said), source)


def _content(doc: Any) -> str:
    return text(doc["text"] if isinstance(doc, Mapping) else doc)


def _facts(facts: Any, case: Mapping[str, Any]) -> list[CheckedFact]:
    """The facts; none where only their numbers are given."""
    if isinstance(facts, list):
        return [_fact(fact, case) for fact in facts]
    for number in facts.values():
        count(number)
    return []


def _gap(gap: Any) -> Unchecked:
    return Unchecked(gap, _UNTOLD) if isinstance(gap, str) else Unchecked(text(gap["what"]), text(gap["why"]))


def read_screen(body: Any, screened: str) -> ScreenReport:
    """What screens said of ``screened``; raises UnreadableError for what is not a report."""
    from raguard.screens import Finding, ScreenReport, ScreenSeverity

    def finding(given: Mapping[str, Any]) -> Finding:
        start, end = span(given, screened)
        return Finding(
            text(given["rule"]),
            text(given["category"]),
            start,
            end,
            screened[start:end],
            ScreenSeverity(given["severity"]),
            text(given["guidance"]),
            text(given["screen"]),
            place(given["doc"]),
        )

    try:
        findings = tuple(finding(each) for each in listed(body["findings"]))
        unchecked = tuple(map(text, listed(body["unchecked"])))
        is_blocked = body["blocked"] is not False
        # where no finding blocks, what is unchecked does
        by_finding = any(each.severity is ScreenSeverity.BLOCK for each in findings)
        report = ScreenReport(findings, unchecked, is_blocked and not by_finding)
        if report.blocked is not is_blocked or report.passed is not (body["passed"] is True):
            raise UnreadableError
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnreadableError from None
    return report
