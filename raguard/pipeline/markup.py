"""Of which tags and texts is a page made? Read once from front to end, whatever it is made of.

Python's own parser looks again and again for the end of what never ends, which a page of 100 KB makes a minute of, and
refuses some pages by an AssertionError.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from html import unescape
from typing import Literal, TypeAlias

__all__ = ["Piece", "read_markup"]

Piece: TypeAlias = tuple[Literal["start", "end", "text", "title"], str]
"""A tag's name in small letters, or a text with its entities resolved."""

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
_COMMENT_END = re.compile(r"--!?>")
_RAW_ENDS = {tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in ("script", "style", "iframe", "title")}
"""What holds no tags but the one that ends it."""
_DRAWINGS = frozenset({"svg", "math"})
"""What a tag that closes itself closes: ``<script/>`` opens a script."""
_DECLARATION = re.compile(r"<(?:[!?]|/(?![a-zA-Z]))")
_UNENDED = re.compile(r"</?[a-zA-Z]")
_LONG_NUMBER = re.compile(r"&#(\d{8,});?")


def read_markup(page: str) -> Iterator[Piece]:
    """The pieces of a page in order, without comments and declarations; no page is refused.

    What is within a script, a style or a frame is left out, all of the rest where it never ends. A comment or a title
    that never ends is none, and a tag that never ends is text, with all behind it.

    >>> list(read_markup("<p class='a>b'>1 &lt; 2 < 3<!-- no --></P>"))
    [('start', 'p'), ('text', '1 < 2 '), ('text', '<'), ('text', ' 3'), ('end', 'p')]
    """
    place, endless = 0, set[str]()
    while place < len(page):
        begun = page.find("<", place)
        if begun != place:
            begun = len(page) if begun < 0 else begun
            yield "text", _resolved(page[place:begun])
            place = begun
        elif tag := _TAG.match(page, place):
            place = yield from _read_tag(page, tag, endless)
        elif page.startswith("<!--", place):
            end = _end(page, "!--", _COMMENT_END, place + 2, endless)
            if end is None:
                yield "text", "<"
            place = place + 1 if end is None else end.end()
        elif _UNENDED.match(page, place) or (_DECLARATION.match(page, place) and page.find(">", place) < 0):
            yield "text", _resolved(page[place:])
            return
        elif _DECLARATION.match(page, place):
            place = page.find(">", place) + 1
        else:
            yield "text", "<"
            place += 1


def _end(page: str, name: str, end: re.Pattern[str], place: int, endless: set[str]) -> re.Match[str] | None:
    """The end of what has begun; of what never ends only the first is looked for."""
    found = None if name in endless else end.search(page, place)
    if found is None:
        endless.add(name)
    return found


def _read_tag(page: str, tag: re.Match[str], endless: set[str]) -> Generator[Piece, None, int]:
    """The pieces of a tag, with all that belongs to a raw one; returns where the next piece begins."""
    name, place = tag[2].lower(), tag.end()
    if tag[1]:
        yield "end", name
        return place
    if name in _RAW_ENDS:
        end = _end(page, name, _RAW_ENDS[name], place, endless)
        if end is None:
            return place if name == "title" else len(page)
        if name == "title":
            yield "title", _resolved(page[place : end.start()])
        return end.start()
    yield "start", name
    if name in _DRAWINGS and page[place - 2] == "/":
        yield "end", name
    return place


def _resolved(text: str) -> str:
    """A text with its entities resolved; of a number no more is read than tells that it is not a character's."""
    return unescape(_LONG_NUMBER.sub(lambda number: f"&#{number[1].lstrip('0')[:8] or 0};", text))
