"""What does a service's answer say? The same results as here; a text that it leaves out is cut from what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from raguard.client.exchange import ServiceError
from raguard.documents import Document
from raguard.result import (
    SEVERITIES,
    CheckedFact,
    Evidence,
    EvidenceSource,
    Ruleset,
    Summary,
    Unchecked,
    VerifyResult,
    Warning,
)
from raguard.version import __version__

if TYPE_CHECKING:
    from raguard.claims import GuardResult
    from raguard.screens import ScreenReport

__all__ = ["UnreadableError", "failed", "read_guard", "read_screen", "read_verdict", "sent_case", "sent_docs"]

_UNTOLD = "The service tells this key no more."
_NOBODY = Ruleset(__version__, "0" * 64)
"""No rule has judged."""


class UnreadableError(ServiceError):
    """A service has answered with what is no result; nothing of it is used."""

    def __init__(self, message: str = "the service answered with what is no result") -> None:
        super().__init__(message, 200)


def sent_case(query: Any, docs: Any, response: Any, history: Any) -> dict[str, Any]:
    """A case as it is sent.

    >>> sent_case("When?", ["a", Document("b", "id")], "On 9 May.", None)["docs"]
    ['a', {'text': 'b', 'id': 'id', 'metadata': None}]
    """
    case = {"query": query, "docs": sent_docs(docs), "response": response}
    return case if history is None else {**case, "history": _listed(history)}


def sent_docs(docs: Any) -> Any:
    """Documents as they are sent; what is no list goes as it is, and the service says what is wrong with it."""
    return [_sent(doc) for doc in docs] if isinstance(docs, Sequence) and not isinstance(docs, str | bytes) else docs


def _sent(doc: Any) -> Any:
    if not isinstance(doc, Document):
        return doc
    metadata = dict(doc.metadata) if isinstance(doc.metadata, Mapping) else doc.metadata
    return {"text": doc.text, "id": doc.id, "metadata": metadata}


def _listed(history: Any) -> Any:
    return list(history) if isinstance(history, Sequence) and not isinstance(history, str | bytes) else history


def failed(error: Exception) -> VerifyResult:
    """The result for an answer that no service has judged, and why; of a fault that is no ServiceError its type alone.

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
        warnings = [_warning(each, case) for each in told["warnings"]]
        counts = [sum(warning.severity == severity for warning in warnings) for severity in SEVERITIES]
        result = VerifyResult(
            told["action"],
            warnings,
            Summary(*counts),
            [_fact(fact, case) for fact in told["facts"]] if isinstance(told["facts"], list) else [],
            [_gap(gap) for gap in told["unchecked"]],
            Ruleset(_text(told["ruleset"]["version"]), _text(told["ruleset"]["hash"])),
        )
        is_sound = told["action"] == ("review" if counts[0] else "proceed")
        is_whole = [told["summary"][severity] for severity in SEVERITIES] == counts
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise UnreadableError from None
    if not (is_sound and is_whole):
        raise UnreadableError
    return result


def _warning(told: Mapping[str, Any], case: Mapping[str, Any]) -> Warning:
    if told["severity"] not in SEVERITIES:
        raise UnreadableError
    start, end = _span(told, case["response"])
    return Warning(
        told["severity"],
        _text(told["type"]),
        case["response"][start:end] if end else "",
        _text(told.get("suggestion", _UNTOLD)),
        start,
        end,
        _text(told["rule"]),
        _evidence(told["evidence"], case),
        None if told.get("pointer") is None else _text(told["pointer"]),
    )


def _fact(told: Mapping[str, Any], case: Mapping[str, Any]) -> CheckedFact:
    start, end = _span(told, case["response"])
    text, evidence = case["response"][start:end], _evidence(told["evidence"], case)
    return CheckedFact(_text(told["kind"]), text, start, end, told["status"], evidence)


