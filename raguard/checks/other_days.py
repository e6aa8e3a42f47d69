"""Which days stand in the documents, but not where they tell of the same thing on another day?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raguard.case import Case, Finding
from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place
from raguard.evidence.statements import sentences_near
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
    days = [(case.outline.sentence(fact.start), fact) for fact in case.facts if fact.value.axis == DateValue.axis]
    sentences = [sentence for sentence, _ in days]
    for (start, end), fact in days:
        if sentences.count((start, end)) > 1 or case.outline.touches_denial(start, end):
            continue
        if _is_day(fact.value) and _THEN.search(case.outline.text[max(start, fact.start - _REACH) : fact.start]):
            place = _told(case, fact, start, end)
            if place is not None:
                said = "The documents tell of nearly the same on another day."
                yield Finding(
                    "statement",
                    fact.start,
                    fact.end,
                    "unsupported",
                    rule="statement.other_day",
                    said=said,
                    place=place,
                )


def _told(case: Case, day: Fact, start: int, end: int) -> Place | None:
    """The sentence of the documents that tells of the same thing; None where any may tell of it with the same day."""
    text = case.outline.text
    statement = case.known.readers.statements.sentence(f"{text[start : day.start]} {text[day.end : end]}", start, end)
    words = {word for word in statement.signs if not word.isdigit()}
    if statement.denies or not _FEWEST <= len(words) <= _MOST or not case.known.readers.statements.claims(statement):
        return None
    found: list[tuple[Value, Place]] = []
    for chunk, (first, last) in sentences_near(case.sources, words):
        held = len(words & chunk.reading.said(first, last).signs.keys())
        if held < _SPOKEN_OF * len(words):
            continue
        dates = _dates(chunk, first, last)
        # "on that day" is the day of the sentence before
        if any(_agree(fact.value, day.value) for fact in dates or _dates(chunk, max(0, first - _BACK), first)):
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
