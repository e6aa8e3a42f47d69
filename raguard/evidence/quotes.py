"""Do the documents hold a quotation's wording, and what do they quote of the same speaker?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.quotes import Quote
from raguard.text.words import CONTRACTED

__all__ = ["Wording", "Wordings", "speaker_at"]

_BETWEEN = r"(?:'\w{1,2})?[\W_]{1,6}"
_REACH = 10
"""How many characters ``_BETWEEN`` may take, and a space."""
_STRETCH = 3
"""How many times its own length a quotation may take up in a document that holds it with words between."""
Pair = tuple[str, str]


class Wording(NamedTuple):
    """The share of a quotation's pairs of neighbouring words (0 to 1) that one chunk holds, and where."""

    share: float
    place: Place | None


class Wordings:
    """Which chunks hold the wording of some quotations; each chunk is gone through once for all of them.

    In scripts without spaces pairs of characters are counted.
    """

    def __init__(self, sources: Sources, quotes: Iterable[Quote]) -> None:
        self._sources = sources
        self._quotes = tuple(quotes)

    def of(self, quote: Quote) -> Wording:
        """The first chunk that holds most of the quotation."""
        unspaced = quote.unspaced > 0
        pairs = _pairs(quote)
        holding = [self._holding[unspaced].get("".join(pair), frozenset()) for pair in pairs]
        counts = Counter(number for numbers in holding for number in numbers)
        if not counts:
            return Wording(0.0, None)
        best = min(counts, key=lambda number: (-counts[number], number))
        held = [pair for pair, numbers in zip(pairs, holding, strict=True) if best in numbers]
        return Wording(len(held) / len(pairs), _place(self._sources.chunks[best], held, quote))

    def said_by(self, speaker: Sequence[str]) -> Place | None:
        """The first thing that the documents quote of the person whose name ends in the same word."""
        return self._said.get(speaker[-1]) if speaker else None

    @cached_property
    def _holding(self) -> dict[bool, dict[str, Set[int]]]:
        """The numbers of the chunks that hold each pair, by whether it is one of characters."""
        found: dict[bool, dict[str, Set[int]]] = {}
        for unspaced in (False, True):
            wanted = {"".join(p) for quote in self._quotes if (quote.unspaced > 0) is unspaced for p in _pairs(quote)}
            numbers: dict[str, set[int]] = {}
            for number, chunk in enumerate(self._sources.chunks if wanted else ()):
                for pair in wanted & (_characters(chunk) if unspaced else chunk.reading.words.joined):
                    numbers.setdefault(pair, set()).add(number)
            found[unspaced] = {**numbers}
        return found

    @cached_property
    def _said(self) -> dict[str, Place]:
        first: dict[str, Place] = {}
        for chunk in self._sources.chunks:
            for quote in chunk.reading.quotes:
                if quote.speaker and quote.quotes:
                    first.setdefault(quote.speaker[-1], Place(chunk, quote.start, quote.end))
        return first


def speaker_at(place: Place) -> tuple[str, ...]:
    """Whom the document quotes at this place."""
    quotes = place.chunk.reading.quotes
    number = bisect_right(quotes, place.start, key=lambda quote: quote.start) - 1
    return quotes[number].speaker if number >= 0 and place.start < quotes[number].end else ()


def _pairs(quote: Quote) -> list[Pair]:
    pieces = [list("".join(piece)) for piece in quote.pieces] if quote.unspaced else quote.pieces
    return [pair for piece in pieces for pair in pairwise(piece) if pair[1] not in CONTRACTED]


def _characters(chunk: Chunk) -> set[str]:
    return {first + second for first, second in pairwise(chunk.reading.plain)}


def _place(chunk: Chunk, held: Sequence[Pair], quote: Quote) -> Place | None:
    """From the first pair that the chunk holds to the last one near it."""
    first = _first(chunk, held[0], unspaced=quote.unspaced > 0)
    if first is None:
        return None
    start, end = first
    limit = start + (quote.end - quote.start) * _STRETCH
    between = "" if quote.unspaced else _BETWEEN
    for pair in reversed(held):
        last = re.compile(_written(pair, between), re.IGNORECASE).search(chunk.reading.text, start, limit)
        if last is not None:
            return Place(chunk, start, last.end())
    return Place(chunk, start, end)


def _first(chunk: Chunk, pair: Pair, *, unspaced: bool) -> tuple[int, int] | None:
    """Where the chunk has a pair for the first time."""
    if unspaced:
        # ``plain`` begins with one space more than the text
        place = chunk.reading.plain.find("".join(pair)) - 1
        return (place, place + 2) if place >= 0 else None
    written = re.compile(_written(pair, _BETWEEN), re.IGNORECASE)
    places = chunk.reading.places.first_near_all(pair, max(map(len, pair)) + _REACH)
    found = (written.match(chunk.reading.text, place) for place in places)
    return next((match.span() for match in found if match is not None), None)


def _written(pair: Pair, between: str) -> str:
    return between.join(map(re.escape, pair))
