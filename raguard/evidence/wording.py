"""In which words does a text speak? The stems of its sentences and fields, without what a record denies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from raguard.reading.claim_words import ClaimWords
from raguard.reading.records import Field
from raguard.text.blanks import Span, blank, merge

__all__ = ["Wording"]

_LONGEST = 400
"""A sentence without an end is cut after so many characters, at the next space."""
_NO = frozenset({"", "no", "none"})


class Wording:
    """The stems of a text from left to right; what a record denies or leaves open is not among them.

    It is kept with the chunk, so that it holds nothing but the stems and where sentences begin.
    """

    def __init__(self, text: str, openings: Iterable[int], fields: Iterable[Field], words: ClaimWords) -> None:
        """``openings`` are where the sentences of the text begin, ``fields`` those of its records."""
        fields = [field for field in fields if not field.cell]
        self.records = _is_record(text, fields)
        """Whether it is a record, and no prose."""
        self._text = text
        self._openings = _bounds(text, {*openings, *(field.start for field in fields)} if self.records else openings)
        stemmed = words.stemmed_keys if fields else words.stemmed
        visible = blank(text, merge(_hidden(text, fields)))
        stems: list[str] = []
        firsts = [0]
        for start, end in pairwise(self._openings):
            stems += stemmed(visible[start:end])
            firsts.append(len(stems))
        self.stems = tuple(stems)
        self._firsts = firsts

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self._firsts) - 1

    def within(self, first: int, last: int) -> Sequence[str]:
        """The stems of the sentences from number ``first`` to the one before ``last``."""
        return self.stems[self._firsts[max(first, 0)] : self._firsts[min(last, len(self))]]

    def span(self, number: int) -> Span:
        """Where a sentence stands, without the white space around it."""
        start, end = self._openings[number], self._openings[number + 1]
        written = self._text[start:end]
        return start + len(written) - len(written.lstrip()), start + len(written.rstrip())


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
