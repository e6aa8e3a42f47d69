"""Which parts of Markdown must not be cut in two?

Wholes: what has a beginning and an end, such as code, a comment, a link, emphasis, a pair of tags, an address. They are
found as CommonMark and GFM define them, where that matters for a cut; what is taken for a whole and is none costs a
few words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from typing import NamedTuple

__all__ = ["Wholes"]

_FENCE = re.compile(
    r"^[ \t>]{0,60}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,9})?(?P<mark>`{3,60}|~{3,60})(?P<info>[^\n]*)$", re.M
)
_COMMENT = re.compile(r"^[ \t>]{0,60}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,9})?(?P<mark><!--|<\?|<!\[CDATA\[)", re.M)
_CLOSINGS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}
_LINE = re.compile(r"^(?P<indent>[ \t]*)(?P<rest>[^\n]*)", re.M)
_LIST_MARKS = re.compile(r"(?:(?:[-*+•‣◦–]|\d{1,9}[.)])[ \t]{1,9}){1,9}")
_CODE_INDENT = 4
_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "wbr"})

_TOKEN = re.compile(
    r"""
      \\[^\w\s]
    | (?<!`)(?P<ticks>`{1,60})(?!`) (?P<code>(?:[^\n]|\n(?![ \t]*\n)){1,1000}?) (?<!`)(?P=ticks)(?!`)
    | (?P<comment><!--|<\?|<!\[CDATA\[)
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


_BLOCK, _CODE, _LINK, _EMPHASIS = 4, 3, 2, 1


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
        self._fixed: list[bool] = []
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
                self._fixed.append(whole.weight >= _CODE or (len(path) > 0 and self._fixed[path[-1]]))
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

    def fixes(self, place: int) -> bool:
        """Whether ``place`` lies inside of code, a comment, a tag or an address, where marks are only signs."""
        inmost = self._inmost_at(place)
        return inmost is not None and self._fixed[inmost]

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


def _within(whole: _Whole, outer: _Whole) -> bool:
    return outer.inner <= whole.start and whole.end <= outer.outer


def _find(text: str) -> Iterator[_Whole]:
    """Every whole of a text; some may cross each other."""
    end = 0
    for block in _blocks(text):
        yield from _inline(text, end, block.start)
        yield block
        end = block.end
    yield from _inline(text, end, len(text))


def _blocks(text: str) -> Iterator[_Whole]:
    """Fenced and indented code, and comments that begin a line, in order; none begins within another."""
    lines = merge(_FENCE.finditer(text), _COMMENT.finditer(text), key=lambda line: line.start("mark"))
    indented = [*_indented_code(text)][::-1]
    end = 0
    for line in lines:
        start = line.start("mark")
        while indented and indented[-1].start < start:
            code = indented.pop()
            if code.start >= end:
                yield code
                end = code.end
        if start < end:
            continue
        if line.re is _COMMENT:
            block = _comment(text, start, line["mark"], len(text), _BLOCK)
        elif line["mark"][0] == "~" or "`" not in line["info"]:
            block = _fenced_code(text, line)
        else:
            continue
        yield block
        end = block.end
    yield from (code for code in reversed(indented) if code.start >= end)


def _fenced_code(text: str, opening: re.Match[str]) -> _Whole:
    """Fenced code, up to the end of the text when nothing closes it."""
    start, inner = opening.start("mark"), min(opening.end() + 1, len(text))
    for line in _FENCE.finditer(text, inner):
        if line["mark"].startswith(opening["mark"]) and not line["info"].strip():
            return _Whole(start, inner, line.start(), line.end(), _BLOCK)
    return _Whole(start, inner, len(text), len(text), _BLOCK)


def _comment(text: str, start: int, mark: str, stop: int, weight: int) -> _Whole:
    """A comment, an instruction or raw characters of HTML, up to ``stop`` when nothing closes it."""
    closing = _CLOSINGS[mark.upper()]
    inner = start + len(mark)
    # "<!-->" is whole
    outer = text.find(closing, start + 2, stop)
    return _Whole(start, inner, *((outer, outer + len(closing)) if outer >= 0 else (stop, stop)), weight)


def _indented_code(text: str) -> Iterator[_Whole]:
    """Lines behind a blank one that stand four columns deeper than the text, or the item, that they belong to."""
    start, end, content, blank = -1, -1, 0, True
    for line in _LINE.finditer(text):
        rest = line["rest"].rstrip()
        indent = len(line["indent"].expandtabs(_CODE_INDENT))
        if not rest:
            blank = True
            continue
        if indent >= content + _CODE_INDENT and (blank or start >= 0):
            start = start if start >= 0 else line.start("rest")
            end = line.start("rest") + len(rest)
        else:
            if start >= 0:
                yield _Whole(start, end, start, end, _BLOCK)
                start = -1
            mark = _LIST_MARKS.match(rest)
            if mark is not None:
                content = indent + mark.end()
            elif blank:
                content = min(content, indent)
        blank = False
    if start >= 0:
        yield _Whole(start, end, start, end, _BLOCK)


def _inline(text: str, start: int, end: int) -> Iterator[_Whole]:
    """The wholes inside of lines, from ``start`` to ``end``."""
    brackets: list[int] = []
    tags: dict[str, list[tuple[int, int]]] = {}
    opened: dict[str, list[_Opened]] = {}
    behind = start
    while match := _TOKEN.search(text, behind, end):
        first, behind = match.span()
        if match["comment"] is not None:
            comment = _comment(text, first, match["comment"], end, _CODE)
            yield comment
            behind = comment.end
        elif match["ticks"] is not None:
            yield _Whole(first, *match.span("code"), behind, _CODE)
        elif match["tag"] is not None:
            yield from _tag(match, tags)
        elif match["auto"] is not None or match["url"] is not None:
            yield _Whole(first, behind, first, behind, _CODE)
        elif match["open"] is not None:
            brackets.append(first)
        elif match["marks"] is not None:
            yield from _emphasis(text, first, behind, opened)
        elif match["border"] is not None:
            brackets.clear()
            opened.clear()
        elif text[first] == "]" and brackets:
            opening = brackets.pop()
            yield _Whole(opening, opening + (2 if text[opening] == "!" else 1), first, behind, _LINK)


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
