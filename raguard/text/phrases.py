"""Which patterns of the rules does a text hold? A pattern is only tried where the text has what opens it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from raguard.openings import LONGEST_NUMBERED, Openings, openings
from raguard.patterns import loosened
from raguard.rulebook import Rule
from raguard.text.words import occurrences, plain_words

__all__ = ["Match", "Phrases", "Places"]

_NUMBERED = re.compile(r"[0-9](?<=[^\W\d_][0-9])")
"""Where a number runs on from a letter."""


class Places:
    """A text, and where it has which words and symbols; each is looked for once.

    >>> sorted(Places("It isn't.").held)
    ['isn', 'it', 't']
    """

    def __init__(self, text: str, held: frozenset[str] | None = None) -> None:
        """``held`` are the words of the text in lower case, where they are known."""
        self.text = text
        self.held = frozenset(self._plain.split()) if held is None else held
        self._known: dict[str, list[int]] = {}

    def matches(self, pattern: re.Pattern[str], opened_by: Openings | None) -> list[re.Match[str]]:
        """What ``pattern.finditer`` finds when one of ``opened_by`` begins each match; None when that is not known."""
        if opened_by is None:
            return list(pattern.finditer(self.text))
        found, done = [], 0
        for place in self._candidates(opened_by):
            if place >= done and (match := pattern.match(self.text, place)) is not None:
                done = match.end()
                found.append(match)
        return found

    def _candidates(self, opened_by: Openings) -> list[int]:
        places: list[int] = []
        for symbol in opened_by.symbols:
            if symbol in self.text:
                places += self._of(symbol)
        for word in opened_by.words & self.held:
            places += self._of(word)
        if opened_by.numbered and self._numbered:
            for word in opened_by.numbered & self._numbered.keys():
                places += self._numbered[word]
        if opened_by.lines:
            places += [0, *[end + 1 for end in self._of("\n")]]
        for _ in range(opened_by.spaces):
            # what is looked at behind a white space is looked at from there too
            places += [place - 1 for place in places if place and self.text[place - 1].isspace()]
        return sorted(places)

    def _of(self, opening: str) -> list[int]:
        places = self._known.get(opening)
        if places is None:
            places = self._known[opening] = self._word(opening) if opening.isalnum() else self._symbol(opening)
        return places

    def _word(self, word: str) -> list[int]:
        # one space before the text: where the plain text has the space before a word, the text has the word
        return list(occurrences(self._plain, f" {word} "))

    def _symbol(self, symbol: str) -> list[int]:
        ends = accumulate(map(len, self.text.split(symbol)[:-1]))
        return [end + before for before, end in enumerate(ends)]

    @cached_property
    def _numbered(self) -> dict[str, list[int]]:
        """Where the words begin into which a number runs, by the part of each before the number."""
        found: dict[str, list[int]] = {}
        for number in _NUMBERED.finditer(self._plain):
            end = number.start()
            start = self._plain.rfind(" ", max(0, end - LONGEST_NUMBERED - 1), end)
            if start >= 0:
                found.setdefault(self._plain[start + 1 : end], []).append(start)
        return found

    @cached_property
    def _plain(self) -> str:
        return f" {plain_words(self.text)} "


class Match(NamedTuple):
    """A rule that matched, and the span it is about: the group ``span`` of its pattern, else the whole match."""

    rule: Rule
    start: int
    end: int


class _Entry(NamedTuple):
    """A rule, its compiled pattern, what opens a match of it, and the words of which a text must also hold one."""

    rule: Rule
    pattern: re.Pattern[str]
    opened_by: Openings | None
    too: frozenset[str] | None
    spanned: bool
    """Whether the pattern has a group ``span``."""


class Phrases:
    """Finds the patterns and forms of some rules.

    ``needs`` of a rule lists words of which a text must hold one, ``needs_too`` further ones of which it must also hold
    one; a form needs all of its own words. A pattern of which the openings are known is tried where they stand.
    With ``whole_words`` a pattern is for whole words like a form, and each of its spaces matches any white space.
    """

    def __init__(self, rules: Iterable[Rule], *, whole_words: bool = False) -> None:
        self._whole_words = whole_words
        self._rules: list[Rule] = []
        self._entries: list[_Entry | None] = []
        """Those rules that some text had the words for; most are never compiled unless they are prepared."""
        self._always: list[int] = []
        self._by_word: dict[str, list[tuple[int, frozenset[str]]]] = {}
        """Each set of words that a rule needs is filed under its longest, which is the rarest, with the others."""
        for rule in rules:
            if rule.pattern is not None or rule.forms:
                self._add(rule)

    def _add(self, rule: Rule) -> None:
        number = len(self._rules)
        self._rules.append(rule)
        self._entries.append(None)
        needs = _needs(rule)
        if not needs:
            self._always.append(number)
        for words in needs:
            rarest = max(words, key=lambda word: (len(word), word), default="")
            self._by_word.setdefault(rarest, []).append((number, words - {rarest}))

    def prepare(self) -> None:
        """Compiles every pattern now."""
        for number in range(len(self._rules)):
            self._entry(number)

    def find(self, places: Places) -> Iterator[Match]:
        """Every match in a text, rule by rule."""
        held = places.held
        filed = held & self._by_word.keys()
        likely = {number for word in filed for number, others in self._by_word[word] if others <= held}
        for number in sorted(likely.union(self._always)):
            rule, pattern, opened_by, too, spanned = self._entries[number] or self._entry(number)
            if too is not None and held.isdisjoint(too):
                continue
            for match in places.matches(pattern, opened_by):
                group = "span" if spanned and match.group("span") is not None else 0
                yield Match(rule, *match.span(group))

    def _entry(self, number: int) -> _Entry:
        rule = self._rules[number]
        pattern = _compiled(rule, self._whole_words)
        too = frozenset(rule.data["needs_too"]) if "needs_too" in rule.data else None
        entry = _Entry(rule, pattern, openings(pattern), too, "span" in pattern.groupindex)
        self._entries[number] = entry
        return entry


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
    return tuple(frozenset(plain_words(text).split()) for text in texts)
