"""Which parts of Markdown must not be cut in two, and which marks must stay when the words around them go?

A *whole* is what has a beginning and an end: code, a link, emphasis, a pair of tags, an address. A *seam* is what
orders the text and says nothing: the mark of an item or a heading, the borders of a table's cells. Both are found as
CommonMark and GFM define them, where that matters for a cut; what is taken for a whole and is none costs a few words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Seam", "Wholes", "find_seams"]

_FENCE = re.compile(
    r"^[ \t>]{0,60}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,9})?(?P<mark>`{3,60}|~{3,60})(?P<info>[^\n]*)$", re.M
)
_ITEM = re.compile(
    r"^[ \t>]{0,60}(?:(?:(?:[-*+•‣◦–]|\d{1,9}[.)])[ \t]{1,9}){1,9}(?:\[[ xX]\][ \t]{1,9})?|\#{1,6}[ \t]{1,9})", re.M
)
_LINE = re.compile(r"[^\n]+")
_RULE_ROW = re.compile(
    r"[ \t>]{0,60}\|?[ \t]{0,60}:?-{1,200}:?[ \t]{0,60}(?:\|[ \t]{0,60}:?-{1,200}:?[ \t]{0,60}){0,200}\|?[ \t]*"
)
_PIPE = re.compile(r"(?<!\\)\|")
_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr"})

_TOKEN = re.compile(
    r"""
      \\[^\w\s]
    | (?<!`)(?P<ticks>`{1,60})(?!`) (?P<code>(?:[^\n]|\n(?![ \t]*\n)){1,1000}?) (?<!`)(?P=ticks)(?!`)
    | (?P<tag><(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9]{0,20})(?:[\s/][^<>\n]{0,1000})?>)
    | (?P<auto><[A-Za-z][^<>\s]{0,1000}>)
    | (?P<open>!?\[)
    | \](?P<target>\([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200}){0,9}\)|\[[^][\n]{0,200}\])?
    | (?P<url>(?:\bhttps?://|\bwww\.)(?:[^\s<>()"`\]]|\([^\s<>()"`\]]{0,200}\)){1,2000}(?<![.,;:!?'*_]))
    | (?P<marks>\*{1,60}|_{1,60}|~{2,60})
    | (?P<border>\n(?=[ \t]*(?:\n|$)) | \n(?=[ \t>]{0,60}(?:[-*+•‣◦–]|\d{1,9}[.)]|\#{1,6})[ \t]))
    """,
    re.VERBOSE | re.IGNORECASE,
)


class _Whole(NamedTuple):
    """``text[start:end]``, which may be cut only within ``text[inner:outer]``; nowhere when that is turned around."""

    start: int
    inner: int
    outer: int
    end: int
    weight: int
    """Of two that cross, the lighter one is none."""


_CODE, _LINK, _EMPHASIS = 3, 2, 1


class Seam(NamedTuple):
    """``text[start:end]`` stays when what stands around it goes; a ``parting`` one lies between two passages."""

    start: int
    end: int
    parting: bool


@dataclass(slots=True)
class _Opened:
    """The marks of an emphasis that was opened and not yet closed."""

    start: int
    end: int


class Wholes:
    """The wholes of a text, one within the other.

    >>> text = "It is **in *Paris*, France** and [cheap](https://a.b/c)."
    >>> start, end = Wholes(text).around(text.index("Paris"), text.index("France"))
    >>> text[start:end]
    '*Paris*, '
    """

    def __init__(self, text: str) -> None:
        kept: list[_Whole] = []
        self._parents: list[int | None] = []
        path: list[int] = []
        dropped: set[int] = set()
        for whole in sorted(_find(text), key=lambda whole: (whole.start, -whole.end, -whole.weight)):
            while path and kept[path[-1]].end <= whole.start:
                path.pop()
            while path and kept[path[-1]].end < whole.end and kept[path[-1]].weight < whole.weight:
                dropped.add(path.pop())
            if path and not _within(whole, kept[path[-1]]):
                continue
            path.append(len(kept))
            kept.append(whole)
        self._kept = [whole for index, whole in enumerate(kept) if index not in dropped]
        self._nest(text)

    def _nest(self, text: str) -> None:
        """Keeps for each stretch between two borders the innermost whole, and for each whole the one around it."""
        self._parents = []
        self._depths: list[int] = []
        self._places: list[int] = [-1]
        self._inmost: list[int | None] = [None]
        path: list[int] = []
        for index, whole in enumerate([*self._kept, _Whole(len(text) + 1, 0, 0, 0, 0)]):
            while path and self._kept[path[-1]].end <= whole.start:
                closed = path.pop()
                self._note(self._kept[closed].end, path[-1] if path else None)
            if index < len(self._kept):
                self._parents.append(path[-1] if path else None)
                self._depths.append(len(path))
                path.append(index)
                self._note(whole.start, index)

    def _note(self, place: int, inmost: int | None) -> None:
        if self._places[-1] == place:
            self._inmost[-1] = inmost
        else:
            self._places.append(place)
            self._inmost.append(inmost)

    def around(self, start: int, end: int) -> tuple[int, int]:
        """The smallest span around ``text[start:end]`` that cuts no whole in two."""
        while True:
            first, last = self._inmost_at(start), self._inmost_at(end)
            if first is not None and not self._kept[first].inner <= start <= self._kept[first].outer:
                start = self._kept[first].start
            elif last is not None and not self._kept[last].inner <= end <= self._kept[last].outer:
                end = self._kept[last].end
            elif first == last:
                return start, end
            elif last is None or (first is not None and self._depths[first] >= self._depths[last]):
                start = self._kept[first].start if first is not None else start
            else:
                end = self._kept[last].end

    def holds(self, place: int) -> bool:
        """Whether ``place`` lies inside of a whole."""
        return self._inmost_at(place) is not None

    def _inmost_at(self, place: int) -> int | None:
        """The innermost whole that begins before ``place`` and ends behind it."""
        before = self._inmost[bisect_left(self._places, place) - 1]
        behind = self._inmost[bisect_right(self._places, place) - 1]
        while before != behind:
            depth_before = -1 if before is None else self._depths[before]
            depth_behind = -1 if behind is None else self._depths[behind]
            if before is not None and depth_before >= depth_behind:
                before = self._parents[before]
            elif behind is not None:
                behind = self._parents[behind]
        return before


def find_seams(text: str, wholes: Wholes) -> list[Seam]:
    """The seams of a text, in order, that lie in no whole.

    >>> text = "- Paris\\n- Rome"
    >>> [text[seam.start : seam.end] for seam in find_seams(text, Wholes(text))]
    ['- ', '- ']
    """
    seams = [Seam(*match.span(), True) for match in _ITEM.finditer(text)]
    seams += _table_seams(text)
    return sorted({seam for seam in seams if not wholes.holds(seam.start) and not wholes.holds(seam.end)})


def _table_seams(text: str) -> Iterator[Seam]:
    """The borders of the cells and rows of tables, and the rows that rule off a header."""
    lines = [match.span() for match in _LINE.finditer(text)]
    in_table = False
    for place, (start, end) in enumerate(lines):
        line = text[start:end]
        joined = place > 0 and lines[place - 1][1] == start - 1
        in_table = in_table and joined and "|" in line
        rules = "|" in line and _RULE_ROW.fullmatch(line) is not None
        bare = line.strip()
        follows = text[lines[place + 1][0] : lines[place + 1][1]] if place + 1 < len(lines) else ""
        heads = "|" in line and "|" in follows and _RULE_ROW.fullmatch(follows) is not None
        if not (rules or heads or in_table or (len(bare) > 1 and bare.startswith("|") and bare.endswith("|"))):
            continue
        in_table = True
        if start > 0:
            yield Seam(start - 1, start, True)
        if rules:
            yield Seam(start, end, True)
        else:
            for match in _PIPE.finditer(text, start, end):
                yield Seam(*match.span(), False)
        if end < len(text):
            yield Seam(end, end + 1, True)


def _within(whole: _Whole, outer: _Whole) -> bool:
    return outer.inner <= whole.start and whole.end <= outer.outer


def _find(text: str) -> Iterator[_Whole]:
    """Every whole of a text; some may cross each other."""
    end = 0
    for fence in _fences(text):
        yield from _inline(text, end, fence.start)
        yield fence
        end = fence.end
    yield from _inline(text, end, len(text))


def _fences(text: str) -> Iterator[_Whole]:
    """Fenced code, up to the end of the text when nothing closes it."""
    opening: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        mark, info = line["mark"], line["info"]
        if opening is None:
            if mark[0] == "~" or "`" not in info:
                opening = line
        elif mark.startswith(opening["mark"]) and not info.strip():
            yield _Whole(opening.start("mark"), opening.end() + 1, line.start(), line.end(), _CODE)
            opening = None
    if opening is not None:
        yield _Whole(opening.start("mark"), min(opening.end() + 1, len(text)), len(text), len(text), _CODE)


def _inline(text: str, start: int, end: int) -> Iterator[_Whole]:
    """The wholes inside of lines, from ``start`` to ``end``."""
    brackets: list[int] = []
    tags: dict[str, list[tuple[int, int]]] = {}
    opened: dict[str, list[_Opened]] = {}
    for match in _TOKEN.finditer(text, start, end):
        first, last = match.span()
        if match["ticks"] is not None:
            yield _Whole(first, *match.span("code"), last, _CODE)
        elif match["tag"] is not None:
            yield from _tag(match, tags)
        elif match["auto"] is not None or match["url"] is not None:
            yield _Whole(first, last, first, last, _CODE)
        elif match["open"] is not None:
            brackets.append(first)
        elif match["marks"] is not None:
            yield from _emphasis(text, first, last, opened)
        elif match["border"] is not None:
            brackets.clear()
            opened.clear()
        elif text[first] == "]" and brackets:
            opening = brackets.pop()
            yield _Whole(opening, opening + (2 if text[opening] == "!" else 1), first, last, _LINK)


def _tag(match: re.Match[str], tags: dict[str, list[tuple[int, int]]]) -> Iterator[_Whole]:
    """A tag, which is never cut, and all from the tag that it closes."""
    first, last = match.span()
    name = match["name"].lower()
    yield _Whole(first, last, first, last, _CODE)
    if match["slash"] and tags.get(name):
        opening, inner = tags[name].pop()
        yield _Whole(opening, inner, first, last, _LINK)
    elif not match["slash"] and name not in _VOID and not match["tag"].endswith("/>"):
        tags.setdefault(name, []).append((first, last))


def _emphasis(text: str, start: int, end: int, opened: dict[str, list[_Opened]]) -> Iterator[_Whole]:
    """What the marks ``text[start:end]`` close; what is left of them may open another."""
    mark = text[start]
    opens, closes = _flanks(text, start, end)
    own = opened.setdefault(mark, [])
    while closes and own and start < end:
        opening = own[-1]
        count = 1 if mark != "~" and (opening.end - opening.start < 2 or end - start < 2) else 2
        yield _Whole(opening.end - count, opening.end, start, start + count, _EMPHASIS)
        opening.end -= count
        start += count
        if opening.end <= opening.start:
            own.pop()
        for others in opened.values():
            while others and others[-1].start > opening.start:
                others.pop()
    if opens and start < end:
        own.append(_Opened(start, end))


def _flanks(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether marks can open and can close an emphasis (CommonMark 0.31, section 6.2)."""
    before = text[start - 1] if start else " "
    behind = text[end] if end < len(text) else " "
    left = not behind.isspace() and (behind.isalnum() or not before.isalnum())
    right = not before.isspace() and (before.isalnum() or not behind.isalnum())
    if text[start] != "_":
        return left, right
    return left and (not right or not before.isalnum()), right and (not left or not behind.isalnum())
