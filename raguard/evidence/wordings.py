"""Which stems do the documents of a case hold, and where do they speak most of a claim?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from raguard.evidence.sources import Place, Sources
from raguard.evidence.wording import Wording

__all__ = ["Closest", "Wordings"]

_BEGINNING = 5
_REACH = 5
"""So many sentences before and behind the closest one are looked at with it."""
_NEAREST = 4
"""So many chunks that share most with a claim are searched for its window."""


class Closest(NamedTuple):
    """Where the documents speak most of a claim: the closest sentence, and what it and those around it hold.

    Both shares are of the claim's rarity, in [0, 1].
    """

    place: Place
    records: bool
    """Whether it stands in a record."""
    held: float
    around: float
    stems: Set[str]
    """What is held around it."""


class Wordings:
    """The wording of all chunks of a case."""

    def __init__(self, sources: Sources) -> None:
        self._chunks = sources.chunks
        self._each: Sequence[Wording] = [chunk.reading.wording for chunk in sources.chunks]

    @cached_property
    def records(self) -> bool:
        """Whether one of them is a record."""
        return any(each.records for each in self._each)

    @cached_property
    def stems(self) -> Set[str]:
        """Every stem that some chunk holds."""
        return frozenset().union(*(each.held for each in self._each))

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
        return self._each[0].pairs if len(self._each) == 1 else frozenset().union(*(each.pairs for each in self._each))

    def closest(self, rarities: Mapping[str, float]) -> Closest | None:
        """Where the documents speak most of a claim, given the rarity of each of its stems; None where they do not."""
        total = sum(rarities.values())
        if not total:
            return None
        numbers: Sequence[int] = range(len(self._each))
        if len(self._each) > _NEAREST:
            numbers = sorted(numbers, key=lambda number: -self._each[number].shared(rarities))[:_NEAREST]
        found = [(near, number) for number in numbers if (near := self._each[number].nearest(rarities)) is not None]
        if not found:
            return None
        near, number = max(found, key=lambda each: (each[0].held, -each[1]))
        stems = self._around(number, near.number)
        around = sum([rarity for stem, rarity in rarities.items() if stem in stems])
        wording = self._each[number]
        place = Place(self._chunks[number], *wording.span(near.number))
        return Closest(place, wording.records, near.held / total, around / total, stems)

    def _around(self, number: int, sentence: int) -> Set[str]:
        """The stems of a sentence and of those before and behind it, also where a chunk goes on with the next one."""
        own = self._each[number].sentences
        stems = set[str]().union(*own[max(0, sentence - _REACH) : sentence + _REACH + 1])
        before, behind = _REACH - sentence, sentence + _REACH + 1 - len(own)
        for other in range(number - 1, -1, -1):
            if before <= 0:
                break
            others = self._each[other].sentences
            stems.update(*others[-before:])
            before -= len(others)
        for other in range(number + 1, len(self._each)):
            if behind <= 0:
                break
            others = self._each[other].sentences
            stems.update(*others[:behind])
            behind -= len(others)
        return stems
