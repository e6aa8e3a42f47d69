"""With which words can a match of a pattern begin? Only where one of them stands need the pattern be tried."""

from __future__ import annotations

import re
from collections.abc import Set
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from raguard.patterns import REPEATS, SINGLE, characters

__all__ = ["opening_words"]

_MOST_LETTERS = 9
"""A set of more letters or digits stands for any word or number."""
_MOST_WORDS = 300
_WORD_CHARACTER = [(_parser.IN, [(_parser.CATEGORY, _constants.CATEGORY_WORD)])]


def opening_words(pattern: re.Pattern[str]) -> frozenset[str] | None:
    r"""The lower-case words of which one begins every match, as whole words; None when that cannot be told.

    >>> sorted(opening_words(re.compile(r"\bno(?:body|\sone)?\b")) or ())
    ['no', 'nobody']
    >>> opening_words(re.compile(r"\b\w{3}\sone"))
    """
    walk = _Walk()
    try:
        goes_on = walk.through(_parser.parse(pattern.pattern, pattern.flags), {None})
    except _UnknownError:
        return None
    return None if goes_on else frozenset(walk.words)


class _UnknownError(Exception):
    """A match can begin with too many words, or inside of one."""


class _Walk:
    """Goes through a pattern and spells the words at its beginning on every way.

    What is spelled so far is a set of beginnings: "" at the border of a word, None where no border is known. A
    beginning that comes to its end is put among the ``words`` and not followed further.
    """

    def __init__(self) -> None:
        self.words: set[str] = set()

    def through(self, tokens: Any, begun: Set[str | None]) -> Set[str | None]:
        """The beginnings that are not yet whole words behind ``tokens``."""
        for operator, argument in tokens:
            if begun:
                begun = self._step(operator, argument, begun)
        return begun

    def _step(self, operator: Any, argument: Any, begun: Set[str | None]) -> Set[str | None]:
        if operator in SINGLE:
            return self._read(characters(operator, argument), begun)
        if operator in REPEATS:
            least, most, body = argument
            once = self.through(body, begun)
            if once and most > 1:
                raise _UnknownError
            return once if least else once | begun
        if operator is _parser.BRANCH:
            return frozenset().union(*(self.through(branch, begun) for branch in argument[1]))
        if operator is _parser.SUBPATTERN:
            return self.through(argument[3], begun)
        if operator is _parser.AT and argument is not _constants.AT_NON_BOUNDARY:
            return self._border(begun)
        if operator is _parser.ASSERT_NOT and list(argument[1]) == _WORD_CHARACTER:
            return self._border(begun)
        if operator in (_parser.ASSERT, _parser.ASSERT_NOT):
            return begun
        raise _UnknownError

    def _border(self, begun: Set[str | None]) -> Set[str | None]:
        """What stands at the border of a word has come to its end, or not begun."""
        self.words.update(filter(None, begun))
        return {""} if not all(begun) else frozenset()

    def _read(self, read: Set[str], begun: Set[str | None]) -> Set[str | None]:
        """The beginnings with one character more; one that is no letter or digit ends the word."""
        letters = {character.lower() for character in read if character.isalnum()}
        ends = not all(map(str.isalnum, read))
        if None in begun or (ends and "" in begun) or len(letters) > _MOST_LETTERS:
            raise _UnknownError
        known = {word for word in begun if word is not None}
        if ends:
            self.words |= known
        longer = {word + letter for word in known for letter in letters}
        if len(longer) > _MOST_WORDS:
            raise _UnknownError
        return longer
