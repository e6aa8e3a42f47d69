"""Which numbers, amounts of money and percentages does a text state, in digits and in words?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raguard.reading.lengths import ARTICLES, Lengths
from raguard.reading.lone_numbers import LoneNumbers
from raguard.reading.measures import LENGTHS, Measures
from raguard.reading.number_cues import NumberCues
from raguard.reading.number_parts import Part, PartReader, Units, added
from raguard.reading.number_words import NumberWords
from raguard.reading.numerals import NUMERAL, Number, TableRows, listed, numerals
from raguard.reading.page import Page
from raguard.rulebook import Rulebook
from raguard.values.quantities import Quantity, Range, Reading, Unit
from raguard.values.rounding import Hedge
from raguard.values.value import Fact

__all__ = ["QuantityReader"]

_JOINER = re.compile(r" ?[-–—] ?|[ \n](?:to|through|and)[ \n]")
_OUT_OF = ("out of ", "out of a possible ", "/")
_FULL_MARKS = frozenset({5.0, 10.0, 100.0})
_SENTENCE_STARTS = frozenset('.!?:\n"*-•|(\x00')
_DECADE_ENDS = frozenset("'s")
_SHARED_SCALE_LIMIT = 1000
_PART_PLACES = {"about": 0.1, "upper": 0.05, "lower": 0.15}
"""How far "about a third", "almost half" and "more than half" may lie from the part."""


class QuantityReader:
    """Finds quantities in folded text."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._words = NumberWords(rulebook["numbers"])
        self._measures = Measures(rulebook)
        self._cues = NumberCues(rulebook)
        self._lengths = Lengths(rulebook)
        self._parts = PartReader(self._words, self._measures, self._cues)
        self._lone = LoneNumbers(self._words, self._measures, self._cues)

    def find(self, text: str | Page, *, lang: str = "en") -> Iterator[Fact]:
        """The quantities of ``text`` from left to right; words are read as English whatever ``lang`` is."""
        text, lower, words = Page.of(text)
        falls = self._cues.falls(lower, words)
        spelled = [*self._words.spots(lower, words), *self._lengths.spots(lower, words)]
        spots = [*numerals(text), *((start, start) for start in spelled)]
        rows = TableRows(text)
        done = 0
        for start, end in sorted(spots):
            if start < done:
                continue
            for cell in listed(text, start, end, rows) if "," in text[start:end] else ():
                alone = Quantity((Reading(float(text[slice(*cell)])),))
                yield Fact(alone, *cell, tentative=True)
            lone = self._alone(text, lower, start, end)
            if lone is not None and lone.start >= done and not self._cues.declines(lower, falls, lone.start, lone.end):
                yield lone
                done = lone.end
                continue
            part = self._parts.read(text, lower, start, end)
            if part is not None and part.start >= done:
                pieces = self._parts.pieces(text, lower, part)
                fact = self._fact(text, lower, added(pieces), falls)
                yield fact
                # an hour of "1 hour, 30 minutes" may stand alone too
                for piece in pieces if len(pieces) > 1 else ():
                    yield Fact(self._quantity(piece, "exact", declines=False), piece.start, piece.end, tentative=True)
                if part.number.whole is not None:
                    begin, stop, amount = part.number.whole
                    yield Fact(Quantity((Reading(amount),), counts=True), begin, stop, tentative=True)
                done = max(part.end, fact.end)

    def _alone(self, text: str, lower: str, start: int, end: int) -> Fact | None:
        """The number at a spot that nothing around it bends, or None."""
        if start < end:
            lone = self._lone.digits(text, lower, start, end)
            return None if lone is None else Fact(*lone)
        spelled = self._lone.spelled(text, lower, start)
        if spelled is None:
            return None
        value, number, end = spelled
        return Fact(value, start, end, self._manner(text, lower, number, start, end))

    def _fact(self, text: str, lower: str, part: Part, falls: Sequence[int]) -> Fact:
        """The fact that a number states, alone or as the first end of a range."""
        second = self._second(text, lower, part)
        start, end = part.start, second.end if second else part.end
        hedge = self._cues.hedge(lower, start, end)
        declines = self._cues.declines(lower, falls, start, end)
        if second is None:
            value = self._quantity(part, "lower" if part.plus else hedge, declines)
            return Fact(value, start, end, tentative=self._tentative(text, lower, part))
        first, second = _shared(part, second)
        low, high = (self._quantity(each, hedge, declines) for each in (first, second))
        return Fact(Range(low, high), start, end, tentative=self._cues.idiomatic(lower, start, end))

    def _second(self, text: str, lower: str, first: Part) -> Part | None:
        """The other end of the range that ``first`` begins, or None."""
        joiner = _JOINER.match(text, first.end)
        if joiner is None or first.number.loose:
            return None
        word = joiner.group().strip()
        hyphen = not word.isalpha()
        # "and" needs its "between", and a hyphen chain (1-2-3) is no range
        if word == "and" and not lower.endswith("between ", 0, first.start):
            return None
        if hyphen and _chained(text, first.start):
            return None
        # "130 minutes – 55 minutes longer" has a dash, no range
        parted = joiner.group()[:1] == " " and bool(first.units)
        spot = joiner.end()
        digits = NUMERAL.match(text, spot) or NUMERAL.search(text, spot, spot + 40)
        if digits is not None and digits.start() - spot <= 4:
            second = self._parts.read(text, lower, *digits.span(), joined=hyphen and digits.start() == spot)
        elif lower[spot : spot + 1].isalpha() and not (hyphen and first.number.digits):
            second = self._parts.read(text, lower, spot, spot)
        else:
            return None
        if second is None or second.number.loose or second.number.ordinal != first.number.ordinal:
            return None
        # "-5" after a joining hyphen is no sign
        if second.start != spot or (hyphen and (second.negative or _goes_on(text, second.end))):
            return None
        if hyphen and parted and second.units and second.number.amounts[0][0] < first.number.amounts[0][0]:
            return None
        return second if _alike(first.units, second.units) else None

    def _quantity(self, part: Part, hedge: Hedge, declines: bool) -> Quantity:
        number = part.number
        if number.fold:
            fold = number.amounts[0][0]
            return Quantity(readings=self._becoming(fold), hedge=hedge, fold=fold)
        factor = part.scale / number.scale
        signed = -factor if part.negative else factor
        units: tuple[Unit | None, ...] = part.units or (None,)
        amounts = number.amounts
        # a scale word or a percent sign settles what 3.355 means
        if len(amounts) > 1 and (factor != 1 or any(unit and unit.kind == "percent" for unit in units)):
            amounts = amounts[:1]
        if number.part and hedge != "exact":
            amounts = tuple((amount, min(_PART_PLACES[hedge], amount / 2)) for amount, _ in amounts)
        readings = [Reading(amount * signed, unit, place * factor) for amount, place in amounts for unit in units]
        if number.part and not part.units and factor == 1:
            share = 100 * amounts[0][0]
            readings += self._shares(share, min(1.0, share / 10) if hedge == "exact" else 100 * amounts[0][1])
        return Quantity(
            readings=tuple(readings),
            counts=part.counts,
            decimals=number.decimals,
            scale=part.scale,
            hedge=hedge,
            ordinal=number.ordinal,
            either_sign=part.bracketed or (declines and not part.negative),
        )

    def _counts_on(self, lower: str, end: int) -> bool:
        """Whether a number follows an ordinal, which then ranks nothing: the first three days."""
        following = lower[end : end + 2]
        return following[:1] == " " and (following[1:].isdigit() or self._words.read(lower, end + 1) is not None)

    def _is_length(self, lower: str, part: Part) -> bool:
        """Whether "one year" or "an hour" states how long something lasts."""
        start, number = part.start, part.number
        word = lower[number.start : number.end]
        if not part.units or part.units[0].dimension not in LENGTHS or self._lengths.told(lower, part.end):
            return False
        if word in ARTICLES or self._cues.idiomatic(lower, start, part.end):
            hedged = self._cues.hedge(lower, start, part.end) != "exact"
            return hedged or self._lengths.measured(lower, start)
        return word == "one"

    def _shares(self, share: float, place: float) -> list[Reading]:
        """A part as a percentage, also rounded to a whole one: a third is 33 %."""
        shares = dict.fromkeys((share, float(round(share)) or share))
        return [Reading(value, self._measures.percent, place) for value in shares]

    def _becoming(self, fold: float) -> tuple[Reading, ...]:
        """What "doubled" says: a change by 100 %, to 2 times as much."""
        change = Reading(100 * abs(fold - 1), self._measures.percent, 50.0 if fold > 1 else 10.0)
        return change, Reading(fold, self._measures.times, 0.5 if fold > 1 else 0.1)

    def _tentative(self, text: str, lower: str, part: Part) -> bool:
        """Whether the number may only be a manner of speaking, a name or the top of a scale."""
        number, start = part.number, part.start
        if number.loose and self._is_length(lower, part):
            return False
        if number.loose or (
            number.digits and lower[number.end : number.end + 1] in _DECADE_ENDS and self._cues.decade(lower, start)
        ):
            return True
        if number.amounts[0][0] in _FULL_MARKS and lower.endswith(_OUT_OF, 0, start):
            return text[start - 1] != "/" or text[start - 2 : start - 1].isdigit()
        if number.digits:
            return self._cues.idiomatic(lower, start, part.end)
        return self._manner(text, lower, number, start, part.end)

    def _manner(self, text: str, lower: str, number: Number, start: int, end: int) -> bool:
        """Whether a number in words at ``text[start:end]`` may only be a manner of speaking or a name."""
        if number.loose or self._cues.idiomatic(lower, start, end):
            return True
        if number.ordinal and (not self._cues.ranks(lower, start) or self._counts_on(lower, end)):
            return True
        return text[start].isupper() and _in_name(text, start, end)


