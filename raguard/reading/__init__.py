"""What does a text state? One reader per kind, the same for the answer and for the documents.

A reader gets folded text (see ``raguard.text.folding``) and yields facts from left to right; only tentative ones
overlap. Each one reads what the readers before it left: what they took is blanked out at its place, so offsets stay
true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from raguard.reading.clock import ClockReader
from raguard.reading.dates import DateReader
from raguard.reading.identifiers import IdentifierReader
from raguard.reading.numeric_dates import Order
from raguard.reading.quantities import QuantityReader
from raguard.rulebook import Rulebook
from raguard.text.blanks import blank
from raguard.values.value import Fact

__all__ = ["Reader", "read", "readers"]


class Reader(Protocol):
    """Finds the facts of one kind in folded text."""

    def find(self, text: str, *, lang: str = "en") -> Iterable[Fact]:
        """The facts of the reader's kind in ``text``, from left to right, none overlapping."""
        ...


def readers(rulebook: Rulebook, date_order: Order = "auto") -> tuple[Reader, ...]:
    """The readers in their order, each built from the rulebook."""
    return (
        IdentifierReader(rulebook),
        DateReader(rulebook, order=date_order),
        ClockReader(rulebook),
        QuantityReader(rulebook),
    )


def read(text: str, chain: Sequence[Reader], *, lang: str = "en") -> tuple[list[Fact], str]:
    """All facts of ``text`` in order of position, and the text with what was read blanked out."""
    facts: list[Fact] = []
    for reader in chain:
        found = list(reader.find(text, lang=lang))
        facts += found
        text = blank(text, [(fact.start, fact.end) for fact in found if not fact.tentative])
    return sorted(facts, key=lambda fact: (fact.start, fact.end)), text
