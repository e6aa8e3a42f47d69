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


def read_verdict(told: Any, case: Mapping[str, Any]) -> VerifyResult:
    """The verdict that a service gave of a case; raises UnreadableError for what is none."""
    try:
        warnings = [_warning(each, case) for each in listed(told["warnings"])]
        counts = [sum(warning.severity == severity for warning in warnings) for severity in SEVERITIES]
        result = VerifyResult(
            told["action"],
            warnings,
            Summary(*counts),
            _facts(told["facts"], case),
            [_gap(gap) for gap in listed(told["unchecked"])],
            Ruleset(text(told["ruleset"]["version"]), text(told["ruleset"]["hash"])),
        )
        is_sound = told["action"] == ("review" if counts[0] else "proceed")
        is_whole = [count(told["summary"][severity]) for severity in SEVERITIES] == counts
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise UnreadableError from None
    if not (is_sound and is_whole):
        raise UnreadableError
    return result


def _warning(told: Mapping[str, Any], case: Mapping[str, Any]) -> Warning:
    if told["severity"] not in SEVERITIES:
        raise UnreadableError
    start, end = span(told, case["response"])
    return Warning(
        told["severity"],
        text(told["type"]),
        case["response"][start:end] if end else "",
        text(told.get("suggestion", _UNTOLD)),
        start,
        end,
        text(told["rule"]),
        _evidence(told["evidence"], case),
        None if told.get("pointer") is None else text(told["pointer"]),
    )


def _fact(told: Mapping[str, Any], case: Mapping[str, Any]) -> CheckedFact:
    start, end = span(told, case["response"])
    words, evidence = case["response"][start:end], _evidence(told["evidence"], case)
    if told["status"] not in get_args(FactStatus):
        raise UnreadableError
    return CheckedFact(text(told["kind"]), words, start, end, told["status"], evidence)


def _evidence(told: Mapping[str, Any] | None, case: Mapping[str, Any]) -> Evidence | None:
    if told is None:
        return None
    doc, source, said = count(told["doc"]), told.get("source", "docs"), told.get("text")
    doc_id = None if told["doc_id"] is None else text(told["doc_id"])
    if source == "docs":
        whole = _content(case["docs"][doc])
        start, end = span(told, whole)
        if said not in (None, whole[start:end]):
            raise UnreadableError
        return Evidence(doc, doc_id, start, end, whole[start:end])
    start, end = count(told["start"]), count(told["end"])
    if source != "history" or doc >= len(case["history"]) or start > end:
        raise UnreadableError
    # the text of a turn may have been joined of parts, whose offsets are the service's
    return Evidence(doc, doc_id, start, end, "" if said is None else text(said), source)


def _content(doc: Any) -> str:
    return text(doc["text"] if isinstance(doc, Mapping) else doc)


def _facts(told: Any, case: Mapping[str, Any]) -> list[CheckedFact]:
    """The facts; none where only their number is told."""
    if isinstance(told, list):
        return [_fact(fact, case) for fact in told]
    for number in told.values():
        count(number)
    return []


def _gap(told: Any) -> Unchecked:
    return Unchecked(told, _UNTOLD) if isinstance(told, str) else Unchecked(text(told["what"]), text(told["why"]))


def read_screen(told: Any, screened: str) -> ScreenReport:
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
        findings = tuple(finding(each) for each in listed(told["findings"]))
        unchecked = tuple(map(text, listed(told["unchecked"])))
        is_blocked = told["blocked"] is not False
        # where no finding blocks, what is unchecked does
        by_finding = any(each.severity is ScreenSeverity.BLOCK for each in findings)
        report = ScreenReport(findings, unchecked, is_blocked and not by_finding)
        if report.blocked is not is_blocked or report.passed is not (told["passed"] is True):
            raise UnreadableError
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnreadableError from None
    return report
