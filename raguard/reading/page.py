"""What do all readers look at? A text as it is written, in lower case, and the words that it can hold, made once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from raguard.text.blanks import Span, blank
from raguard.text.words import letter_words, lowered

__all__ = ["Page"]


class Page(NamedTuple):
    """A folded text, the same in lower case, and its runs of small letters; some of them may be blanked out by now."""

    text: str
    low: str
    words: frozenset[str]

    @classmethod
    def of(cls, text: str | Page) -> Page:
        """The page of ``text``, which may be one already.

        >>> Page.of("In May 2024").low, sorted(Page.of("In May 2024").words)
        ('in may 2024', ['in', 'may'])
        """
        if isinstance(text, Page):
            return text
        low = lowered(text)
        return cls(text, low, letter_words(low))

    def without(self, spans: Sequence[Span]) -> Page:
        """The page with the given spans (sorted, not overlapping) blanked out."""
        return Page(blank(self.text, spans), blank(self.low, spans), self.words) if spans else self
