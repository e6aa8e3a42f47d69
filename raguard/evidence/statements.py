"""Which sentences of the documents speak of the same thing? Found by a statement's longest words, read only then."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import cached_property
from itertools import filterfalse, islice
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Sources
from raguard.reading.statements import OPPOSITE, PARTED, UNTOLD, Statement
from raguard.text.blanks import Span

__all__ = ["Denials", "Near", "alike", "same_words", "sentences_near", "statements_near"]

_LOOKED_FOR = 2
"""How many of a statement's words are looked for: the longest, which are the rarest."""
_MOST_PLACES = 5
"""A word that stands in a chunk more often than that says nothing."""
_MOST_CHUNKS = 100
"""How many chunks that hold a word are looked at."""
_LONG = 1_000
"""A longer sentence is read, once, rather than searched again and again."""
_MOST_DENIALS = 200
"""How many denials that hold a word are looked at."""


class Near(NamedTuple):
    """A document's statement, the share of the answer's words that it holds, and the other way round (0 to 1)."""

    share: float
    back: float
    chunk: Chunk
    statement: Statement


def sentences_near(
    sources: Sources, signs: Iterable[str], among: Collection[int] | None = None
) -> Iterator[tuple[Chunk, Span]]:
    """The sentences of the documents that hold one of the longest words; of chunks ``among`` these numbers alone."""
    seen = set()
    for word in _longest(signs)[:_LOOKED_FOR]:
        for chunk in islice(sources.vocabulary.beginning(word), _MOST_CHUNKS):
            if among is not None and chunk.index not in among:
                continue
            span = (0, 0)
            for place in chunk.reading.places.beginning(word, most=_MOST_PLACES):
                if place < span[1]:
                    continue
                span = chunk.reading.sentence(place)
                if (chunk.index, span[0]) not in seen:
                    seen.add((chunk.index, span[0]))
                    yield chunk, span


def statements_near(sources: Sources, signs: Mapping[str, int]) -> list[Near]:
    """The documents' statements that hold a rare word of the given ones, the nearest first."""
    return _ranked(signs, ((chunk, chunk.reading.said(*span)) for chunk, span in sentences_near(sources, signs)))


def same_words(sources: Sources, signs: Mapping[str, int]) -> list[Near]:
    """The documents' statements that hold all of the given words but numbers, the nearest first."""
    return _ranked(signs, _holding_all(sources, signs))


def alike(sources: Sources, signs: Mapping[str, int]) -> Near | None:
    """The first of the nearest statements that has the given words and no others."""
    words, found = _longest(signs), []
    whole = [word for word in words if "'" not in word]
    holding = [islice(sources.vocabulary.beginning(word), _MOST_CHUNKS) for word in words[:_LOOKED_FOR]]
    held = {chunk.index: chunk.reading for chunks in holding for chunk in chunks}
    among = [index for index, reading in held.items() if reading.may_say(whole)]
    for chunk, (start, end) in sentences_near(sources, words, among) if among else ():
        low = chunk.reading.text[start : min(end, start + _LONG)].lower()
        # what an apostrophe parts need not stand there as it is
        if end - start > _LONG or "'" in low or all(map(low.__contains__, words)):
            statement = chunk.reading.said(start, end)
            if statement.signs.keys() == signs.keys():
                found.append(Near(1, 1, chunk, statement))
    return min(found, key=_order, default=None)


class _Denial:
    """A negation of a chunk at ``place``; its sentence is read when it is asked for."""

    def __init__(self, chunk: Chunk, place: int) -> None:
        self._chunk = chunk
        self._place = place

    @cached_property
    def words(self) -> Set[str]:
        """How the words of its sentence begin that count."""
        return self._chunk.reading.statement(self._place).signs.keys()


class Denials:
    """The documents' statements that deny a verb."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def __bool__(self) -> bool:
        return bool(self._denied)

    def oppose(self, signs: Mapping[str, int], least: float) -> bool:
        """Whether one of them may deny one of the given words and hold at least the share ``least`` of them."""
        if UNTOLD not in self._denied and self._denied.keys().isdisjoint(signs):
            return False
        denied = self._denied.keys() & signs.keys()
        denials = [denial for word in (UNTOLD, *denied) for denial in self._denied.get(word, ())]
        if len(denials) > _MOST_DENIALS:
            return True
        words, fewest = signs.keys(), least * len(signs)
        return any(len(words & denial.words) >= fewest for denial in denials)

    def touched(self, low: str) -> list[str]:
        """Pieces of a lower-case text of which one stands wherever it has a word that one of them may deny."""
        # what an apostrophe parts need not stand there as it is
        if UNTOLD in self._denied or (self._denied and PARTED.search(low)):
            return [UNTOLD]
        return [word for word in self._denied if word in low]

    def near(self, signs: Mapping[str, int], least: float) -> list[Near]:
        """Those that hold at least the share ``least`` of the given words, the nearest first."""
        # what holds so many of the words holds one of so few
        few = int(len(signs) * (1 - least)) + 1
        filed = sorted((self._filed.get(word, []) for word in signs), key=len)[:few]
        found = {(chunk.index, said.start): (chunk, said) for each in filed for chunk, said in each[:_MOST_DENIALS]}
        return [near for near in _ranked(signs, found.values()) if near.share >= least]

    @cached_property
    def _denied(self) -> dict[str, list[_Denial]]:
        """Where each word that a negation may deny is denied."""
        found: dict[str, list[_Denial]] = {}
        for chunk in self._sources.chunks:
            for word, place in chunk.reading.denied:
                found.setdefault(word, []).append(_Denial(chunk, place))
        return found

    @cached_property
    def _filed(self) -> dict[str, list[tuple[Chunk, Statement]]]:
        """The statements by their words."""
        found: dict[str, list[tuple[Chunk, Statement]]] = {}
        for chunk in self._sources.chunks:
            for statement in chunk.reading.denials:
                for word in statement.signs:
                    found.setdefault(word, []).append((chunk, statement))
        return found


def _ranked(signs: Mapping[str, int], said: Iterable[tuple[Chunk, Statement]]) -> list[Near]:
    found = []
    for chunk, statement in said:
        shared = len(signs.keys() & statement.signs.keys())
        if shared:
            found.append(Near(shared / len(signs), shared / len(statement.signs), chunk, statement))
    return sorted(found, key=_order)


def _order(near: Near) -> tuple[float, float, int, int]:
    return -near.share, -near.back, near.chunk.index, near.statement.start


def _holding_all(sources: Sources, signs: Mapping[str, int]) -> Iterator[tuple[Chunk, Statement]]:
    words = [*filterfalse(str.isdigit, _longest(signs))]
    if not words:
        return
    first = words[0]
    # beyond the second, a word with an apostrophe does not stand in the plain text as it is
    others = [f" {word}" for word in words[:2] + [word for word in words[2:] if "'" not in word]]
    for chunk in islice(sources.vocabulary.beginning(first), _MOST_CHUNKS):
        places = chunk.reading.places
        if not places.filed and not all(map(places.plain.__contains__, others)):
            continue
        done = -1
        for place in places.beginning(first, most=_MOST_PLACES):
            start, end = chunk.reading.sentence(place)
            # ``plain`` begins with one space more than the text
            if start != done and all(map(places.plain[start : end + 1].__contains__, others)):
                done = start
                yield chunk, chunk.reading.said(start, end)


def _longest(signs: Iterable[str]) -> list[str]:
    """The words as they stand in the text, the longest first."""
    written = sorted([word for word in signs if word[:1] != OPPOSITE])
    return sorted(written, key=len, reverse=True)
