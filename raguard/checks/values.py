"""Which dates, times, amounts, numbers and identifiers of the answer does no chunk state?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case, Finding
from raguard.evidence.sources import Place, Sources
from raguard.values.dates import Dated
from raguard.values.value import Fact, Value

__all__ = ["unsupported_values"]


def unsupported_values(case: Case) -> Iterator[Finding]:
    """One finding for each value of the answer: supported, an echo of the query, or unsupported."""
    for fact in case.facts:
        if not case.denied(fact.start, fact.end) and not case.allowed(fact.start, fact.end):
            yield _judge(case, fact)


def _judge(case: Case, fact: Fact) -> Finding:
    kind, value = fact.value.kind, fact.value
    place = _support(case.sources, value)
    if place is not None:
        return Finding(kind, fact.start, fact.end, "supported", place=place)
    nearest = case.sources.nearest(value)
    if _support(case.asked, value) is not None:
        return Finding(kind, fact.start, fact.end, "echo", rule=f"{kind}.echo", place=nearest)
    return Finding(kind, fact.start, fact.end, "unsupported", rule=f"{kind}.unsupported", place=nearest)


def _support(sources: Sources, value: Value) -> Place | None:
    place = sources.covers(value)
    if place is not None:
        return place
    ends = value.ends() if hasattr(value, "ends") else None
    if ends is not None:
        places = [sources.covers(end) for end in ends]
        return places[0] if all(place is not None for place in places) else None
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
