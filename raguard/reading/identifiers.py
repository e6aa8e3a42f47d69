"""Which identifiers does a text state? Addresses, phone numbers, versions, codes, flags and paths.

Only words with a digit, or with a character that prose does not use inside words, are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from raguard.openings import begins_words
from raguard.reading.page import Page
from raguard.required import DIGIT, required
from raguard.rulebook import Rule, Rulebook
from raguard.values.identifiers import Identifier
from raguard.values.quantities import Quantity, Reading
from raguard.values.value import Fact

__all__ = ["IdentifierReader"]

_MARKS_AFTER = r"[).,;:!?\"'\]]{0,4}(?!\S)"
_SIGNAL = re.compile(
    r"[0-9@_./-](?:(?<=[0-9])(?<![^ \n\t\x00][0-9])(?P<plain>"
    r"[0-9]{0,11}(?:,[0-9]{3}){0,4}(?:%|st|nd|rd|th|s)?|(?<![A-Za-z] [0-9])[0-9]{0,8}\.[0-9]{1,9}%?|[0-9]?:[0-9]{2}"
    rf"){_MARKS_AFTER}"
    r"|(?<=[0-9@_])|(?<=\.)(?=[A-Za-z])|(?<=-)-(?=[A-Za-z])|(?<=/)/)"
)
"""A number or a time of day that is a word of its own, or a sign that a word may be an identifier."""
_DIGIT = re.compile("[0-9]")
_MARKS = "-._"
_TELLING = frozenset(_MARKS + DIGIT)
"""What is looked for in a word before patterns are tried; each choice of these has its own pattern, so they are few."""
_DIALLED = re.compile(r"[+(0-9][0-9() .-]{5,40}")
_LETTERS_DIALLED = 8
"""The longest word that may stand for digits in a phone number, and the character after it."""
_WORD = re.compile(r"[^\s\x00]{1,300}")
_PLAIN = re.compile(
    r"[\"'(\[$€£¥+~<>#-]{0,3}"
    r"(?:[0-9]{1,12}(?:,[0-9]{3}){0,4}(?:%|st|nd|rd|th|s)?|(?<![A-Za-z] )[0-9]{1,9}\.[0-9]{1,9}%?"
    r"|[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{2}|-[0-9]{1,2}:[0-9]{1,2})?|[12][0-9]{3}-[01][0-9]-[0-3][0-9])"
    rf"{_MARKS_AFTER}"
)
"""A number, a time, a span of time or a day and nothing else; "Python 3.9" may be a version."""
_LEADING = re.compile(r"[^\s.!?:] [A-Z][a-z]{1,30} $")
_LEADING_REACH = 40
_SPACES = (" ", "\n", "\t", "\x00")
_LONGEST = 300
_TRAILING = ".,;:!?'\"*_"
_SPACED_REACH = 14
_DOI_URL = re.compile(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/(?=10\.)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,5}\.([0-9]{1,6})(?![0-9])")


class IdentifierReader:
    """Finds identifiers in folded text by the patterns of the family ``identifiers``."""

    def __init__(self, rulebook: Rulebook) -> None:
        rules = rulebook["identifiers"].rules
        self._kinds = {_group(rule): rule for rule in rules if "compare" in rule.data}
        self._phones, self._spaced, self._placeholders, self._no_codes = (
            _either(rule for rule in rules if rule.data.get("role") in roles) for roles in _APART
        )
        apart = {role for roles in _APART for role in roles}
        others = [rule for rule in self._kinds.values() if rule.data.get("role") not in apart]
        self._others = [(rule, required(str(rule.pattern)) & _TELLING) for rule in others]
        self._possible: dict[str, re.Pattern[str]] = {}

    def find(self, text: str | Page, *, lang: str = "en") -> Iterator[Fact]:
        """The identifiers of ``text`` from left to right; they are written alike in every language."""
        done = 0
        for match in sorted(self._matches(Page.of(text).text), key=lambda match: (match.start(), -match.end())):
            if match.start() >= done:
                fact = self._fact(match)
                if fact is not None:
                    yield fact
                    yield from _as_number(fact)
                    # "DOI 10" may be a code, but does not hide the DOI
                    done = done if fact.tentative else fact.end

    def _matches(self, text: str) -> Iterator[re.Match[str]]:
        for run in _DIALLED.finditer(text):
            yield from self._phones.finditer(text, run.start(), run.end() + _LETTERS_DIALLED)
        for start, end in _words(text):
            yield from self._possible_in(text[start:end]).finditer(text, start, end)
            if text[start - 1 : start] == " " and text[start].isdigit():
                spaced = self._spaced.finditer(text, max(0, start - _SPACED_REACH), end)
                yield from (match for match in spaced if match.end() > start)

    def _possible_in(self, word: str) -> re.Pattern[str]:
        """One pattern for the identifiers that a word can hold by its marks and digits."""
        held = "".join([mark for mark in _MARKS if mark in word])
        if _DIGIT.search(word) is not None:
            held += DIGIT
        if held not in self._possible:
            self._possible[held] = _either(rule for rule, marks in self._others if marks <= frozenset(held))
        return self._possible[held]

    def _fact(self, match: re.Match[str]) -> Fact | None:
        rule = self._kinds[str(match.lastgroup)]
        written = match.group()
        role = str(rule.data.get("role"))
        if role in ("url", "doi"):
            written = _unwrapped(written)
        if _CODES.get(role, role) == "code" and self._no_codes.search(written):
            return None
        compare, resolver = rule.data["compare"], _DOI_URL.match(written)
        if resolver is not None:
            value = Identifier.read("doi", "exact", written[resolver.end() :])
        else:
            stands_in = self._placeholders.search(written) is not None
            value = Identifier.read("placeholder" if stands_in else _CODES.get(role, role), compare, written)
        loose = role.startswith("loose_") or (role == "model" and _named(match.string, match.start()))
        return Fact(value, match.start(), match.start() + len(written), loose)


_CODES = {
    **dict.fromkeys(("model", "loose_code", "spaced_code", "loose_spaced_code"), "code"),
    "loose_version": "version",
}
_APART = (("phone",), ("spaced_code", "loose_spaced_code"), ("placeholder",), ("no_code",))
"""The roles whose patterns are not asked at every word."""


def _as_number(fact: Fact) -> Iterator[Fact]:
    """The beginning of a version as the plain number that an answer may write for it: 3.9 for >=3.9 and 3.9.1."""
    value = fact.value
    if fact.tentative or not isinstance(value, Identifier) or value.role != "version":
        return
    number = _NUMBER.match(value.key)
    if number is not None:
        reading = Reading(float(number.group()), place=10.0 ** -len(number[1]))
        yield Fact(Quantity((reading,), decimals=True), fact.start, fact.end, tentative=True)


def _words(text: str) -> Iterator[tuple[int, int]]:
    """The unspaced runs that may hold an identifier; plain numbers cannot."""
    done, spaces = 0, [space for space in _SPACES if space in text]
    for signal in _SIGNAL.finditer(text):
        start = signal.start()
        if start < done:
            continue
        if signal["plain"] is not None and not text[start - 2 : start - 1].isupper():
            continue
        if start and text[start - 1] not in _SPACES:
            start = max(done, start - _LONGEST, *[text.rfind(space, done, start) + 1 for space in spaces])
        plain = _PLAIN.match(text, start)
        if plain is not None and not text[start - 2 : start - 1].isupper():
            done = plain.end()
            continue
        word = _WORD.match(text, start)
        done = word.end() if word else signal.end()
        yield start, done


def _named(text: str, start: int) -> bool:
    """Whether a capitalised word inside the sentence leads to ``start``: "Galaxy S23" is one name."""
    return _LEADING.search(text, max(0, start - _LEADING_REACH), start) is not None


def _unwrapped(written: str) -> str:
    """An address without the punctuation of the sentence and the bracket around it."""
    written = written.rstrip(_TRAILING)
    for opening, closing in ("()", "[]"):
        while written.endswith(closing) and written.count(opening) < written.count(closing):
            written = written[:-1].rstrip(_TRAILING)
    return written


def _either(rules: Iterable[Rule]) -> re.Pattern[str]:
    """One pattern that matches what any of the rules does, with a group for each.

    Inside of a word one look back spares a try of each pattern that begins words.
    """
    alternatives = []
    for behind_no_word, run in groupby(rules, key=lambda rule: begins_words(str(rule.pattern))):
        either = "|".join(f"(?P<{_group(rule)}>{_cased(rule)})" for rule in run)
        alternatives.append(rf"(?<!\w)(?:{either})" if behind_no_word else either)
    return re.compile("|".join(alternatives) or "(?!)")


def _cased(rule: Rule) -> str:
    return str(rule.pattern) if rule.case_sensitive else f"(?i:{rule.pattern})"


def _group(rule: Rule) -> str:
    return rule.id.replace("_", "_u").replace(".", "_d")
