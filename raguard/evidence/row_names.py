"""Do the words of a row's label name the row, and does the sentence speak of that row alone?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raguard.evidence.tables import Mention, title_words
from raguard.lexicon import Lexicon
from raguard.rulebook import Rulebook
from raguard.text.outline import Outline

__all__ = ["RowNames"]

_WORD_BEFORE = re.compile(r"([\w'-]{1,40})[ ]$")
_WORD_AFTER = re.compile(r"(?:'s)?[ ]([\w'-]{1,40})")
_INNER = re.compile(r"\w[\w']{0,40}")
_VERBAL = re.compile(r"\w{2,20}(?:ed|ing|s)")
_ENDS = re.compile(r"[ ]{0,2}(?:[:|\n]|$)")
_LONGEST_WORD = 42
_JOINING = frozenset({"and", "or", "to", "through"})


class RowNames:
    """Judges mentions of rows by the family ``tables`` and the common words."""

    def __init__(self, rulebook: Rulebook, lexicon: Lexicon) -> None:
        family = rulebook["tables"]
        self._comparing = family.pattern("comparing")
        self._denying = family.pattern("denying")
        self._verbs = family.words("verb")
        self._goes_on = family.words("goes_on")
        self._lexicon = lexicon

    def compares(self, sentence: str) -> bool:
        """Whether a sentence compares, computes or supposes, so that its values may be no row's own."""
        return self._comparing.search(sentence) is not None

    def denies(self, sentence: str) -> bool:
        """Whether a sentence denies something, which may be its value."""
        return self._denying.search(sentence) is not None

    def certain(self, mention: Mention, outline: Outline) -> bool:
        """Whether the words are there as the row's name, neither as words nor as a part of a longer name."""
        text = outline.text
        words = [match.group() for match in _INNER.finditer(text, mention.start, mention.end)]
        found_before = _WORD_BEFORE.search(text, max(0, mention.start - _LONGEST_WORD), mention.start)
        found_after = _WORD_AFTER.match(text, mention.end)
        before = found_before.group(1) if found_before else ""
        after = found_after.group(1) if found_after else ""
        if after[:1].isupper() or _stands_for_several(mention, words, after):
            return False
        inner = words[1:] if outline.opens(mention.start) or len(words) > 1 else words
        if any(word[0].isupper() or any(map(str.isdigit, word)) for word in inner):
            return found_before is None or not before[0].isupper() or outline.opens(found_before.start())
        if len(words) == 1:
            follows = bool(title_words(after) & title_words(mention.grid.label_title))
            return (
                follows
                or not self._lexicon.is_common(words[0].lower())
                or self._stands_as_name(mention, outline, after)
            )
        return after not in self._goes_on and self._loose(before) and self._loose(after)

    def _stands_as_name(self, mention: Mention, outline: Outline, after: str) -> bool:
        """Whether a common word is a cell or leaf of its own, or opens a sentence and is what does something there."""
        text = outline.text
        if not text[mention.start].isupper() or not outline.opens(mention.start):
            return False
        return _ENDS.match(text, mention.end) is not None or after.lower() in self._verbs

    def _loose(self, word: str) -> bool:
        """Whether a word beside a label of common words makes no longer name of it, as adjusted *net income* is one."""
        low = word.lower()
        known = not low or low in self._lexicon.function_words or low in self._verbs
        return known or low.endswith("'s") or _VERBAL.fullmatch(low) is not None


def _stands_for_several(mention: Mention, words: Sequence[str], after: str) -> bool:
    """Whether the label's first word stands for several rows: Plans A and B."""
    label = mention.grid.rows[mention.rows[0]].label
    return after in _JOINING and words[0].lower() != label.split()[0].lower()
