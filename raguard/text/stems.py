"""What do the forms of one word have in common? A stem: light, the same for both sides, and no word of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

__all__ = ["Stems"]

_MOST_KEPT = 50_000
_SHORT = 3
"""A stem keeps so many letters, one more behind a long ending."""
_TAILS = "iey"
_VOWELS = frozenset("aeiou")
_DOUBLING = frozenset({"ing", "ings", "ed"})
"""Before these a consonant may stand twice: stopped."""
Endings: TypeAlias = Mapping[str, Sequence[tuple[str, int]]]


class Stems(dict[str, str]):
    """The stem of each lower-case word or number; asked for like a dictionary's value, worked out once.

    ``endings`` are cut off, the longest that fits, twice, those of one letter only at the end of the word;
    ``irregular`` has the forms that no ending leads to.

    >>> stems = Stems(["ing", "ed", "s"], {"took": "take"})
    >>> stems["walking"], stems["walked"], stems["stopped"], stems["took"], stems["1,200.50"]
    ('walk', 'walk', 'stop', 'take', '1200.5')
    """

    def __init__(self, endings: Iterable[str], irregular: Mapping[str, str]) -> None:
        super().__init__()
        # of two that fit the longer one says more
        ordered = sorted(endings, key=lambda each: (-len(each), each))
        self._endings = _by_last_letter(ordered)
        self._long_endings = _by_last_letter([ending for ending in ordered if len(ending) > 1])
        self._irregular = irregular

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_KEPT:
            self.clear()
        self[word] = stem = self._number(word) if word[0].isdigit() else self._word(word)
        return stem

    @staticmethod
    def _number(written: str) -> str:
        bare = written.replace(",", "")
        return bare.rstrip("0").rstrip(".") if "." in bare else bare

    def _word(self, word: str) -> str:
        bare = word.removesuffix("'s").replace("'", "")
        irregular = self._irregular.get(bare)
        stem = bare if irregular is None else irregular
        if stem[:1].isdigit():
            return stem
        first = self._cut(stem, self._endings)
        if stem[len(first) :] in _DOUBLING and len(first) > _SHORT and first[-1] == first[-2] not in _VOWELS:
            first = first[:-1]
        stem = self._cut(first, self._long_endings)
        return stem[:-1] if len(stem) > _SHORT + 1 and stem[-1] in _TAILS else stem

    @staticmethod
    def _cut(stem: str, endings: Endings) -> str:
        for ending, least in endings.get(stem[-1:], ()):
            if stem.endswith(ending) and len(stem) - len(ending) >= least:
                return stem[: -len(ending)]
        return stem


def _by_last_letter(endings: Iterable[str]) -> Endings:
    """The endings by their last letter, each with the letters that must be left."""
    found: dict[str, list[tuple[str, int]]] = {}
    for ending in endings:
        found.setdefault(ending[-1], []).append((ending, _SHORT + (len(ending) > _SHORT)))
    return found
