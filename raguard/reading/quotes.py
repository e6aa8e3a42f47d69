"""Where does a text quote someone, and whom? Quotation marks are paired with their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from raguard.rulebook import Rulebook
from raguard.text.words import CONTRACTED, plain_words

__all__ = ["UNSPACED", "Quote", "QuoteReader"]

_MARK = re.compile(r"[\"'「」『』](?:(?<!')|(?<!\w')(?=\w)|(?<=[\w.,!?]')(?!\w))")
_CORNERS = {"「": "」", "『": "』"}
UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A character of a script without spaces between words."""
_LEFT_OUT = re.compile(r"\.{3,4}|…|\[[^\][\n]{0,60}\]")
_LONG_WORD = re.compile(r"[^\W\d_]{4,40}")
_LONGEST = 1_500
_LONGEST_SINGLE = 300
_REACH = 90
"""How many characters beside a quotation may name its speaker or say what the marks are for."""
_NAME = r"(?:[A-Z][\w'.-]{0,30}\s){0,3}[A-Z][\w'-]{1,30}"


class Quote:
    """A quotation without its marks at ``start`` to ``end`` of its text; what it says is read when asked."""

    def __init__(self, reader: QuoteReader, text: str, opened: int, closed: int) -> None:
        """The marks end at ``opened`` and begin at ``closed``."""
        self._reader = reader
        self._text = text
        self._opened, self._closed = opened, closed
        inside = text[opened:closed]
        # French marks have spaces inside
        self.start = opened + len(inside) - len(inside.lstrip())
        self.end = max(self.start, closed - len(inside) + len(inside.rstrip()))

    @cached_property
    def pieces(self) -> tuple[tuple[str, ...], ...]:
        """Its words between the places where some were left out."""
        inside = self._text[self._opened : self._closed]
        return tuple(tuple(plain_words(piece).split()) for piece in _LEFT_OUT.split(inside))

    @cached_property
    def speaker(self) -> tuple[str, ...]:
        """The words of the speaker's name in lower case, if told."""
        return self._reader.speaker(self._text, self._opened - 1, self._closed + 1)

    @cached_property
    def quotes(self) -> bool:
        """Whether the marks are for words that someone said, and not for a title, a button or an example."""
        return self._reader.quotes(self._text, self._opened, self._closed)

    @property
    def length(self) -> int:
        """How many words it has; a contraction is one."""
        return sum(word not in CONTRACTED for piece in self.pieces for word in piece)

    @cached_property
    def unspaced(self) -> int:
        """How many characters of scripts without spaces it has."""
        return sum(len(UNSPACED.findall(word)) for piece in self.pieces for word in piece)


class QuoteReader:
    """Finds quotations by the family ``quotes``."""

    def __init__(self, rulebook: Rulebook) -> None:
        said, self._titles, self._samples = (rulebook["quotes"].words(role) for role in ("said", "title", "sample"))
        self._said = said
        self._said_parts = frozenset(plain_words(" ".join(said)).split())
        self._pronouns = rulebook["quotes"].words("pronoun")
        verb = "|".join(map(re.escape, sorted(said)))
        self._after = re.compile(rf"[\s,.!?'\"]{{0,4}}(?:(?:{verb})\s({_NAME})|({_NAME})\s(?:{verb})\b)")
        self._before = re.compile(
            rf"({_NAME})(?:,[^,.\n\"]{{1,50}},)?\s(?:\w{{2,8}}ly\s|also\s|has\s|had\s)?(?:{verb})\b[^.\"\nA-Z]{{0,40}}$"
        )

    def find(self, text: str) -> Iterator[Quote]:
        """The quotations of ``text`` (folded) from left to right."""
        for opened, closed in _paired(text):
            if text[opened - 1] == "'":
                led = plain_words(_before(text, opened - 1)).split()
                if closed - opened > _LONGEST_SINGLE or self._said.isdisjoint(led):
                    continue
            yield Quote(self, text, opened, closed)

    def speaker(self, text: str, start: int, end: int) -> tuple[str, ...]:
        """Whom the quotation is given to that stands with its marks at ``start`` to ``end``."""
        match = self._after.match(text, end, end + _REACH)
        if match is None:
            before = _before(text, start)
            if self._said_parts.isdisjoint(plain_words(before).split()):
                return ()
            match = self._before.search(before)
        if match is None:
            return ()
        name = tuple(plain_words(next(name for name in match.groups() if name)).split())
        return () if self._pronouns.issuperset(name) else name

    def quotes(self, text: str, opened: int, closed: int) -> bool:
        """Whether marks that end at ``opened`` and begin at ``closed`` are there because someone said it."""
        words = _LONG_WORD.findall(text[opened:closed])
        if words and sum(word[0].isupper() for word in words) * 10 >= len(words) * 7:
            return False
        led = plain_words(_before(text, opened - 1)).split()[-3:]
        return not (self._titles | self._samples).intersection(led) or bool(self._said.intersection(led[-1:]))


def _before(text: str, place: int) -> str:
    """What stands before ``place`` on its line, or on the last line with any text."""
    start = max(0, place - _REACH)
    lines = text[start:place].rstrip("\n").rsplit("\n", 1)
    return lines[-1]


def _paired(text: str) -> Iterator[tuple[int, int]]:
    """The insides of paired quotation marks; a mark that finds no partner in its paragraph is left alone."""
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        sign, place = mark.group(), mark.start()
        if opened is not None and (place - opened.end() > _LONGEST or "\n\n" in text[opened.end() : place]):
            opened = None
        if opened is not None and _closes(text, opened, sign, place):
            yield opened.end(), place
            opened = None
        elif _opens(text, sign, place) and (opened is None or opened.group() == sign):
            opened = mark


def _opens(text: str, sign: str, place: int) -> bool:
    if sign in _CORNERS:
        return True
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if sign == "'":
        return not before.isalnum() and after.isalpha()
    return not before.isalnum() and before not in (".", ",", "!", "?") and after != ""


def _closes(text: str, opened: re.Match[str], sign: str, place: int) -> bool:
    if opened.group() in _CORNERS:
        return sign == _CORNERS[opened.group()]
    if sign != opened.group():
        return False
    return not text[place + 1 : place + 2].isalnum() and (sign == '"' or not text[place - 1].isspace())
