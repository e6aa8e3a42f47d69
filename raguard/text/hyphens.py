"""Which words does a line end take apart? Their halves are joined; compounds keep their hyphen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raguard.lexicon import Lexicon
from raguard.text.view import Edit, View

__all__ = ["HyphenJoiner"]

_GAP = re.compile(r"-[ \t]?\n[ \t]{0,8}(?=(?P<tail>[a-z]{2,20})(?![\w-]))")
_HEAD = re.compile(r"(?<![^\W_])[A-Za-z][a-z]{1,20}\Z")
_LONGEST_HEAD = 21


class HyphenJoiner:
    """Joins what the lexicon knows as one word, and halves of which the second is no word: Septem-ber, Lind-strom."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def join(self, view: View) -> View:
        """``view`` with the hyphens and line breaks inside words taken out."""
        if "-\n" not in view.text and "- \n" not in view.text:
            return view
        edits = list(self._edits(view.text))
        return view.edit(edits) if edits else view

    def _edits(self, text: str) -> Iterator[Edit]:
        _, prefixes = self._lexicon.affixes
        for gap in _GAP.finditer(text):
            head = _HEAD.search(text, max(0, gap.start() - _LONGEST_HEAD), gap.start())
            if head is None:
                continue
            first, last = head.group().lower(), gap["tail"]
            compound = first in prefixes or self._lexicon.is_base(last)
            if self._lexicon.is_common(first + last) or not compound:
                yield *gap.span(), ""
