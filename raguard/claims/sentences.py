"""Where does a sentence of a paragraph end? Behind a stop that neither an abbreviation, a number nor a quotation needs.

A quotation or bracket inside a sentence is part of it, whatever stops it holds; one that stands by itself holds
sentences of its own. Numerals that count through a paragraph, "1) … 2) …", begin items and are not text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from raguard.claims.stops import Stops
from raguard.text.blanks import Span

__all__ = ["Token", "pair_up", "read_tokens", "sentences"]

_PARTNERS = {
    **{"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "„": "“”", "«": "»"},
    **{"「": "」", "『": "』", "【": "】", "（": "）"},
}
_STRAIGHT = "\"'"
_CLOSING = frozenset("".join(_PARTNERS.values()))
_TOKEN = re.compile(
    r"""(?P<code>`[^`\n]{1,1000}`)
      | (?P<stop>[.!?…‼⁇⁈⁉]+|[。！？｡]+|[؟۔।॥։።]+)
      | (?P<bracket>[][(){}“”„«»「」『』【】（）"‘] | (?<=[.!?,…])['’](?![\w'’]) | (?<![^\s(\[])'(?=[^\W_]))""",
    re.VERBOSE,
)
_COUNTER = re.compile(r"(?<!\S)(?P<open>\()?(?:(?P<number>\d{1,2})|(?P<letter>[a-h])(?=\)))(?P<close>[.)])(?=\s)")
_STOPPED = re.compile(r"[.!?:;。！？][\"'”’)\]*_]{0,4}\s{0,4}$")
_LETTER = re.compile(r"[^\W_]")
_GOES_ON = re.compile(r"\s{0,4}(?:[,;:–—-]|[\"'“‘(]{0,3}([^\W\d_]))")
_EMPHASIS = ("***", "**", "*", "__", "_")
_FEWEST_WORDS = 3
"""Counted items without a stop between them have so many words each: "(1) speed (2) cost" is one enumeration."""
_LONGEST_ASIDE = 400
"""A quotation or bracket of more characters is read as sentences, wherever it stands."""


class Token(NamedTuple):
    """What may end or enclose a sentence, by ``kind``: stop, bracket (or quotation mark), code, counter."""

    kind: str
    start: int
    end: int


def sentences(text: str, start: int, end: int, stops: Stops, number: int | None = None) -> Iterator[Span]:
    """The spans of the sentences of the paragraph ``text[start:end]``, in order, each with a letter or digit.

    White space, brackets and emphasis that only open or close around several sentences are left out. ``number`` is the
    numeral before the paragraph, when it is a numbered item.
    """
    return _Paragraph(text, start, end, stops, number).sentences()


class _Paragraph:
    def __init__(self, text: str, start: int, end: int, stops: Stops, number: int | None) -> None:
        self._text, self._start, self._end, self._stops = text, start, end, stops
        self._tokens = read_tokens(text, start, end, _counters(text, start, end, number))
        self._pairs = pair_up(text, self._tokens)
        self._partners = {self._tokens[one].start: self._tokens[other].start for one, other in self._pairs.items()}
        first = self._first_letter(start)
        self._small = first < end and text[first].islower()

    def sentences(self) -> Iterator[Span]:
        for start, end in self._pieces():
            start, end = self._trimmed(start, end)
            if start < end and _LETTER.search(self._text, start, end):
                yield start, end

    def _pieces(self) -> Iterator[Span]:
        start, index = self._start, 0
        first = self._first_letter(start)
        while index < len(self._tokens):
            token = self._tokens[index]
            partner = self._pairs.get(index, -1)
            index += 1
            stop = token if token.kind == "stop" else None
            if partner >= index and token.start >= start and self._is_aside(token, self._tokens[partner], first):
                index = partner + 1
                last = self._tokens[partner - 1]
                stop = last if last.kind == "stop" and last.end == self._tokens[partner].start else None
            if token.kind == "counter":
                yield start, token.start
                start = token.end
                first = self._first_letter(start)
            elif stop is not None and stop.start >= start:
                border = self._stops.end(self._text, self._start, stop.start, stop.end, self._end, small=self._small)
                if border is not None:
                    yield start, border
                    start = border
                    first = self._first_letter(start)
        yield start, self._end

    def _first_letter(self, start: int) -> int:
        found = _LETTER.search(self._text, start, self._end)
        return found.start() if found else self._end

    def _is_aside(self, opening: Token, closing: Token, first: int) -> bool:
        """Whether a quotation or bracket is part of a sentence: something of it stands before or goes on behind."""
        if closing.end - opening.start > _LONGEST_ASIDE:
            return False
        behind = _GOES_ON.match(self._text, closing.end, self._end)
        goes_on = behind is not None and (behind[1] is None or behind[1].islower())
        return first < opening.start or (goes_on and not self._small)

    def _trimmed(self, start: int, end: int) -> Span:
        """The span without what only stands around it, one character or mark after the other from both edges."""
        text, partners = self._text, self._partners
        while start < end:
            if text[start].isspace() or text[start] in "\ufe0f\u200d" or unicodedata.category(text[start]) == "So":
                start += 1
            elif text[end - 1].isspace():
                end -= 1
            elif partners.get(start, start) >= end:
                start += 1
            elif partners.get(end - 1, end - 1) < start:
                end -= 1
            elif text[start] in "*_" or text[end - 1] in "*_":
                trimmed = _without_emphasis(text, start, end)
                if trimmed == (start, end):
                    break
                start, end = trimmed
            else:
                break
        return start, end


def _without_emphasis(text: str, start: int, end: int) -> Span:
    """The span without a mark of emphasis at an edge whose partner lies outside."""
    for mark in _EMPHASIS:
        opens, closes = text.startswith(mark, start, end), text.endswith(mark, start, end)
        if (opens or closes) and text.count(mark, start, end) % 2:
            return (start + len(mark), end) if opens else (start, end - len(mark))
    return start, end


def read_tokens(text: str, start: int, end: int, counters: Sequence[Span] = ()) -> list[Token]:
    """The tokens of ``text[start:end]`` in order; what lies inside one of the ``counters`` is part of it.

    >>> [token.kind for token in read_tokens("It (or `a.b`) is.", 0, 17)]
    ['bracket', 'code', 'bracket', 'stop']
    """
    tokens = [Token(str(match.lastgroup), *match.span()) for match in _TOKEN.finditer(text, start, end)]
    if not counters:
        return tokens
    counted = [Token("counter", *span) for span in counters]
    inside = {place for first, last in counters for place in range(first, last)}
    return sorted([token for token in tokens if token.start not in inside] + counted, key=lambda token: token.start)


def pair_up(text: str, tokens: Sequence[Token]) -> Mapping[int, int]:
    """Which bracket or quotation mark belongs to which, both ways, by their places among the ``tokens``.

    >>> text = 'He (or "she") left).'
    >>> dict(pair_up(text, read_tokens(text, 0, len(text))))
    {1: 2, 2: 1, 0: 3, 3: 0}
    """
    pairs: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    count: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        if token.kind != "bracket":
            continue
        sign = text[token.start]
        closes = sign in _CLOSING or (sign in _STRAIGHT and not _only_opens(text, token.start))
        if closes and count[sign] > 0:
            while opened:
                awaited, place = opened.pop()
                count.subtract(awaited)
                if sign in awaited:
                    pairs[place], pairs[index] = index, place
                    break
        elif sign in _PARTNERS or (sign in _STRAIGHT and not _only_closes(text, token.start)):
            awaited = _PARTNERS.get(sign, sign)
            opened.append((awaited, index))
            count.update(awaited)
    return pairs


def _only_opens(text: str, place: int) -> bool:
    """Whether a straight quotation mark has space or a bracket before it and a word right behind."""
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    return (not before or before.isspace() or before in "([{") and bool(behind) and not behind.isspace()


def _only_closes(text: str, place: int) -> bool:
    """Whether a straight quotation mark has a word before it, or nothing behind."""
    before, behind = text[place - 1 : place], text[place + 1 : place + 2]
    return (not behind or behind.isspace()) and bool(before) and not before.isspace()


def _counters(text: str, start: int, end: int, number: int | None) -> list[Span]:
    """The numerals that count through ``text[start:end]`` from 1, or go on from ``number``, if they begin items."""
    runs: dict[tuple[bool, bool, str], list[tuple[int, Span]]] = {}
    for match in _COUNTER.finditer(text, start, end):
        value = int(match["number"]) if match["number"] else ord(match["letter"]) - ord("a") + 1
        style = (match["open"] is not None, match["letter"] is not None, match["close"])
        stopped = _is_stopped(text, start, match.start())
        if match["close"] == "." and not stopped:
            continue
        run = runs.setdefault(style, [])
        expected = run[-1][0] + 1 if run else None
        goes_on = number is not None and value == number + 1
        if value == expected or (not run and (goes_on or (stopped and value == 1))):
            run.append((value, match.span()))
    spans: list[Span] = []
    for run in runs.values():
        places = [span for _, span in run]
        if run and (len(run) > 1 or run[0][0] > 1) and _are_items(text, start, end, places, run[0][0] > 1):
            spans += places
    return sorted(spans)


def _are_items(text: str, start: int, end: int, places: Sequence[Span], goes_on: bool) -> bool:
    """Whether all numerals stand behind stops, or each has words enough for an item.

    With ``goes_on`` the text before the first numeral is an item too.
    """
    if all(_is_stopped(text, start, first) for first, _ in places):
        return True
    begins = [*([start] if goes_on else []), *(last for _, last in places)]
    ends = [first for first, _ in places[0 if goes_on else 1 :]] + [end]
    items = (text[first : min(last, first + 200)] for first, last in zip(begins, ends, strict=True))
    return all(len(item.split()) >= _FEWEST_WORDS for item in items)


def _is_stopped(text: str, start: int, place: int) -> bool:
    """Whether an item may begin at ``place``: behind a stop, or at the start."""
    before = text[max(start, place - 12) : place]
    return not before.strip() or _STOPPED.search(before) is not None
