"""Which words do some chunks hold, and which of them? Many chunks are filed by word when they are asked often."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

from raguard.evidence.chunk import Chunk
from raguard.evidence.kept import Memo, gathered

__all__ = ["Vocabulary"]

_FEW = 16
"""Up to so many chunks are asked one by one; more are filed by word when they are asked often."""
_FEW_ASKED = 100
"""After this many questions, filing the chunks by word has paid for itself."""
_SEARCHED = 100
"""Up to so many short chunks are searched for the beginning of a word."""


class Vocabulary:
    """The words of some chunks, all in lower case."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self.few = len(chunks) <= _FEW
        """Whether the chunks are so few that they are never filed."""
        self._asked = 0
        self._by_prefix: Memo[str, Sequence[Chunk]] = Memo()

    def prepare(self) -> None:
        """Files the chunks now."""
        gathered(self)
        self._asked = _FEW_ASKED

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of every chunk in lower case."""
        return frozenset().union(*(chunk.reading.words.all for chunk in self._chunks))

    def holds(self, word: str) -> bool:
        """Whether some chunk holds a lower-case word."""
        if self._often_asked():
            return word in self._by_word
        return self.may_hold(word) and any(chunk.reading.words.has(word) for chunk in self._chunks)

    def may_hold(self, part: str) -> bool:
        """Whether some chunk may hold a word that has ``part`` in it; when not, none does."""
        return self._asked > _FEW_ASKED or part in self._written

    @cached_property
    def _written(self) -> str:
        """All chunks as lower-case words, to look whether a word can stand in any."""
        return "\n".join([text for chunk in self._chunks for text in chunk.reading.words.written])

    def shouts(self, letters: str) -> bool:
        """Whether some chunk writes the letters as a word in capitals."""
        # a plural s may follow
        return any(chunk.reading.words.shouts(letters) for chunk in self.beginning(letters.lower()))

    @cached_property
    def _joined(self) -> frozenset[str]:
        """Each pair of neighbouring words of a chunk written as one."""
        return frozenset().union(*(chunk.reading.words.joined for chunk in self._chunks))

    def joins(self, word: str) -> bool:
        """Whether two neighbouring words of a chunk written as one make ``word``."""
        middle = len(word) // 2
        # of two words the longer one holds the first or the last half of the letters
        if not self.may_hold(word[:middle]) and not self.may_hold(word[middle:]):
            return False
        halves = [(word[:place], word[place:]) for place in range(1, len(word))]
        held = any(self.holds(max(pair, key=len)) and all(map(self.holds, pair)) for pair in halves)
        return held and word in self._joined

    def holding(self, words: Iterable[str]) -> Iterable[Chunk]:
        """The chunks that hold all the given lower-case words, wherever they stand."""
        if not self._often_asked():
            return (chunk for chunk in self._chunks if all(map(chunk.reading.words.has, words)))
        numbers = sorted((self._by_word.get(word, ()) for word in words), key=len)
        common = set(numbers[0]).intersection(*numbers[1:]) if numbers else ()
        return (self._chunks[number] for number in sorted(common))

    def likely(self, words: Iterable[str]) -> Iterable[Chunk]:
        """The chunks in which the words may stand: all of them, until they are filed by word."""
        self._asked += 1
        return self._chunks if self.few or self._asked <= _FEW_ASKED else self.holding(words)

    def _often_asked(self) -> bool:
        """Whether the chunks are many and asked so often that they are filed by word."""
        self._asked += 1
        return self._asked > _FEW_ASKED and not self.few

    def beginning(self, prefix: str) -> Iterable[Chunk]:
        """The chunks that may hold a word that begins with ``prefix``."""
        if self.few or self._short:
            return self._chunks
        return self._by_prefix.of(prefix, self._holding_beginning)

    @cached_property
    def _short(self) -> bool:
        """Whether to search the chunks for the beginning of a word, which tells where it stands too, costs little."""
        return len(self._chunks) <= _SEARCHED and not any(chunk.reading.places.filed for chunk in self._chunks)

    def _holding_beginning(self, prefix: str) -> Sequence[Chunk]:
        if not self._often_asked():
            return [chunk for chunk in self._chunks if chunk.reading.words.begins(prefix)]
        place, numbers = bisect_left(self._sorted, prefix), set[int]()
        while place < len(self._sorted) and self._sorted[place].startswith(prefix):
            numbers.update(self._by_word[self._sorted[place]])
            place += 1
        return [self._chunks[number] for number in sorted(numbers)]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        """The numbers of the chunks that hold each word."""
        found: dict[str, list[int]] = {}
        for number, chunk in enumerate(self._chunks):
            for word in chunk.reading.words.all:
                found.setdefault(word, []).append(number)
        return found

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._by_word)
