"""What does a verdict look like to the application? Frozen, plain data that every layer only reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from raguard.documents import Document

__all__ = [
    "CHECK_FAILED",
    "FINDING_UNUSABLE",
    "MODEL_UNUSABLE",
    "SEVERITIES",
    "Action",
    "CheckedCitation",
    "CheckedClaim",
    "CheckedFact",
    "ClaimsResult",
    "Evidence",
    "EvidenceSource",
    "FactStatus",
    "Ruleset",
    "Severity",
    "Summary",
    "Unchecked",
    "VerifyResult",
    "Warning",
    "readable_json",
]

Action = Literal["proceed", "review"]
Severity = Literal["high", "medium", "low"]
EvidenceSource = Literal["docs", "history"]
FactStatus = Literal["supported", "echo", "derived", "unsupported"]

SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in a retrieved document; ``text`` is ``docs[doc][start:end]`` (characters).

    With the source "history" it is a place in a tool's result, and ``doc`` is that turn's place in the history.
    """

    doc: int
    doc_id: str | None
    start: int
    end: int
    text: str
    source: EvidenceSource = "docs"


@dataclass(frozen=True, slots=True)
class Warning:
    """One span of the answer that the documents do not carry.

    ``text == response[start:end]`` always holds; ``rule`` is the id of the rule that fired and ``evidence`` the nearest
    thing the documents do say, or None. An ``input_error`` has an empty text and ``start == end == 0``.
    """

    severity: Severity
    type: str
    text: str
    suggestion: str
    start: int
    end: int
    rule: str
    evidence: Evidence | None = None
    pointer: str | None = None
    """The JSON Pointer (RFC 6901) of the leaf in an answer that is JSON."""


@dataclass(frozen=True, slots=True)
class CheckedFact:
    """One fact of the answer that was checked; ``evidence`` is where its support stands, None without support."""

    kind: str
    text: str
    start: int
    end: int
    status: FactStatus
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """One claim of the answer and how likely the documents do not carry it: ``text == response[start:end]``.

    ``unsupported`` is a calibrated probability in [0, 1]; ``evidence`` is where the documents say most about the claim,
    None where they say nothing; ``reasons`` say in words what speaks against it, and ``measures`` are the numbers that
    the probability was computed from, by name (docs/checks.md).
    """

    text: str
    start: int
    end: int
    unsupported: float
    evidence: Evidence | None
    reasons: tuple[str, ...]
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """One place ``response[start:end]`` at which the answer cites documents, and ``about``, the span it speaks for.

    ``docs`` are the positions (from 0) of the documents that it leads to, empty when it leads to none; None where the
    answer explains its numbers in a list of its own, which is not read.
    """

    start: int
    end: int
    about: tuple[int, int]
    docs: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Unchecked:
    """Something that was not checked, in words: ``what`` (such as ``"names"``) and ``why``."""

    what: str
    why: str


CHECK_FAILED = "the check failed"
FINDING_UNUSABLE = "a finding could not be used"
MODEL_UNUSABLE = "judged by presence alone: the language model cannot be used"
"""These gaps leave little of a verdict to rely on, which layers around it must know."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How many warnings of each severity a result holds."""

    high: int = 0
    medium: int = 0
    low: int = 0


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Which rules judged: raguard's version and a SHA-256 (hex) over all that decides a verdict."""

    version: str
    hash: str


@dataclass(frozen=True, slots=True)
class ClaimsResult:
    """The claims of one answer in order of position, what was not judged (in words), and what the answer cites."""

    claims: tuple[CheckedClaim, ...]
    unchecked: tuple[Unchecked, ...]
    citations: tuple[CheckedCitation, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """The verdict on one answer; ``action`` is ``"review"`` exactly when a high-severity warning exists."""

    action: Action
    warnings: list[Warning]
    summary: Summary
    facts: list[CheckedFact]
    unchecked: list[Unchecked]
    ruleset: Ruleset

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings and numbers in the shape of ``raguard/schema/result.schema.json``."""
        return {
            "action": self.action,
            "warnings": [asdict(warning) for warning in self.warnings],
            "summary": asdict(self.summary),
            "facts": [asdict(fact) for fact in self.facts],
            "unchecked": [asdict(gap) for gap in self.unchecked],
            "ruleset": asdict(self.ruleset),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """``to_dict()`` as JSON; characters outside ASCII stay readable, broken surrogates are escaped."""
        return readable_json(self.to_dict(), indent)

    # a report is how a result is shown: the one place where the core knows that layer, and it loads it only when asked

    def to_markdown(self, response: str, docs: Sequence[str | Document] | None = None) -> str:
        """A report in Markdown on ``response``, the answer that was judged; ``docs`` show evidence in its context.

        Raises ValueError when response or docs are not those that were judged.

        >>> from raguard import verify
        >>> result = verify("When?", ["It closed on 4 May 2024."], "On 9 May 2024.")
        >>> print(result.to_markdown("On 9 May 2024.")[:8])
        # Review
        """
        from raguard.report import to_markdown
        from raguard.report.verify_report import verify_report

        return to_markdown(verify_report(self, response, docs))

    def to_html(self, response: str, docs: Sequence[str | Document] | None = None) -> str:
        """A page for a browser on ``response``, the answer that was judged; ``docs`` show evidence in its context.

        It is self-contained: no script, font or network. Raises ValueError when response or docs are not those that
        were judged. The page contains the texts that it is given; encode it as UTF-8.

        >>> from raguard import verify
        >>> page = verify("When?", ["It closed on 4 May 2024."], "On 9 May 2024.").to_html("On 9 May 2024.")
        >>> "9 May 2024</mark>" in page
        True
        """
        from raguard.report import to_html
        from raguard.report.verify_report import verify_report

        return to_html(verify_report(self, response, docs))


def readable_json(value: Any, indent: int | None = None) -> str:
    """Plain data as JSON; characters outside ASCII stay readable, broken surrogates are escaped."""
    return json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "backslashreplace").decode("utf-8")
