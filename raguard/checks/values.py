"""Which dates, times, amounts, numbers and identifiers of the answer does no chunk state?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from raguard.case import Case, Claim, Finding
from raguard.checks.calendar import reckoned
from raguard.checks.derivation import derived
from raguard.evidence.sources import Place
from raguard.values.quantities import Quantity

__all__ = ["unsupported_values"]


def unsupported_values(case: Case) -> Iterator[Finding]:
    """One finding for each value of the answer: supported, an echo of the query, or unsupported."""
    known: list[Claim] = []
    claims = [
        each for each in case.claims if not case.denied(each.start, each.end) and not case.allowed(each.start, each.end)
    ]
    text = case.outline.text
    case.sources.expect([(each.values[0], text[each.start : each.end]) for each in claims])
    for claim in claims:
        finding = _judge(case, claim, known)
        if finding.status != "unsupported":
            known.append(claim)
        yield finding


def _judge(case: Case, claim: Claim, known: Sequence[Claim]) -> Finding:
    """The finding for one claim; ``known`` are those before it that something carries."""
    start, end = claim.start, claim.end
    written = case.outline.text[start:end]
    for value in claim.values:
        place = case.sources.supports(value, written) or case.documents.derivations.scaled_by_note(value)
        if place is not None:
            return Finding(value.kind, start, end, "supported", place=place)
    kind = claim.values[0].kind
    if case.known.item_numbers.cites(case.outline.text, start) and any(
        (case.labels.supports(value) or case.labels.numbers(value)) is not None for value in claim.values
    ):
        return Finding(kind, start, end, "supported")
    clause = _clause(case, claim)
    if clause is not None:
        return Finding(kind, start, end, "supported", place=clause)
    if _names_an_item(case, claim):
        item = next((place for place in map(case.sources.numbers, claim.values) if place is not None), None)
        if item is not None:
            return Finding(kind, start, end, "supported", place=item)
    nearest = next((place for place in map(case.sources.nearest, claim.values) if place is not None), None)
    if any(case.asked.supports(value) is not None for value in claim.values):
        return Finding(kind, start, end, "echo", rule=f"{kind}.echo", place=nearest)
    computed = reckoned(case, claim, known) or derived(case, claim, known)
    if computed is not None:
        return computed
    if kind == "identifier" and case.documents.presence.initialed(case.outline.text[start:end]):
        return Finding(kind, start, end, "supported")
    doubt = case.known.doubts.doubt(claim.values[0], case.outline.text, start, end)
    return Finding(kind, start, end, "unsupported", rule=f"{kind}.{doubt or 'unsupported'}", place=nearest)


def _clause(case: Case, claim: Claim) -> Place | None:
    """Where the clause stands whose number the claim is a part of: section 12 and Art. 12(3) are there with § 12.3."""
    place = bisect_right(case.named_clauses, claim.start, key=lambda named: named.start) - 1
    if place < 0 or case.named_clauses[place].end < claim.end:
        return None
    return case.documents.clauses.stated(case.named_clauses[place].clause)


def _names_an_item(case: Case, claim: Claim) -> bool:
    """Whether a number of the answer stands for the item that it numbers: clause 4, "the 3rd rule", 2. Open the lid."""
    if case.known.item_numbers.names_item(case.outline.text, claim.start):
        return True
    return any(isinstance(value, Quantity) and value.ordinal for value in claim.values)
