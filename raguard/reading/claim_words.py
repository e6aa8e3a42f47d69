"""Which words of a text claim something, and how much does each of them weigh?"""

from __future__ import annotations

import re
from math import log
from typing import NamedTuple

from raguard.rulebook import Rulebook
from raguard.text.stems import Stems
from raguard.text.words import lowered

__all__ = ["ClaimWord", "ClaimWords"]

_WORD = re.compile(r"[^\W_]{1,60}(?:[.,][0-9]{1,20}){0,9}(?:'[a-z]{1,20})?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FILLER = 0.3
"""What a filler word weighs beside another one as rare."""
_OPENS = re.compile(r"[.!?:\n*]\W{0,4}$")


class ClaimWord(NamedTuple):
    """A word of a sentence: its stem, its span in the text, and its weight in nats when the documents lack it.

    ``rarity`` is what it weighs when they hold it; both are 0 for a word that claims nothing.
    """

    stem: str
    start: int
    end: int
    rarity: float
    weight: float
    number: bool
    name: bool
    """Whether it has a capital that its place does not explain."""


class ClaimWords:
    """Reads words by the family ``claims``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["claims"]
        irregular = {
            form: stem
            for rule in family.role("form")
            for stem, forms in rule.data["forms_of"].items()
            for form in forms
        }
        self.stems = Stems(family.words("ending"), irregular)
        self.explained = family.words("explained")
        """The rules by which a check has found what stands in the documents under another form."""
        self.doubtful = family.words("doubtful")
        """The rules whose findings count only where a document speaks of the very same thing."""
        self.addresses = family.pattern("addresses")
        """What a sentence holds that speaks to the user and claims nothing of the world."""
        self._empty = family.words("empty") | family.words("talk")
        fillers = {self.stems[word] for word in family.words("filler")}
        rarities: dict[str, float] = {}
        for rule in family.role("rarity"):
            rarities.update(dict.fromkeys(rule.words, rule.data["rarity"]))
        self._rarest = max(rarities.values(), default=1.0) + log(2)
        self._rarities = rarities
        self._fillers = fillers

    def stemmed(self, text: str) -> list[str]:
        """The stems of all words of ``text``, from left to right."""
        return [self.stems[word] for word in _WORD.findall(lowered(text))]

    def stemmed_keys(self, text: str) -> list[str]:
        """The stems of a record's text, in which camelCase and underscores part words."""
        return self.stemmed(_CAMEL.sub(" ", text).replace("_", " "))

    def rarity(self, stem: str) -> float:
        """How rare a stem is, in nats: ln of the texts by those that hold it."""
        return self._rarities.get(stem, self._rarest)

    def words(self, text: str, start: int, end: int) -> list[ClaimWord]:
        """The words of ``text[start:end]`` with what each weighs."""
        low = lowered(text[start:end])
        found: list[ClaimWord] = []
        for match in _WORD.finditer(low):
            word, place = match.group(), start + match.start()
            stem = self.stems[word]
            number = stem[0].isdigit()
            if word in self._empty:
                found.append(ClaimWord(stem, place, start + match.end(), 0.0, 0.0, number, False))
                continue
            rarity = self.rarity(stem)
            weight = rarity * _FILLER if stem in self._fillers else rarity
            name = text[place].isupper() and (self._inside(text, start, place) or text[place + 1 : place + 2].isupper())
            found.append(ClaimWord(stem, place, start + match.end(), rarity, weight, number, name))
        return found

    @staticmethod
    def _inside(text: str, start: int, place: int) -> bool:
        return place > start and text[start:place].strip() != "" and not _OPENS.search(text[max(start, place - 5) : place])

