"""Which numbers does nothing around them bend? A look at the neighbour on either side settles most numbers of a text.

Such a number has no sign, currency, scale, unit, hedge or second end; the full grammar (``number_parts`` and
``quantities``) comes to the same for it, only later.
"""

from __future__ import annotations

import re
from functools import lru_cache

from raguard.reading.measures import Measures
from raguard.reading.number_cues import NumberCues
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
_JOINING = frozenset({"to", "through", "and", "in"})
"""With these a number may go on: 5 to 10, five and a half, one in three."""
_FULL_MARKS_BEFORE = frozenset({"of", "possible"})
_ARTICLES = frozenset({"a", "an"})


class LoneNumbers:
    """Tells lone numbers by the words that bend others."""

    def __init__(self, words: NumberWords, measures: Measures, cues: NumberCues) -> None:
        self._cues = cues
        self._before = cues.last_hedge_words | measures.prefix_words | _FULL_MARKS_BEFORE | _ARTICLES
        self._currency_ends = measures.prefix_ends
        self._after = cues.after_words | measures.first_words | words.known | _JOINING | _ARTICLES
        self._spelled = {word: number for word in words.known if (number := words.alone(word))}

    def quantity(self, text: str, lower: str, start: int, end: int) -> Quantity | None:
        """The quantity that the digits at ``text[start:end]`` are when they stand alone, else None."""
        if self._cues.idiomatic(lower, start, end):
            return None
        in_array = _in_array(text, start, end)
        if not in_array and not self._apart(lower, start, end):
            return None
        number = read_numeral(text, start, end)
        if number is None or number.end != end or number.part:
            return None
        return _bare(number.amounts, number.decimals, not in_array and self._cues.counts(text, end))

    def number(self, lower: str, start: int) -> Number | None:
        """The number that the word at ``start`` is when it stands alone, else None."""
        found = _WORD.match(lower, start)
        number = self._spelled.get(found.group()) if found else None
        if found is None or number is None or not self._apart(lower, start, found.end()):
            return None
        return number._replace(start=start, end=found.end())

    def spelled(self, text: str, number: Number) -> Quantity:
        """The quantity of a ``number`` in words that stands alone."""
        return _bare(number.amounts, False, self._cues.counts(text, number.end), number.ordinal)

    def _apart(self, lower: str, start: int, end: int) -> bool:
        """Whether the words and marks on both sides say nothing of the number between them."""
        following = _FOLLOWING.match(lower, end)
        if following is None or (following[1] or following[2]) in self._after:
            return False
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
    amounts: tuple[tuple[float, float], ...], decimals: bool, counts: bool = False, ordinal: bool = False
) -> Quantity:
    readings = tuple(Reading(amount, None, place) for amount, place in amounts)
    return Quantity(readings, decimals=decimals, counts=counts, ordinal=ordinal)
