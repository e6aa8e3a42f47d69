"""How is an answer laid out? Where its sentences stand, what in it is not a claim, and where a capital says nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from raguard.rulebook import Rulebook
from raguard.text.blanks import Span, blank, merge
from raguard.text.phrases import Phrases, Places
from raguard.text.words import plain_words

__all__ = ["Outline", "Outliner"]

_END = re.compile(r"[.!?\n](?:(?<=\n)|[.!?]{0,2}[\"')\]]{0,3}(?=\s))")
_LONE_LETTER = re.compile(r"\.(?:(?<=\W[^\s\d]\.)|(?<=\A[^\s\d]\.))")
"""A full stop behind a letter that stands alone: an initial, or the end of "e.g."."""
_INLINE_NUMERAL = re.compile(r"(\d(?<![^\s(]\d)\d?)[.)](?=\s{1,4}\S)")
"""It begins with its digit, so that a text is searched fast."""
_OPENING = re.compile(
    r"(?:^|[.!?:;][\"')\]]{0,3}\s{1,4}|[\n|\x00][ \t>]{0,8}(?:[-*•+#]{1,6}[ \t]{0,4})?|\t|- )[\"'(\[]{0,2}$"
)
_LABEL = re.compile(r"[\s>*#•+|-]{0,12}(?:\d{1,2}[.)]\s{1,4})?([^:.\n|]{2,70}):(?=\s|$)")
_LONG_WORD = re.compile(r"[A-Za-z]\w{3,40}")
_CLOSED = re.compile(r"[.!?;,]\W{0,4}$")


class Outline(NamedTuple):
    """An answer's text and layout; ``claims`` has the same length with everything that is not a claim blanked out."""

    text: str
    claims: str
    places: Places
    """Where ``claims`` has which words."""
    sentences: tuple[Span, ...]
    denials: tuple[Span, ...]

    def sentence(self, position: int) -> Span:
        """The sentence that holds ``position``."""
        index = bisect_right(self.sentences, (position, len(self.text) + 1)) - 1
        return self.sentences[max(index, 0)] if self.sentences else (0, len(self.text))

    def denied(self, start: int, end: int) -> bool:
        """Whether the span lies inside a clause that says it is absent from the documents."""
        index = bisect_right(self.denials, (start, len(self.text) + 1)) - 1
        return index >= 0 and end <= self.denials[index][1]

    def touches_denial(self, start: int, end: int) -> bool:
        """Whether the span shares a character with such a clause."""
        index = bisect_left(self.denials, (end,)) - 1
        return index >= 0 and start < self.denials[index][1]

    def opens(self, position: int) -> bool:
        """Whether ``position`` begins a sentence, line, item, cell or quotation, where a capital says nothing."""
        return _OPENING.search(self.text[max(0, position - 16) : position]) is not None or position == 0

    def heads(self, position: int) -> bool:
        """Whether ``position`` stands in a heading or in the label before a colon, written in title case."""
        start = self.text.rfind("\n", 0, position) + 1
        end = self.text.find("\n", position)
        line = self.text[start : end if end >= 0 else len(self.text)]
        label = _LABEL.match(line)
        if label and position < start + label.end():
            return _titled(label.group(1))
        return len(line) < 70 and not _CLOSED.search(line) and len(self.text) > len(line) + 40 and _titled(line)


def _titled(line: str) -> bool:
    """Whether a line reads as a heading: a word or two, or most of its longer words in capitals."""
    words = _LONG_WORD.findall(line)
    return len(words) <= 2 or sum(word[0].isupper() for word in words) * 3 >= len(words) * 2


class Outliner:
    """Reads the layout of answers by the rules of the families ``layout`` and ``refusals``."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._masks = Phrases(rulebook["layout"].rules)
        self._abbreviations = frozenset().union(*(rule.words for rule in rulebook["layout"].rules))
        last = frozenset().union(*(plain_words(word).split()[-1:] for word in self._abbreviations))
        self._abbreviating = {word for word in last if len(word) > 1 or not word.isalpha()}
        """The words of which a text has one wherever an abbreviation ends, unless it ends in a lone letter."""
        self._absence = Phrases(rulebook["refusals"].role("absence"))
        self._boundary = rulebook["refusals"].pattern("boundary")

    def prepare(self) -> None:
        """Compiles the rules' patterns now."""
        self._masks.prepare()
        self._absence.prepare()

    def outline(self, places: Places, judged: Iterable[Span] = (), sentences: Iterable[Span] | None = None) -> Outline:
        """The layout of a text (folded and undressed); of the spans ``judged`` a check of its own asks.

        ``sentences`` are those of a text that is not prose.
        """
        text = places.text
        masked = blank(text, merge([*self._masked(places), *judged]))
        parts = self._sentences(places) if sentences is None else sentences
        claimed = places if masked is text else Places(masked)
        return Outline(text, masked, claimed, tuple(parts), tuple(merge(self._denials(places))))

    def _masked(self, places: Places) -> Iterator[Span]:
        for match in self._masks.find(places):
            yield match.start, match.end
        expected = 1
        for numeral in _INLINE_NUMERAL.finditer(places.text):
            if int(numeral.group(1)) in (1, expected):
                yield numeral.span()
                expected = int(numeral.group(1)) + 1

    def ends(self, places: Places) -> list[int]:
        """Where the sentences of a text (folded) end; what stands behind the last end may go on."""
        text = places.text
        found: Iterable[re.Match[str]] = _END.finditer(text)
        if self._may_abbreviate(places):
            found = [match for match in found if not self._abbreviated(text, match.start())]
        return [match.end() for match in found]

    def _sentences(self, places: Places) -> list[Span]:
        text = places.text
        borders = pairwise([0, *self.ends(places), len(text)])
        return [(start, end) for start, end in borders if not text[start:end].isspace() and start < end]

    def _may_abbreviate(self, places: Places) -> bool:
        """Whether some full stop may end an abbreviation: a look at the whole text."""
        if _LONE_LETTER.search(places.text) is not None:
            return True
        held = self._abbreviating & places.held
        small = places.text.lower() if held else ""
        return any(f"{word}." in small for word in held)

    def _abbreviated(self, text: str, stop: int) -> bool:
        before = text[max(0, stop - 12) : stop]
        if text[stop] != "." or not before or before[-1].isspace():
            return False
        last = before.rsplit(None, 1)[-1].lstrip("(\"'")
        return last.lower() in self._abbreviations or (len(last) == 1 and last.isupper())

    def _denials(self, places: Places) -> Iterator[Span]:
        text = places.text
        cues = [(match.start, match.end) for match in self._absence.find(places)]
        if not cues:
            return
        bounds = [match for match in self._boundary.finditer(text) if not self._abbreviated(text, match.start())]
        starts, ends = [bound.start() for bound in bounds], [bound.end() for bound in bounds]
        for start, end in cues:
            before, after = bisect_right(ends, start), bisect_left(starts, end)
            yield (ends[before - 1] if before else 0), (starts[after] if after < len(starts) else len(text))
