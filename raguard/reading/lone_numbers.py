"""Which numbers does nothing around them bend? A look at the neighbour on either side settles most numbers of a text.

Such a number has no sign, scale, hedge or second end, and no unit but a currency before it, a percent sign or one plain
word behind it; the full grammar (``number_parts`` and ``quantities``) comes to the same for it, only later.
"""

from __future__ import annotations

import re
from functools import lru_cache

from raguard.reading.measures import Measures
from raguard.reading.number_cues import NumberCues
from raguard.reading.number_parts import Units
from raguard.reading.number_words import NumberWords
from raguard.reading.numerals import Number, read_numeral
from raguard.values.quantities import Quantity, Reading

__all__ = ["LoneNumbers"]

_BLANK = frozenset(" \n")
_QUIET_BEFORE = frozenset(',;:[]{}|"')
_QUIET_AFTER = frozenset(",;]}|")
"""Between these stand most numbers of tables and arrays."""
_OPENING = frozenset(",;:[]{}|\"'")
"""Marks that may stand right before a lone number; a bracket may change its sign."""
_FOLLOWING = re.compile(r"[ \n]([a-z]{1,24})(?![^\W_])|([.,;:?!)\]}|\"])|\n?\n?\Z|\n\n")
"""What may stand after a lone number: a small word, a mark, an empty line or the end."""
_WORD = re.compile(r"[a-z]{1,14}")
_REACH = 24
_NOTHING: tuple[Units, int] = ((), 0)
_SIGNS = frozenset("$€£¥")
"""Currencies that stand right before their amount."""
_JOINING = frozenset({"to", "through", "and", "in"})
"""With these a number may go on: 5 to 10, five and a half, one in three."""
_NEXT = re.compile(r" ([a-z]{2,24})(?![^\W_])")
_SHORT = 4
"""Behind a shorter word than that, the second end of a range is still looked for: 5 to kr 10."""
_FULL_MARKS_BEFORE = frozenset({"of", "possible"})
_ARTICLES = frozenset({"a", "an"})


class LoneNumbers:
    """Tells lone numbers by the words that bend others."""

    def __init__(self, words: NumberWords, measures: Measures, cues: NumberCues) -> None:
        self._cues = cues
        self._before = cues.last_hedge_words | measures.prefix_words | _FULL_MARKS_BEFORE | _ARTICLES | {"between"}
        self._currency_ends = measures.prefix_ends
        self._measures = measures
        self._units = {word: found for word, found in measures.words.items() if word not in words.known}
        self._numbers = words.known | _ARTICLES
        self._after = cues.after_words | measures.first_words | words.known | _JOINING | _ARTICLES
        self._spelled = {word: number for word in words.known if (number := words.alone(word))}

    def digits(self, text: str, lower: str, start: int, end: int) -> tuple[Quantity, int, int] | None:
        """The quantity of the digits at ``text[start:end]`` when they stand alone, and its span; else None."""
        if self._cues.idiomatic(lower, start, end):
            return None
        in_array = _in_array(text, start, end)
        behind = _NOTHING if in_array else self._percent(text, lower, end) or self._behind(lower, end)
        if behind is None:
            return None
        units, stop = behind
        begin = start
        if not units and not in_array and text[start - 1 : start] in _SIGNS:
            before = self._measures.before(text, start)
            begin, units = before.start, before.units
            if before.negative or not units:
                return None
        number = read_numeral(text, start, end) if in_array or self._free_before(lower, begin) else None
        if number is None or number.end != end or number.part:
            return None
        counts = not in_array and not units and self._cues.counts(text, end)
        return _bare(number.amounts, units, number.decimals, counts), begin, stop or end

    def spelled(self, text: str, lower: str, start: int) -> tuple[Quantity, Number, int] | None:
        """The quantity of the word at ``start`` when it stands alone, its number, and where it ends; else None."""
        found = _WORD.match(lower, start)
        known = self._spelled.get(found.group()) if found else None
        behind = self._behind(lower, found.end()) if found and known else None
        if found is None or known is None or behind is None or not self._free_before(lower, start):
            return None
        units, stop = behind
        if units and (known.ordinal or known.loose):
            return None
        number = known._replace(start=start, end=found.end())
        counts = not units and self._cues.counts(text, number.end)
        return _bare(number.amounts, units, False, counts, number.ordinal), number, stop or number.end

    def _percent(self, text: str, lower: str, end: int) -> tuple[Units, int] | None:
        """The unit of a percent sign right behind a number that nothing behind it bends, and its end; else None."""
        if text[end : end + 1] != "%":
            return None
        units, stop = self._measures.unit(text, end)
        return (units, stop) if stop == end + 1 and self._behind(lower, stop) == _NOTHING else None

    def _behind(self, lower: str, end: int) -> tuple[Units, int] | None:
        """The units of the plain word behind a number, and its end; (none, 0) without one, None for anything else."""
        following = _FOLLOWING.match(lower, end)
        if following is None:
            return None
        if (following[1] or following[2]) not in self._after or self._goes_elsewhere(lower, following, end):
            return _NOTHING
        units = self._units.get(following[1])
        further = _FOLLOWING.match(lower, following.end()) if units else None
        # "1 hour, 30 minutes" goes on behind a comma
        if units is None or further is None or further[2] == ",":
            return None
        if (further[1] or further[2]) in self._after and not self._goes_elsewhere(lower, further, following.end()):
            return None
        return units, following.end()

    def _goes_elsewhere(self, lower: str, following: re.Match[str], end: int) -> bool:
        """Whether "and", "to" or "through" behind a number begins what is none: $5 to members, 68 kg and is sold."""
        word = following[1]
        further = _NEXT.match(lower, following.end()) if word in ("and", "to", "through") else None
        if further is None or further[1] in self._numbers or (word != "and" and len(further[1]) < _SHORT):
            return False
        return word != "and" or not self._cues.bounds(lower, end)

    def _free_before(self, lower: str, start: int) -> bool:
        """Whether what stands before says nothing of the number at ``start``."""
        near = lower[start - 1 : start]
        if near in _BLANK:
            near = lower[start - 2 : start - 1]
        elif near and near not in _OPENING:
            return False
        before = lower[max(0, start - _REACH) : start].rstrip(" (\n")
        last = before.rpartition(" ")[2].rpartition("\n")[2].lstrip("(")
        if last in self._before or before[-1:] in self._before:
            return False
        # a currency may also follow a mark: /USD 5
        return near not in self._currency_ends or last.removesuffix(".").isalpha()


def _in_array(text: str, start: int, end: int) -> bool:
    """Whether the digits stand between the marks or numbers of a table or array."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if after not in _QUIET_AFTER and not (after in _BLANK and text[end + 1 : end + 2].isdecimal()):
        return False
    if before not in _BLANK:
        return before in _QUIET_BEFORE
    before = text[start - 2 : start - 1]
    return not before or before in _QUIET_BEFORE or before.isdecimal()


@lru_cache(maxsize=4096)
def _bare(
    amounts: tuple[tuple[float, float], ...], units: Units, decimals: bool, counts: bool, ordinal: bool = False
) -> Quantity:
    if any(unit.kind == "percent" for unit in units):
        # a percent sign settles what 3.355 means
        amounts = amounts[:1]
    readings = tuple(Reading(amount, unit, place) for amount, place in amounts for unit in units or (None,))
    return Quantity(readings, decimals=decimals, counts=counts, ordinal=ordinal)
