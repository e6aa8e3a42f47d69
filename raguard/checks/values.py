"""Which dates, times, amounts, numbers and identifiers of the answer does no chunk state?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raguard.case import Case, Claim, Finding
from raguard.checks.derivation import derived
from raguard.evidence.sources import Place, Sources
from raguard.values.dates import Dated
from raguard.values.quantities import Quantity
from raguard.values.value import Value

__all__ = ["unsupported_values"]

_CITES = re.compile(
    r"(?:\b(?:pages?|pp?\.|sections?|chapters?|parts?|docs?|documents?|sources?)|[\[(§#])[\s\w.:,#§-]{0,16}$",
    re.IGNORECASE,
)
"""What comes before a number that cites a document: (p. 12), [pricing.md#2], section 4."""


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
    if _CITES.search(case.outline.text, max(0, start - 24), start) and any(
        _support(case.labels, value) is not None for value in claim.values
    ):
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
    return _dated_elsewhere(sources, value) if isinstance(value, Dated) else None


def _dated_elsewhere(sources: Sources, date: Dated) -> Place | None:
    """A day that a chunk states without any year, when the same chunk states the year: 2024 above, 4 May below."""
    day, year = date.without_year(), date.year_part()
    if day is None or year is None:
        return None
    shelf = sources.shelf(date.axis)
    with_year = {entry.chunk.index for entry in shelf.within(year.windows()) if entry.fact.value.covers(year)}
    for entry in shelf.within(day.windows()):
        value = entry.fact.value
        undated = isinstance(value, Dated) and all(getattr(each, "year", None) is None for each in value.moments)
        if undated and entry.chunk.index in with_year and value.covers(day):
            return Place(entry.chunk, entry.fact.start, entry.fact.end)
    return None
