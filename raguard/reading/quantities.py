"""Which numbers, amounts of money and percentages does a text state, in digits and in words?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from raguard.reading.forms import aligned_lower
from raguard.reading.measures import Before, Measures
from raguard.reading.number_cues import NumberCues
from raguard.reading.number_words import NumberWords
from raguard.reading.numerals import NUMERAL, Number, numerals, read_numeral
from raguard.rulebook import Rulebook
from raguard.values.quantities import Quantity, Range, Reading, Unit
from raguard.values.rounding import Hedge
from raguard.values.value import Fact

__all__ = ["QuantityReader"]

_WORD = re.compile(r"[a-z]{2,14}")
_JOINER = re.compile(r" ?[-–—] ?|[ \n](?:to|through|and)[ \n]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![^\W_])", re.IGNORECASE)
_TIMES = re.compile(r"[xX×](?![^\W_])")
_BY = re.compile(r"[xX×][0-9]")
_OF_A = re.compile(r" (?:of )?an?(?= )")
_OUT_OF = ("out of ", "out of a possible ", "/")
_FULL_MARKS = frozenset({5.0, 10.0, 100.0})
_CLOSE = re.compile(r" ?\)")
_AGAIN = re.compile(r" ?\( ?(?=[0-9a-z])")
_COUNTED_BRACKET = re.compile(r"[^\W_] \(")
_SENTENCE_STARTS = frozenset('.!?:\n"*-•|(\x00')
_SHARED_SCALE_LIMIT = 1000


_Units: TypeAlias = tuple[Unit, ...]


class _Part(NamedTuple):
    """A number with what belongs to it, before the words around it are asked."""

    number: Number
    start: int
    end: int
    units: _Units
    scale: float
    negative: bool
    bracketed: bool
    plus: bool


class QuantityReader:
    """Finds quantities in folded text."""

    def __init__(self, rulebook: Rulebook) -> None:
        numbers = rulebook["numbers"]
        self._words = NumberWords(numbers)
        self._measures = Measures(rulebook)
        self._cues = NumberCues(numbers)

    def find(self, text: str, *, lang: str = "en") -> Iterator[Fact]:
        """The quantities of ``text`` from left to right; words are read as English whatever ``lang`` is."""
        lower = aligned_lower(text)
        words = frozenset(_WORD.findall(lower))
        falling = self._cues.falling(words)
        spots = [*numerals(text), *((start, start) for start in self._words.spots(lower, words))]
        done = 0
        for start, end in sorted(spots):
            if start < done:
                continue
            part = self._part(text, lower, start, end)
            if part is not None and part.start >= done:
                fact = self._fact(text, lower, part, falling)
                yield fact
                done = max(part.end, fact.end)

    def _part(self, text: str, lower: str, start: int, end: int) -> _Part | None:
        """The number at a spot with its sign, scale and units; None when it belongs to a word or a code."""
        if start == end:
            number = self._words.read(lower, start)
        elif _stands_alone(text, start):
            number = read_numeral(text, start, end)
        else:
            number = self._after_currency(text, start, end)
        if number is None:
            return None
        return self._measured(text, lower, number)

    def _after_currency(self, text: str, start: int, end: int) -> Number | None:
        """A number that letters precede, when these are a currency: USD890, kr5."""
        return read_numeral(text, start, end) if self._measures.before(text, start).units else None

    def _measured(self, text: str, lower: str, number: Number) -> _Part | None:
        """The number with its sign, scale and units; None when letters that mean nothing are glued to it."""
        opened = text[number.start - 1 : number.start] == "("
        before = self._measures.before(text, number.start - opened)
        number = self._restated(text, lower, number)
        number, end = self._finished(text, lower, number)
        close = _CLOSE.match(text, end) if opened else None
        behind = self._behind_bracket(text, number, before, close.end()) if close else None
        if behind is not None:
            return behind
        start = number.start if opened else before.start
        scale, units, plus = number.scale, () if opened else before.units, text[end : end + 1] == "+"
        if not number.ordinal:
            factor, end = self._measures.scale(text, end, money=bool(units))
            scale *= factor
            times = _TIMES.match(text, end) if number.digits else None
            if times is not None:
                end = times.end()
            else:
                end, units = self._counted(text, lower, end, number, units)
            if number.digits and end == number.end and _glued(text, end):
                return None
        bracketed = text[start - 1 : start] == "(" and _CLOSE.match(text, end) is not None
        return _Part(number, start, end, units, scale, before.negative and not opened, bracketed, plus)

    def _restated(self, text: str, lower: str, number: Number) -> Number:
        """The number with its repetition in brackets: ninety (90), 90 (ninety)."""
        opening = _AGAIN.match(lower, number.end)
        if opening is None or number.ordinal:
            return number
        again = self._words.read(lower, opening.end()) if number.digits else _numeral_at(text, opening.end())
        close = _CLOSE.match(text, again.end) if again else None
        if again is None or close is None or again.amounts[0][0] != number.amounts[0][0]:
            return number
        return number._replace(end=close.end(), loose=False)

    def _finished(self, text: str, lower: str, number: Number) -> tuple[Number, int]:
        """The number with "and a half" or the ending of an ordinal, and where it ends."""
        if number.digits and not number.part:
            tail = self._words.tail(lower, number.end)
            if tail is not None:
                amount = number.amounts[0][0] + tail[0]
                number = number._replace(end=tail[1], amounts=((amount, 0.1),), decimals=True)
            ordinal = _ORDINAL.match(text, number.end)
            if ordinal is not None and not number.decimals:
                return number._replace(ordinal=True), ordinal.end()
        return number, number.end

    def _behind_bracket(self, text: str, number: Number, before: Before, end: int) -> _Part | None:
        """A bracketed number that its currency, percent sign or unit stands outside of: $(4.2) million, (4)%."""
        scale, stop = self._measures.scale(text, end, money=True) if before.units else (1.0, end)
        units, stop = (before.units, stop) if before.units else self._measures.unit(text, stop)
        counted = bool(units) and units[0].kind == "number"
        # "(1) hour" at the beginning of a line or after a comma numbers a list
        if not units or (counted and not _COUNTED_BRACKET.match(text, max(0, number.start - 3))):
            return None
        return _Part(number, before.start, stop, units, scale, before.negative, bracketed=not counted, plus=False)

    def _counted(self, text: str, lower: str, end: int, number: Number, units: _Units) -> tuple[int, _Units]:
        """Where the number's unit ends, and the unit; a currency before and one after are one."""
        place = end + (text[end : end + 1] == "+")
        found, stop = self._measures.unit(text, place, digits=number.digits)
        if number.part and not found:
            of = _OF_A.match(lower, place)
            if of is not None:
                found, stop = self._measures.unit(text, of.end(), digits=False)
        if not found:
            return end, units
        if not units:
            return stop, found
        common = tuple(unit for unit in found if unit in units)
        return (stop, common) if common else (end, units)

    def _fact(self, text: str, lower: str, part: _Part, falling: bool) -> Fact:
        """The fact that a number states, alone or as the first end of a range."""
        second = self._second(text, lower, part)
        start, end = part.start, second.end if second else part.end
        hedge = self._cues.hedge(lower, start, end)
        declines = falling and self._cues.declines(lower, start, end)
        if second is None:
            value = self._quantity(part, "lower" if part.plus else hedge, declines)
            return Fact(value, start, end, tentative=self._tentative(text, lower, part))
        first, second = _shared(part, second)
        low, high = (self._quantity(each, hedge, declines) for each in (first, second))
        return Fact(Range(low, high), start, end, tentative=self._cues.idiomatic(lower, start, end))

    def _second(self, text: str, lower: str, first: _Part) -> _Part | None:
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
        spot = joiner.end()
        digits = NUMERAL.match(text, spot) or NUMERAL.search(text, spot, spot + 40)
        if digits is not None and digits.start() - spot <= 4:
            second = self._part(text, lower, *digits.span())
        elif lower[spot : spot + 1].isalpha() and not (hyphen and first.number.digits):
            second = self._part(text, lower, spot, spot)
        else:
            return None
        if second is None or second.number.loose or second.number.ordinal != first.number.ordinal:
            return None
        # "-5" after a joining hyphen is no sign
        if second.start != spot or (hyphen and (second.negative or _goes_on(text, second.end))):
            return None
        return second if _alike(first.units, second.units) else None

    def _quantity(self, part: _Part, hedge: Hedge, declines: bool) -> Quantity:
        number = part.number
        factor = part.scale / number.scale
        sign = -1.0 if part.negative else 1.0
        units: tuple[Unit | None, ...] = part.units or (None,)
        # a scale word or a percent sign settles what 3.355 means
        settled = factor != 1 or any(unit and unit.kind == "percent" for unit in units)
        amounts = number.amounts[:1] if settled else number.amounts
        readings = [
            Reading(sign * amount * factor, unit, place * factor) for amount, place in amounts for unit in units
        ]
        if number.part and not part.units and factor == 1:
            readings += self._shares(100 * amounts[0][0])
        return Quantity(
            readings=tuple(readings),
            decimals=number.decimals,
            scale=part.scale,
            hedge=hedge,
            ordinal=number.ordinal,
            either_sign=part.bracketed or (declines and not part.negative),
        )

    def _shares(self, share: float) -> list[Reading]:
        """A part as a percentage, also rounded to a whole one: a third is 33 %."""
        return [Reading(value, self._measures.percent, 1.0) for value in dict.fromkeys((share, float(round(share))))]

    def _tentative(self, text: str, lower: str, part: _Part) -> bool:
        """Whether the number may only be a manner of speaking, a name or the top of a scale."""
        number, start = part.number, part.start
        if number.loose or (number.digits and self._cues.decade(lower, start)):
            return True
        if number.amounts[0][0] in _FULL_MARKS and lower.endswith(_OUT_OF, 0, start):
            return text[start - 1] != "/" or text[start - 2 : start - 1].isdigit()
        if self._cues.idiomatic(lower, start, part.end):
            return True
        if number.digits:
            return False
        if number.ordinal and not self._cues.ranks(lower, start):
            return True
        return text[start].isupper() and _in_name(text, start, part.end)


