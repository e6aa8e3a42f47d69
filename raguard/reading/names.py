"""Which runs of the answer may be names? Capitalised words that stand together, without titles and articles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from raguard.lexicon import Lexicon
from raguard.text.words import CONTRACTED

__all__ = ["NameRun", "Token", "find_names", "name_spans"]

_REST = r"(?:\.(?:[A-Z]\.){0,4}|\w{0,40}(?:['&.-][A-Za-z0-9]\w{0,40}){0,5})"
"""A capitalised word after its first letter: initials, or letters with marks inside."""
_JOINTS = "of|the|for|&|de|la|du|von|van|der|bin|al|del|di|da"
_WORD = rf"(?:[A-Z]{_REST}|[a-z]{{1,2}}[A-Z]\w{{1,40}})"
_OPENS = r"(?<![\w']{0}[A-Z])(?<!\w[.&-]{0}[A-Z])"
_FIRST = (
    rf"[A-Z](?:{_OPENS.format('')}{_REST}"
    rf"|(?<=[a-z][A-Z]){_OPENS.format('[a-z]')}(\w{{1,40}})"
    rf"|(?<=[a-z][a-z][A-Z]){_OPENS.format('[a-z][a-z]')}(\w{{1,40}}))"
)
"""As ``_WORD``, but from the first capital on, so that a text is searched fast: one or two letters stand before it
when the group of that number has the rest."""
_RUN = re.compile(rf"{_FIRST}(?:(?:[ ]{{1,2}}|[ ](?:{_JOINTS})[ ]|[ ]of[ ]the[ ]|/){_WORD}){{0,8}}")
_HELD = re.compile(
    rf"[A-Z](?<!\w[A-Z])(?<!'[A-Z]){_REST}(?:(?:[ ]|[ ](?:{_JOINTS}|and)[ ]|[ ]of[ ]the[ ])[A-Z]{_REST}){{0,6}}"
)
"""A run of a document; it begins with its capital, so that large texts are searched fast."""
_TOKEN = re.compile(r"(?:[A-Z]\.){1,5}(?![A-Za-z])|[^\W_]+(?:&[^\W_]+)*")

_NEGATED = re.compile(r"n't(?!\w)", re.IGNORECASE)
"""Don and isn of don't and isn't are no words."""


class Token(NamedTuple):
    """One word of a name as it is written, and its place."""

    text: str
    start: int
    end: int
    lower: str
    """The word in lower case without dots."""
    capitals: str | None
    """The abbreviation without dots when the word is written in capitals, else None."""


class NameRun(NamedTuple):
    """A capitalised run: its words from left to right."""

    tokens: tuple[Token, ...]

    @property
    def start(self) -> int:
        """Where the first word begins."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Where the last word ends."""
        return self.tokens[-1].end

    @property
    def words(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple([token.lower for token in self.tokens])

    @property
    def text(self) -> str:
        """The words as they are written, with single spaces."""
        return " ".join([token.text for token in self.tokens])

    def without_first(self) -> NameRun:
        """The run without its first word; it must have two."""
        return NameRun(self.tokens[1:])

    def without_last(self) -> NameRun:
        """The run without its last word; it must have two."""
        return NameRun(self.tokens[:-1])


def name_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of what a document may call by name; two names around "and" are one run.

    >>> [("Ann Lee in Rome. Bob is not.")[start:end] for start, end in name_spans("Ann Lee in Rome. Bob is not.")]
    ['Ann Lee', 'Rome', 'Bob']
    """
    return (match.span() for match in _HELD.finditer(text))


def find_names(text: str, lexicon: Lexicon) -> Iterator[NameRun]:
    """The capitalised runs of ``text`` without articles and possessives; titles still stand before the name."""
    for match in _RUN.finditer(text):
        tokens = _tokens(text, match.start() - (match.lastindex or 0), match.end())
        while tokens and _opens_only(text, tokens[0], lexicon):
            del tokens[0]
        while tokens and tokens[-1].text in lexicon.particles:
            del tokens[-1]
        if any(any(map(str.isalpha, token.text)) for token in tokens):
            yield NameRun(tuple(tokens))


def _tokens(text: str, start: int, end: int) -> list[Token]:
    """The words of the run ``text[start:end]``."""
    run = text[start:end]
    if run.isalnum():
        return [_token(run, start, end)]
    found = _TOKEN.finditer(text, start, end)
    return [_token(part.group(), *part.span()) for part in found if part.group() not in CONTRACTED]


def _opens_only(text: str, token: Token, lexicon: Lexicon) -> bool:
    """Whether a first word is part of no name: a function word, or the rest of don't."""
    if token.lower in lexicon.function_words and token.capitals is None:
        return True
    return text.startswith("'", token.end) and _NEGATED.match(text, token.end - 1) is not None


def _token(text: str, start: int, end: int) -> Token:
    bare = text.replace(".", "") if "." in text else text
    capitals = bare if bare.isupper() and bare.isalpha() and len(bare) > 1 else None
    return Token(text, start, end, bare.lower(), capitals)
