"""Which values stand in this sentence? Read with what is around it, so that a long text need not be read for one."""

from __future__ import annotations

from collections.abc import Sequence

from raguard.reading import Reader, facts
from raguard.reading.enumeration import may_enumerate
from raguard.text.blanks import Span
from raguard.values.value import Fact

__all__ = ["NearFacts"]

_CONTEXT = 120
"""How far beside a sentence, in characters, stands all that a value in it may depend on."""
_LONGEST = 800
_FIELD = ', "'
"""Where a record in one line has its next field, with whose value another has nothing to do."""
_SOME_FIELDS = 300
"""How many characters of a record are read at once, together with the rest of their last field."""
_WORTH = 1_000
"""A text of so many characters for each sentence read alone is read faster as a whole."""


class NearFacts:
    """The values of single sentences of one text in the language ``lang``."""

    def __init__(self, text: str, readers: Sequence[Reader], lang: str) -> None:
        self._text = text
        self._readers = readers
        self._lang = lang
        self._found: dict[Span, Sequence[Fact]] = {}

    def part(self, sentence: Span, place: int) -> Span:
        """What to read for ``place``: its sentence; of a long one, which a record may be, some fields around it."""
        start, end = sentence
        if end - start <= _LONGEST:
            return sentence
        number = max(self._text.rfind(_FIELD, start, place + 1) - start, 0) // _SOME_FIELDS
        first = self._text.find(_FIELD, start + number * _SOME_FIELDS, end) if number else -1
        last = self._text.find(_FIELD, start + (number + 1) * _SOME_FIELDS, end)
        return (first + 2 if first >= 0 else start), (last + 2 if last >= 0 else end)

    def worth(self, sentence: Span) -> bool:
        """Whether reading the sentence alone takes less time than reading the text."""
        start, end = sentence
        most = len(self._text) // _WORTH
        return end - start <= _LONGEST and (sentence in self._found or len(self._found) < most)

    def within(self, sentence: Span) -> Sequence[Fact]:
        """The values that stand in the sentence; the whole text may change those that are not ``settled``."""
        start, end = sentence
        if sentence not in self._found:
            begin = self._text.find(" ", start - _CONTEXT, start) + 1 or start if start > _CONTEXT else 0
            stop = self._text.rfind(" ", end, end + _CONTEXT) if end + _CONTEXT < len(self._text) else len(self._text)
            read = facts(self._text[begin : max(stop, end)], self._readers, lang=self._lang)
            self._found[sentence] = [
                Fact(value, begin + first, begin + last, tentative)
                for value, first, last, tentative in read
                if start < begin + last and begin + first < end
            ]
        return self._found[sentence]

    def settled(self, fact: Fact) -> bool:
        """Whether the rest of the text cannot change the value: no numeral of a list, no date of two orders."""
        ambiguous = fact.value.axis == "date" and len(getattr(fact.value, "readings", ())) > 1
        return not ambiguous and not may_enumerate(self._text, fact)
