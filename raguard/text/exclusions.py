"""Does an answer name something only to say that it is not so: not A or B, rather than A, does not require A?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from raguard.rulebook import Rulebook

__all__ = ["ExclusionReader"]

_TOKEN = re.compile(r"[A-Za-z0-9][\w'&-]{0,40}|\S")
_FARTHEST = 160
_JOINTS = ("or", "nor")
_MOST_BETWEEN = 3
"""How many ordinary words may stand between what excludes and the first name: does not *require a valid* ESTA."""


class ExclusionReader:
    """Reads exclusions by the family ``refusals``: what excludes, what a list may hold and what ends it."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["refusals"]
        self._cues = {tuple(form.split()) for form in family.forms("exclusion")}
        self._glue = family.words("glue")
        self._prepositions = family.words("preposition")
        self._ends = family.words("list_end")

    def excludes(self, text: str, position: int) -> bool:
        """Whether the name at ``position`` is excluded: only a list leads back from it to what excludes."""
        tokens = _TOKEN.findall(text[max(0, position - _FARTHEST) : position])
        joined = _goes_on(_TOKEN.findall(text[position : position + _FARTHEST]))
        between, attached = 0, False
        while tokens:
            if tuple(map(str.lower, tokens[-1:])) in self._cues or tuple(map(str.lower, tokens[-2:])) in self._cues:
                return True
            token = tokens.pop()
            if token in _JOINTS:
                joined = True
            elif token == ",":
                if not joined or not tokens or not tokens[-1][0].isupper():
                    return False
            elif not token[0].isalnum() or token in self._ends:
                return False
            elif token in self._prepositions:
                attached = True
            elif not token[0].isupper() and token not in self._glue:
                between += 1
                if attached or between > _MOST_BETWEEN:
                    return False
        return False


def _goes_on(tokens: Iterable[str]) -> bool:
    """Whether the names at hand lead to an "or": only then is a comma before them one of their list."""
    for token in tokens:
        if token in _JOINTS:
            return True
        if token != "," and not token[0].isupper():
            return False
    return False
