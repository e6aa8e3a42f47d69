"""Which name of the documents comes closest to one that they do not hold?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from raguard.evidence.sources import Place, Sources
from raguard.lexicon import Lexicon
from raguard.reading.names import NameRun, Token
from raguard.text.words import plain_words

__all__ = ["Rivals"]

_MOST_NAMES = 2_000
_ALIKE = 60.0
"""The least rapidfuzz ratio (0 to 100) at which a name is worth showing as the nearest one."""
_SHORTEST_TYPO = 5


class Rivals:
    """The names that the chunks hold, to compare a missing one with."""

    def __init__(self, sources: Sources, lexicon: Lexicon) -> None:
        self._sources = sources
        self._lexicon = lexicon

    @cached_property
    def _names(self) -> dict[str, Place]:
        """Every capitalised run of the documents in lower case, at its first place, up to a limit."""
        names: dict[str, Place] = {}
        for chunk in self._sources.chunks:
            for start, end in chunk.reading.names:
                words = plain_words(chunk.reading.text[start:end]).split()
                if words and not (len(words) == 1 and self._lexicon.is_common(words[0])):
                    names.setdefault(" ".join(words), Place(chunk, start, end))
                if len(names) >= _MOST_NAMES:
                    return names
        return names

    @cached_property
    def _by_surname(self) -> dict[str, list[tuple[list[str], Place]]]:
        """The words of each name of more than one, by the last word."""
        found: dict[str, list[tuple[list[str], Place]]] = {}
        for name, place in self._names.items():
            words = name.split()
            if len(words) > 1:
                found.setdefault(words[-1], []).append((words, place))
        return found

    @cached_property
    def _first_words(self) -> frozenset[str]:
        return frozenset(words[0] for named in self._by_surname.values() for words, _ in named)

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        """The words of those names by their first letter."""
        words: dict[str, list[str]] = {}
        for word in sorted({word for name in self._names for word in name.split() if len(word) >= _SHORTEST_TYPO}):
            words.setdefault(word[0], []).append(word)
        return words

    def near(self, token: Token) -> bool:
        """Whether a long word is one edit away from a word of a name in the documents; digits never are."""
        word = token.lower
        if len(word) < _SHORTEST_TYPO or not word.isalpha():
            return False
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        return process.extractOne(word, self._words.get(word[0], ()), scorer=OSA.distance, score_cutoff=1) is not None

    def other_first_name(self, run: NameRun, missing: Sequence[Token]) -> Place | None:
        """Where the documents give the run's last word another first name, when its own first name is missing."""
        last = run.words[-1]
        if len(run.tokens) < 2 or run.tokens[-1] in missing or not self._person(run.words):
            return None
        firsts = set(run.words[:-1])
        same_last = self._by_surname.get(last, [])
        initials = {first for first in firsts if len(first) == 1}
        if any(firsts & set(words) or any(word[0] in initials for word in words[:-1]) for words, _ in same_last):
            return None
        return next((place for words, place in same_last if self._person(words)), None)

    def begins(self, first: str) -> bool:
        """Whether a name of the documents has this first word and more."""
        return first in self._first_words

    def _person(self, words: Sequence[str]) -> bool:
        """Whether the two last words read as a person's name: a first name in full, and a surname."""
        first, last = words[-2:]
        if first in self._lexicon.titles:
            return False
        given = first in self._lexicon.given_names
        surname = given or not self._lexicon.is_common(last)
        return len(first) > 1 and surname and (given or not self._lexicon.is_common(first))

    def nearest(self, run: NameRun) -> Place | None:
        """The name of the documents that shares a word with the run or is written most alike, or None."""
        from rapidfuzz import fuzz, process

        best = process.extractOne(
            " ".join(run.words), self._names.keys(), scorer=fuzz.token_set_ratio, score_cutoff=_ALIKE
        )
        return self._names[best[0]] if best else None
