"""What does each sentence say, word by word, and which of its words does it deny?

A statement is the set of a sentence's content words, cut to their first letters so that inflection does not count, each
with a sign: minus behind a negation. A word of a pair of opposites counts as its partner with the other sign.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from string import ascii_lowercase, digits
from typing import NamedTuple

from raguard.reading.negations import read_negations
from raguard.rulebook import Rulebook
from raguard.text.blanks import Span
from raguard.text.words import beginning, beginnings, lowered, occurrences

__all__ = ["OPPOSITE", "PARTED", "UNTOLD", "Statement", "StatementReader"]

PLUS, MINUS = 1, 2
OPPOSITE = "±"
"""Begins the name under which a pair of opposites is one word."""
UNTOLD = ""
"""Stands for a denied word that is not plain to see."""
PARTED = re.compile(r"'[sS](?=[A-Za-z0-9'])")
"""Inside a word it leaves a word of a statement that the text does not have: O'Sullivan is *oullivan* there."""
_TOKEN = re.compile(r"[A-Za-z0-9']{1,40}|[.!?;]")
_END = re.compile(
    r"[.!?\n](?:(?<=\n)\n*"
    r"|(?<!\n)(?<!\bNo\.(?=\s\d))(?<!\b[A-Z]\.(?=\s[a-z]))[\"')\]]{0,3}\s+"
    r"|(?<=[a-z][.!?])(?=[A-Z][a-z ]))"
)
_ending = re.Match[str].end
_LETTER = re.compile(r"\w")
_DIGITS = frozenset(digits)
_LETTERS = ascii_lowercase + digits
_NEIGHBORHOOD = 250
"""Most sentences begin and end within so many characters of any place in them."""
_BEHIND = 60
"""How many characters behind a negation what it may deny is looked for in."""
_REACH = 3
"""How many small words may stand between a negation and the word that it denies."""


class Statement(NamedTuple):
    """One sentence: the sign of each content word (PLUS, MINUS or both), and its span.

    ``denies`` tells whether a verb is denied.
    """

    signs: Mapping[str, int]
    denies: bool
    text: str
    start: int
    end: int

    def flipped(self, other: Statement) -> list[str]:
        """The shared words that one asserts and the other denies."""
        return [word for word, sign in self.signs.items() if other.signs.get(word, sign) & sign == 0]


