"""Where in a text do words stand? A short text is searched; a long one is filed by word when it is first asked."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from raguard.evidence.kept import Memo, gathered
from raguard.text.words import occurrences, plain_words

__all__ = ["WordPlaces"]

_LONG = 5_000
"""From how many characters on filing a text costs less than searching it again and again."""
_FEW_ASKED = 80
"""How many phrases are searched for in a long text before it is filed by word, which costs as much."""
_MOST = 1_000
"""When every word of a phrase stands more often than that in a long text, so many places are looked at."""


class WordPlaces:
    """Looks for words as ``plain_words`` writes them; places are those of the text.

    >>> places = WordPlaces("The red car, and the red house.")
    >>> list(places.of(["the", "red"])), places.beginning("ho", most=5), places.holds("car, and")
    ([0, 17], [25], True)
    """

    def __init__(self, text: str, *, long: int = _LONG) -> None:
        self.plain = f" {plain_words(text)} "
        self._text = text
        self.filed = len(text) >= long
        """Whether the text is so long that a search costs more than a look at where its words are filed."""
        self._asked = 0
        self._beginning: Memo[tuple[str, int], list[int]] = Memo()

    def prepare(self) -> None:
        """Files a long text by word now."""
        if self.filed:
            gathered(self)
            self._asked = _FEW_ASKED

    def of(self, words: Sequence[str]) -> Iterator[int]:
        """Where the words stand one after the other, a space between them, from left to right."""
        # ``plain`` has one space before the text: where it has the space before a word, the text has the word
        phrase = f" {' '.join(words)} "
        if self.filed:
            filed, word = self._rare(words)
            offset = phrase.index(f" {word} ")
            yield from (place - offset for place in filed if self.plain.startswith(phrase, place - offset))
        else:
            yield from occurrences(self.plain, phrase)

    def first(self, phrase: str) -> int:
        """The first place of ``of`` for the words of a phrase, or -1; a long text is not filed for a few questions."""
        if not self.filed:
            return self.plain.find(f" {phrase} ")
        words = phrase.split(" ")
        if self._few_asked():
            place = self.plain.find(f" {phrase} ")
            # a word that stands seldom leaves no place out; of neighbours that are alike every other one is counted
            if place < 0 or 2 * self.plain.count(f" {max(words, key=len)} ") <= _MOST:
                return place
        return next(self.of(words), -1)

    def _few_asked(self) -> bool:
        """Whether the text was asked so seldom that a search costs less than filing it."""
        self._asked += 1
        return self._asked <= _FEW_ASKED

    def have(self, words: Iterable[str]) -> bool:
        """Whether each of the words stands in the text."""
        if "_filed" in vars(self):
            return all(map(self._filed.__contains__, words))
        return all(f" {word} " in self.plain for word in words)

    def first_near_all(self, words: Sequence[str], reach: int) -> Iterator[int]:
        """Where the first word stands; in a long text only what the rarest word is at most ``reach`` away from."""
        if not self.filed:
            yield from self.of(words[:1])
            return
        first, done = f" {words[0]} ", 0
        for near in self._rare(words)[0]:
            place = self.plain.find(first, max(done, near - reach), near + reach)
            while place >= 0:
                yield place
                done = place + 1
                place = self.plain.find(first, done, near + reach)

    def holds(self, passage: str) -> bool:
        """Whether ``passage``, which begins and ends with whole words, stands in the text as it is written."""
        if not self.filed:
            return passage in self._text
        if self._few_asked() and passage not in self._text:
            return False
        words = plain_words(passage)
        if not words.strip():
            return passage in self._text
        filed, word = self._rarest(words.split())
        offset = f" {words} ".index(f" {word} ")
        return any(self._text.startswith(passage, place - offset) for place in filed if place >= offset)

    def beginning(self, prefix: str, *, most: int) -> list[int]:
        """The first places where a word begins with ``prefix``, at most ``most``."""
        if self.filed and not self._few_asked():
            return self._beginning.of((prefix, most), self._first_beginning)
        return list(islice(occurrences(self.plain, f" {prefix}"), most))

    def _first_beginning(self, looked_for: tuple[str, int]) -> list[int]:
        prefix, most = looked_for
        places = (place for word in self._words_beginning(prefix) for place in self._filed[word][:most])
        return heapq.nsmallest(most, places)

    def _rare(self, words: Sequence[str]) -> tuple[Sequence[int], str]:
        """Where a word stands that stands seldom, and the word; for a few questions the text is not filed."""
        if self._few_asked():
            counts = {word: self.plain.count(f" {word} ") for word in words}
            rare = min(words, key=counts.__getitem__)
            if 2 * counts[rare] <= _MOST:
                return list(occurrences(self.plain, f" {rare} ")), rare
        return self._rarest(words)

    def _rarest(self, words: Sequence[str]) -> tuple[Sequence[int], str]:
        """Where the word stands that stands least often, and the word."""
        rarest = min(words, key=lambda word: len(self._filed.get(word, ())))
        return self._filed.get(rarest, [])[:_MOST], rarest

    def _words_beginning(self, prefix: str) -> Iterator[str]:
        place = bisect_left(self._vocabulary, prefix)
        while place < len(self._vocabulary) and self._vocabulary[place].startswith(prefix):
            yield self._vocabulary[place]
            place += 1

    @cached_property
    def _filed(self) -> dict[str, list[int]]:
        filed: dict[str, list[int]] = {}
        place = -1
        for word in self.plain.split(" "):
            if word:
                filed.setdefault(word, []).append(place)
            place += len(word) + 1
        return filed

    @cached_property
    def _vocabulary(self) -> list[str]:
        return sorted(self._filed)
