"""Which words deny, and what with such a word is no claim? What all readers of denials share."""

from __future__ import annotations

import re
from typing import NamedTuple

from raguard.rulebook import Rulebook

__all__ = ["Negations", "read_negations"]


class Negations(NamedTuple):
    """The patterns of the family ``negation`` that say what is negative."""

    verbal: re.Pattern[str]
    """What denies the words behind it: not, never, doesn't."""
    words: frozenset[str]
    """The same, word by word in lower case."""
    ring: re.Pattern[str]
    """Whatever sounds negative: no, without, unable."""
    no_claim: re.Pattern[str]
    """A negation that claims nothing: not only, if not."""

    @property
    def beginnings(self) -> tuple[str, ...]:
        """Lower-case texts of which one stands wherever a verb is denied, for a quick look."""
        return tuple(sorted({"n't" if word.endswith("n't") else f"{word} " for word in self.words}))

    @property
    def ends(self) -> tuple[str, ...]:
        """Lower-case texts with one of which each such word ends."""
        ends = {"n't" if word.endswith("n't") else word for word in self.words}
        return tuple(sorted(end for end in ends if not any(end != other and end.endswith(other) for other in ends)))


def read_negations(rulebook: Rulebook) -> Negations:
    """The negations by the rules."""
    family = rulebook["negation"]
    words = frozenset(family.forms("verbal"))
    return Negations(family.pattern("verbal"), words, family.pattern("ring"), family.pattern("no_claim"))
