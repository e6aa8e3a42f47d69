"""Which words does an answer say, and in which sentence does each of them stand?"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

from raguard.text.blanks import Span

__all__ = ["Spoken", "SpokenSentence"]

_WORD = re.compile(r"([A-Za-z0-9]{1,40})")


class SpokenSentence(NamedTuple):
    """A sentence, the number of its first word, and that of the first word behind it."""

    span: Span
    first: int
    last: int


class Spoken:
    """The words of a text from left to right in lower case; ``sentences`` are its parts in order.

    >>> spoken = Spoken("Plan A. It costs $10.", [(0, 7), (8, 21)])
    >>> spoken.words, spoken.span(3, 5), spoken.sentence(3)
    (['plan', 'a', 'it', 'costs', '10'], (11, 20), SpokenSentence(span=(8, 21), first=2, last=5))
    """

    def __init__(self, text: str, sentences: Sequence[Span]) -> None:
        pieces = _WORD.split(text)
        bounds = list(accumulate(map(len, pieces)))
        self.words: Sequence[str] = " ".join(pieces[1::2]).lower().split()
        self._starts, self._ends = bounds[:-1:2], bounds[1::2]
        self.gaps: Sequence[str] = pieces[2::2]
        """What stands behind each word and before the next."""
        self._sentences = sentences
        self._openings = [start for start, _ in sentences]

    def places(self, known: Collection[str]) -> list[int]:
        """The numbers of the words that are among the ``known`` ones."""
        return [number for number, word in enumerate(self.words) if word in known]

    def span(self, first: int, last: int) -> Span:
        """Where the words from number ``first`` to the one before ``last`` stand."""
        return self._starts[first], self._ends[last - 1]

    def sentence(self, number: int) -> SpokenSentence | None:
        """The sentence in which a word stands; None where the word stands in none."""
        index = bisect_right(self._openings, self._starts[number]) - 1
        if index < 0 or self._ends[number] > self._sentences[index][1]:
            return None
        start, end = self._sentences[index]
        return SpokenSentence((start, end), bisect_left(self._starts, start), bisect_right(self._ends, end))
