"""How likely is each claim of an answer unsupported, where do the documents speak of it, and why?

What the documents lack of its words is weighed together with what the checks before have found in it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from raguard.case import Case, Finding
from raguard.evidence.sources import Place
from raguard.evidence.support import Lack, lack
from raguard.reading.claim_words import ClaimWord
from raguard.result import CheckedClaim, Severity, Unchecked
from raguard.text.blanks import Span, merge, trimmed
from raguard.values.identifiers import Identifier

__all__ = ["JudgedClaim", "checked_claim", "claim_spans", "judged_claims", "spans_of", "unjudged"]

_LISTED = re.compile(r"\s{0,20}(?:[*+•-]|\d{1,2}[.)])\s")
_SAME = 0.85
"""The share of a claim that a document's sentence holds when it speaks of the very same thing."""
_HEADING = re.compile(r"\s{0,20}#{1,6}\s")
_ENDS = 2
_FEWEST_WORDS = 3
"""A string of a JSON answer with fewer words is a value and no sentence."""


class JudgedClaim(NamedTuple):
    """A claim of the answer (offsets of the case's view) and how likely it is unsupported, from 0 to 1."""

    start: int
    end: int
    unsupported: float
    measures: Mapping[str, float]
    """What that was reckoned from, by name; "records" is 1 where a record speaks most of it."""
    place: Place | None
    """The sentence of the documents that speaks most of it."""
    new: Span | None
    """Where its novel words stand."""
    reasons: tuple[str, ...]
    flagged: Severity | None
    """How serious the worst is that a check has found in it already; None when that is nothing worth a warning."""


def claim_spans(case: Case) -> list[Span]:
    """The sentences of the answer; of one that is JSON those of its strings."""
    if case.structure is None:
        return list(case.outline.sentences)
    spans: list[Span] = []
    for leaf in case.structure.leaves:
        start, end = case.view.place(leaf.start), case.view.place(leaf.end)
        text = case.outline.text[start:end]
        if len(text.split()) >= _FEWEST_WORDS:
            starts = [start + opening for opening in case.known.readers.statements.starts(text)]
            spans += zip(starts, [*starts[1:], end], strict=True)
    return spans


def spans_of(case: Case, spans: Iterable[object]) -> tuple[list[Span], list[Unchecked]]:
    """The spans of the answer as a caller gave them (characters of the original), and what is none of it."""
    view, length = case.view, len(case.view.source)
    found: list[Span] = []
    wrong: list[Unchecked] = []
    for number, span in enumerate(spans):
        start, end = span if isinstance(span, (tuple, list)) and len(span) == _ENDS else (None, None)
        if type(start) is int and type(end) is int and 0 <= start <= end <= length:
            found.append((view.place(start), view.place(end)))
        else:
            wrong.append(Unchecked("claims", f"span {number} is no part of the answer"))
    return found, wrong


def judged_claims(
    case: Case, spans: Iterable[Span], *, above: float | None = None, unless: Container[Severity | None] = ()
) -> Iterator[JudgedClaim]:
    """Each span in which some word claims something, judged.

    With ``above`` those alone that may be likelier; ``unless`` leaves out those that the checks before have flagged for
    certain as serious as that.
    """
    wordings, words = case.documents.wordings, case.known.readers.claims
    asked = frozenset([stem for chunk in case.asked.chunks for stem in words.stemmed(chunk.reading.text)])
    asked |= case.known.allowed_stems
    findings = sorted([each for each in case.findings if each.kind != "claim"], key=attrgetter("start"))
    blanks = _Held(
        (fact.start, fact.end) for fact in case.facts if isinstance(fact.value, Identifier) and fact.value.placeholder
    )
    for start, end in spans:
        within = _within(findings, start, end)
        found = _found(case, within)
        if _flagged(found) in unless and _flagged(_found(case, _certain(case, within))) in unless:
            continue
        explained = _Held((each.start, each.end) for each in within if _explained(case, each))
        held = partial(_is_held, (explained, blanks))
        written = words.words(case.outline.claims, start, end)
        told = {**found, **_make(case, start, end, written)}
        worth = partial(_may_exceed, case, above, told)
        lacking = lack(written, held, wordings, asked, words.stems, worth)
        if lacking is not None:
            yield _judged(case, (start, end), told, lacking, within)


def _may_exceed(case: Case, above: float | None, told: Mapping[str, float], most: Mapping[str, float]) -> bool:
    """Whether a claim can be likelier than ``above``, by the most that its measures can come to."""
    if above is None:
        return True
    weigh = case.known.claim_weights.probability
    return any(weigh({**most, **told, "records": records}) > above for records in (0.0, 1.0))


def unjudged(case: Case) -> Unchecked | None:
    """Why the claims of a case cannot be judged, or None."""
    if case.lang != "en" or case.crosses:
        return Unchecked("claims", "sentences are weighed as a whole in English alone")
    return None


