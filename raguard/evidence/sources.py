"""What do all chunks of a case state? The one thing that checks ask: covers, nearest, and presence of words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.kept import Memo, gathered
from raguard.evidence.one_name import gathered_words, is_one_name
from raguard.evidence.shelf import Shelf, Stated
from raguard.evidence.vocabulary import Vocabulary
from raguard.text.words import occurrences, plain_words
from raguard.values.clock import ClockRange
from raguard.values.periods import DateRange
from raguard.values.quantities import Range
from raguard.values.value import Value

__all__ = ["Place", "Sources"]

_NUMBER = re.compile(r"[0-9](?:[0-9.,:/-]{0,30}[0-9])?")
_WORD = re.compile(r"[^\W\d_]{1,40}")
_MOST_TRIED = 8
"""How many places where a number stands are looked at before the whole chunk is."""
_APART = 48
"""How many characters may lie between two words of one name."""


class Place(NamedTuple):
    """A span of a chunk's reading."""

    chunk: Chunk
    start: int
    end: int


class Sources:
    """Some chunks as one thing to ask; nothing matches across the border of two chunks."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = tuple(chunks)
        self._shelves: dict[str, Shelf] = {}
        self.vocabulary = Vocabulary(self.chunks)
        self._apart: Memo[tuple[str, ...], Place | None] = Memo()
        self._capital: Memo[str, Place | None] = Memo()
        self._following: Memo[tuple[str, ...], tuple[dict[str, Place], ...]] = Memo()
        self._own_shelves: dict[tuple[int, str], Shelf] = {}
        self._covered: Memo[tuple[Value, str], Place | None] = Memo()
        self._told: Memo[Value, frozenset[int]] = Memo()
        self._nearest: Memo[Value, Place | None] = Memo()

    def prepare(self) -> None:
        """Gathers the words and the values of all chunks."""
        gathered(self)
        self.vocabulary.prepare()
        for axis in {fact.value.axis for chunk in self.chunks for fact in chunk.reading.facts}:
            self.shelf(axis)

    @property
    def words(self) -> frozenset[str]:
        """Every word of every chunk in lower case."""
        return self.vocabulary.words

    def shelf(self, axis: str) -> Shelf:
        """The values of one axis that the chunks state."""
        if axis not in self._shelves:
            self._shelves[axis] = Shelf(entry for chunk in self.chunks for entry in _stated(chunk, axis))
        return self._shelves[axis]

    def covers(self, value: Value, written: str = "") -> Place | None:
        """The first place that states a value covering the given one, or None.

        A chunk that holds the words of the value as it is ``written`` comes before the others, which need not be read.
        """
        return self._covered.of((value, written), self._covers)

    def expect(self, asked: Iterable[tuple[Value, str]]) -> None:
        """Prepares for questions to ``covers``: if one of them needs all values, none is first looked for alone."""
        for value, written in asked:
            if not all(map(self.vocabulary.holds, plain_words(written).split())):
                self.shelf(value.axis)
                return

    def _covers(self, question: tuple[Value, str]) -> Place | None:
        value, written = question
        words = plain_words(written).split()
        for chunk in self.vocabulary.holding(words) if words else ():
            place = _as_written(chunk, value, written)
            if place is None and len(self.chunks) > 1:
                place = _first_cover(self._own_shelf(chunk, value.axis), value)
            if place is not None:
                return place
        return _first_cover(self.shelf(value.axis), value)

    def _own_shelf(self, chunk: Chunk, axis: str) -> Shelf:
        """The values of one axis that one chunk states."""
        key = chunk.index, axis
        if key not in self._own_shelves:
            self._own_shelves[key] = Shelf(_stated(chunk, axis))
        return self._own_shelves[key]

    def numbers(self, value: Value) -> Place | None:
        """The first place where a number covering the value numbers an item, or None."""
        found = (
            place for number, place in self._numerals.items() if number.axis == value.axis and number.covers(value)
        )
        return next(found, None)

    @cached_property
    def _numerals(self) -> dict[Value, Place]:
        """The numbers that number items, each with its first place."""
        first: dict[Value, Place] = {}
        for chunk in self.chunks:
            for fact in chunk.reading.enumerators:
                first.setdefault(fact.value, Place(chunk, fact.start, fact.end))
        return first

    def supports(self, value: Value, written: str = "") -> Place | None:
        """A place that covers the value, or one that does so together with others: each end, or a day and its year."""
        place = self.covers(value, written)
        if place is not None:
            return place
        places = [self.supports(end) for end in value.ends()]
        if places and all(place is not None for place in places):
            return places[0]
        return self._in_context(value)

    def _in_context(self, value: Value) -> Place | None:
        """A place that states the value without its context, in a chunk that states that: 2024 above, 4 May below."""
        parts = value.in_context()
        if parts is None:
            return None
        plain, context = parts
        shelf = self.shelf(value.axis)
        told = self._told.of(context, self._telling)
        for entry in shelf.within(plain.windows()):
            stated = entry.fact.value
            if entry.chunk.index in told and stated.needs_context and stated.covers(plain):
                return _place(entry)
        return None

    def _telling(self, value: Value) -> frozenset[int]:
        """The places of the chunks that state what covers the value."""
        stated = self.shelf(value.axis).within(value.windows())
        return frozenset([entry.chunk.index for entry in stated if entry.fact.value.covers(value)])

    def nearest(self, value: Value) -> Place | None:
        """The place of the value that comes closest to the given one without covering it, or None."""
        return self._nearest.of(value, self._next_to)

    def _next_to(self, value: Value) -> Place | None:
        rivals = self.shelf(value.axis).around(value.windows())
        ranked = ((entry.fact.value.distance(value), entry) for entry in rivals if not entry.fact.tentative)
        close = [(distance, _place(entry)) for distance, entry in ranked if distance < math.inf]
        return min(close, key=lambda item: (item[0], _order(item[1])))[1] if close else None

    def hold(self, place: Place) -> bool:
        """Whether the place lies in one of the chunks."""
        return self._by_index.get(place.chunk.index) is place.chunk

    @cached_property
    def _by_index(self) -> dict[int, Chunk]:
        return {chunk.index: chunk for chunk in self.chunks}

    def find(self, words: Sequence[str]) -> Place | None:
        """The first place where the given lower-case words stand one after the other, or None."""
        if not words:
            return None
        phrase = " ".join(words)
        for chunk in self.chunks if self.vocabulary.few else self.vocabulary.likely(words):
            place = chunk.reading.places.first(phrase)
            if place >= 0:
                return Place(chunk, place, place + len(phrase))
        return self._apart.of(tuple(words), self._find_apart)

    def _find_apart(self, words: Sequence[str]) -> Place | None:
        """Where the words stand with other marks than a space between them, or inside a word."""
        if not all(map(self.vocabulary.may_hold, words)):
            return None
        return self.gather(words, gap=4) if len(words) > 1 else self._inside(words[0])

    def quotes(self, passage: str) -> bool:
        """Whether a chunk holds ``passage`` (whole words) as it is written."""
        if self.vocabulary.few:
            return any(chunk.reading.places.holds(passage) for chunk in self.chunks)
        words = plain_words(passage).split()
        held = (chunk for chunk in self.vocabulary.likely(words) if words and chunk.reading.places.holds(passage))
        return any(all(map(chunk.reading.words.has, words)) for chunk in held)

    def gather(self, words: Sequence[str], *, gap: int = _APART) -> Place | None:
        """The first place where all the given words stand close together in any order, as one name, or None."""
        for chunk in self.vocabulary.likely(words) if all(map(self.vocabulary.may_hold, words)) else ():
            for span in gathered_words(chunk.reading, words, gap) if chunk.reading.places.have(words) else ():
                if is_one_name(chunk.reading.text[slice(*span)], words):
                    return Place(chunk, *span)
        return None

    def capital(self, abbreviation: str) -> Place | None:
        """The first place where an abbreviation stands in capitals, dotted or not, or None."""
        return self._capital.of(abbreviation, self._in_capitals)

    def _in_capitals(self, abbreviation: str) -> Place | None:
        whole = abbreviation.isascii() and abbreviation.isalnum()
        chunks = self.vocabulary.beginning(abbreviation.lower()) if whole else self.chunks
        found = ((chunk, chunk.reading.words.capital(abbreviation)) for chunk in chunks)
        return next((Place(chunk, *span) for chunk, span in found if span), None)

    def alone(self, name: str) -> Place | None:
        """The first place where ``name`` stands after a small word as a whole name; None where it is a word too."""
        as_name = re.compile(rf"(?<=[a-z]\s){re.escape(name)}(?![\w-]|\s[A-Z])")
        as_word = re.compile(rf"(?<!\w){re.escape(name.lower())}(?!\w)")
        if any(as_word.search(chunk.reading.text) for chunk in self.chunks):
            return None
        found = ((chunk, as_name.search(chunk.reading.text)) for chunk in self.chunks)
        return next((Place(chunk, *match.span()) for chunk, match in found if match is not None), None)

    def following(self, words: Sequence[str]) -> tuple[dict[str, Place], ...]:
        """For each chunk that holds the given words one after the other: what stands right after them, and where."""
        return self._following.of(tuple(words), self._follow)

    def _follow(self, words: Sequence[str]) -> tuple[dict[str, Place], ...]:
        phrase = " ".join(words)
        found = (
            _after(chunk, words) for chunk in self.vocabulary.likely(words) if chunk.reading.places.first(phrase) >= 0
        )
        return tuple(after for after in found if after)

    def _inside(self, word: str) -> Place | None:
        for chunk in self.vocabulary.likely([word]):
            if chunk.reading.words.has(word):
                text, form = chunk.reading.text, re.escape(word)
                match = re.search(rf"(?<![^\W_]){form}(?![^\W_])", text, re.IGNORECASE)
                # the part of a camelCase word: Parking in BusinessParking
                match = match or re.search(rf"{form.capitalize()}(?![a-z])", text)
                if match is not None:
                    return Place(chunk, *match.span())
        return None


def _after(chunk: Chunk, words: Sequence[str]) -> dict[str, Place]:
    """The words that stand right after the given ones in the chunk, each with the place of the whole."""
    found: dict[str, Place] = {}
    plain, length = chunk.reading.plain, len(" ".join(words))
    for place in chunk.reading.places.of(words):
        begin = place + length + 2
        stop = plain.find(" ", begin)
        found.setdefault(plain[begin:stop] if stop >= 0 else "", Place(chunk, place, max(stop, begin) - 1))
    return found


def _stated(chunk: Chunk, axis: str) -> Iterator[Stated]:
    return (Stated(chunk, fact) for fact in chunk.reading.facts if fact.value.axis == axis)


def _as_written(chunk: Chunk, value: Value, written: str) -> Place | None:
    """The first place where the longest number or word of ``written`` stands in what covers the value, or None."""
    pieces = _NUMBER.findall(written) or _WORD.findall(written)
    piece, text = max(pieces, key=len, default=""), chunk.reading.text
    for place in islice(occurrences(text, piece), _MOST_TRIED) if piece else ():
        if not (text[place - 1 : place].isalnum() or text[place + len(piece) : place + len(piece) + 1].isalnum()):
            for fact in chunk.reading.facts_at(place):
                if fact.value.axis == value.axis and fact.value.covers(value):
                    return Place(chunk, fact.start, fact.end)
    return None


def _first_cover(shelf: Shelf, value: Value) -> Place | None:
    """The first place on the shelf whose value covers the given one, or None."""
    # what covers a range has both its ends
    ends = value.ends() if isinstance(value, Range | DateRange | ClockRange) else (value,)
    windows = shelf.narrowest([end.windows() for end in ends])
    found = (entry for entry in shelf.within(windows) if entry.fact.value.covers(value))
    return min(map(_place, found), key=_order, default=None)


def _place(entry: Stated) -> Place:
    return Place(entry.chunk, entry.fact.start, entry.fact.end)


def _order(place: Place) -> tuple[int, int, int]:
    return place.chunk.index, place.start, place.end
