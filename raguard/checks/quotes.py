"""Which quotations of the answer has no document, and which does a document give to another speaker?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case, Finding
from raguard.evidence.quotes import Wordings, speaker_at
from raguard.evidence.sources import Place
from raguard.reading.quotes import Quote
from raguard.result import Unchecked

__all__ = ["unsupported_quotes"]

_FEWEST = 4
"""Fewer words in quotation marks are a term, no quotation."""
_FEWEST_UNSPACED = 12
"""The same in characters, for scripts without spaces."""
_ENOUGH = 0.6
"""The share of its word pairs that one document must hold."""
_NEAR = 0.3
"""From which share on a document's wording is worth naming."""


def unsupported_quotes(case: Case) -> Iterator[Finding | Unchecked]:
    """One finding for each quotation of four words and more: supported, of another speaker, or in no document."""
    quotes = [quote for quote in case.known.readers.quotes.find(case.view.text) if _asks(case, quote)]
    if not quotes:
        return
    asked, told = Wordings(case.asked, quotes), Wordings(case.sources, quotes)
    for quote in quotes:
        if asked.of(quote).share >= _ENOUGH:
            continue
        found = told.of(quote)
        if found.share >= _ENOUGH:
            yield _supported(quote, found.place)
        elif _translated(case, quote):
            yield Unchecked(
                "quotes", "a document is in another language than the quotation, which may be a translation"
            )
        else:
            yield _unsupported(quote, found.place if found.share >= _NEAR else None, told.said_by(quote.speaker))


def _asks(case: Case, quote: Quote) -> bool:
    """Whether a quotation is long enough, is one and is not said to be absent."""
    long = quote.length >= _FEWEST or quote.unspaced >= _FEWEST_UNSPACED
    return long and quote.quotes and not case.denied(quote.start, quote.end)


def _supported(quote: Quote, place: Place | None) -> Finding:
    told = speaker_at(place) if place is not None else ()
    if told and quote.speaker and quote.length > _FEWEST and not set(told) & set(quote.speaker):
        said = f"The documents give these words to {' '.join(told).title()}."
        return Finding("quote", quote.start, quote.end, "unsupported", rule="quote.speaker", said=said, place=place)
    return Finding("quote", quote.start, quote.end, "supported", place=place)


def _unsupported(quote: Quote, nearest: Place | None, other: Place | None) -> Finding:
    said = f'The documents quote {" ".join(quote.speaker).title()} otherwise: "{_text(other)}".' if other else ""
    place = other or nearest
    return Finding("quote", quote.start, quote.end, "unsupported", rule="quote.unsupported", said=said, place=place)


def _translated(case: Case, quote: Quote) -> bool:
    """Whether some document is in another language than the quotation."""
    if not case.crosses and case.lang == "en":
        return False
    lang = case.known.languages.shown(case.view.text[quote.start : quote.end]) or case.lang
    return any(chunk.reading.lang != lang for chunk in case.sources.chunks)


def _text(place: Place) -> str:
    return place.chunk.evidence(place.start, place.end).text