class StatementReader:
    """Reads statements by the families ``negation`` and ``words``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["negation"]
        self._negations = read_negations(rulebook)
        self._beginnings, self._ends = self._negations.beginnings, self._negations.ends
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
        self._several_first = frozenset(form.split()[0] for form in self._several)
        self._passed = frozenset(small).union(".!?;", ascii_lowercase)
        self._pairs = frozenset(name for name, _ in self._opposites.values())
        self._signed = self._negations.words.union(self._opposites)

    def starts(self, text: str) -> tuple[int, ...]:
        """Where each sentence of ``text`` begins."""
        ends = [*map(_ending, _END.finditer(text))]
        return (0, *(ends[:-1] if ends[-1:] == [len(text)] else ends))

    def around(self, text: str, place: int) -> Span | None:
        """Where the sentence around ``place`` begins and ends; None where its neighborhood does not show it."""
        start, first, last = 0, 0, place + _NEIGHBORHOOD
        if place > _NEIGHBORHOOD:
            # no end of a sentence goes on behind a letter, so that a search may begin there
            letter = _LETTER.search(text, place - _NEIGHBORHOOD, place)
            if letter is None:
                return None
            start, first = -1, letter.start()
        for end in map(_ending, _END.finditer(text, first, last)):
            if end > place or end == len(text):
                # what the search was cut off at may not end there
                return (start, end) if start >= 0 and end < last else None
            start = end
        return (start, len(text)) if start >= 0 and last >= len(text) else None

    def negations(self, text: str) -> Iterator[int]:
        """Where ``text`` denies a verb."""
        low = text.lower()
        for word in self._beginnings:
            for place in occurrences(low, word):
                if word == "n't" or not low[max(0, place - 1) : place].isalpha():
                    yield place

    def denied(self, text: str) -> list[tuple[str, int]]:
        """How each word begins that a negation in ``text`` may deny, with the place of the negation.

        It is the first word behind the negation that counts, or UNTOLD.
        """
        low = lowered(text)
        found = []
        for word in self._ends:
            for place in occurrences(low, word):
                end = place + len(word)
                # another and knots deny nothing
                if low[end : end + 1] not in _LETTERS:
                    found.append((self._counting(low[end : end + _BEHIND]), place))
        return found

    def _counting(self, low: str) -> str:
        """How the first word of a stretch begins that counts."""
        words = _TOKEN.findall(low) if low.isascii() else []
        if len(low) == _BEHIND and words and low.endswith(words[-1]):
            # it may be cut off
            del words[-1]
        for word in words:
            # some readers count single digits and some do not
            if "'" in word or word in _DIGITS:
                break
            if word not in self._passed and word not in self._negations.words:
                return beginning(word)
        return UNTOLD

    def sentence(self, sentence: str, start: int, end: int) -> Statement:
        """The statement of one sentence, which stands at ``start`` to ``end`` of its text."""
        low = sentence.lower()
        tokens = _TOKEN.findall(low)
        quoted = "'" in low
        if (quoted or not self._several_first.isdisjoint(tokens)) and [form for form in self._several if form in low]:
            tokens = _TOKEN.findall(self._phrases.sub(_join, low))
        if not self._signed.isdisjoint(tokens):
            return Statement(*self._read(tokens), sentence, start, end)
        words = [token for token in tokens if token not in self._passed]
        if quoted:
            words = [word.replace("'s", "") if "'" in word else word for word in words if word[0] != "'"]
        return Statement(dict.fromkeys(beginnings(words), PLUS), False, sentence, start, end)

    def _read(self, tokens: list[str]) -> tuple[dict[str, int], bool]:
        """The sign of each content word, and whether a verb is denied."""
        signs: dict[str, int] = {}
        reach, denies = 0, False
        for token, start in zip(tokens, beginnings(tokens), strict=True):
            if token in self._negations.words:
                reach, denies = _REACH + 1, True
                continue
            if token in self._opposites:
                # also where it is a small word
                word, sign = self._opposites[token]
            elif token in self._passed or token[0] == "'":
                if reach:
                    reach = reach - 1 if token[0].isalnum() else 0
                continue
            else:
                word, sign = start if "'" not in token else beginning(token.replace("'s", "")), PLUS
            if reach:
                reach, sign = 0, PLUS + MINUS - sign
            signs[word] = signs[word] | sign if word in signs else sign
        return signs, denies

    def turning(self, low: str) -> Collection[str]:
        """What in a lower-case text may deny a verb or be one of two opposites: where none of it stands, nothing is."""
        return self._signed.intersection(_TOKEN.findall(low)).union([form for form in self._several if form in low])

    def opposed(self, statement: Statement) -> bool:
        """Whether the sentence has one of two opposites."""
        return not self._pairs.isdisjoint(statement.signs)

    def claims(self, statement: Statement) -> bool:
        """Whether the sentence states something: a question or a condition does not."""
        if statement.denies and self._negations.no_claim.search(statement.text):
            return False
        return self._condition.search(statement.text) is None

    def hedged(self, statement: Statement, besides: Collection[str] = ()) -> bool:
        """Whether anything but a denied verb or one of two opposites gives a negative ring: without, no, failed.

        Words that begin as one of ``besides`` do not count.
        """
        rings = self._negations.ring.finditer(self._negations.verbal.sub(" ", statement.text))
        words = (match.group().lower() for match in rings)
        return any(word not in self._opposites and beginning(word) not in besides for word in words)


def _joined(form: str) -> str:
    return form.replace(" ", "")


def _join(match: re.Match[str]) -> str:
    """A phrase as one token of the same length: offsets inside a sentence do not matter."""
    return _joined(match.group()).ljust(len(match.group()))
