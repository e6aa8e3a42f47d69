"""With which words and symbols can a match of a pattern begin? Only where one of them stands need it be tried."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any, NamedTuple

from raguard.patterns import PARSER, REPEATS, SINGLE, characters

__all__ = ["LONGEST_NUMBERED", "Openings", "openings"]

_MOST_LETTERS = 9
"""A set of more letters or digits stands for any word or number."""
_MOST_WORDS = 300
LONGEST_NUMBERED = 40
"""How many letters a word has at most into which a number is known to run."""
_WORD_CHARACTER = [(PARSER.IN, [(PARSER.CATEGORY, PARSER.CATEGORY_WORD)])]


class Openings(NamedTuple):
    """What a match can begin with."""

    words: frozenset[str] = frozenset()
    """Whole words in lower case."""
    numbered: frozenset[str] = frozenset()
    """Words into which a number may run: item7."""
    symbols: frozenset[str] = frozenset()
    lines: bool = False
    """Whether a match can begin with anything that begins a line."""
    spaces: int = 0
    """How many white spaces a match may have before one of these."""


def openings(pattern: re.Pattern[str]) -> Openings | None:
    r"""What begins every match; None when that cannot be told.

    >>> found = openings(re.compile(r"[($]|\bno(?:body|\sone)?\b|\bitems?\d"))
    >>> sorted(found.words), sorted(found.numbered), sorted(found.symbols)
    (['no', 'nobody'], ['item', 'items'], ['$', '('])
    >>> openings(re.compile(r"\b\w{3}\sone"))
    """
    walk = _Walk()
    try:
        goes_on = walk.through(PARSER.parse(pattern.pattern, pattern.flags), {None})
    except _UnknownError:
        return None
    return None if goes_on else walk.found()


def begins_words(pattern: str) -> bool:
    r"""Whether the pattern says itself that no match begins right behind a letter, a digit or an underscore.

    >>> begins_words(r"(?<![\w-])a|(?<!\w)b"), begins_words(r"(?<!\w)a|b")
    (True, False)
    """
    tokens = list(PARSER.parse(pattern))
    branches = tokens[0][1][1] if len(tokens) == 1 and tokens[0][0] is PARSER.BRANCH else [tokens]
    return all(_looks_back(list(branch)) for branch in branches)


def _looks_back(tokens: Any) -> bool:
    """Whether the first token refuses every word character before it."""
    if not tokens or tokens[0][0] is not PARSER.ASSERT_NOT:
        return False
    direction, body = tokens[0][1]
    return direction < 0 and len(body) == 1 and body[0][0] is PARSER.IN and _WORD_CHARACTER[0][1][0] in body[0][1]


class _UnknownError(Exception):
    """A match can begin with too many words or symbols, or inside of a word."""


class _Walk:
    """Goes through a pattern and spells the words at its beginning on every way.

    What is spelled so far is a set of beginnings: "" at the border of a word, None where no border is known. A
    beginning that comes to its end is put among those found and not followed further.
    """

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._numbered: set[str] = set()
        self._symbols: set[str] = set()
        self._lines = False
        self._spaces = 0

    def found(self) -> Openings:
        """The beginnings that have come to their end."""
        words, numbered, symbols = map(frozenset, (self._words, self._numbered, self._symbols))
        return Openings(words, numbered, symbols, self._lines, self._spaces)

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
            if not least and not any(begun) and _is_space(body):
                self._spaces = max(self._spaces, most)
                return begun | {""}
            once = self.through(body, begun)
            if once and most > 1:
                raise _UnknownError
            return once if least else once | begun
        if operator is PARSER.BRANCH:
            return frozenset().union(*(self.through(branch, begun) for branch in argument[1]))
        if operator is PARSER.SUBPATTERN:
            return self.through(argument[3], begun)
        if operator is PARSER.AT and argument is PARSER.AT_BEGINNING and not any(begun):
            self._lines = True
            return frozenset()
        if operator is PARSER.AT and argument is not PARSER.AT_NON_BOUNDARY:
            return self._border(begun)
        if operator is PARSER.ASSERT_NOT and list(argument[1]) == _WORD_CHARACTER:
            return self._border(begun)
        if operator in (PARSER.ASSERT, PARSER.ASSERT_NOT):
            return begun
        raise _UnknownError

    def _border(self, begun: Set[str | None]) -> Set[str | None]:
        """What stands at the border of a word has come to its end, or not begun."""
        self._words.update(filter(None, begun))
        return {""} if not all(begun) else frozenset()

    def _read(self, read: Set[str], begun: Set[str | None], *, exact: bool) -> Set[str | None]:
        """The beginnings with one character more: letters and digits go on, anything else is a symbol or ends a word.

        Only of an ``exact`` set all characters are in ``read``.
        """
        letters = {character.lower() for character in read if character.isalnum()}
        symbols = {character for character in read if not character.isalnum()}
        words = {word for word in begun if word}
        if letters and None in begun:
            raise _UnknownError
        if symbols:
            self._words |= words
        if symbols and len(words) < len(begun):
            if not exact or any(map(str.isspace, symbols)):
                raise _UnknownError
            self._symbols |= symbols
        if len(letters) > _MOST_LETTERS:
            self._run_into(letters, begun)
            return frozenset()
        longer = {(word or "") + letter for word in begun for letter in letters}
        if len(longer) > _MOST_WORDS:
            raise _UnknownError
        return longer

    def _run_into(self, letters: Set[str], begun: Set[str | None]) -> None:
        """Any digit behind a word is found; any letter, or a word of which nothing is known, cannot be."""
        words = {word for word in begun if word and word[-1].isalpha() and len(word) <= LONGEST_NUMBERED}
        if len(words) < len(begun) or not all(map(str.isdigit, letters)):
            raise _UnknownError
        self._numbered |= words


def _all_named(operator: Any, argument: Any) -> bool:
    """Whether a token for one character names every character that it reads."""
    return operator is PARSER.LITERAL or (operator is PARSER.IN and all(kind is PARSER.LITERAL for kind, _ in argument))


def _is_space(body: Any) -> bool:
    """Whether the body of a repeat reads one white space and nothing else."""
    operator, argument = body[0]
    items = argument if operator is PARSER.IN else [(operator, argument)]
    return len(body) == 1 and all(
        argument is PARSER.CATEGORY_SPACE or (operator is PARSER.LITERAL and chr(argument).isspace())
        for operator, argument in items
    )
