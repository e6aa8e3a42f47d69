"""Which documents does an answer cite, and where?

A pattern's group ``numbers`` counts documents from one, ``index`` from zero; ``id`` names one, ``page`` a page of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Iterator
from operator import attrgetter
from typing import Literal, NamedTuple

from raguard.openings import Openings, openings
from raguard.rulebook import Rule, Rulebook
from raguard.text.phrases import Places

__all__ = ["Citation", "CitationReader", "Mark"]

_NUMBER = re.compile(r"\d{1,9}")
_RANGE = re.compile(r"(\d{1,9})\s?-\s?#?(\d{1,9})")
_WIDEST = 50
_GLUED = re.compile(r"[\w)\]]$")
_AFTER = re.compile(r"[.,;:!?]?(?:\s(?!\s?[=+*/<>-])|$|\[)")
_WORD_BEFORE = re.compile(r"[A-Za-z_][\w.]{0,60}$")
Role = Literal["mark", "mention", "named", "leaf"]


class Citation(NamedTuple):
    """One cited document: ``number`` counts from one, ``id`` names it; ``page`` is a page of it, if told."""

    start: int
    end: int
    number: int | None = None
    id: str | None = None
    page: str | None = None


class Mark(NamedTuple):
    """A place that cites: a mark stands behind what it supports, a mention anywhere in the sentence, a leaf in JSON."""

    role: Role
    start: int
    end: int
    cited: tuple[Citation, ...]
    glued: bool = False
    """Whether it follows a word without a space, as an index does in code."""


class CitationReader:
    """Finds citations by the family ``citations`` and the patterns of the config."""

    def __init__(self, rulebook: Rulebook, own: Iterable[str]) -> None:
        rules = [Rule("citations.own", pattern=pattern, data={"role": "mark"}) for pattern in own]
        self._patterns: list[tuple[Role, re.Pattern[str], Openings | None, bool]] = []
        """Each with whether it cites by name alone."""
        for rule in (*rules, *rulebook["citations"].rules):
            pattern = re.compile(str(rule.pattern), re.IGNORECASE)
            by_name = rule.data["role"] == "named" and pattern.groupindex.keys().isdisjoint(("numbers", "index"))
            self._patterns.append((rule.data["role"], pattern, openings(pattern), by_name))

    def find(self, places: Places, names: Collection[str]) -> list[Mark]:
        """The citing places of a text (folded) in order; ``names`` are the documents' names in lower case."""
        found: list[Mark] = []
        taken: list[tuple[int, int]] = []
        for role, pattern, opened_by, by_name in self._patterns:
            if by_name and not names:
                continue
            for match in places.matches(pattern, opened_by):
                cited = tuple(_cited(match, names if role == "named" else None))
                place = bisect_left(taken, (match.end(),))
                free = not place or taken[place - 1][1] <= match.start()
                if cited and free and not _index_in_code(match):
                    taken.insert(place, match.span())
                    glued = match.group()[0] == "[" and _is_glued(match)
                    found.append(Mark(role, match.start(), match.end(), cited, glued))
        return sorted(found, key=attrgetter("start"))


def _cited(match: re.Match[str], names: Container[str] | None) -> Iterator[Citation]:
    told = match.groupdict()
    page = told.get("page")
    if told.get("numbers"):
        yield from _numbers(match)
    elif told.get("index"):
        index = told["index"].strip()
        number = int(index) + 1 if _NUMBER.fullmatch(index) else None
        yield Citation(*match.span(), number=number, id=index if number is None else None, page=page)
    elif told.get("id") and (names is None or told["id"].strip().lower() in names):
        yield Citation(*match.span(), id=told["id"].strip(), page=page)


def _numbers(match: re.Match[str]) -> Iterator[Citation]:
    start, end = match.span("numbers")
    text = match.string
    numbers = list(_NUMBER.finditer(text, start, end))
    if len(numbers) == 1:
        yield Citation(*match.span(), number=int(numbers[0].group()), page=match.groupdict().get("page"))
        return
    for number in numbers:
        yield Citation(*number.span(), number=int(number.group()))
    for span in _RANGE.finditer(text, start, end):
        low, high = int(span[1]), int(span[2])
        for between in range(low + 1, min(high, low + _WIDEST)):
            yield Citation(*span.span(), number=between)


def _is_glued(match: re.Match[str]) -> bool:
    return _GLUED.search(match.string, max(0, match.start() - 1), match.start()) is not None


def _index_in_code(match: re.Match[str]) -> bool:
    """Whether a bracket is glued to a name of code: rows[0], cfg.items[2] = 4."""
    text, place = match.string, match.start()
    if text[place] != "[" or not _is_glued(match):
        return False
    word = _WORD_BEFORE.search(text, max(0, place - 64), place)
    odd = word is not None and (not word.group().islower() or re.search(r"[_.\d]", word.group()) is not None)
    return match.group() == "[0]" or odd or not _AFTER.match(text, match.end())
