"""Which name of the documents comes closest to one that they do not hold?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from raguard.evidence.sources import Place, Sources
from raguard.lexicon import Lexicon
from raguard.reading.names import NameRun, Token

__all__ = ["Rivals"]

_MOST_NAMES = 2_000
_MANY_NAMES = 500
"""From so many names on those with no shared word are compared in a simpler way first."""
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
            plain = chunk.reading.plain
            for start, end in chunk.reading.names:
                # the plain text has one space before the text
                name = plain[start + 1 : end + 1]
                if "  " in name or name[-1:] == " ":
                    name = " ".join(name.split())
                if name not in names and name and (" " in name or not self._lexicon.is_common(name)):
                    names[name] = Place(chunk, start, end)
                    if len(names) >= _MOST_NAMES:
                        return names
        return names

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        """The longer words of those names, each once, by their first letter."""
        found: dict[str, list[str]] = {}
        for word in dict.fromkeys(" ".join(self._names).split()):
            if len(word) >= _SHORTEST_TYPO:
                found.setdefault(word[0], []).append(word)
        return found

    def near(self, token: Token) -> bool:
        """Whether a long word is one edit away from a word of a name in the documents; digits never are."""
        word = token.lower
        if len(word) < _SHORTEST_TYPO or not word.isalpha():
            return False
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        alike = self._words.get(word[0], ())
        return process.extractOne(word, alike, scorer=OSA.distance, score_cutoff=1) is not None

    def other_first_name(self, run: NameRun, missing: Sequence[Token]) -> Place | None:
        """Where the documents give the run's last word another first name, when its own first name is missing."""
        last = run.words[-1]
        if len(run.tokens) < 2 or run.tokens[-1] in missing or not self._person(run.words):
            return None
        firsts = set(run.words[:-1])
        same_last = [(name.split(), place) for name, place in self._names.items() if name.endswith(f" {last}")]
        initials = {first for first in firsts if len(first) == 1}
        if any(firsts & set(words) or any(word[0] in initials for word in words[:-1]) for words, _ in same_last):
            return None
        return next((place for words, place in same_last if self._person(words)), None)

    def begins(self, first: str) -> bool:
        """Whether a name of the documents has this first word and more."""
        return any(name.startswith(f"{first} ") for name in self._names)

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

        name = " ".join(run.words)
        names = list(self._names) if len(self._names) < _MANY_NAMES else self._likely(name)
        best = process.extractOne(name, names, scorer=fuzz.token_set_ratio, score_cutoff=_ALIKE)
        return self._names[best[0]] if best else None

    def _likely(self, name: str) -> list[str]:
        """Those names that share a word with ``name``, and of the others the first that is most alike."""
        from rapidfuzz import fuzz, process

        words = set(name.split())
        sharing = {number for word in words for number in self._by_word.get(word, ())}
        written: list[str | None] = [*self._sorted]
        for number in sharing:
            written[number] = None
        # without a shared word it is the letters of all words in order that count
        best = process.extractOne(" ".join(sorted(words)), written, scorer=fuzz.ratio, score_cutoff=_ALIKE - 1)
        names = list(self._names)
        return [names[number] for number in sorted(sharing | ({best[2]} if best else set()))]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        """The numbers of the names by their words."""
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            for word in name.split():
                found.setdefault(word, []).append(number)
        return found

    @cached_property
    def _sorted(self) -> list[str]:
        """The words of each name in order, each once."""
        return [" ".join(sorted(set(name.split()))) for name in self._names]
