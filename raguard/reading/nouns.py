"""What is counted? The words after a number, and whether two numbers can count the same."""

from __future__ import annotations

import re

from raguard.rulebook import Rulebook
from raguard.text.words import beginning, is_plural, occurrences, singular

__all__ = ["COUNTED", "Nouns", "may_count", "numbers_by_noun"]

COUNTED = re.compile(r"(\d(?<![\w.,'-]\d)[\d,]{0,15}(?:\.\d{1,6})?)(?!\w|[.,]\d)[- ]?([a-z]{2,30}|%)")
"""A number in digits and the word right behind it."""

_ENDS_NUMBER = frozenset("0123456789,")
_WORD = re.compile(r"[ -]\n?([A-Za-z][a-z]{1,20})(?![\w'])")
_MOST_WORDS = 3


def numbers_by_noun(text: str) -> dict[str, set[str]]:
    """The numbers in ``text``, without commas, by how the word right behind them begins.

    >>> numbers_by_noun("1,200 members, 30 states")
    {'membe': {'1200'}, 'state': {'30'}}
    """
    found: dict[str, set[str]] = {}
    for number, word in COUNTED.findall(text):
        found.setdefault(beginning(word), set()).add(number.replace(",", ""))
    return found


def may_count(text: str, noun: str) -> bool:
    """Whether a number may stand right before a word that begins like ``noun``: a quick look.

    >>> may_count("the 30 members", "membe"), may_count("in 2030 the members", "membe")
    (True, False)
    """
    for place in occurrences(text, noun, 1):
        # what is the second character is compared with the last one too, which only costs a reading
        if text[place - 1] in _ENDS_NUMBER or text[place - 2] in _ENDS_NUMBER:
            return True
    # other digits
    return not text.isascii() and noun in text


class Nouns:
    """The counted things of the family ``numbers``; what cannot be told is an empty set, and agrees with all."""

    def __init__(self, rulebook: Rulebook) -> None:
        numbers = rulebook["numbers"]
        self._function = rulebook["words"].words("function")
        self._plurals = numbers.words("counted")
        self._collective, self._anyone = (
            frozenset(map(singular, numbers.words(role))) for role in ("collective", "anyone")
        )

    def after(self, text: str, end: int) -> frozenset[str]:
        """The words that a number ending at ``end`` may count, in the singular: up to three, none of them small."""
        return frozenset(map(singular, self._words(text, end)))

    def counted(self, text: str, end: int) -> frozenset[str]:
        """Only those of these words that are plurals, in the singular."""
        return frozenset(singular(word) for word in self._words(text, end) if word in self._plurals or is_plural(word))

    def agree(self, total: frozenset[str], parts: frozenset[str]) -> bool:
        """Whether what is counted in ``total`` can be what is counted in ``parts``: 8 vehicles, a lorry and 7 cars."""
        if not total or not parts or not total.isdisjoint(parts):
            return True
        return not total.isdisjoint(self._collective) or not parts.isdisjoint(self._anyone)

    def _words(self, text: str, end: int) -> list[str]:
        words: list[str] = []
        match = _WORD.match(text, end)
        while match is not None and len(words) < _MOST_WORDS and match[1].lower() not in self._function:
            words.append(match[1].lower())
            match = _WORD.match(text, match.end())
        return words
