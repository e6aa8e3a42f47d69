"""Which parts of Markdown must stay when the words around them go? Seams: what orders a text and says nothing.

The mark of an item, a heading or a quotation, the line under a heading, the end of a heading, blank lines, and the
borders of a table's cells. Text on both sides of a *parting* seam lies in two blocks, which a cut must not join.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from raguard.claims.markdown import Wholes

__all__ = ["Seam", "find_seams", "stretches"]

_ITEM = re.compile(
    r"^[ \t>]{0,60}(?:(?:(?:[-*+•‣◦–]|\d{1,9}[.)])[ \t]{1,9}){1,9}(?:\[[ xX]\][ \t]{1,9})?|\#{1,6}[ \t]{1,9})", re.M
)
_HEADING_END = re.compile(
    r"^[ \t>]{0,60}(?:(?:[-*+•‣◦–]|\d{1,9}[.)])[ \t]{1,9}){0,9}\#{1,6}(?:[ \t][^\n]*|\r?)(?P<end>\n)", re.M
)
_BLANK = re.compile(r"\n(?:[ \t>\r]{0,200}\n){1,1000}[ \t>]{0,60}")
_RULE = re.compile(
    r"^[ \t>]{0,60}(?:={1,200}|-{1,200}|\*{3,200}|_{3,200}|(?:[-*_][ \t]{1,9}){2,99}[-*_])[ \t]{0,60}\r?$", re.M
)
_QUOTED = re.compile(r"^[ \t]{0,60}>[ \t>]{0,60}", re.M)
_LINE = re.compile(r"[^\n]+")
_RULE_ROW = re.compile(
    r"[ \t>]{0,60}\|?[ \t]{0,60}:?-{1,200}:?[ \t]{0,60}(?:\|[ \t]{0,60}:?-{1,200}:?[ \t]{0,60}){0,200}\|?[ \t]*"
)
_PIPE = re.compile(r"(?<!\\)\|")


class Seam(NamedTuple):
    """``text[start:end]`` stays when what stands around it goes; a ``parting`` one lies between two passages."""

    start: int
    end: int
    parting: bool


def find_seams(text: str, wholes: Wholes) -> list[Seam]:
    """The seams of a text, in order and none overlapping, that lie in no code or address.

    >>> text = "- Paris\\n\\n- Rome"
    >>> [text[seam.start : seam.end] for seam in find_seams(text, Wholes(text))]
    ['- ', '\\n\\n', '- ']
    """
    found = [Seam(*match.span(), True) for pattern in (_ITEM, _BLANK, _RULE) for match in pattern.finditer(text)]
    found += (Seam(*match.span("end"), True) for match in _HEADING_END.finditer(text))
    found += _quotation_seams(text)
    found += _table_seams(text)
    seams: list[Seam] = []
    for seam in sorted(found):
        if wholes.fixes(seam.start) or wholes.fixes(seam.end):
            continue
        if seams and seam.start < seams[-1].end:
            last = seams.pop()
            seam = Seam(last.start, max(last.end, seam.end), last.parting or seam.parting)
        seams.append(seam)
    return seams


def stretches(start: int, end: int, seams: Sequence[Seam]) -> tuple[list[tuple[int, int]], bool]:
    """The spans of ``text[start:end]`` between its seams, and whether one of these is parting.

    ``seams`` are in order, and none overlap.

    >>> stretches(0, 10, [Seam(2, 4, False), Seam(8, 12, False)])
    ([(0, 2), (4, 8), (10, 10)], False)
    """
    first = bisect_right(seams, start, key=lambda seam: seam.end)
    within = seams[first : bisect_left(seams, end, lo=first, key=lambda seam: seam.start)]
    inner = ((max(seam.start, start), min(seam.end, end)) for seam in within)
    borders = [start, *chain.from_iterable(inner), end]
    return list(zip(borders[::2], borders[1::2], strict=True)), any(seam.parting for seam in within)


def _quotation_seams(text: str) -> Iterator[Seam]:
    """The marks with which a quotation begins: of lines that stand deeper in quotations than the line before."""
    before, depth = -1, 0
    for match in _QUOTED.finditer(text):
        follows = match.start() == before + 1
        deeper = match[0].count(">") > (depth if follows else 0)
        if deeper:
            yield Seam(*match.span(), True)
        before = text.find("\n", match.end())
        depth = match[0].count(">")
        if before < 0:
            return


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
