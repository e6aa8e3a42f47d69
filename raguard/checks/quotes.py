"""Which quotations of the answer has no document, and which does a document give to another speaker?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case, Finding
from raguard.evidence.quotes import quoted, wording
from raguard.evidence.sources import Place
from raguard.reading.quotes import Quote

__all__ = ["unsupported_quotes"]

_FEWEST = 4
"""Fewer words in quotation marks are a term, no quotation."""
_FEWEST_UNSPACED = 12
"""The same in characters, for scripts without spaces."""
_ENOUGH = 0.6
"""The share of its word pairs that one document must hold."""
_NEAR = 0.3
"""From which share on a document's wording is worth naming."""


def unsupported_quotes(case: Case) -> Iterator[Finding]:
    """One finding for each quotation of four words and more: supported, of another speaker, or in no document."""
    for quote in case.known.readers.quotes.find(case.view.text):
        long = quote.length >= _FEWEST or quote.unspaced >= _FEWEST_UNSPACED
        if not long or not quote.quotes or case.denied(quote.start, quote.end):
            continue
        if wording(case.asked, quote).share >= _ENOUGH:
            continue
        found = wording(case.sources, quote)
        if found.share >= _ENOUGH:
            yield _supported(case, quote, found.place)
        else:
            yield _unsupported(case, quote, found.place if found.share >= _NEAR else None)


def _supported(case: Case, quote: Quote, place: Place | None) -> Finding:
    told = _speaker_at(place) if place is not None else ()
    if told and quote.speaker and quote.length > _FEWEST and not set(told) & set(quote.speaker):
        said = f"The documents give these words to {' '.join(told).title()}."
        return Finding("quote", quote.start, quote.end, "unsupported", rule="quote.speaker", said=said, place=place)
    return Finding("quote", quote.start, quote.end, "supported", place=place)


def _unsupported(case: Case, quote: Quote, nearest: Place | None) -> Finding:
    others = quoted(case.sources, quote.speaker)
    said = ""
    if others:
        nearest = others[0][0]
        said = f'The documents quote {" ".join(quote.speaker).title()} otherwise: "{_text(nearest)}".'
    return Finding("quote", quote.start, quote.end, "unsupported", rule="quote.unsupported", said=said, place=nearest)


def _text(place: Place) -> str:
    return place.chunk.evidence(place.start, place.end).text


def _speaker_at(place: Place) -> tuple[str, ...]:
    """Whom the document quotes at this place."""
    for quote in place.chunk.reading.quotes:
        if quote.start <= place.start < quote.end:
            return quote.speaker
    return ()
