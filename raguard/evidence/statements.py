"""Which sentences of the documents speak of the same thing? Found by a statement's longest words, read only then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Sources
from raguard.reading.statements import OPPOSITE, Statement

__all__ = ["Denials", "Near", "same_words", "statements_near"]

_LOOKED_FOR = 2
"""How many of a statement's words are looked for: the longest, which are the rarest."""
_MOST_PLACES = 5
"""A word that stands in a chunk more often than that says nothing."""
_MOST_CHUNKS = 100
"""How many chunks that hold a word are looked at."""
_MOST_DENIALS = 200
"""How many denials that hold a word are looked at."""


class Near(NamedTuple):
    """A document's statement, the share of the answer's words that it holds, and the other way round (0 to 1)."""

    share: float
    back: float
    chunk: Chunk
    statement: Statement


def statements_near(sources: Sources, signs: Mapping[str, int]) -> list[Near]:
    """The documents' statements that hold a rare word of the given ones, the nearest first."""
    return _ranked(signs, _holding(sources, signs))


def same_words(sources: Sources, signs: Mapping[str, int]) -> list[Near]:
    """The documents' statements that hold all of the given words but numbers, the nearest first."""
    return _ranked(signs, _holding_all(sources, signs))


class Denials:
    """The documents' statements that deny a verb, filed by their words."""

    def __init__(self, sources: Sources) -> None:
        self._filed: dict[str, list[tuple[Chunk, Statement]]] = {}
        for chunk in sources.chunks:
            for statement in chunk.reading.denials:
                for word in statement.signs:
                    self._filed.setdefault(word, []).append((chunk, statement))

    def near(self, signs: Mapping[str, int], least: float) -> list[Near]:
        """Those that hold at least the share ``least`` of the given words, the nearest first."""
        # what holds so many of the words holds one of so few
        few = int(len(signs) * (1 - least)) + 1
        filed = sorted((self._filed.get(word, []) for word in signs), key=len)[:few]
        found = {(chunk.index, said.start): (chunk, said) for each in filed for chunk, said in each[:_MOST_DENIALS]}
        return [near for near in _ranked(signs, found.values()) if near.share >= least]


def _ranked(signs: Mapping[str, int], said: Iterable[tuple[Chunk, Statement]]) -> list[Near]:
    found = []
    for chunk, statement in said:
        shared = len(signs.keys() & statement.signs.keys())
        if shared:
            found.append(Near(shared / len(signs), shared / len(statement.signs), chunk, statement))
    return sorted(found, key=lambda near: (-near.share, -near.back, near.chunk.index, near.statement.start))


def _holding(sources: Sources, signs: Mapping[str, int]) -> Iterator[tuple[Chunk, Statement]]:
    seen = set()
    for word in _longest(signs)[:_LOOKED_FOR]:
        for chunk in islice(sources.holding_beginning(word), _MOST_CHUNKS):
            for place in chunk.reading.places.beginning(word, most=_MOST_PLACES):
                statement = chunk.reading.statement(place)
                if (chunk.index, statement.start) not in seen:
                    seen.add((chunk.index, statement.start))
                    yield chunk, statement


def _holding_all(sources: Sources, signs: Mapping[str, int]) -> Iterator[tuple[Chunk, Statement]]:
    words = [word for word in _longest(signs) if not word.isdigit()]
    if not words:
        return
    first = words[0]
    # beyond the second, a word with an apostrophe does not stand in the plain text as it is
    others = [f" {word}" for place, word in enumerate(words) if place < 2 or word.isalnum()]
    for chunk in islice(sources.holding_beginning(first), _MOST_CHUNKS):
        plain, sentences = chunk.reading.plain, chunk.reading.sentences
        done = -1
        for place in chunk.reading.places.beginning(first, most=_MOST_PLACES):
            number = bisect_right(sentences, place) - 1
            end = sentences[number + 1] if number + 1 < len(sentences) else len(plain)
            if number != done and all(plain.find(word, sentences[number], end) >= 0 for word in others):
                done = number
                yield chunk, chunk.reading.statement(place)


def _longest(signs: Mapping[str, int]) -> list[str]:
    """The words as they stand in the text, the longest first."""
    written = (word for word in signs if not word.startswith(OPPOSITE))
    return sorted(written, key=lambda word: (-len(word), word))
