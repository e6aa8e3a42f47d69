"""Which runs of the answer may be names? Capitalised words that stand together, without titles and articles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import methodcaller
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
_SPAN = methodcaller("span")
_NOT_SIMPLE = re.compile("[^A-Za-z0-9 ]|[A-Z]{2}|  ")
"""What a simple run has nowhere."""
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


class NameRun:
    """A capitalised run: where it stands, its words in lower case from left to right, and how it is written.

    Most runs are simple: words of letters and digits with single spaces between them, none of them in capitals. Their
    tokens are only made when somebody asks for one.
    """

    __slots__ = ("_tokens", "end", "simple", "start", "text", "words")

    def __init__(self, start: int, end: int, text: str, words: tuple[str, ...]) -> None:
        """A simple run, which is written as ``text``."""
        self.start = start
        self.end = end
        self.text = text
        self.words = words
        self.simple = True
        self._tokens: tuple[Token, ...] = ()

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> NameRun:
        """The run of the given words, which are at least one."""
        text = " ".join([token.text for token in tokens])
        run = cls(tokens[0].start, tokens[-1].end, text, tuple([token.lower for token in tokens]))
        run.simple = False
        run._tokens = tuple(tokens)
        return run

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words one by one."""
        if not self._tokens:
            self._tokens = tuple(_simple_tokens(self.text, self.start))
        return self._tokens

    def without_first(self) -> NameRun:
        """The run without its first word; it must have two."""
        return NameRun.of(self.tokens[1:])

    def without_last(self) -> NameRun:
        """The run without its last word; it must have two."""
        return NameRun.of(self.tokens[:-1])


def name_spans(text: str) -> Iterator[tuple[int, int]]:
    """The spans of what a document may call by name; two names around "and" are one run.

    >>> [("Ann Lee in Rome. Bob is not.")[start:end] for start, end in name_spans("Ann Lee in Rome. Bob is not.")]
    ['Ann Lee', 'Rome', 'Bob']
    """
    return map(_SPAN, _HELD.finditer(text))


def find_names(text: str, lexicon: Lexicon) -> Iterator[NameRun]:
    """The capitalised runs of ``text`` without articles and possessives; titles still stand before the name."""
    small, acronyms = lexicon.function_words, lexicon.mixed_acronyms
    for match in _RUN.finditer(text):
        start, end = match.span()
        start -= match.lastindex or 0
        if possessive := text[end - 2 : end] == "'s":
            end -= 2
        written = text[start:end]
        # before another apostrophe the last word may be the Don of don't
        simple = _NOT_SIMPLE.search(written) is None and (possessive or text[end : end + 1] != "'")
        words = written.lower().split(" ") if simple else []
        while words and words[0] in small:
            start += len(words[0]) + 1
            del words[0]
        if words and acronyms.isdisjoint(words):
            yield NameRun(start, end, text[start:end], tuple(words))
        elif (words or not simple) and (run := _run(text, start, end, lexicon)) is not None:
            yield run


def _run(text: str, start: int, end: int, lexicon: Lexicon) -> NameRun | None:
    """The run ``text[start:end]``; None when nothing is left of it."""
    tokens = _tokens(text, start, end)
    while tokens and _opens_only(text, tokens[0], lexicon):
        del tokens[0]
    while tokens and tokens[-1].text in lexicon.particles:
        del tokens[-1]
    return (
        NameRun.of(tokens)
        if any(token.text.isalpha() or any(map(str.isalpha, token.text)) for token in tokens)
        else None
    )


def _simple_tokens(text: str, start: int) -> Iterator[Token]:
    for word in text.split(" "):
        yield Token(word, start, start + len(word), word.lower(), None)
        start += len(word) + 1


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
