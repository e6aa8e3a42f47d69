"""Which stems do the documents of a case hold, and where do they speak most of a claim?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

from raguard.evidence.kept import Memo
from raguard.evidence.sources import Place, Sources
from raguard.evidence.wording import Wording

__all__ = ["Closest", "Wordings"]

_BEGINNING = 5
_REACH = 5
"""How many sentences before and after the closest one are looked at together with it."""
_NEAREST = 4
"""How many of the chunks that share most with a claim are searched for its closest sentence."""
_FEW = 40
"""Up to this many chunks are asked one by one what they share with a claim; more are filed by stem."""
_SHORT = 600
"""A chunk of so many words is read anew for each claim; a longer one is filed by stem."""
_MOST_PLACES = 400
"""In so many sentences of a chunk, and in so many chunks, one stem is looked for."""


class Closest(NamedTuple):
    """Where the documents speak most of a claim: the closest sentence, and what it and those around it hold.

    Both shares are of the claim's weight, in [0, 1].
    """

    place: Place
    records: bool
    """Whether it stands in a record."""
    held: float
    around: float


class Wordings:
    """The wording of all chunks of a case."""

    def __init__(self, sources: Sources) -> None:
        self._chunks = sources.chunks
        self._each: Sequence[Wording] = [chunk.reading.wording for chunk in sources.chunks]
        self._sentences: Memo[int, Mapping[str, Sequence[int]]] = Memo()

    @cached_property
    def records(self) -> bool:
        """Whether one of them is a record."""
        return any(each.records for each in self._each)

    @cached_property
    def _held(self) -> Sequence[Set[str]]:
        """The stems that each chunk holds."""
        return [frozenset(each.stems) for each in self._each]

    @cached_property
    def stems(self) -> Set[str]:
        """Every stem that some chunk holds."""
        return frozenset().union(*self._held)

    @cached_property
    def beginnings(self) -> Set[str]:
        """How the longer stems begin."""
        return frozenset([stem[:_BEGINNING] for stem in self.stems if len(stem) >= _BEGINNING])

    def begins(self, stem: str) -> bool:
        """Whether some stem begins as a longer ``stem`` does."""
        return len(stem) >= _BEGINNING and stem[:_BEGINNING] in self.beginnings

    @cached_property
    def pairs(self) -> Set[tuple[str, str]]:
        """Every two stems that stand one behind the other in some chunk."""
        pairs = set[tuple[str, str]]()
        for each in self._each:
            pairs.update(pairwise(each.stems))
        return pairs

    def closest(self, weights: Mapping[str, float]) -> Closest | None:
        """Where the documents speak most of a claim, given the weight of each of its stems; None where they do not."""
        total = sum(weights.values())
        if not total:
            return None
        best: tuple[float, int, int] | None = None
        for number in self._nearest(weights):
            sentence, held = self._sentence(number, weights)
            if held and (best is None or held > best[0]):
                best = held, number, sentence
        if best is None:
            return None
        held, number, sentence = best
        stems = self._around(number, sentence)
        around = sum([weight for stem, weight in weights.items() if stem in stems])
        wording = self._each[number]
        place = Place(self._chunks[number], *wording.span(sentence))
        return Closest(place, wording.records, held / total, around / total)

    def _nearest(self, weights: Mapping[str, float]) -> Sequence[int]:
        """The chunks that hold most of a claim, in their order where they are few."""
        count = len(self._each)
        if count <= _NEAREST:
            return range(count)
        shared: dict[int, float] = {}
        if count <= _FEW:
            for number, held in enumerate(self._held):
                shared[number] = sum([weight for stem, weight in weights.items() if stem in held])
        else:
            for stem, weight in weights.items():
                for number in islice(self._holding.get(stem, ()), _MOST_PLACES):
                    shared[number] = shared.get(number, 0.0) + weight
        return sorted(shared, key=lambda number: (-shared[number], number))[:_NEAREST]

    @cached_property
    def _holding(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the chunks that hold each stem."""
        return _places(self._held)

    def _sentence(self, number: int, weights: Mapping[str, float]) -> tuple[int, float]:
        """The sentence of a chunk that holds most of a claim, the first of equals, and what it holds."""
        wording = self._each[number]
        scores: dict[int, float] = {}
        if len(wording.stems) <= _SHORT:
            for sentence, stem in wording.places(weights):
                scores[sentence] = scores.get(sentence, 0.0) + weights[stem]
        else:
            places = self._sentences.of(number, self._filed)
            for stem, weight in weights.items():
                for sentence in islice(places.get(stem, ()), _MOST_PLACES):
                    scores[sentence] = scores.get(sentence, 0.0) + weight
        return max(scores.items(), key=lambda each: (each[1], -each[0]), default=(0, 0.0))

    def _filed(self, number: int) -> Mapping[str, Sequence[int]]:
        """The numbers of a chunk's sentences that hold each stem."""
        wording = self._each[number]
        return _places([frozenset(wording.within(sentence, sentence + 1)) for sentence in range(len(wording))])

    def _around(self, number: int, sentence: int) -> Set[str]:
        """The stems of a sentence and of those before and behind it, also where a chunk goes on with the next one."""
        own = self._each[number]
        stems = set(own.within(sentence - _REACH, sentence + _REACH + 1))
        before, behind = _REACH - sentence, sentence + _REACH + 1 - len(own)
        for other in range(number - 1, -1, -1):
            if before <= 0:
                break
            wording = self._each[other]
            stems.update(wording.within(len(wording) - before, len(wording)))
            before -= len(wording)
        for other in range(number + 1, len(self._each)):
            if behind <= 0:
                break
            stems.update(self._each[other].within(0, behind))
            behind -= len(self._each[other])
        return stems


def _places(held: Sequence[Set[str]]) -> Mapping[str, Sequence[int]]:
    """In which of some texts each stem stands."""
    places: dict[str, list[int]] = {}
    for number, each in enumerate(held):
        for stem in each:
            places.setdefault(stem, []).append(number)
    return places
