"""What does a text state? One reader per kind, the same for the answer and for the documents.

A reader gets folded text (see ``raguard.text.folding``) and yields facts from left to right, none overlapping. Each one
reads what the readers before it left: what they took is blanked out at its place, so offsets stay true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from raguard.reading.clock import ClockReader
from raguard.reading.dates import DateReader
from raguard.reading.identifiers import IdentifierReader
from raguard.reading.quantities import QuantityReader
from raguard.rulebook import Rulebook
from raguard.values.value import Fact

__all__ = ["BLANK", "READERS", "Reader", "blank", "read"]

BLANK = "\x00"
"""Stands where text was taken out; no reader's pattern matches it."""

READERS = (IdentifierReader, DateReader, ClockReader, QuantityReader)
"""The table of contents of the reading half, in the order in which they read."""


class Reader(Protocol):
    """Finds the facts of one kind in folded text."""

    def find(self, text: str, *, lang: str = "en") -> Iterable[Fact]:
        """The facts of the reader's kind in ``text``, from left to right, none overlapping."""
        ...


def readers(rulebook: Rulebook) -> tuple[Reader, ...]:
    """The readers in their order, each built from the rulebook."""
    return tuple(reader(rulebook) for reader in READERS)


def read(text: str, chain: Sequence[Reader], *, lang: str = "en") -> tuple[list[Fact], str]:
    """All facts of ``text`` in order of position, and the text with what was read blanked out."""
    facts: list[Fact] = []
    for reader in chain:
        found = list(reader.find(text, lang=lang))
        facts += found
        text = blank(text, [(fact.start, fact.end) for fact in found if not fact.tentative])
    return sorted(facts, key=lambda fact: (fact.start, fact.end)), text


def blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """``text`` with the given spans (sorted, not overlapping) blanked out; every other character keeps its place.

    >>> blank("a bc d", [(2, 4)])
    'a \\x00\\x00 d'
    """
    if not spans:
        return text
    pieces, done = [], 0
    for start, end in spans:
        pieces += [text[done:start], BLANK * (end - start)]
        done = end
    return "".join([*pieces, text[done:]])
