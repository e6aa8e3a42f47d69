"""Which values stand in this sentence? Read with what is around it, so that a long text need not be read for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raguard.reading.enumeration import may_enumerate
from raguard.text.blanks import Span
from raguard.values.value import Fact

__all__ = ["NearFacts"]

_CONTEXT = 120
"""So many characters beside a sentence are all that a value in it may depend on."""
_LONGEST = 800
_WORTH = 1_000
"""A text of so many characters for each sentence read alone is read faster as a whole."""


class NearFacts:
    """The values of single sentences of one text; ``read`` reads the values of any text."""

    def __init__(self, text: str, read: Callable[[str], Sequence[Fact]]) -> None:
        self._text = text
        self._read = read
        self._found: dict[int, Sequence[Fact]] = {}

    def worth(self, sentence: Span) -> bool:
        """Whether reading the sentence alone takes less time than reading the text."""
        start, end = sentence
        most = len(self._text) // _WORTH
        return end - start <= _LONGEST and (start in self._found or len(self._found) < most)

    def within(self, sentence: Span) -> Sequence[Fact]:
        """The values that begin in the sentence, but for those whose meaning the whole text may change."""
        start, end = sentence
        if start not in self._found:
            begin = self._text.find(" ", max(0, start - _CONTEXT), start) + 1 if start > _CONTEXT else 0
            stop = self._text.rfind(" ", end, end + _CONTEXT) if end + _CONTEXT < len(self._text) else len(self._text)
            begin, stop = begin or start, max(stop, end)
            facts = (
                fact._replace(start=begin + fact.start, end=begin + fact.end)
                for fact in self._read(self._text[begin:stop])
            )
            self._found[start] = [fact for fact in facts if start <= fact.start < end and self.settled(fact)]
        return self._found[start]

    def settled(self, fact: Fact) -> bool:
        """Whether the rest of the text cannot change the value: no numeral of a list, no date of two orders."""
        ambiguous = fact.value.axis == "date" and len(getattr(fact.value, "readings", ())) > 1
        return not ambiguous and not may_enumerate(self._text, fact)
