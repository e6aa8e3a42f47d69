"""What is the result? Overlaps merged, severities from rules and config, warnings in order, and the action."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, le
from typing import get_args

from raguard.case import Case, Finding, FindingStatus
from raguard.config import Config
from raguard.evidence.sources import Place
from raguard.result import (
    SEVERITIES,
    CheckedFact,
    Evidence,
    Ruleset,
    Severity,
    Summary,
    Unchecked,
    VerifyResult,
    Warning,
)
from raguard.verdict_rules import VerdictRules

__all__ = ["Judge"]


class Judge:
    """Turns findings and faults into a result, by the family ``warnings`` and the config."""

    def __init__(self, config: Config, ruleset: Ruleset, rules: VerdictRules) -> None:
        self._ruleset = ruleset
        self._own = config.severity
        self._rules = rules

    def decide(
        self,
        findings: Iterable[Finding],
        case: Case | None,
        errors: Sequence[Warning],
        unchecked: Sequence[Unchecked],
    ) -> VerifyResult:
        """The result for one answer; ``errors`` are warnings that do not come from a finding."""
        warnings = list(errors)
        facts = []
        if case is not None:
            source, structure = case.view.source, case.structure
            for finding in self._placed(findings):
                start, end = case.view.span(finding.start, finding.end)
                leaf = structure.at(start) if structure is not None else None
                if leaf is not None:
                    # a finding never leaves its leaf
                    end = min(end, leaf.end)
                place, status, text = finding.place, finding.status, source[start:end]
                evidence = place.chunk.evidence(place.start, place.end) if place is not None else None
                if finding.rule is not None:
                    pointer = leaf.pointer if leaf is not None else None
                    warnings.append(self._warning(finding, case, evidence, text, start, end, pointer))
                if status != "flagged":
                    support = evidence if status != "unsupported" else None
                    facts.append(CheckedFact(finding.kind, text, start, end, status, support))
        warnings.sort(
            key=lambda warning: (SEVERITIES.index(warning.severity), warning.start, warning.end, warning.rule)
        )
        severities = [warning.severity for warning in warnings]
        summary = Summary(*map(severities.count, SEVERITIES))
        return VerifyResult(
            action="review" if summary.high else "proceed",
            warnings=warnings,
            summary=summary,
            facts=facts,
            unchecked=list(unchecked),
            ruleset=self._ruleset,
        )

    def fault(self, finding: object, case: Case) -> str | None:
        """What is wrong with what a check yielded, to stand behind the check's name; None when nothing is."""
        if not isinstance(finding, Finding):
            return f"yielded {type(finding).__name__} where a Finding is due"
        kind, said, rule = finding.kind, finding.said, finding.rule or ""
        if not (isinstance(kind, str) and isinstance(said, str) and isinstance(rule, str)):
            return "yielded a finding whose kind, rule or said is no string"
        if finding.status not in _STATUSES:
            return f"yielded a finding whose status is none of {', '.join(_STATUSES)}"
        if finding.rule is None and finding.status not in ("supported", "derived"):
            return f"yielded a finding of the status {finding.status} without a rule"
        if finding.rule is not None and not self._rules.knows(finding.kind, finding.rule):
            return "yielded a finding with a rule that no file of the family warnings has"
        if not _inside(finding, len(case.view.text)):
            return "yielded a finding whose span is none of the answer"
        if finding.place is not None and not _in_a_document(finding.place, case):
            return "yielded a finding whose place is none of a document"
        return None

    def _placed(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings, no two of which overlap; what is said of a claim as a whole stays beside the facts in it.

        Where another finding as serious stands in the same words, that one says more.
        """
        findings = list(findings)
        merged = _merged([finding for finding in findings if finding.kind != _WHOLE], self._rank)
        claims = _merged([finding for finding in findings if finding.kind == _WHOLE], self._rank)
        starts, ends = [each.start for each in merged], [each.end for each in merged]
        kept = []
        for claim in claims:
            within = range(bisect_right(ends, claim.start), bisect_left(starts, claim.end))
            told = [number for number in within if merged[number].rule is not None]
            if all(self._order(merged[number]) > self._order(claim) for number in told):
                kept.append(claim)
                for number in told:
                    # the fact stays, its warning does not
                    merged[number] = merged[number]._replace(rule=None)
        return sorted([*merged, *kept], key=attrgetter("start")) if kept else merged

    def _order(self, finding: Finding) -> int:
        return SEVERITIES.index(self._severity(finding))

    def _severity(self, finding: Finding) -> Severity:
        rule = self._rules.of(finding.kind, finding.rule)
        return self._own.get(finding.rule or "") or self._own.get(rule.type) or rule.severity

    def _rank(self, finding: Finding) -> tuple[int, ...]:
        """The most serious first, then the longest, then what a document contradicts before what none holds."""
        start, length = finding.start, finding.end - finding.start
        if finding.rule is None:
            return len(SEVERITIES), -length, 0, start
        contradicts = self._rules.of(finding.kind, finding.rule).type == "contradiction"
        return SEVERITIES.index(self._severity(finding)), -length, not contradicts, start

    def _warning(
        self,
        finding: Finding,
        case: Case,
        evidence: Evidence | None,
        text: str,
        start: int,
        end: int,
        pointer: str | None,
    ) -> Warning:
        rule = self._rules.of(finding.kind, finding.rule)
        return Warning(
            severity=self._severity(finding),
            type=rule.type,
            text=text,
            suggestion=f'"{text}" {rule.opening}.{_lead(finding, evidence, case)}',
            start=start,
            end=end,
            rule=finding.rule or "",
            evidence=evidence,
            pointer=pointer,
        )


_WHOLE = "claim"
"""The kind of the findings about a sentence as a whole."""
_STATUSES = tuple(status for part in get_args(FindingStatus) for status in get_args(part) or (part,))


def _inside(span: Finding | Place, length: int) -> bool:
    """Whether a span holds something, and nothing behind ``length``."""
    start, end = span.start, span.end
    return isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= length


def _in_a_document(place: object, case: Case) -> bool:
    if not isinstance(place, Place) or not case.sources.hold(place):
        return False
    return _inside(place, len(place.chunk.reading.text))


def error(type: str, message: str) -> Warning:
    """A high warning about the input or about a check, which has no place in the answer."""
    return Warning("high", type, "", message, 0, 0, type.replace("_", "."))


def _merged(findings: Iterable[Finding], rank: Callable[[Finding], tuple[int, ...]]) -> list[Finding]:
    """The findings in order of position; of those that overlap the first in rank stays."""
    placed = sorted(findings, key=attrgetter("start"))
    if all(map(le, [finding.end for finding in placed], [finding.start for finding in placed[1:]])):
        return placed
    ranked = sorted(placed, key=rank)
    starts: list[int] = []
    kept: list[Finding] = []
    for finding in ranked:
        place = bisect_left(starts, finding.end)
        if place == 0 or kept[place - 1].end <= finding.start:
            starts.insert(place, finding.start)
            kept.insert(place, finding)
    return kept


def _lead(finding: Finding, evidence: Evidence | None, case: Case) -> str:
    """The second sentence of a suggestion: a lead for a reviewer, no verdict."""
    if finding.status == "echo":
        turns = " or an earlier turn" if len(case.asked.chunks) > 1 else ""
        return f" Only the question{turns} mentions it."
    if finding.said:
        return f" {finding.said}"
    if evidence is None:
        return ""
    name = f"document {evidence.doc + 1}" + (f" ({evidence.doc_id})" if evidence.doc_id else "")
    return f' The nearest they say is "{evidence.text}" in {name}.'
