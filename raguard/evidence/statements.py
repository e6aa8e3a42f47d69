"""Which sentences of the documents speak of the same thing? Found by a statement's longest words, read only then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Sources
from raguard.reading.statements import OPPOSITE, Statement

__all__ = ["Near", "denials_near", "same_words", "statements_near"]

_LOOKED_FOR = 2
"""How many of a statement's words are looked for: the longest, which are the rarest."""
_MOST_PLACES = 5
"""A word that stands in a chunk more often than that says nothing."""


@dataclass(frozen=True, slots=True)
class Near:
    """A document's statement, the share of the answer's words that it holds, and the other way round (0 to 1)."""

    share: float
    back: float
    chunk: Chunk
    statement: Statement


def statements_near(sources: Sources, signs: Mapping[str, int]) -> list[Near]:
    """The documents' statements that hold a rare word of the given ones, the nearest first."""
    return _ranked(signs, ((chunk, said) for chunk in sources.chunks for said in _holding(chunk, signs)))


def same_words(sources: Sources, signs: Mapping[str, int]) -> list[Near]:
    """The documents' statements that hold both of the two longest of the given words, the nearest first."""
    return _ranked(signs, ((chunk, said) for chunk in sources.chunks for said in _holding_both(chunk, signs)))


def denials_near(sources: Sources, signs: Mapping[str, int]) -> list[Near]:
    """The documents' statements that deny something, the nearest first."""
    return _ranked(signs, ((chunk, said) for chunk in sources.chunks for said in chunk.reading.denials))


def _ranked(signs: Mapping[str, int], said: Iterator[tuple[Chunk, Statement]]) -> list[Near]:
    found = []
    for chunk, statement in said:
        shared = len(signs.keys() & statement.signs.keys())
        if shared:
            found.append(Near(shared / len(signs), shared / len(statement.signs), chunk, statement))
    return sorted(found, key=lambda near: (-near.share, -near.back, near.chunk.index, near.statement.start))


def _holding(chunk: Chunk, signs: Mapping[str, int]) -> Iterator[Statement]:
    plain = chunk.reading.plain
    seen = set()
    for word in _longest(signs)[:_LOOKED_FOR]:
        for place in _places(plain, f" {word}"):
            statement = chunk.reading.statement(place)
            if statement.start not in seen:
                seen.add(statement.start)
                yield statement


def _holding_both(chunk: Chunk, signs: Mapping[str, int]) -> Iterator[Statement]:
    plain, sentences = chunk.reading.plain, chunk.reading.sentences
    words = [word for word in _longest(signs) if not word.isdigit()]
    if not words:
        return
    first, second = words[0], words[min(1, len(words) - 1)]
    done = -1
    for place in _places(plain, f" {first}"):
        number = bisect_right(sentences, place) - 1
        end = sentences[number + 1] if number + 1 < len(sentences) else len(plain)
        if number != done and plain.find(f" {second}", sentences[number], end) >= 0:
            done = number
            yield chunk.reading.statement(place)


def _longest(signs: Mapping[str, int]) -> list[str]:
    """The words as they stand in the text, the longest first."""
    written = (word for word in signs if not word.startswith(OPPOSITE))
    return sorted(written, key=lambda word: (-len(word), word))


def _places(plain: str, word: str) -> Iterator[int]:
    """Where ``word`` begins a word: ``plain`` has one space before the text, so its places are the text's."""
    place, count = plain.find(word), 0
    while place >= 0 and count < _MOST_PLACES:
        yield place
        place, count = plain.find(word, place + 1), count + 1
