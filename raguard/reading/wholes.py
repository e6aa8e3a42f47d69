"""Does a sentence speak of what it mentions as a whole: no parking, but not no valet parking?"""

from __future__ import annotations

from raguard.rulebook import Rulebook

__all__ = ["WholeReader"]

_REACH = 80


class WholeReader:
    """Reads by the family ``records`` whether something is said to be there, or not, with nothing that narrows it."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["records"]
        self._before = family.pattern("whole_before")
        self._narrowed = family.pattern("whole_narrowed")
        self._subject = family.pattern("whole_subject")

    def reads(self, sentence: str, start: int, end: int) -> bool:
        """Whether ``sentence[start:end]`` is had, offered or available, or is not, with no word that says which."""
        before, after = sentence[max(0, start - _REACH) : start], sentence[end : end + _REACH]
        if self._subject.search(after) is not None:
            return not before.strip(" \n\"'*-") or self._before.search(before) is not None
        return self._before.search(before) is not None and self._narrowed.search(after) is None
