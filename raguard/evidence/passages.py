"""Where do the documents speak of the same thing, in whatever order and however many sentences?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources

__all__ = ["Passage", "fullest_passages"]

_WIDTH = 220
"""How many characters a passage may have from its first to its last word."""
_MOST_CHUNKS = 100
"""How many chunks that hold a word are looked at."""
_MOST_PLACES = 12
"""How many places of one word in one chunk are looked at."""


class Passage(NamedTuple):
    """A stretch of a chunk: where which of the words looked for begin, and how many different ones it holds."""

    chunk: Chunk
    places: tuple[tuple[int, str], ...]
    held: int

    @property
    def place(self) -> Place:
        """The passage from its first to its last word."""
        last = self.places[-1][0]
        # ``plain`` begins with one space more than the text
        end = self.chunk.reading.plain.find(" ", last + 1) - 1
        return Place(self.chunk, self.places[0][0], end)


def fullest_passages(sources: Sources, words: Sequence[str]) -> list[Passage]:
    """The passages that hold most of the words that begin like the given ones; all that hold equally many."""
    fullest: list[Passage] = []
    most = 0
    for chunk, held in _speaking(sources, words):
        for passage in _passages(chunk, words, most) if held >= most else ():
            if passage.held > most:
                fullest, most = [], passage.held
            fullest.append(passage)
    return sorted(fullest, key=lambda passage: passage.chunk.index)


def _speaking(sources: Sources, words: Sequence[str]) -> Iterator[tuple[Chunk, int]]:
    """The chunks that may hold any of the words and how many each may hold, from those on that may hold most."""
    holding = [list(sources.vocabulary.beginning(word)) for word in words]
    held = Counter(chunk.index for chunks in holding for chunk in chunks)
    found = {chunk.index: chunk for chunks in holding for chunk in chunks[:_MOST_CHUNKS]}
    return ((found[index], held[index]) for index in sorted(found, key=lambda index: (-held[index], index)))


def _passages(chunk: Chunk, words: Sequence[str], least: int) -> Iterator[Passage]:
    """For each word of the chunk that is looked for the passage that ends with it, when none before it is fuller.

    Passages with fewer than ``least`` different words are left out.
    """
    look_up = chunk.reading.places.beginning
    places = sorted([(place, word) for word in words for place in look_up(word, most=_MOST_PLACES)])
    times = dict.fromkeys(words, 0)
    first, held = 0, 0
    for number, (place, word) in enumerate(places):
        held += not times[word]
        times[word] += 1
        while place - places[first][0] > _WIDTH:
            left = places[first][1]
            times[left] -= 1
            held -= not times[left]
            first += 1
        if held >= least:
            least = held
            yield Passage(chunk, tuple(places[first : number + 1]), held)
