"""Which patterns of the rules does a text hold? A pattern is only tried where the text has what opens it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from raguard.openings import openings
from raguard.patterns import loosened
from raguard.rulebook import Rule
from raguard.text.words import plain_words

__all__ = ["Match", "Phrases", "word_set"]


def word_set(text: str) -> frozenset[str]:
    """The words of ``text`` in lower case.

    >>> sorted(word_set("It isn't."))
    ['isn', 'it', 't']
    """
    return frozenset(plain_words(text).split())


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that matched, and the span it is about: the group ``span`` of its pattern, else the whole match."""

    rule: Rule
    start: int
    end: int


class Phrases:
    """Finds the patterns and forms of some rules.

    ``needs`` of a rule lists words of which a text must hold one, ``needs_too`` further ones of which it must also hold
    one; a form needs all of its own words. A pattern of which the openings are known is tried where they stand.
    With ``whole_words`` a pattern is for whole words like a form, and each of its spaces matches any white space.
    """

    def __init__(self, rules: Iterable[Rule], *, whole_words: bool = False) -> None:
        self._entries = [
            (rule, _compiled(rule, whole_words), _needs(rule))
            for rule in rules
            if rule.pattern is not None or rule.forms
        ]
        self._openings = [openings(pattern) for _, pattern, _ in self._entries]
        self._too = {
            rule.id: frozenset(rule.data["needs_too"]) for rule, _, _ in self._entries if "needs_too" in rule.data
        }
        self._always = [number for number, (_, _, needs) in enumerate(self._entries) if not needs]
        # each set of words is filed under its longest, which is the rarest
        self._by_word: dict[str, list[int]] = {}
        for number, (_, _, needs) in enumerate(self._entries):
            for words in needs:
                self._by_word.setdefault(max(words, key=lambda word: (len(word), word), default=""), []).append(number)

    def find(self, text: str, held: frozenset[str]) -> Iterator[Match]:
        """Every match in ``text``, whose words are ``held``, rule by rule."""
        likely = set(self._always).union(*(self._by_word[word] for word in held & self._by_word.keys()))
        places = _Places(text)
        for number in sorted(likely):
            rule, pattern, needs = self._entries[number]
            if needs and not any(held >= words for words in needs):
                continue
            if rule.id in self._too and held.isdisjoint(self._too[rule.id]):
                continue
            opened_by = self._openings[number]
            found = pattern.finditer(text) if opened_by is None else places.matches(pattern, opened_by, held)
            spanned = "span" in pattern.groupindex
            for match in found:
                group = "span" if spanned and match.group("span") is not None else 0
                yield Match(rule, *match.span(group))


class _Places:
    """Where a text has which words and symbols; each is looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, list[int]] = {}

    def matches(
        self, pattern: re.Pattern[str], openings: frozenset[str], held: frozenset[str]
    ) -> Iterator[re.Match[str]]:
        """What ``pattern.finditer`` finds when one of ``openings`` begins each match; ``held`` are the text's words."""
        done = 0
        present = (opening for opening in openings if opening in held or not opening.isalnum())
        for place in sorted(place for opening in present for place in self._of(opening)):
            match = pattern.match(self._text, place) if place >= done else None
            if match is not None:
                done = match.end()
                yield match

    def _of(self, opening: str) -> list[int]:
        if opening not in self._known:
            # one space before the text: where the plain text has the space before a word, the text has the word
            words = opening.isalnum()
            text, sought = (self._plain, f" {opening} ") if words else (self._text, opening)
            places, place = [], text.find(sought)
            while place >= 0:
                places.append(place)
                place = text.find(sought, place + 1)
            self._known[opening] = places
        return self._known[opening]

    @cached_property
    def _plain(self) -> str:
        return f" {plain_words(self._text)} "


def _compiled(rule: Rule, whole_words: bool) -> re.Pattern[str]:
    flags = 0 if rule.case_sensitive else re.IGNORECASE
    if rule.pattern is not None and not whole_words:
        return re.compile(rule.pattern, flags)
    bare = rule.pattern
    if bare is None:
        bare = "|".join(re.escape(form) for form in sorted(rule.forms, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{loosened(bare)})(?!\w)", flags)


def _needs(rule: Rule) -> tuple[frozenset[str], ...]:
    texts = rule.data.get("needs", ()) if rule.pattern is not None else rule.forms
    return tuple(word_set(text) for text in texts)
