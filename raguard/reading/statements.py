"""What does each sentence say, word by word, and which of its words does it deny?

A statement is the set of a sentence's content words, cut to their first letters so that inflection does not count, each
with a sign: minus behind a negation. A word of a pair of opposites counts as its partner with the other sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from raguard.reading.negations import read_negations
from raguard.rulebook import Rulebook
from raguard.text.words import beginning

__all__ = ["OPPOSITE", "Statement", "StatementReader"]

PLUS, MINUS = 1, 2
OPPOSITE = "±"
"""Begins the name under which a pair of opposites is one word."""
_TOKEN = re.compile(r"[A-Za-z0-9']{1,40}|[.!?;]")
_END = re.compile(
    r"[.!?\n](?:(?<=\n)\n*"
    r"|(?<!\n)(?<!\bNo\.(?=\s\d))(?<!\b[A-Z]\.(?=\s[a-z]))[\"')\]]{0,3}\s+"
    r"|(?<=[a-z][.!?])(?=[A-Z][a-z ]))"
)
_REACH = 3
"""How many small words may stand between a negation and the word that it denies."""


class Statement(NamedTuple):
    """One sentence: the sign of each content word (PLUS, MINUS or both), and its span.

    ``denies`` tells whether a verb is denied.
    """

    signs: Mapping[str, int]
    text: str
    start: int
    end: int
    denies: bool

    def flipped(self, other: Statement, *, opposites: bool = True) -> list[str]:
        """The shared words that one asserts and the other denies, opposites (rise and fall) among them or not."""
        return [
            word
            for word, sign in self.signs.items()
            if other.signs.get(word, sign) & sign == 0 and (opposites or not word.startswith(OPPOSITE))
        ]


class StatementReader:
    """Reads statements by the families ``negation`` and ``words``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["negation"]
        self._negations = read_negations(rulebook)
        self._beginnings = self._negations.beginnings
        self._condition = family.pattern("condition")
        small = rulebook["words"].words("function")
        self._opposites: dict[str, tuple[str, int]] = {}
        for rule in family.role("opposite"):
            name = OPPOSITE + rule.id.rpartition(".")[2]
            self._opposites |= {_joined(form): (name, PLUS) for form in rule.forms}
            self._opposites |= {_joined(form): (name, MINUS) for form in rule.data["opposites"]}
        phrases = [form for rule in family.role("opposite") for form in (*rule.forms, *rule.data["opposites"])]
        self._several = sorted((form for form in phrases if " " in form), key=len, reverse=True)
        self._phrases = re.compile(rf"\b(?:{'|'.join(map(re.escape, self._several))})\b")
        # a word that is both small and one of two opposites counts
        self._listed: dict[str, tuple[str, int] | None] = dict.fromkeys(small) | self._opposites

    def starts(self, text: str) -> tuple[int, ...]:
        """Where each sentence of ``text`` begins."""
        return (0, *[match.end() for match in _END.finditer(text) if match.end() < len(text)])

    def negations(self, text: str) -> Iterator[int]:
        """Where ``text`` denies a verb."""
        low = text.lower()
        for word in self._beginnings:
            place = low.find(word)
            while place >= 0:
                if word == "n't" or not low[max(0, place - 1) : place].isalpha():
                    yield place
                place = low.find(word, place + 1)

    def sentence(self, sentence: str, start: int, end: int) -> Statement:
        """The statement of one sentence, which stands at ``start`` to ``end`` of its text."""
        signs: dict[str, int] = {}
        reach, denies = 0, False
        low = sentence.lower()
        if any(phrase in low for phrase in self._several):
            low = self._phrases.sub(_join, low)
        for token in _TOKEN.findall(low):
            if token in self._negations.words:
                reach, denies = _REACH + 1, True
                continue
            content = self._listed[token] if token in self._listed else _content(token)
            if content is not None:
                word, sign = content
                signs[word] = signs.get(word, 0) | (sign if not reach else PLUS + MINUS - sign)
                reach = 0
            elif reach:
                reach = reach - 1 if token[0].isalnum() else 0
        return Statement(signs, sentence, start, end, denies)

    def claims(self, statement: Statement) -> bool:
        """Whether the sentence states something: a question or a condition does not."""
        if statement.denies and self._negations.no_claim.search(statement.text):
            return False
        return self._condition.search(statement.text) is None

    def hedged(self, statement: Statement) -> bool:
        """Whether anything but a denied verb or one of two opposites gives a negative ring: without, no, failed."""
        rings = self._negations.ring.finditer(self._negations.verbal.sub(" ", statement.text))
        return any(match.group().lower() not in self._opposites for match in rings)


def _content(token: str) -> tuple[str, int] | None:
    """The content word that a token stands for with its sign; None for a letter or a mark."""
    if token[0] == "'" or (len(token) < 2 and not token.isdigit()):
        return None
    return beginning(token.replace("'s", "")), PLUS


def _joined(form: str) -> str:
    return form.replace(" ", "")


def _join(match: re.Match[str]) -> str:
    """A phrase as one token of the same length: offsets inside a sentence do not matter."""
    return _joined(match.group()).ljust(len(match.group()))
