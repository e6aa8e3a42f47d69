"""What belongs to the number at this place? Its sign, currency, scale and unit, and what a compound length adds."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from raguard.reading.lengths import ARTICLES
from raguard.reading.measures import LENGTHS, Before, Measures
from raguard.reading.number_cues import NumberCues
from raguard.reading.number_words import NumberWords
from raguard.reading.numerals import NUMERAL, Number, read_numeral
from raguard.values.quantities import Unit

__all__ = ["Part", "PartReader", "Units", "added"]

_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![^\W_])", re.IGNORECASE)
_TIMES = re.compile(r"[xX×](?![^\W_])")
_TIMES_SIGNS = frozenset("xX×")
_BY = re.compile(r"[xX×][0-9]")
_OF_A = re.compile(r" (?:of )?an?(?= )")
_CLOSE = re.compile(r" ?\)")
_AGAIN = re.compile(r" ?\( ?(?=[0-9a-z])")
_COUNTED_BRACKET = re.compile(r"[^\W_] \(")
_AND_THEN = re.compile(r"(?:,? and |, ?| )?(?=[0-9a-z])")
_MINUTES = re.compile(r" ?m(?:in)?(?!\w)")
_HOURS = re.compile(r"([1-9][0-9]?)h([0-5][0-9])(?![\w:]|[.,][0-9])")
_PENCE = 100
_ROUND = frozenset({10, 100})
"""Of so many a part is told without a word for them: six in ten."""
_AND = " and "
_GLUED_WORD = re.compile(r"[A-Za-z][a-z]{2,19}(?![^\W_])")
"""A word that lost its space: 59cats; fewer letters are a code: 3D, 4WD."""

Units: TypeAlias = tuple[Unit, ...]


class Part(NamedTuple):
    """A number with what belongs to it, before the words around it are asked."""

    number: Number
    start: int
    end: int
    units: Units
    scale: float
    negative: bool
    bracketed: bool
    plus: bool
    counts: bool = False


class PartReader:
    """Reads the parts of quantities; ``lower`` is ``text`` in lower case."""

    def __init__(self, words: NumberWords, measures: Measures, cues: NumberCues) -> None:
        self._words = words
        self._measures = measures
        self._cues = cues

    def read(self, text: str, lower: str, start: int, end: int, *, joined: bool = False) -> Part | None:
        """The number at a spot with its sign, scale and units; None when it belongs to a word or a code.

        It is ``joined`` when a hyphen before it is that of a range.
        """
        if start == end:
            number = self._words.read(lower, start) or _article(lower, start)
        elif joined or _stands_alone(text, start):
            number = read_numeral(text, start, end)
        else:
            number = self._after_currency(text, start, end)
        if number is None:
            return None
        return self._measured(text, lower, number)

    def _after_currency(self, text: str, start: int, end: int) -> Number | None:
        """A number that letters precede, when these are a currency: USD890, kr5."""
        return read_numeral(text, start, end) if self._measures.before(text, start).units else None

    def _measured(self, text: str, lower: str, number: Number) -> Part | None:
        """The number with its sign, scale and units; None when letters that mean nothing are glued to it."""
        if number.digits and text[number.end : number.end + 1] == "h":
            hours = None if number.decimals else _HOURS.match(text, number.start)
            if hours is not None:
                return self._hours(number, hours)
        opened = text[number.start - 1 : number.start] == "("
        before = self._measures.before(text, number.start - opened)
        if lower.startswith(" in ", number.end):
            number = self._one_in(text, lower, number) or number
        elif "(" in text[number.end : number.end + 2]:
            number = self._restated(text, lower, number)
        number, end = self._finished(text, lower, number)
        close = _CLOSE.match(text, end) if opened else None
        behind = self._behind_bracket(text, number, before, close.end()) if close else None
        if behind is not None:
            return behind
        start = number.start if opened else before.start
        scale, units, plus = number.scale, () if opened else before.units, text[end : end + 1] == "+"
        if not number.ordinal and (number.part or self._measures.may_follow(text, end)):
            factor, end = self._measures.scale(text, end, money=bool(units))
            scale *= factor
            times = _TIMES.match(text, end) if number.digits and text[end : end + 1] in _TIMES_SIGNS else None
            if times is not None:
                end, units = times.end(), (self._measures.times,)
            elif not number.fold:
                end, units = self._counted(text, lower, end, number, units)
        if number.digits and not number.ordinal and end == number.end and _glued(text, end):
            return None
        bracketed = text[start - 1 : start] == "(" and _CLOSE.match(text, end) is not None
        counts = not units and not number.part and self._cues.counts(text, end)
        return Part(number, start, end, units, scale, before.negative and not opened, bracketed, plus, counts)

    def _hours(self, number: Number, match: re.Match[str]) -> Part:
        """Hours and minutes around an h: 1h30 is 90 minutes."""
        minutes = 60.0 * int(match[1]) + int(match[2])
        number = number._replace(end=match.end(), amounts=((minutes, 1.0),))
        return Part(number, number.start, match.end(), (self._measures.minute,), 1.0, False, False, False)

    def _one_in(self, text: str, lower: str, number: Number) -> Number | None:
        """The share that "1 in 7" or "6 in 10" tells; None for a place, a year or a time: 1 in 1998, one in 3 days."""
        part = number.amounts[0][0]
        if number.ordinal or part < 1 or number.decimals or number.part:
            return None
        start = number.end + len(" in ")
        whole = _numeral_at(text, start) or self._words.read(lower, start)
        if whole is None or whole.start != start or whole.ordinal or whole.loose or whole.part or whole.decimals:
            return None
        under = whole.amounts[0][0]
        if (
            under < 2
            or (part != 1 and (part >= under or under not in _ROUND))
            or (whole.end - start == 4 and text[start : whole.end].isdigit())
            or self._goes_on(text, whole.end)
        ):
            return None
        return number._replace(
            end=whole.end,
            amounts=((part / under, 0.1 / under),),
            decimals=100 % under != 0,
            part=True,
            loose=False,
            digits=False,
            whole=(whole.start, whole.end, under),
        )

    def _goes_on(self, text: str, end: int) -> bool:
        """Whether what ends at ``end`` has a unit, or is a number of another form: 10 days, 10:30, 10 May."""
        following = text[end : end + 2]
        if following[:1] in ("-", "–", "/", "%") or (following[:1] in (":", ".", ",") and following[1:].isdigit()):
            return True
        return bool(self._measures.unit(text, end)[0])

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
            ordinal = None if number.decimals else _ORDINAL.match(text, number.end)
            if ordinal is not None:
                return number._replace(ordinal=True), ordinal.end()
        return number, number.end

    def _behind_bracket(self, text: str, number: Number, before: Before, end: int) -> Part | None:
        """A bracketed number that its currency, percent sign or unit stands outside of: $(4.2) million, (4)%."""
        scale, stop = self._measures.scale(text, end, money=True) if before.units else (1.0, end)
        units, stop = (before.units, stop) if before.units else self._measures.unit(text, stop)
        counted = bool(units) and units[0].kind == "number"
        # "(1) hour" at the beginning of a line or after a comma numbers a list
        if not units or (counted and not _COUNTED_BRACKET.match(text, max(0, number.start - 3))):
            return None
        return Part(number, before.start, stop, units, scale, before.negative, bracketed=not counted, plus=False)

    def _counted(self, text: str, lower: str, end: int, number: Number, units: Units) -> tuple[int, Units]:
        """Where the number's unit ends, and the unit; a currency before and one after are one."""
        place = end + (text[end : end + 1] == "+")
        found, stop = self._measures.unit(text, place, digits=number.digits)
        if number.part and not found:
            of = _OF_A.match(lower, place)
            if of is not None:
                found, stop = self._measures.unit(text, of.end(), digits=False)
        # 50p are pence, 720p is a picture
        if found and stop - place == 1 and found[0].kind == "money" and number.amounts[0][0] >= _PENCE:
            found = ()
        if not found or found[0] == self._measures.times:
            return end, found or units
        if not units:
            return stop, found
        common = tuple(unit for unit in found if unit in units)
        return (stop, common) if common else (end, units)

    def pieces(self, text: str, lower: str, part: Part) -> list[Part]:
        """The parts of a compound length of time, from large to small: 1 h 30 min, an hour and a half."""
        pieces = [part]
        while pieces[-1].units and pieces[-1].units[0].dimension in LENGTHS:
            piece = self._piece(text, lower, pieces[-1])
            if piece is None:
                break
            pieces.append(piece)
        return pieces

    def _piece(self, text: str, lower: str, larger: Part) -> Part | None:
        """What is added to a length of time in a smaller unit, or None."""
        unit = larger.units[0]
        tail = self._words.tail(lower, larger.end) if lower.startswith(f"{_AND}a ", larger.end) else None
        if tail is not None and lower[tail[1] : tail[1] + 1] != "-":
            number = Number(larger.end, tail[1], ((tail[0], 0.1),), decimals=True, digits=False)
            return larger._replace(number=number, start=larger.end + len(_AND), end=tail[1])
        joiner = _AND_THEN.match(lower, larger.end)
        if joiner is None:
            return None
        digits = NUMERAL.match(text, joiner.end())
        piece = self.read(text, lower, *(digits.span() if digits else (joiner.end(), joiner.end())))
        if piece is None or piece.start != joiner.end() or piece.number.loose:
            return None
        minutes = _MINUTES.match(text, piece.number.end) if unit.id == "hour" else None
        if minutes is not None:
            piece = piece._replace(units=(self._measures.minute,), end=minutes.end(), scale=1.0)
        fits = piece.units and piece.units[0].dimension == unit.dimension and piece.units[0].factor < unit.factor
        return piece if fits and piece.number.amounts[0][0] * piece.units[0].factor < unit.factor else None


def _article(lower: str, start: int) -> Number | None:
    """The "a" or "an" at ``start`` as a number that claims nothing by itself."""
    word = lower[start : start + 2].rstrip()
    return Number(start, start + len(word), ((1.0, 1.0),), loose=True, digits=False) if word in ARTICLES else None


def added(pieces: list[Part]) -> Part:
    """The parts of a compound length as one, counted in the smallest unit."""
    first, last = pieces[0], pieces[-1]
    if first is last:
        return first
    (unit, *_), (_, place) = last.units, last.number.amounts[0]
    amount = sum(piece.number.amounts[0][0] * piece.units[0].factor for piece in pieces) / unit.factor
    number = last.number._replace(start=first.number.start, amounts=((amount, place),), loose=False)
    return first._replace(number=number, end=last.end, units=(unit,), scale=1.0)


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
    return (following.isalnum() or following == "_") and not (_BY.match(text, end) or _GLUED_WORD.match(text, end))
