"""In which words do the documents speak? Stems by the sentences and fields that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from raguard.reading.claim_words import ClaimWords
from raguard.reading.records import Field
from raguard.text.blanks import Span, blank, merge

__all__ = ["Nearest", "Wording"]

_LONGEST = 400
"""A sentence without an end is cut after so many characters, at the next space."""
_NO_KEY = frozenset({"", "no", "none"})


class Nearest(NamedTuple):
    """The sentence of a chunk that holds most of a claim: its number, and how much of the claim's rarity it holds."""

    number: int
    held: float


class Wording:
    """The stems of one chunk by its sentences; what a record denies or leaves open is not among them."""

    def __init__(self, text: str, openings: Iterable[int], fields: Iterable[Field], words: ClaimWords) -> None:
        """``openings`` are where the sentences of the text begin, ``fields`` those of its records."""
        fields = [field for field in fields if not field.cell]
        self.records = _is_record(text, fields)
        """Whether it is a record, and no prose."""
        self._text = text
        bounds = _bounds(text, {*openings, *(field.start for field in fields)} if self.records else openings)
        stemmed = words.stemmed_keys if fields else words.stemmed
        visible = blank(text, merge(_hidden(text, fields)))
        self._spans = list(pairwise(bounds))
        self.sentences: list[list[str]] = [stemmed(visible[start:end]) for start, end in self._spans]

    @cached_property
    def held(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the sentences that hold each stem."""
        held: dict[str, list[int]] = {}
        for number, stems in enumerate(self.sentences):
            for stem in set(stems):
                held.setdefault(stem, []).append(number)
        return held

    @cached_property
    def pairs(self) -> Set[tuple[str, str]]:
        """Every two stems that stand one behind the other."""
        stems = [stem for sentence in self.sentences for stem in sentence]
        return set(pairwise(stems))

    def shared(self, rarities: Mapping[str, float]) -> float:
        """How much of the claim's rarity the chunk holds anywhere."""
        return sum([rarity for stem, rarity in rarities.items() if stem in self.held])

    def nearest(self, rarities: Mapping[str, float]) -> Nearest | None:
        """The sentence that holds most of a claim, given the rarity of its stems; None where none holds any."""
        scores: dict[int, float] = {}
        for stem, rarity in rarities.items():
            for number in self.held.get(stem, ()):
                scores[number] = scores.get(number, 0.0) + rarity
        if not scores:
            return None
        number = max(scores, key=lambda number: (scores[number], -number))
        return Nearest(number, scores[number])

    def span(self, number: int) -> Span:
        """Where a sentence stands, without the white space around it."""
        start, end = self._spans[number]
        written = self._text[start:end]
        return start + len(written) - len(written.lstrip()), start + len(written.rstrip())


def _is_record(text: str, fields: Sequence[Field]) -> bool:
    """Whether a text is a record: an object, or lines of keys and values for the most part."""
    if not fields:
        return False
    if text.lstrip()[:1] in ("{", "["):
        return True
    lines = text.count("\n") + 1
    return 2 * len(fields) >= lines


def _bounds(text: str, openings: Iterable[int]) -> list[int]:
    """Where the sentences and fields of a text begin, and its end."""
    bounds: list[int] = []
    for start, end in pairwise((*sorted(openings), len(text))):
        bounds.append(start)
        while end - bounds[-1] > _LONGEST:
            space = text.find(" ", bounds[-1] + _LONGEST, end)
            if space < 0:
                break
            bounds.append(space)
    return [*bounds, len(text)]


def _hidden(text: str, fields: Sequence[Field]) -> list[Span]:
    """The fields that deny or leave open what they are called, each with its key."""
    hidden = []
    for field in fields:
        value = field.value
        if value is None or value is False or (isinstance(value, str) and value.lower() in _NO_KEY):
            key = field.keys[-1]
            place = text.rfind(key, max(0, field.start - len(key) - 12), field.start)
            hidden.append((place if place >= 0 else field.start, field.end))
    return hidden
