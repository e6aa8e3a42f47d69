"""Which days stand in the documents, but not where they tell of the same thing on another day?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from raguard.case import Case, Claim, Finding
from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place
from raguard.evidence.statements import sentences_near
from raguard.reading.statements import OPPOSITE
from raguard.values.dates import DateValue
from raguard.values.value import Fact, Value

__all__ = ["rival_days"]

_FEWEST, _MOST = 2, 12
"""How many words beside its day make a short claim."""
_NEAR = 0.75
"""The share of them that a sentence of the documents must hold to tell of the same thing."""
_SPOKEN_OF = 0.5
"""The share from which on a sentence with the claimed day may be what the answer took up."""
_THEN = re.compile(r"(?:\b(?:on|the|\w{3,6}day),?\s|^\s{0,2}|[,(]\s?)$", re.IGNORECASE)
"""What stands before a day on which something is said to happen, not before, after or until it."""
_REACH = 16
_BACK = 200
"""How many characters before a sentence without a date the one that it means may stand in."""


def rival_days(case: Case) -> Iterator[Finding]:
    """A finding for the day of each short claim that the documents tell with another day, and never with this one."""
    dates = [claim for claim in case.claims if claim.values[0].axis == DateValue.axis]
    starts = [claim.start for claim in dates]
    for claim in dates:
        if not _is_day(claim.values[0]):
            continue
        start, end = case.outline.sentence(claim.start)
        alone = bisect_left(starts, end) - bisect_left(starts, start) == 1
        if not alone or _THEN.search(case.outline.text[max(start, claim.start - _REACH) : claim.start]) is None:
            continue
        place = None if case.outline.touches_denial(start, end) else _told(case, claim, start, end)
        if place is not None:
            said = "The documents tell of nearly the same on another day."
            yield Finding(
                "statement", claim.start, claim.end, "unsupported", rule="statement.other_day", said=said, place=place
            )


def _told(case: Case, day: Claim, start: int, end: int) -> Place | None:
    """The sentence of the documents that tells of the same thing; None where any may tell of it with the same day."""
    text = case.outline.text
    statement = case.known.readers.statements.sentence(f"{text[start : day.start]} {text[day.end : end]}", start, end)
    words = {word for word in statement.signs if not word.isdigit()}
    if statement.denies or not _FEWEST <= len(words) <= _MOST or not case.known.readers.statements.claims(statement):
        return None
    if case.sources.covers(day.values[0], text[day.start : day.end]) is None:
        # what no document holds is for another check
        return None
    found: list[tuple[Value, Place]] = []
    for chunk, (first, last) in sentences_near(case.sources, words):
        low = chunk.reading.text[first:last].lower()
        if sum(word in low or word.startswith(OPPOSITE) for word in words) < _SPOKEN_OF * len(words):
            continue
        held = len(words & chunk.reading.said(first, last).signs.keys())
        if held < _SPOKEN_OF * len(words):
            continue
        dates = _dates(chunk, first, last)
        # "on that day" is the day of the sentence before
        if any(_agree(fact.value, day.values[0]) for fact in dates or _dates(chunk, max(0, first - _BACK), first)):
            return None
        if held >= _NEAR * len(words):
            if len(dates) != 1 or not _then(chunk, dates[0], first):
                return None
            found.append((dates[0].value, Place(chunk, first, last)))
    same = all(_agree(value, found[0][0]) for value, _ in found)
    return found[0][1] if found and same else None


def _dates(chunk: Chunk, start: int, end: int) -> Sequence[Fact]:
    return [fact for fact in chunk.reading.facts_of(start, end) if fact.value.axis == DateValue.axis]


def _then(chunk: Chunk, date: Fact, start: int) -> bool:
    """Whether what the sentence tells happened on that very day."""
    before = chunk.reading.text[max(start, date.start - _REACH) : date.start]
    return _is_day(date.value) and _THEN.search(before) is not None


def _is_day(value: Value) -> bool:
    return isinstance(value, DateValue) and value.unit == "day"


def _agree(one: Value, other: Value) -> bool:
    return one.covers(other) or other.covers(one)
