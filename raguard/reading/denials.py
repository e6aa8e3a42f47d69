"""What does a sentence deny, and by which words would a document speak of it?

A denial is read by clause: the words right behind the negation, those right before it, and the other words of the
clause, which reaches into its neighbours when it is short.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from string import ascii_lowercase, digits
from typing import NamedTuple

from raguard.reading.negations import read_negations
from raguard.rulebook import Rulebook
from raguard.text.blanks import Span
from raguard.text.words import beginnings

__all__ = ["Denial", "DenialReader"]

_TOKEN = re.compile(r"[a-z0-9]{1,40}(?:'t\b)?")
_FEWEST = 6
"""A clause with fewer words takes in its neighbours."""
_BEHIND = 4
_BEFORE = 2


class Denial(NamedTuple):
    """A negation at ``start`` to ``end`` of the text, and how the words of its clause begin.

    ``own`` are the words of the clause without the neighbours that a short one takes in, ``denied`` the words right
    behind the negation, ``subject`` those right before it; ``clause`` is all its words but the negations (lower case).
    """

    start: int
    end: int
    words: tuple[str, ...]
    own: tuple[str, ...]
    denied: tuple[str, ...]
    subject: tuple[str, ...]
    clause: frozenset[str]


class DenialReader:
    """Reads denials by the families ``negation`` and ``words``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["negation"]
        self._negations = read_negations(rulebook)
        self._supposed = family.pattern("supposed")
        self._clause = family.pattern("clause")
        self._passed = rulebook["words"].words("function").union(self._negations.words, ascii_lowercase, digits)

    def find(self, text: str, start: int, end: int) -> Iterator[Denial]:
        """What the sentence ``text[start:end]`` denies; a negation that claims nothing is left out."""
        sentence = text[start:end].lower()
        empty = [*map(re.Match[str].span, self._negations.no_claim.finditer(text[start:end]))]
        for negation in self._negations.verbal.finditer(sentence):
            first, last = negation.span()
            idle = [begin for begin, stop in empty if begin < last and first < stop]
            if idle or self._supposed.search(sentence[:first]):
                continue
            (own_left, own_right), (left, right) = self._bounds(sentence, negation)
            before, behind = self._words(sentence[left:first]), self._words(sentence[last:right])
            yield Denial(
                start + first,
                start + last,
                tuple(dict.fromkeys(before + behind)),
                tuple(dict.fromkeys(self._words(sentence[own_left:own_right]))),
                tuple(behind[:_BEHIND]),
                tuple(before[-_BEFORE:]),
                frozenset(_TOKEN.findall(self._negations.verbal.sub(" ", sentence[left:right]))),
            )

    def rings(self, text: str, besides: Collection[str]) -> bool:
        """Whether anything in ``text`` is negative that is none of the lower-case words ``besides``."""
        return any(match.group().lower() not in besides for match in self._negations.ring.finditer(text))

    def _bounds(self, sentence: str, negation: re.Match[str]) -> tuple[Span, Span]:
        """Where the clause of ``negation`` begins and ends, alone and with as many of its neighbours as it needs."""
        marks = [*map(re.Match[str].span, self._clause.finditer(sentence))]
        start, stop = negation.span()
        lefts = [0, *[end for _, end in marks if end <= start]]
        rights = [len(sentence), *[begin for begin, _ in reversed(marks) if begin >= stop]]
        first, last = own = lefts.pop(), rights.pop()
        while (lefts or rights) and len(self._words(sentence[first:last])) < _FEWEST:
            if rights:
                last = rights.pop()
            if lefts and len(self._words(sentence[first:last])) < _FEWEST:
                first = lefts.pop()
        return own, (first, last)

    def _words(self, text: str) -> list[str]:
        """How each content word of ``text`` (in lower case) begins."""
        return beginnings([token for token in _TOKEN.findall(text) if token not in self._passed])
