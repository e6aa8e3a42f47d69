"""How would English write the values of this text? Words and number formats are put into English, prose is left alone.

"Bis zum 3. Mai 2024 zahlte er 1.200,50 Euro" reads "to zum 3 May 2024 zahlte er 1,200.50 Euro": enough for the readers
of dates, times and quantities, which know the grammar of values and are the same for every language. So values compare
across languages, and a language is a file of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from raguard.rulebook import Rule, Rulebook
from raguard.text.folding import fold
from raguard.text.view import Edit
from raguard.text.words import lowered

__all__ = ["Translation", "Translator", "translated_languages"]

_COMMA_DECIMALS = re.compile(
    r"(?<![\w.,:/])(?:[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,9}(?:,[0-9]{1,30})?|[0-9]{1,30},[0-9]{1,3})(?![.,]?\w)"
    r"|(?<![\w.,:/])[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,9}(?:,[0-9]{1,30})?(?=[^\W\d_])"
)
"""1.200, 1.200,50 and 2,5: a number that ends there, or has a letter of its unit right behind it."""
_SWAPPED = str.maketrans(".,", ",.")


class Translation(NamedTuple):
    """A text with its values in English, and the edits that made it from the original, from left to right."""

    text: str
    edits: tuple[Edit, ...]

    def spans(self, places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The spans of the original for spans of the translation (sorted by start); a word is translated as a whole."""
        ends: list[tuple[int, int, int, int]] = []
        moved = 0
        for start, end, put in self.edits:
            ends.append((start + moved, start + moved + len(put), start, end))
            moved += len(put) - (end - start)
        first = 0
        for start, end in places:
            while first < len(ends) and ends[first][1] <= start:
                first += 1
            last = first
            while last < len(ends) and ends[last][1] < end:
                last += 1
            yield _origin(ends, first, start, at_end=False), _origin(ends, last, end, at_end=True)


def _origin(ends: Sequence[tuple[int, int, int, int]], number: int, place: int, *, at_end: bool) -> int:
    """Where the original has ``place``; the edit ``number`` is the first that may reach over it."""
    if number < len(ends):
        start, _, before, after = ends[number]
        if start < place or (start == place and not at_end):
            return after if at_end else before
    if number == 0:
        return place
    _, end, _, after = ends[number - 1]
    return after + place - end


class Translator:
    """Translates by the family ``translations``; a language is compiled when a text first is in it."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rules = rulebook["translations"].rules
        self._languages = translated_languages(rulebook)
        self._grammar = cache(self._compiled)

    def english(self, text: str, lang: str) -> Translation | None:
        """The folded ``text`` of ``lang`` with its values in English; None for a language without rules."""
        if lang not in self._languages:
            return None
        edits = tuple(_apart(self._grammar(lang).edits(text)))
        pieces, done = [], 0
        for start, end, put in edits:
            pieces += [text[done:start], put]
            done = end
        return Translation("".join([*pieces, text[done:]]), edits)

    def _compiled(self, lang: str) -> _Grammar:
        return _Grammar([rule for rule in self._rules if lang in _languages(rule)])


class _Grammar:
    """How one language writes values: forms such as "14 Uhr 30" as patterns, and single words."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._forms = [(re.compile(rule.pattern), str(rule.data["becomes"])) for rule in rules if rule.pattern]
        self._words: list[tuple[re.Pattern[str], dict[str, str], bool]] = []
        for exact in (False, True):
            words = {
                form if exact else form.lower(): english
                for rule in rules
                if rule.case_sensitive is exact
                for english, forms in rule.data.get("english", {}).items()
                for form in (fold(form).text for form in forms)
            }
            if words:
                listed = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
                self._words.append((re.compile(rf"(?<![\w])(?:{listed})(?!\w)"), words, exact))

    def edits(self, text: str) -> list[tuple[int, int, int, str]]:
        """What to put into English: (start, rank, end, replacement); where edits overlap, the lowest rank counts."""
        low = lowered(text)
        found = []
        for rank, (pattern, becomes) in enumerate(self._forms):
            for match in pattern.finditer(low):
                put = _COMMA_DECIMALS.sub(_swapped, match.expand(becomes))
                found.append((match.start(), rank, match.end(), put))
        rank = len(self._forms)
        found += [(m.start(), rank, m.end(), _swapped(m)) for m in _COMMA_DECIMALS.finditer(low)]
        for words, english, exact in self._words:
            rank += 1
            for match in words.finditer(text if exact else low):
                found.append((match.start(), rank, match.end(), english[match.group()]))
        return found


def translated_languages(rulebook: Rulebook) -> frozenset[str]:
    """The codes of the languages whose values are read by way of English."""
    return frozenset(code for rule in rulebook["translations"].rules for code in _languages(rule))


def _languages(rule: Rule) -> list[str]:
    return str(rule.data["langs"]).split()


def _swapped(match: re.Match[str]) -> str:
    return match.group().translate(_SWAPPED)


def _apart(found: Sequence[tuple[int, int, int, str]]) -> Iterator[Edit]:
    """The edits in order of position; of two that overlap the first, of two at one place that of the lower rank."""
    done = 0
    for start, _, end, put in sorted(found):
        if start >= done:
            yield start, end, put
            done = end
