"""Which dates, times, amounts, numbers and identifiers of the answer does no chunk state?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case, Claim, Finding
from raguard.checks.derivation import derived
from raguard.evidence.sources import Place, Sources
from raguard.values.dates import Dated
from raguard.values.quantities import Quantity
from raguard.values.value import Value

__all__ = ["unsupported_values"]


def unsupported_values(case: Case) -> Iterator[Finding]:
    """One finding for each value of the answer: supported, an echo of the query, or unsupported."""
    for claim in case.claims:
        if not case.denied(claim.start, claim.end) and not case.allowed(claim.start, claim.end):
            yield _judge(case, claim)


def _judge(case: Case, claim: Claim) -> Finding:
    start, end = claim.start, claim.end
    for value in claim.values:
        place = _support(case.sources, value)
        if place is None and isinstance(value, Quantity):
            place = case.derivations.scaled_by_note(value)
        if place is not None:
            return Finding(value.kind, start, end, "supported", place=place)
    kind = claim.values[0].kind
    if any(_support(case.labels, value) is not None for value in claim.values):
        return Finding(kind, start, end, "supported")
    nearest = next((place for place in map(case.sources.nearest, claim.values) if place is not None), None)
    if any(_support(case.asked, value) is not None for value in claim.values):
        return Finding(kind, start, end, "echo", rule=f"{kind}.echo", place=nearest)
    computed = derived(case, claim)
    if computed is not None:
        return computed
    return Finding(kind, start, end, "unsupported", rule=f"{kind}.unsupported", place=nearest)


def _support(sources: Sources, value: Value) -> Place | None:
    place = sources.covers(value)
    if place is not None:
        return place
    ends = value.ends() if hasattr(value, "ends") else None
    if ends is not None:
        places = [_support(sources, end) for end in ends]
        if all(place is not None for place in places):
            return places[0]
    return _dated_elsewhere(sources, value, value) if isinstance(value, Dated) else None


def _dated_elsewhere(sources: Sources, value: Value, date: Dated) -> Place | None:
    """A day that a chunk states without its year, when the same chunk states the year: 2024 in a title, 4 May below."""
    day, year = date.without_year(), date.year_part()
    if day is None or year is None or day == value:
        return None
    for chunk in sources.chunks:
        alone = Sources([chunk])
        place = alone.covers(day)
        if place is not None and alone.covers(year) is not None and alone.nearest(value) is not None:
            return place
    return None