def checked_claim(case: Case, claim: JudgedClaim) -> CheckedClaim:
    """A judged claim in terms of the original answer and documents."""
    start, end = trimmed(case.view.source, *case.view.span(claim.start, claim.end))
    place = claim.place
    evidence = place.chunk.evidence(place.start, place.end) if place is not None else None
    text = case.view.source[start:end]
    return CheckedClaim(text, start, end, claim.unsupported, evidence, claim.reasons, dict(claim.measures))


def _within(findings: Sequence[Finding], start: int, end: int) -> list[Finding]:
    last = bisect_left(findings, end, key=attrgetter("start"))
    first = bisect_right(findings, start, 0, last, key=attrgetter("start"))
    # a finding seldom begins before the sentence that it ends in
    return [finding for finding in findings[max(0, first - 2) : last] if finding.end > start]


def _explained(case: Case, finding: Finding) -> bool:
    """Whether a check has found where what stands in the span comes from."""
    return finding.status in ("supported", "derived") or finding.rule in case.known.readers.claims.explained


class _Held:
    """Whether a word stands in one of some spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = merge(spans)

    def __call__(self, word: ClaimWord) -> bool:
        nearest = bisect_right(self._spans, (word.start, sys.maxsize)) - 1
        return nearest >= 0 and word.end <= self._spans[nearest][1]


def _is_held(held: Iterable[_Held], word: ClaimWord) -> bool:
    return any(each(word) for each in held)


def _make(case: Case, start: int, end: int, words: Sequence[ClaimWord]) -> Mapping[str, float]:
    """Of what make a claim is: an item, a heading, a refusal, a question, an introduction, talk to the reader."""
    text = case.outline.text[start:end]
    return {
        "listed": float(_LISTED.match(text) is not None),
        "absent": _denied(case, words) if case.outline.touches_denial(start, end) else 0.0,
        "heads": float(_HEADING.match(text) is not None),
        "introduces": float(text.rstrip().endswith(":")),
        "asks": float("?" in text),
        "addresses": float(case.known.readers.claims.addresses.search(text) is not None),
    }


def _judged(
    case: Case, span: Span, told: Mapping[str, float], lacking: Lack, findings: Sequence[Finding]
) -> JudgedClaim:
    closest = lacking.closest
    records = closest.records if closest is not None else case.documents.wordings.records
    measures = {**lacking.measures, **told, "records": float(records)}
    if not records and (closest is None or closest.held < _SAME):
        measures |= _found(case, _certain(case, findings))
    place = next((finding.place for finding in findings if _conflicts(case, finding)), None)
    if place is None and closest is not None:
        place = closest.place
    probability = case.known.claim_weights.probability(measures)
    reasons = tuple(_reasons(case, lacking, findings))
    return JudgedClaim(*span, probability, measures, place, lacking.new, reasons, _flagged(measures))


def _denied(case: Case, words: Sequence[ClaimWord]) -> float:
    """The share of a claim that says that the documents lack something."""
    claiming = [word for word in words if word.rarity]
    return sum([case.denied(word.start, word.end) for word in claiming]) / max(1, len(claiming))


def _found(case: Case, findings: Sequence[Finding]) -> Mapping[str, float]:
    """What the checks before have found in a claim, each kind once."""
    found = dict.fromkeys(("high", "medium", "low", "conflict", "doubtful_conflict", "unknown"), 0.0)
    for finding in findings:
        if finding.rule is not None:
            verdict = case.known.verdicts.of(finding.kind, finding.rule)
            if verdict.type == "vague_reference":
                continue
            name: str = verdict.severity
            if finding.rule == "record.unknown":
                name = "unknown"
            elif verdict.type == "contradiction" and name != "low":
                name = "conflict" if name == "high" else "doubtful_conflict"
            found[name] = 1.0
    return found


def _certain(case: Case, findings: Iterable[Finding]) -> list[Finding]:
    """The findings that count whatever the documents speak of."""
    doubtful = case.known.readers.claims.doubtful
    return [finding for finding in findings if finding.rule not in doubtful]


def _flagged(found: Mapping[str, float]) -> Severity | None:
    """How serious the worst is of what was found."""
    if found["high"] or found["conflict"] or found["unknown"]:
        return "high"
    return "medium" if found["medium"] or found["doubtful_conflict"] else None


def _conflicts(case: Case, finding: Finding) -> bool:
    return finding.rule is not None and case.known.verdicts.of(finding.kind, finding.rule).type == "contradiction"


def _reasons(case: Case, lacking: Lack, findings: Sequence[Finding]) -> Iterator[str]:
    """What speaks against a claim, in words."""
    text = case.outline.text
    for finding in findings:
        if finding.rule is not None and finding.status == "unsupported":
            yield _field(finding) or f"not carried: *{text[finding.start : finding.end]}*"
    if lacking.new is not None:
        yield f"new: *{text[slice(*lacking.new)]}*"


def _field(finding: Finding) -> str | None:
    """What a record says of the field that a finding is about."""
    if finding.place is None or not (finding.rule or "").startswith("record."):
        return None
    place = finding.place
    for field in place.chunk.reading.fields:
        if field.start == place.start:
            value = "null" if field.value is None else str(field.value)
            return f"field {field.keys[-1]} is {value.lower() if isinstance(field.value, bool) else value}"
    return None
