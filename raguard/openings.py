"""With which words and symbols can a match of a pattern begin? Only where one of them stands need it be tried."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

from raguard.patterns import PARSER, REPEATS, SINGLE, characters

__all__ = ["openings"]

_MOST_LETTERS = 9
"""A set of more letters or digits stands for any word or number."""
_MOST_WORDS = 300
_WORD_CHARACTER = [(PARSER.IN, [(PARSER.CATEGORY, PARSER.CATEGORY_WORD)])]


def openings(pattern: re.Pattern[str]) -> frozenset[str] | None:
    r"""The whole lower-case words and the symbols of which one begins every match; None when that cannot be told.

    >>> sorted(openings(re.compile(r"[($]|\bno(?:body|\sone)?\b")) or ())
    ['$', '(', 'no', 'nobody']
    >>> openings(re.compile(r"\b\w{3}\sone"))
    """
    walk = _Walk()
    try:
        goes_on = walk.through(PARSER.parse(pattern.pattern, pattern.flags), {None})
    except _UnknownError:
        return None
    return None if goes_on else frozenset(walk.found)


class _UnknownError(Exception):
    """A match can begin with too many words or symbols, or inside of a word."""


class _Walk:
    """Goes through a pattern and spells the words at its beginning on every way.

    What is spelled so far is a set of beginnings: "" at the border of a word, None where no border is known. A
    beginning that comes to its end is put among those ``found`` and not followed further.
    """

    def __init__(self) -> None:
        self.found: set[str] = set()

    def through(self, tokens: Any, begun: Set[str | None]) -> Set[str | None]:
        """The beginnings that are not yet whole words behind ``tokens``."""
        for operator, argument in tokens:
            if begun:
                begun = self._step(operator, argument, begun)
        return begun

    def _step(self, operator: Any, argument: Any, begun: Set[str | None]) -> Set[str | None]:
        if operator in SINGLE:
            return self._read(characters(operator, argument), begun, exact=_all_named(operator, argument))
        if operator in REPEATS:
            least, most, body = argument
            once = self.through(body, begun)
            if once and most > 1:
                raise _UnknownError
            return once if least else once | begun
        if operator is PARSER.BRANCH:
            return frozenset().union(*(self.through(branch, begun) for branch in argument[1]))
        if operator is PARSER.SUBPATTERN:
            return self.through(argument[3], begun)
        if operator is PARSER.AT and argument is not PARSER.AT_NON_BOUNDARY:
            return self._border(begun)
        if operator is PARSER.ASSERT_NOT and list(argument[1]) == _WORD_CHARACTER:
            return self._border(begun)
        if operator in (PARSER.ASSERT, PARSER.ASSERT_NOT):
            return begun
        raise _UnknownError

    def _border(self, begun: Set[str | None]) -> Set[str | None]:
        """What stands at the border of a word has come to its end, or not begun."""
        self.found.update(filter(None, begun))
        return {""} if not all(begun) else frozenset()

    def _read(self, read: Set[str], begun: Set[str | None], *, exact: bool) -> Set[str | None]:
        """The beginnings with one character more: letters and digits go on, anything else is a symbol or ends a word.

        Only of an ``exact`` set all characters are in ``read``.
        """
        letters = {character.lower() for character in read if character.isalnum()}
        symbols = {character for character in read if not character.isalnum()}
        words = {word for word in begun if word}
        if len(letters) > _MOST_LETTERS or (letters and None in begun):
            raise _UnknownError
        if symbols:
            self.found |= words
        if symbols and len(words) < len(begun):
            if not exact or any(map(str.isspace, symbols)):
                raise _UnknownError
            self.found |= symbols
        longer = {(word or "") + letter for word in begun for letter in letters}
        if len(longer) > _MOST_WORDS:
            raise _UnknownError
        return longer


def _all_named(operator: Any, argument: Any) -> bool:
    """Whether a token for one character names every character that it reads."""
    return operator is PARSER.LITERAL or (operator is PARSER.IN and all(kind is PARSER.LITERAL for kind, _ in argument))
