"""What is a leaf of a JSON answer by its key: a claim, a currency, a citation, the model's word on its own answer?"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Literal, TypeAlias

from raguard.reading.citations import Citation
from raguard.rulebook import Rulebook
from raguard.text.structured import Leaf

__all__ = ["LeafReader", "LeafRole"]

LeafRole: TypeAlias = Literal["claim", "currency", "citation", "verdict"]
_LONGEST_CODE = 4
_NUMBERED = re.compile(r"(?:[a-z]{3,8}[\s_#-]{0,2})?#?(\d{1,3})", re.IGNORECASE)


class LeafReader:
    """Tells the role of leaves by the family ``leaves``."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._keys = {word: rule.data["role"] for rule in rulebook["leaves"].rules for word in sorted(rule.words)}

    def role(self, leaf: Leaf, names: Container[str]) -> LeafRole:
        """What the leaf is; ``names`` are the documents' names in lower case."""
        role: LeafRole = next((self._keys[word] for word in leaf.key if word in self._keys), "claim")
        if role == "currency" and not (isinstance(leaf.value, str) and 0 < len(leaf.value) <= _LONGEST_CODE):
            return "claim"
        if role == "verdict" and (isinstance(leaf.value, (str, bool)) or leaf.value is None):
            return "claim"
        if role == "citation" and self.citation(leaf, names, 0, 0) is None:
            return "claim"
        return role

    def citation(self, leaf: Leaf, names: Container[str], start: int, end: int) -> Citation | None:
        """The document that a leaf cites, by number or by name; None when it is neither."""
        value = leaf.value
        if isinstance(value, str) and value.strip().lower() in names:
            return Citation(start, end, id=value.strip())
        if isinstance(value, bool) or value is None:
            return None
        number = _NUMBERED.fullmatch(str(value).strip())
        return Citation(start, end, number=int(number[1])) if number else None
