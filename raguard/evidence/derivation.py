"""Can a number be computed from numbers that stand together in the documents?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.text.words import plain_words
from raguard.values.dates import DateValue
from raguard.values.quantities import Quantity
from raguard.values.value import Fact

__all__ = ["OPERATIONS", "anniversary", "computed_from", "coordinated", "listed", "scaled_by_note", "years_between"]

_MOST_OPERANDS = 6
"""A line or column with more numbers than that gives too many results by chance."""

_COORDINATED = re.compile(r"\s(?:[\w-]{1,20}\s){1,3}and\s")
_ANNUAL = re.compile(r"\s(?:anniversary|birthday)\b", re.IGNORECASE)

_SCALE_NOTE = re.compile(r"\b(?:in|of)\s(?:\w{1,12}\s)?(thousand|million|billion)s\b", re.IGNORECASE)
_NOTED = {"thousand": 1e3, "million": 1e6, "billion": 1e9}

Operation = Callable[[float, float], Iterable[float]]


def _differences(a: float, b: float) -> Iterable[float]:
    return (abs(a - b),)


def _sums(a: float, b: float) -> Iterable[float]:
    return (a + b,)


def _means(a: float, b: float) -> Iterable[float]:
    return ((a + b) / 2,)


def _ratios(a: float, b: float) -> Iterable[float]:
    """Shares and relative changes in percent."""
    for top, bottom in ((a, b), (b, a)):
        if bottom:
            yield from (100 * top / bottom, abs(100 * (top - bottom) / bottom))


OPERATIONS: dict[str, Operation] = {
    "cue_difference": _differences,
    "cue_total": _sums,
    "cue_average": _means,
    "cue_ratio": _ratios,
}
"""What each kind of cue word in the rules lets one compute."""


def computed_from(sources: Sources, value: Quantity, cues: Iterable[str]) -> Place | None:
    """Where two numbers (or a whole line, for totals and averages) stand that give ``value`` by a cued operation."""
    percent = value.kind == "percent"
    operations = [OPERATIONS[cue] for cue in cues if (cue == "cue_ratio") == percent]
    whole = {"cue_total", "cue_average"}.intersection(() if percent else cues)
    if not operations:
        return None
    for chunk in sources.chunks:
        for group in _groups(chunk):
            if not percent:
                group = [fact for fact in group if _alike(fact, value)]
            amounts = [(fact, abs(_amount(fact))) for fact in group]
            for (first, a), (_, b) in combinations(amounts, 2):
                if len(group) <= _MOST_OPERANDS and any(
                    _rounds_to(value, result) for operation in operations for result in operation(a, b)
                ):
                    return Place(chunk, first.start, first.end)
            total = sum(amount for _, amount in amounts)
            results = [total] * ("cue_total" in whole) + [total / max(len(amounts), 1)] * ("cue_average" in whole)
            if len(amounts) > 2 and any(_rounds_to(value, result) for result in results):
                return Place(chunk, group[0].start, group[-1].end)
    return None


def scaled_by_note(sources: Sources, value: Quantity) -> Place | None:
    """Where a figure stands that is ``value`` by the chunk's note on all its figures: 5,100 "in thousands"."""
    for chunk in sources.chunks:
        for note in _SCALE_NOTE.finditer(chunk.reading.text):
            scale = _NOTED[note.group(1).lower()]
            readings = tuple(
                reading._replace(amount=reading.amount / scale, place=reading.place / scale)
                for reading in value.readings
            )
            place = Sources([chunk]).covers(replace(value, readings=readings, scale=1.0))
            if place is not None:
                return place
    return None


def years_between(sources: Sources, value: Quantity) -> Place | None:
    """Where two years stand in one chunk that are as far apart as ``value``, a number of years, says."""
    unit = value.unit
    if unit is None or unit.id not in ("year", "decade"):
        return None
    span = value.readings[0].amount * (10 if unit.id == "decade" else 1)
    for chunk in sources.chunks:
        years = {date.year: fact for fact in chunk.reading.facts for date in _years(fact) if date.year}
        for year, fact in years.items():
            if year + span in years:
                return Place(chunk, fact.start, fact.end)
    return None


def coordinated(sources: Sources, value: Quantity) -> Place | None:
    """Where two counts that "and" joins add up to ``value``: twelve for seven women and five men."""
    for chunk in sources.chunks:
        for first, second in pairwise(fact for fact in chunk.reading.facts if isinstance(fact.value, Quantity)):
            joined = _COORDINATED.fullmatch(chunk.reading.text, first.end, second.start)
            if joined and _rounds_to(value, _amount(first) + _amount(second)):
                return Place(chunk, first.start, second.end)
    return None


def anniversary(sources: Sources, value: Quantity) -> Place | None:
    """Where an ordinal stands before "anniversary": its 40th is 40 years."""
    if value.unit is None or value.unit.id != "year":
        return None
    for chunk in sources.chunks:
        for fact in chunk.reading.facts:
            ordinal = (
                isinstance(fact.value, Quantity) and fact.value.ordinal and _ANNUAL.match(chunk.reading.text, fact.end)
            )
            if ordinal and fact.value.readings[0].amount == value.readings[0].amount:  # type: ignore[attr-defined]
                return Place(chunk, fact.start, fact.end)
    return None


def listed(sources: Sources, value: Quantity, noun: str) -> Place | None:
    """Where a record repeats a key named by ``noun`` as often as ``value`` says: three reviews."""
    stem = noun.lower().rstrip("s")
    for chunk in sources.chunks:
        counts = Counter(field.keys for field in chunk.reading.fields)
        for keys, count in counts.items():
            if count > 1 and count == value.readings[0].amount and stem in plain_words(" ".join(keys)):
                field = next(field for field in chunk.reading.fields if field.keys == keys)
                return Place(chunk, field.start, field.end)
    return None


def _years(fact: Fact) -> Iterator[DateValue]:
    if fact.value.axis == "date":
        yield from (moment for moment in fact.value.moments if isinstance(moment, DateValue))  # type: ignore[attr-defined]


def _groups(chunk: Chunk) -> Iterator[Sequence[Fact]]:
    """The numbers of each line, and of each column of a table."""
    text = chunk.reading.text
    columns: dict[int, list[Fact]] = {}
    line: list[Fact] = []
    begun = -1
    for fact in chunk.reading.facts:
        if not isinstance(fact.value, Quantity):
            continue
        start = text.rfind("\n", 0, fact.start) + 1
        if start != begun:
            if len(line) > 1:
                yield line
            line, begun = [], start
        line.append(fact)
        bars = text.count("|", start, fact.start)
        if bars:
            columns.setdefault(bars, []).append(fact)
    if len(line) > 1:
        yield line
    yield from (column for column in columns.values() if len(column) > 1)


def _amount(fact: Fact) -> float:
    """The likeliest amount of a fact that is a quantity."""
    assert isinstance(fact.value, Quantity)
    return fact.value.readings[0].amount


def _alike(fact: Fact, value: Quantity) -> bool:
    """Whether an operand is counted in what the result is counted in, as far as either says so."""
    unit = fact.value.readings[0].unit  # type: ignore[attr-defined]
    return unit is None or value.unit is None or unit.dimension == value.unit.dimension


def _rounds_to(value: Quantity, result: float) -> bool:
    """Whether ``result`` is ``value`` to the precision written, with or without the scale word."""
    for amount, _, place in value.readings:
        for scale in (1.0, value.scale):
            if abs(result - abs(amount) / scale) <= place / scale / 2 * (1 + 1e-9) and amount:
                return True
    return False