def _numeral_at(text: str, start: int) -> Number | None:
    digits = NUMERAL.match(text, start)
    return read_numeral(text, *digits.span()) if digits else None


def _stands_alone(text: str, start: int) -> bool:
    """Whether no word, code or power runs into the number."""
    before, earlier = text[start - 1 : start], text[start - 2 : start - 1]
    if before.isalnum():
        return before in "xX×" and earlier.isdigit()
    return before not in ("_", "^") and not (before in ("-", "–") and earlier.isalpha())


def _glued(text: str, end: int) -> bool:
    """Whether letters that mean nothing after a number are glued to it: 3D, 4WD."""
    following = text[end : end + 1]
    return (following.isalnum() or following == "_") and not _BY.match(text, end)


def _chained(text: str, start: int) -> bool:
    """Whether a word or number is joined to ``start`` with a hyphen."""
    return text[start - 1 : start] == "-" and text[start - 2 : start - 1].isalnum()


def _goes_on(text: str, end: int) -> bool:
    """Whether another number is joined with a hyphen."""
    return text[end : end + 1] == "-" and text[end + 1 : end + 2].isdigit()


def _alike(first: _Units, second: _Units) -> bool:
    if not first or not second:
        return True
    return not {unit.dimension for unit in first}.isdisjoint(unit.dimension for unit in second)


def _shared(first: _Part, second: _Part) -> tuple[_Part, _Part]:
    """Both ends of a range with the unit and scale that only one carries: $10-20, 5 to 10 million."""
    low, high = first.number.amounts[0][0], second.number.amounts[0][0] * second.scale / second.number.scale
    unscaled = first.scale == 1 and (not first.units or first.start < first.number.start)
    if unscaled and second.scale > 1 and low < _SHARED_SCALE_LIMIT and low * second.scale <= high:
        first = first._replace(scale=second.scale)
    first = first._replace(units=first.units or second.units)
    return first, second._replace(units=second.units or first.units)


def _in_name(text: str, start: int, end: int) -> bool:
    """Whether a capitalised number word is part of a name: Four Seasons, Channel Four."""
    if text[end : end + 1] == " " and text[end + 1 : end + 2].isupper():
        return True
    before = text[max(0, start - 3) : start]
    last = before.rstrip(" ")[-1:]
    return bool(last) and (before[-1] == "-" or last not in _SENTENCE_STARTS)
