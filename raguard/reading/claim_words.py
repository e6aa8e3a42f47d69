"""Which words of a text claim something, and how much does each of them weigh?"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log
from typing import NamedTuple, TypeAlias

from raguard.rulebook import Rulebook
from raguard.text.stems import Stems
from raguard.text.words import lowered

__all__ = ["ClaimWord", "ClaimWords"]

_LONGEST = 60
_WORD = re.compile(rf"[^\W_]{{1,{_LONGEST}}}(?:[.,][0-9]{{1,20}}){{0,9}}(?:'[a-z]{{1,20}})?")
_PARTING = bytes(code if chr(code).isalnum() or chr(code) in ".,'" else ord(" ") for code in range(128)) + bytes(128)
"""What no word can hold becomes a space."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MOST_KEPT = 50_000
_NUMBER_ROLES = ("cardinal", "ordinal", "fold", "scale")
_LARGEST_NUMBER = 100
_FILLER = 0.3
"""What a filler word weighs beside another one as rare."""
_SOFT = 0.5
"""What a word weighs that puts a thing in other words."""
_OPENS = re.compile(r"[.!?:*]\W{0,4}$")

Weighed: TypeAlias = tuple[str, float, float, bool]
"""A word's stem, its rarity, its weight, and whether it is a number."""


class ClaimWord(NamedTuple):
    """A word of a sentence in lower case: its stem, its span in the text, its weight in nats when no document has it.

    ``rarity`` is what it weighs when they hold it; both are 0 for a word that claims nothing.
    """

    written: str
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
        self.stems = Stems(self.endings(rulebook), irregular | _number_words(rulebook))
        self.explained = family.words("explained")
        """The rules by which a check has found what stands in the documents under another form."""
        self.doubtful = family.words("doubtful")
        """The rules whose findings count only where a document speaks of the very same thing."""
        self.addresses = family.pattern("addresses")
        """What a sentence holds that speaks to the user and claims nothing of the world."""
        self._empty = family.words("empty") | family.words("talk") | rulebook["words"].words("function")
        rarities: dict[str, float] = {}
        for rule in family.role("rarity"):
            rarities.update(dict.fromkeys(rule.words, rule.data["rarity"]))
        self._rarest = max(rarities.values(), default=1.0) + log(2)
        self._rarities = rarities
        self._fillers = family.words("filler")
        self._soft = family.words("soft")
        self._known = _Known(self.weighed)

    @staticmethod
    def endings(rulebook: Rulebook) -> frozenset[str]:
        """What is cut off a word."""
        return rulebook["claims"].words("ending")

    def stemmed(self, text: str) -> list[str]:
        """The stems of all words of ``text``, from left to right."""
        return list(map(self.stems.__getitem__, _written(lowered(text))))

    def starts(self, text: str) -> list[int]:
        """Where each of these words begins."""
        return [match.start() for match in _WORD.finditer(lowered(text))]

    def stemmed_keys(self, text: str) -> list[str]:
        """The stems of a record's text, in which camelCase and underscores part words."""
        return self.stemmed(_CAMEL.sub(" ", text).replace("_", " "))

    def rarity(self, stem: str) -> float:
        """How rare a stem is, in nats: ln of the texts by those that hold it."""
        return self._rarities.get(stem, self._rarest)

    def words(self, text: str, start: int, end: int) -> list[ClaimWord]:
        """The words of ``text[start:end]`` with what each weighs."""
        written = text[start:end]
        capitals = not written.islower()
        known, found = self._known, list[ClaimWord]()
        for match in _WORD.finditer(lowered(written)):
            word = match.group()
            stem, rarity, weight, number = known[word]
            first, last = match.span()
            name = capitals and rarity > 0 and written[first].isupper() and _is_name(written, first)
            found.append(ClaimWord(word, stem, start + first, start + last, rarity, weight, number, name))
        return found

    def forget(self) -> None:
        """Drops the words that were met."""
        self.stems.clear()
        self._known.clear()

    def weighed(self, word: str) -> Weighed:
        """What a lower-case word weighs, wherever it stands."""
        stem = self.stems[word]
        number = stem[:1].isdigit()
        if word in self._empty:
            return stem, 0.0, 0.0, number
        rarity = self.rarity(stem)
        share = _FILLER if stem in self._fillers else _SOFT if stem in self._soft else 1.0
        return stem, rarity, rarity * share, number


def _written(low: str) -> list[str]:
    """Every match of ``_WORD`` from left to right, most of them without the pattern."""
    if not low.isascii():
        return _WORD.findall(low)
    words: list[str] = []
    # a comma or full stop before a space ends the word
    parted = low.replace(", ", "  ").replace(". ", "  ").encode("ascii").translate(_PARTING).decode("ascii")
    for piece in parted.split():
        if piece.isalnum() and len(piece) <= _LONGEST:
            words.append(piece)
        else:
            words += _WORD.findall(piece)
    return words


def _number_words(rulebook: Rulebook) -> dict[str, str]:
    """The numbers up to a hundred in words, each with its digits."""
    rules = (rule for role in _NUMBER_ROLES for rule in rulebook["numbers"].role(role))
    small = (rule for rule in rules if rule.data["value"] <= _LARGEST_NUMBER)
    return {form: f"{rule.data['value']:g}" for rule in small for form in rule.forms}


class _Known(dict[str, Weighed]):
    """What the words that were met weigh."""

    def __init__(self, weigh: Callable[[str], Weighed]) -> None:
        super().__init__()
        self._weigh = weigh

    def __missing__(self, word: str) -> Weighed:
        if len(self) >= _MOST_KEPT:
            self.clear()
        self[word] = weighed = self._weigh(word)
        return weighed


def _is_name(written: str, place: int) -> bool:
    """Whether a capital at ``place`` is not explained by the opening of a sentence."""
    if written[place + 1 : place + 2].isupper():
        return True
    before = written[:place].rstrip()
    return any(map(str.isalnum, before)) and _OPENS.search(before[-5:]) is None