def _chained(text: str, start: int) -> bool:
    """Whether a word or number is joined to ``start`` with a hyphen."""
    return text[start - 1 : start] == "-" and text[start - 2 : start - 1].isalnum()


def _goes_on(text: str, end: int) -> bool:
    """Whether another number is joined with a hyphen."""
    return text[end : end + 1] == "-" and text[end + 1 : end + 2].isdigit()


def _alike(first: Units, second: Units) -> bool:
    if not first or not second:
        return True
    return not {unit.dimension for unit in first}.isdisjoint(unit.dimension for unit in second)


def _shared(first: Part, second: Part) -> tuple[Part, Part]:
    """Both ends of a range with the unit and scale that only one carries: $10-20, 5 to 10 million."""
    low, high = first.number.amounts[0][0], second.number.amounts[0][0] * second.scale / second.number.scale
    unscaled = first.scale == 1 and (not first.units or first.start < first.number.start)
    if unscaled and second.scale > 1 and low < _SHARED_SCALE_LIMIT and low * second.scale <= high:
        first = first._replace(scale=second.scale)
    first = first._replace(units=first.units or second.units, counts=second.counts)
    return first, second._replace(units=second.units or first.units)


def _in_name(text: str, start: int, end: int) -> bool:
    """Whether a capitalised number word is part of a name: Four Seasons, Channel Four."""
    if text[end : end + 1] == " " and text[end + 1 : end + 2].isupper():
        return True
    before = text[max(0, start - 3) : start]
    last = before.rstrip(" ")[-1:]
    return bool(last) and (before[-1] == "-" or last not in _SENTENCE_STARTS)
