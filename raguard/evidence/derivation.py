"""Can a number be computed from numbers that stand together in the documents?"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, count
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.nouns import Nouns
from raguard.text.phrases import Phrases, Places
from raguard.values.dates import Dated, DateValue
from raguard.values.quantities import Quantity
from raguard.values.value import Fact, Value

__all__ = ["CUES", "CUES_AFTER", "Derivations", "in_base"]

_MOST_OPERANDS = 6
"""A line or column with more numbers than that gives too many results by chance."""

_ABOUT = 0.05
"""How far "ten times as much" may be off; 2 TB are 4 or 4.1 times 500 GB."""

_RELATIVE = frozenset({"percent", "percentage_point"})
_DIGIT = re.compile(r"\d")
_ANNUAL = re.compile(r"\s(?:anniversary|birthday)\b", re.IGNORECASE)

_MOST_RESULTS = 100
"""How many of the results that round to the same number are looked at."""

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
"""What each kind of cue word in the rules lets one compute from numbers of the documents."""
CUES = (*OPERATIONS, "cue_product", "cue_quotient", "cue_conclusion")
"""The cue words before a number; products and quotients are only of numbers that the answer names itself."""
CUES_AFTER = {
    "compared": ("cue_difference", "cue_ratio"),
    "multiplied": ("cue_product",),
    "summed": ("cue_total",),
    "divided": ("cue_quotient",),
    "multiple": ("cue_multiple",),
}
"""What the cue words after a number let one compute: "530 more than"."""


class _Result(NamedTuple):
    """What an operation gives, where it comes in the order of the documents, and its operands with their place."""

    amount: float
    order: int
    operands: tuple[Fact, ...]
    place: Place


class Derivations:
    """What can be computed from the numbers of some chunks; what every question needs is gathered once."""

    def __init__(self, sources: Sources, scale_notes: Phrases, nouns: Nouns) -> None:
        self._sources = sources
        self._nouns = nouns
        self._scale_notes = scale_notes
        self._computed: dict[tuple[Sequence[Operation], Sequence[str], str | None], list[_Result]] = {}

    def computed_from(self, value: Quantity, cues: Sequence[str], nouns: frozenset[str]) -> Place | None:
        """Where two numbers (or a whole line, for totals and averages) give ``value`` by a cued operation.

        They must be able to count ``nouns``, what the value counts.
        """
        percent = value.unit is not None and value.unit.dimension in _RELATIVE
        if percent and value.unit is not None and "cue_total" in cues and "cue_ratio" not in cues:
            return self._shares_summed(value)
        operations = [OPERATIONS[cue] for cue in cues if cue in OPERATIONS and (cue == "cue_ratio") == percent]
        whole = {"cue_total", "cue_average"}.intersection(() if percent else cues)
        dimension = None if percent or value.unit is None else value.unit.dimension
        key = (tuple(operations), tuple(sorted(whole)), dimension)
        if operations and key not in self._computed:
            self._computed[key] = sorted(self._results(*key), key=lambda result: result[:2])
        for result in _rounded_to(value, self._computed[key]) if operations else ():
            if percent or all(self._counts(result.place.chunk, fact, nouns) for fact in result.operands):
                return result.place
        return None

    def _shares_summed(self, value: Quantity) -> Place | None:
        """Where percentages stand side by side that come to ``value`` together, within one sentence."""
        amount, unit, place = value.readings[0]
        for chunk, numbers in self._groups:
            shares = [fact for fact in numbers if isinstance(fact.value, Quantity) and fact.value.unit == unit]
            sentences = [chunk.reading.sentence(fact.start) for fact in shares]
            for first, last in combinations(range(len(shares) + 1), 2) if len(shares) <= _MOST_OPERANDS else ():
                if last < first + 2 or sentences[first] != sentences[last - 1]:
                    continue
                if abs(sum(map(_amount, shares[first:last])) - amount) <= place * (0.5 + 1e-9):
                    return Place(chunk, shares[first].start, shares[last - 1].end)
        return None

    def multiple(self, value: Quantity) -> Place | None:
        """Where two numbers in one unit stand of which one is about ``value`` times the other."""
        times = value.readings[0].amount
        place = bisect_left(self._multiples, times * (1 - _ABOUT), key=lambda multiple: multiple[0])
        if place == len(self._multiples) or self._multiples[place][0] > times * (1 + _ABOUT):
            return None
        return self._multiples[place][1]

    @cached_property
    def _multiples(self) -> list[tuple[float, Place]]:
        """How many times a number is another one in its line or column and in its unit, in order of size."""
        found = []
        for chunk, group in self._groups:
            for first, second in combinations(group, 2) if len(group) <= _MOST_OPERANDS else ():
                (a, unit), (b, other) = in_base(first), in_base(second)
                if unit == other and min(a, b) > 0:
                    found.append((max(a, b) / min(a, b), Place(chunk, first.start, first.end)))
        return sorted(found, key=lambda multiple: multiple[0])

    def _results(
        self, operations: Sequence[Operation], whole: Sequence[str], dimension: str | None
    ) -> Iterator[_Result]:
        """What the operations give for each pair of numbers that may be of ``dimension``, and for a whole group."""
        order = count()
        for chunk, numbers in self._groups:
            group = _of_dimension(numbers, dimension)
            amounts = [(fact, abs(_amount(fact))) for fact in group]
            if len(group) <= _MOST_OPERANDS:
                for (first, a), (second, b) in combinations(amounts, 2):
                    place = Place(chunk, first.start, first.end)
                    for operation in operations:
                        yield from (_Result(each, next(order), (first, second), place) for each in operation(a, b))
            if len(group) > 2 and whole:
                total = sum(amount for _, amount in amounts)
                place = Place(chunk, group[0].start, group[-1].end)
                for cue in whole:
                    amount = total if cue == "cue_total" else total / len(group)
                    yield _Result(amount, next(order), tuple(group), place)

    def _counts(self, chunk: Chunk, fact: Fact, nouns: frozenset[str]) -> bool:
        return self._nouns.agree(nouns, self._nouns.after(chunk.reading.text, fact.end))

    def scaled_by_note(self, value: Value) -> Place | None:
        """Where a figure stands that is ``value`` by a note on all figures of its table: 5,100 "in thousands"."""
        if not isinstance(value, Quantity):
            return None
        for alone, scale in self._noted:
            readings = tuple(
                each._replace(amount=each.amount / scale, place=each.place / scale) for each in value.readings
            )
            place = alone.covers(replace(value, readings=readings, scale=1.0))
            if place is not None:
                return place
        return None

    def years_between(self, value: Quantity) -> Place | None:
        """Where two years stand in one chunk that are as far apart as ``value``, a number of years, says."""
        unit = value.unit
        if unit is None or unit.id not in ("year", "decade"):
            return None
        span = value.readings[0].amount * (10 if unit.id == "decade" else 1)
        for years in self._years:
            for year, place in years.items():
                if year + span in years:
                    return place
        return None

    def anniversary(self, value: Quantity) -> Place | None:
        """Where an ordinal stands before "anniversary": its 40th is 40 years."""
        if value.unit is None or value.unit.id != "year":
            return None
        return self._anniversaries.get(value.readings[0].amount)

    def _quantities(self) -> Iterator[tuple[Chunk, Fact]]:
        for chunk in self._sources.chunks:
            yield from ((chunk, fact) for fact in chunk.reading.facts if isinstance(fact.value, Quantity))

    @cached_property
    def _noted(self) -> list[tuple[Sources, float]]:
        """The chunks of each scale of the notes; a note after all figures of its chunk is on the tables elsewhere."""
        scales: dict[Chunk, set[float]] = {}
        elsewhere: set[float] = set()
        for chunk in self._sources.chunks:
            text = chunk.reading.text
            for note in self._scale_notes.find(Places(text, chunk.reading.words.all)):
                scale = float(note.rule.data["value"])
                scales.setdefault(chunk, set()).add(scale)
                if not _DIGIT.search(text, note.end):
                    elsewhere.add(scale)
        tables = [chunk for chunk in self._sources.chunks if chunk not in scales and "|" in chunk.reading.text]
        scales |= dict.fromkeys(tables, elsewhere)
        noted = sorted(set().union(*scales.values()))
        return [(Sources([chunk for chunk in scales if scale in scales[chunk]]), scale) for scale in noted]

    @cached_property
    def _years(self) -> list[dict[float, Place]]:
        return [
            {year: Place(chunk, fact.start, fact.end) for fact in chunk.reading.facts for year in _years_of(fact)}
            for chunk in self._sources.chunks
        ]

    @cached_property
    def _anniversaries(self) -> dict[float, Place]:
        return {
            _amount(fact): Place(chunk, fact.start, fact.end)
            for chunk, fact in self._quantities()
            if _ANNUAL.match(chunk.reading.text, fact.end)
        }

    @cached_property
    def _groups(self) -> list[tuple[Chunk, Sequence[Fact]]]:
        """The numbers of each line, and of each column of a table."""
        return [(chunk, group) for chunk in self._sources.chunks for group in _lines_and_columns(chunk)]


def _years_of(fact: Fact) -> Iterator[float]:
    if isinstance(fact.value, Dated):
        yield from (each.year for each in fact.value.moments if isinstance(each, DateValue) and each.year)


def _lines_and_columns(chunk: Chunk) -> Iterator[Sequence[Fact]]:
    text = chunk.reading.text
    lines: dict[int, list[Fact]] = {}
    columns: dict[int, list[Fact]] = {}
    # a line may be as long as the text, so its bars are counted on from one fact to the next
    line = bars = done = 0
    for fact in chunk.reading.facts:
        if isinstance(fact.value, Quantity):
            newline = text.rfind("\n", done, fact.start)
            if newline >= 0:
                line, bars, done = newline + 1, 0, newline
            bars += text.count("|", done, fact.start)
            done = fact.start
            lines.setdefault(line, []).append(fact)
            if bars:
                columns.setdefault(bars, []).append(fact)
    yield from (group for group in (*lines.values(), *columns.values()) if len(group) > 1)


def _amount(fact: Fact) -> float:
    """The likeliest amount of a fact that is a quantity."""
    assert isinstance(fact.value, Quantity)
    return fact.value.readings[0].amount


def in_base(fact: Fact) -> tuple[float, str | None]:
    """The likeliest amount of a quantity in the base unit of its dimension, and that dimension."""
    assert isinstance(fact.value, Quantity)
    amount, unit, _ = fact.value.readings[0]
    return (amount, None) if unit is None else (unit.base(amount), unit.dimension)


def _of_dimension(numbers: Sequence[Fact], dimension: str | None) -> Sequence[Fact]:
    """The operands of a dimension; those without a unit only where no two have one, or it is money, as in a table."""
    if dimension is None:
        return numbers
    may_be = [fact for fact in numbers if _may_be(fact, dimension)]
    units = [fact for fact in may_be if in_base(fact)[1] is not None]
    measured = len(units) > 1 and all(
        isinstance(fact.value, Quantity) and fact.value.kind == "number" for fact in units
    )
    return units if measured else may_be


def _may_be(fact: Fact, dimension: str) -> bool:
    """Whether an operand is counted in a unit of ``dimension``, or does not say in what."""
    assert isinstance(fact.value, Quantity)
    return fact.value.unit is None or fact.value.unit.dimension == dimension


def _rounded_to(value: Quantity, results: Sequence[_Result]) -> list[_Result]:
    """Which of the sorted results are ``value`` to the precision written, with or without the scale word, in order."""
    found: list[_Result] = []
    for amount, _, place in value.readings:
        for scale in (1.0, value.scale) if amount else ():
            middle, reach = abs(amount) / scale, place / scale / 2 * (1 + 1e-9)
            first = bisect_left(results, middle - reach, key=_amount_of)
            last = bisect_right(results, middle + reach, key=_amount_of)
            found += results[first : min(last, first + _MOST_RESULTS)]
    return sorted(found, key=lambda result: result.order)


def _amount_of(result: _Result) -> float:
    return result.amount
