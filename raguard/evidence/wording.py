"""In which words does a text speak? The stems of its sentences and fields, without what a record denies."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from raguard.reading.claim_words import ClaimWords
from raguard.reading.records import Field
from raguard.text.blanks import Span, blank, merge, trimmed

__all__ = ["Wording"]

_LONGEST = 400
"""A sentence without an end is cut after so many characters, at the next space."""
_NO = frozenset({"", "no", "none"})


class Wording:
    """The stems of a text from left to right; what a record denies or leaves open is not among them.

    It is kept with the chunk, so that it holds little; its sentences are parted when a claim is looked for in them.
    """

    def __init__(
        self, text: str, openings: Callable[[], Iterable[int]], fields: Iterable[Field], words: ClaimWords
    ) -> None:
        """``openings`` tells where the sentences of the text begin, ``fields`` are those of its records."""
        self._fields = [field for field in fields if not field.cell]
        self.records = _is_record(text, self._fields)
        """Whether it is a record, and no prose."""
        self._text, self._openings, self._words = text, openings, words
        self.stems = tuple(self._stemmed(self._visible()))

    def _visible(self) -> str:
        return blank(self._text, merge(_hidden(self._text, self._fields)))

    def _stemmed(self, text: str) -> list[str]:
        return self._words.stemmed_keys(text) if self._fields else self._words.stemmed(text)

    @cached_property
    def _bounds(self) -> Sequence[int]:
        """Where the sentences and fields begin, and the end of the text."""
        openings = self._openings()
        starts = {*openings, *(field.start for field in self._fields)} if self.records else openings
        return _bounds(self._text, starts)

    @cached_property
    def _firsts(self) -> Sequence[int]:
        """The number of the first stem of each sentence, and how many stems there are."""
        visible = self._visible()
        if self._fields:
            return [0, *accumulate(len(self._stemmed(visible[start:end])) for start, end in pairwise(self._bounds))]
        starts = self._words.starts(visible)
        return [bisect_left(starts, bound) for bound in self._bounds]

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self._firsts) - 1

    def within(self, first: int, last: int) -> Sequence[str]:
        """The stems of the sentences from number ``first`` to the one before ``last``."""
        return self.stems[self._firsts[max(first, 0)] : self._firsts[min(last, len(self))]]

    def places(self, stems: Container[str]) -> Collection[tuple[int, str]]:
        """In which sentences which of some stems stand, each once, in the order of the text."""
        found = [(place, stem) for place, stem in enumerate(self.stems) if stem in stems]
        return dict.fromkeys([(bisect_right(self._firsts, place) - 1, stem) for place, stem in found])

    def span(self, number: int) -> Span:
        """Where a sentence stands, without the white space around it."""
        return trimmed(self._text, self._bounds[number], self._bounds[number + 1])


def _is_record(text: str, fields: Sequence[Field]) -> bool:
    """Whether a text is a record: an object, or lines of keys and values for the most part."""
    if not fields:
        return False
    return text.lstrip()[:1] in ("{", "[") or 2 * len(fields) > text.count("\n")


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
        if value is None or value is False or (isinstance(value, str) and value.lower() in _NO):
            key = field.keys[-1]
            place = text.rfind(key, max(0, field.start - len(key) - 12), field.start)
            hidden.append((place if place >= 0 else field.start, field.end))
    return hidden
