"""Does a number of the answer stand for an item: page 4, clause 2, [3], "2. Open the lid"?"""

from __future__ import annotations

import re

from raguard.rulebook import Rulebook

__all__ = ["ItemNumbers"]

_NUMERAL = re.compile(r"(?<=[\s(])\d{1,3}[.)]\s")
_REACH = 24
"""How many characters before a number may say what it numbers."""


class ItemNumbers:
    """The roles ``cites`` and ``numbers_item`` of the family ``numbers`` as two questions."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._cites = rulebook["numbers"].pattern("cites")
        self._numbers_item = rulebook["numbers"].pattern("numbers_item")

    def cites(self, text: str, start: int) -> bool:
        """Whether the number at ``start`` cites a document or a part of one: (p. 12), [pricing.md#2], section 4."""
        return self._cites.search(text, max(0, start - _REACH), start) is not None

    def names_item(self, text: str, start: int) -> bool:
        """Whether the number at ``start`` names an item, cited or not: clause 4, "2. Open the lid"."""
        if _NUMERAL.match(text, start) is not None or self.cites(text, start):
            return True
        return self._numbers_item.search(text, max(0, start - _REACH), start) is not None
