"""Do the documents hold a quotation's wording, and what do they quote of the same speaker?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.quotes import TAILS, Quote

__all__ = ["Wording", "quoted", "wording"]

_BETWEEN = r"(?:'\w{1,2})?[\W_]{1,6}"
_STRETCH = 3
"""How many times its own length a quotation may take up in a document that holds it with words between."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The share of a quotation's pairs of neighbouring words (0 to 1) that one chunk holds, and where."""

    share: float
    place: Place | None


def wording(sources: Sources, quote: Quote) -> Wording:
    """The chunk that holds most of the quotation; in scripts without spaces pairs of characters are counted."""
    unspaced = quote.unspaced > 0
    pieces: Sequence[Sequence[str]] = [list("".join(piece)) for piece in quote.pieces] if unspaced else quote.pieces
    pairs = [pair for piece in pieces for pair in pairwise(piece) if pair[1] not in TAILS]
    best = Wording(0.0, None)
    for chunk in sources.chunks:
        held = [pair for pair in pairs if _holds(chunk, pair, unspaced=unspaced)]
        share = len(held) / len(pairs) if pairs else 0.0
        if share > best.share:
            best = Wording(share, _place(chunk, held, quote, "" if unspaced else _BETWEEN))
    return best


def quoted(sources: Sources, speaker: Sequence[str]) -> list[tuple[Place, Quote]]:
    """What the documents quote of the person whose name ends in the same word."""
    return [
        (Place(chunk, quote.start, quote.end), quote)
        for chunk in sources.chunks
        for quote in chunk.reading.quotes
        if speaker and quote.quotes and quote.speaker[-1:] == tuple(speaker[-1:])
    ]


def _holds(chunk: Chunk, pair: tuple[str, str], *, unspaced: bool) -> bool:
    return "".join(pair) in (chunk.reading.plain if unspaced else chunk.reading.joined)


def _place(chunk: Chunk, held: Sequence[tuple[str, str]], quote: Quote, between: str) -> Place | None:
    """From the first pair that the chunk holds to the last one near it."""
    text = chunk.reading.text
    first = re.search(_written(held[0], between), text, re.IGNORECASE)
    if first is None:
        return None
    limit = first.start() + (quote.end - quote.start) * _STRETCH
    for pair in reversed(held):
        last = re.compile(_written(pair, between), re.IGNORECASE).search(text, first.start(), limit)
        if last is not None:
            return Place(chunk, first.start(), last.end())
    return Place(chunk, *first.span())


def _written(pair: tuple[str, str], between: str) -> str:
    return between.join(map(re.escape, pair))