def _evidence(told: Mapping[str, Any] | None, case: Mapping[str, Any]) -> Evidence | None:
    if told is None:
        return None
    doc, source = told["doc"], told.get("source", "docs")
    if source not in get_args(EvidenceSource) or type(doc) is not int or doc < 0:
        raise UnreadableError
    text = told.get("text")
    if text is None:
        start, end = told["start"], told["end"]
        # the text of a turn may have been joined of parts, whose offsets are the service's
        text = _content(case["docs"][doc])[start:end] if source == "docs" else ""
    else:
        start, end = told["start"], told["end"]
    if not (type(start) is type(end) is int and 0 <= start <= end):
        raise UnreadableError
    doc_id = None if told["doc_id"] is None else _text(told["doc_id"])
    return Evidence(doc, doc_id, start, end, _text(text), source)


def _content(doc: Any) -> str:
    return _text(doc["text"] if isinstance(doc, Mapping) else doc)


def _gap(told: Any) -> Unchecked:
    return Unchecked(told, _UNTOLD) if isinstance(told, str) else Unchecked(_text(told["what"]), _text(told["why"]))


def _span(told: Mapping[str, Any], answer: Any) -> tuple[int, int]:
    start, end = told["start"], told["end"]
    most = len(answer) if isinstance(answer, str) else 0
    if not (type(start) is type(end) is int and 0 <= start <= end <= most):
        raise UnreadableError
    return start, end


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnreadableError
    return value


def read_guard(told: Any, answer: str) -> tuple[GuardResult, str]:
    """What a claim guard said of ``answer``, and the answer to show; raises UnreadableError for what is neither."""
    from raguard.claims import ChunkRef, ClaimStatus, ClaimVerdict, GuardAction, GuardResult, GuardVerdict, NLILabel

    def claim(given: Mapping[str, Any]) -> ClaimVerdict:
        start, end = (None, None) if given["start"] is None else _span(given, answer)
        text = given.get("claim")
        return ClaimVerdict(
            _text(text) if text is not None else "" if start is None else answer[start:end],
            ClaimStatus(given["status"]),
            None if given["label"] is None else NLILabel(given["label"]),
            _share(given["entailment"]),
            _share(given["support_score"]),
            given["supported"] is True,
            start,
            end,
            tuple(ChunkRef(ref["index"], ref["id"]) for ref in given["evidence"]),
            _text(given["votes"]),
            tuple(map(_text, given.get("reasons", ()))),
        )

    try:
        result = told["result"]
        read = GuardResult(
            GuardVerdict(result["verdict"]),
            GuardAction(result["action"]),
            float(result["threshold"]),
            int(result["claims_n"]),
            int(result["blocked_n"]),
            int(result["unchecked_n"]),
            tuple(claim(each) for each in result["claims"]),
            _text(result["reason"]),
            float(result["risk"]),
            result["degraded"] is not False,
        )
        answer_to_show = _text(told["answer"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnreadableError from None
    flagged = sum(each.status is ClaimStatus.HALLUCINATION_FLAG for each in read.claims)
    # a pass has no claim against it, and all claims were looked at
    is_pass = read.verdict is GuardVerdict.PASS
    if flagged > read.blocked_n or (is_pass and (read.blocked_n or read.degraded)):
        raise UnreadableError
    return read, answer_to_show


def _share(given: Any) -> float | None:
    return None if given is None else float(given)


def read_screen(told: Any, text: str) -> ScreenReport:
    """What screens said of ``text``; raises UnreadableError for what is no report."""
    from raguard.screens import Finding, ScreenReport, ScreenSeverity

    def finding(given: Mapping[str, Any]) -> Finding:
        start, end = _span(given, text)
        return Finding(
            _text(given["rule"]),
            _text(given["category"]),
            start,
            end,
            text[start:end],
            ScreenSeverity(given["severity"]),
            _text(given["guidance"]),
            _text(given["screen"]),
            given["doc"],
        )

    try:
        findings = tuple(finding(each) for each in told["findings"])
        unchecked = tuple(map(_text, told["unchecked"]))
        is_blocked = told["blocked"] is not False
        # where no finding blocks, what is unchecked does
        by_finding = any(each.severity is ScreenSeverity.BLOCK for each in findings)
        report = ScreenReport(findings, unchecked, is_blocked and not by_finding)
        if report.blocked is not is_blocked or report.passed is not (told["passed"] is True):
            raise UnreadableError
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnreadableError from None
    return report
