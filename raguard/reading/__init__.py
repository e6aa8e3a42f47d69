"""What does a text state? One reader per kind, the same for the answer and for the documents.

A reader gets folded text (see ``raguard.text.folding``), or the page made of it, and yields facts from left to right;
only tentative ones overlap. Each one reads what the readers before it left: what they took is blanked out at its place,
so offsets stay true.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Protocol

from raguard.reading.clock import ClockReader
from raguard.reading.dates import DateReader
from raguard.reading.identifiers import IdentifierReader
from raguard.reading.numeric_dates import Order
from raguard.reading.page import Page
from raguard.reading.quantities import QuantityReader
from raguard.reading.translation import Translator
from raguard.rulebook import Rulebook
from raguard.text.blanks import Span, blank
from raguard.values.value import Fact

__all__ = ["Reader", "facts", "read", "readers"]


class Reader(Protocol):
    """Finds the facts of one kind in folded text."""

    def find(self, text: str | Page, *, lang: str = "en") -> Iterable[Fact]:
        """The facts of the reader's kind in ``text``, from left to right, none overlapping."""
        ...


class ValueReader:
    """Finds dates, times and quantities; those of another language by way of English."""

    def __init__(self, rulebook: Rulebook, date_order: Order) -> None:
        self._rulebook = rulebook
        self._date_order = date_order
        self._translator = Translator(rulebook)
        self._chain = (DateReader(rulebook, order=date_order), ClockReader(rulebook), QuantityReader(rulebook))

    @cached_property
    def _translated(self) -> Sequence[Reader]:
        # every language that is translated writes the day before the month
        order: Order = "dmy" if self._date_order == "auto" else self._date_order
        return DateReader(self._rulebook, order=order), *self._chain[1:]

    def find(self, text: str | Page, *, lang: str = "en") -> Iterable[Fact]:
        """The dates, times and quantities of ``text`` from left to right."""
        page = Page.of(text)
        english = self._translator.english(page.text, lang)
        if english is None:
            return facts(page, self._chain, lang=lang)
        found = facts(english.text, self._translated)
        spans = english.spans([(fact.start, fact.end) for fact in found])
        return [fact._replace(start=start, end=end) for fact, (start, end) in zip(found, spans, strict=True)]


def readers(rulebook: Rulebook, date_order: Order = "auto") -> tuple[Reader, ...]:
    """The readers in their order, each built from the rulebook."""
    return IdentifierReader(rulebook), ValueReader(rulebook, date_order)


def facts(text: str | Page, chain: Sequence[Reader], *, lang: str = "en") -> list[Fact]:
    """All facts of ``text`` in order of position."""
    page = Page.of(text)
    found: list[Fact] = []
    latest: list[Fact] = []
    for reader in chain:
        page = page.without(_taken(latest))
        latest = list(reader.find(page, lang=lang))
        found += latest
    return sorted(found, key=attrgetter("start", "end"))


def read(text: str, chain: Sequence[Reader], *, lang: str = "en") -> tuple[list[Fact], str]:
    """All facts of ``text`` in order of position, and the text with what was read blanked out."""
    found = facts(text, chain, lang=lang)
    return found, blank(text, _taken(found))


def _taken(found: Sequence[Fact]) -> list[Span]:
    """What no other reader may read again."""
    return [(fact.start, fact.end) for fact in found if not fact.tentative]
