"""Which clause does a number name, and which clauses lie within it?"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Clause"]

_PART = re.compile(r"[0-9]+|[a-z]+")


@dataclass(frozen=True, slots=True)
class Clause:
    """The number of a clause in its parts: § 12.3 (a) is 12, 3, a.

    >>> Clause.read("12.3").holds(Clause.read("12.3(a)"))
    True
    """

    parts: tuple[str, ...]

    @classmethod
    def read(cls, number: str) -> Clause:
        """The clause that ``number`` names, however its parts are set off."""
        return cls(tuple(part.lstrip("0") for part in _PART.findall(number.lower())))

    def __str__(self) -> str:
        """Its number as it is mostly written: 12.3(a)."""
        first, *rest = self.parts
        return first + "".join(f".{part}" if part.isdigit() else f"({part})" for part in rest)

    def holds(self, other: Clause) -> bool:
        """Whether ``other`` is this clause or lies within it."""
        return other.parts[: len(self.parts)] == self.parts

    def around(self) -> list[Clause]:
        """The clauses within which it lies, the nearest first."""
        return [Clause(self.parts[:length]) for length in range(len(self.parts) - 1, 0, -1)]

    def related(self, other: Clause) -> bool:
        """Whether one of the two lies within the other."""
        return self.holds(other) or other.holds(self)
