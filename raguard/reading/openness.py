"""Does a sentence say of a day that a place is open or closed then?"""

from __future__ import annotations

import re
from typing import Literal

from raguard.rulebook import Rulebook

__all__ = ["Openness", "OpennessReader"]

Openness = Literal["open", "closed"]


class OpennessReader:
    """Reads by the family ``records`` what each part of a sentence says; a part that says nothing goes with the others
    of its clause when they agree."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["records"]
        self._open = family.pattern("open")
        self._closed = family.pattern("closed")
        self._partly = family.pattern("partly_closed")
        self._clause = family.pattern("clause")
        self._part = family.pattern("part")

    def reads(self, sentence: str, position: int) -> Openness | None:
        """What ``sentence`` says of the day at ``position``; None when it says neither or only of a part of the day."""
        start, end = self.clause(sentence, position)
        first, last = _around(self._part, sentence, position, start, end)
        said_in = sentence[first:last] if self._says(sentence[first:last]) else sentence[start:end]
        says = self._says(said_in)
        if len(says) != 1 or (says == {"closed"} and self._partly.search(said_in)):
            return None
        return "open" if "open" in says else "closed"

    def clause(self, sentence: str, position: int) -> tuple[int, int]:
        """Where the clause around ``position`` begins and ends."""
        return _around(self._clause, sentence, position, 0, len(sentence))

    def _says(self, part: str) -> frozenset[Openness]:
        denied = self._closed.sub(" ", part)
        found: set[Openness] = set()
        if denied != part:
            found.add("closed")
        if self._open.search(denied):
            found.add("open")
        return frozenset(found)


def _around(boundary: re.Pattern[str], text: str, position: int, start: int, end: int) -> tuple[int, int]:
    """The stretch of ``text[start:end]`` between the boundaries on both sides of ``position``."""
    for match in boundary.finditer(text, start, end):
        if match.start() >= position:
            return start, match.start()
        start = match.end()
    return start, end
