"""Does a word stand for itself: as the whole value of a field, a cell, a bracket or a line, or behind one label?"""

from __future__ import annotations

import re

from raguard.rulebook import Rulebook

__all__ = ["Fields"]

_REACH = 40
"""How far the label before a word may reach back."""
_SPACE = " \t\"'“”‘’*_"
"""What may stand between a word and the marks of its field."""
_OPENS = frozenset("\n:|=([{/•")
_CLOSES = frozenset("\n|)]},;:/")
_LABEL = re.compile(r"(?:^|\n)[ \t]*(?:[-*•][ \t])?(?P<label>[A-Za-z]{3,20})[ \t]{1,3}$")
_BULLET = re.compile(r"(?:^|\n)[ \t]*[-*•][ \t]{1,3}$")
_DASH = re.compile(r"\w[ \t][-–—][ \t]$")


class Fields:
    """Tells by the marks around a word, and by the family ``words``, that no sentence uses it."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["words"]
        self._common = [rule.words for rule in family.role("common")]
        self._function = family.words("function")

    def hold(self, low: str, start: int, end: int) -> bool:
        """Whether ``low[start:end]``, in a text in lower case, is all that its field says.

        >>> from raguard.rulebook import load_rulebook
        >>> fields = Fields(load_rulebook())
        >>> [fields.hold(text, len(text) - 3, len(text)) for text in ("due: may", "open may", "theresa may")]
        [True, True, False]
        """
        opening, closing = self._mark_before(low, start), _mark_after(low, end)
        if closing is None:
            return False
        if opening is not None:
            # "April, you are right" and "June: I agree" speak to somebody, or of somebody
            return opening not in ("", "\n") or closing in ("", "\n", "|")
        return closing in ("", "\n") and self._labelled(low, start)

    def _mark_before(self, low: str, start: int) -> str | None:
        """The mark that opens the field, empty at the start of the text; None when a word stands there."""
        before = low[max(0, start - _REACH) : start]
        bare = before.rstrip(_SPACE)
        if not bare:
            return "" if start <= _REACH else None
        if bare[-1] in _OPENS:
            return bare[-1]
        if before.endswith((",", "\t")) or _DASH.search(before):
            return "|"
        return "\n" if _BULLET.search(before) else None

    def _labelled(self, low: str, start: int) -> bool:
        """Whether one common word, which is nobody's name, is all that stands before it on its line."""
        match = _LABEL.search(low[max(0, start - _REACH) : start])
        if match is None or (match.start() == 0 and start > _REACH and low[start - _REACH - 1] != "\n"):
            return False
        label = match["label"]
        return label not in self._function and any(label in words for words in self._common)


def _mark_after(low: str, end: int) -> str | None:
    """The mark that closes the field, empty at the end of the text; None when the text goes on."""
    after = low[end : end + _REACH]
    if after.startswith("\t"):
        return "|"
    after = after.lstrip(_SPACE)
    if after[:1] == ".":
        after = after[1:].lstrip(_SPACE)
        return after[:1] if not after or after[0] in "\n" else "."
    if not after:
        return "" if end + _REACH >= len(low) else None
    if after[0] == "," and after[1:2].strip():
        # a cell of comma-separated values
        return "|"
    return after[0] if after[0] in _CLOSES else None
