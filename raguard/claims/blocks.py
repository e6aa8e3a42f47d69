"""Which lines of an answer belong together, and which say nothing? Paragraphs, items, headings and rows of tables.

A paragraph that is broken over lines is one block. A line break ends a block where a reader would see one: before an
item, a heading, a row, a label, behind a colon, and behind a line that ends although the next word had room on it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from raguard.reading.tables import is_value
from raguard.text.blanks import Span
from raguard.text.fences import fenced

__all__ = ["Block", "find_blocks"]

_BREAK = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_QUOTED = re.compile(r"[ \t]{0,12}(?:>[ \t]{0,4}){1,12}")
_MARK = re.compile(
    r"""[ \t\u00a0]{0,60}
    (?: (?P<bullet>[-*+•◦‣▪▫●○■□–—·∙➢➤►▶✓✔✗✘☐☑☒])
      | \(?(?P<number>\d{1,3}|[A-Za-z](?=\))|[a-z](?=\.)|[ivx]{2,4})[.)]
      | (?P<letter>[A-H])\.
      | (?P<dress>\*\*|__)(?P<bold>\d{1,3})(?:[.)](?P=dress)|(?P=dress)[.)]) )
    [ \t\u00a0]{1,12} (?:\[[ xX]\][ \t\u00a0]{1,4})? (?=\S)""",
    re.VERBOSE,
)
_HEADING = re.compile(r"[ \t]{0,12}#{1,6}[ \t\u00a0]{1,12}")
_HEADING_END = re.compile(r"[ \t]#{1,20}[ \t]{0,8}$")
_BORDER = re.compile(r"[\s|:+=-]{3,}")
_LABEL = re.compile(r"(?:\*\*|__)?[^\W\d_a-z][^\n:|.!?]{0,40}(?::(?:\*\*|__)?|(?:\*\*|__):)[ \t\u00a0]{1,12}\S")
_BOLD_NUMERAL = re.compile(r"(?:\*\*|__)\d{1,3}[.)]")
_BOLD = re.compile(r"(?:\*\*|__)[^\n]{1,200}(?:\*\*:?|__:?)")
_ENDED = re.compile(r"""(?:[:：]["'”’)\]*_]{0,4}|(?<=\S)[ ]{2,8}|\\)$""")
_OPEN_END = re.compile(r"([^\W\d_]{1,20})$|[,(–—-]$")
_FIRST_WORD = re.compile(r"\S{1,40}")
_STARTS = re.compile(r"""["'“‘«(\[*_]{0,6}([^\W_])""")
_LETTER = re.compile(r"[^\W_]")
_ROOM = 0.75
"""A line was left early when it and the next word fill no more than this share of the paragraph's longest line."""


class Block(NamedTuple):
    """A span of prose; a ``whole`` one is one claim, whatever stops it holds; ``number`` is its item's numeral."""

    start: int
    end: int
    whole: bool = False
    number: int | None = None


class _Line(NamedTuple):
    """A line without its break; ``inner`` is where its text starts, behind marks of lists and quotations."""

    start: int
    inner: int
    end: int
    quoted: bool = False


def find_blocks(text: str, small_words: frozenset[str] = frozenset()) -> Iterator[Block]:
    """The blocks of an answer in order; behind one of the ``small_words`` (lower case) a line is never left early.

    >>> text = "# Plans\\n- It is\\n  new.\\n- It is cheap."
    >>> [text[block.start : block.end] for block in find_blocks(text)]
    ['Plans', 'It is\\n  new.', 'It is cheap.']
    """
    lines = list(_lines(text))
    rows = dict(_rows(text, lines))
    held: list[_Line] = []
    number: int | None = None
    counted: dict[int, int] = {}
    for index, line in enumerate(lines):
        heading = _HEADING.match(text, line.inner, line.end)
        mark = _mark(text, lines, index, held, counted.values())
        bare = _LETTER.search(text, line.inner, line.end) is None
        apart = index in rows or bare or mark is not None or heading is not None
        if held and (apart or line.quoted != held[-1].quoted):
            yield from _paragraphs(text, held, number, small_words)
            held, number = [], None
        if index in rows:
            row = rows[index]
            if row is not None:
                yield Block(*row, whole=True)
        elif heading is not None:
            closing = _HEADING_END.search(text, max(heading.end(), line.end - 28), line.end)
            yield Block(heading.end(), closing.start() if closing else line.end, whole=True)
        elif mark is not None:
            held, number = [line._replace(inner=_behind(text, mark, line.end))], _value(mark)
            if number is not None:
                counted[mark.end() - line.start] = number
        elif not bare:
            if not held:
                counted.clear()
            held.append(line)
    if held:
        yield from _paragraphs(text, held, number, small_words)


def _lines(text: str) -> Iterator[_Line]:
    """The lines of the text, those of fenced code, and fences around prose, as empty ones."""
    code = fenced(text)
    start = current = 0
    for end, following in [*(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))]:
        while current < len(code) and code[current].end <= start:
            current += 1
        if current < len(code) and code[current].start <= start:
            yield _Line(start, end, end)
        else:
            if current < len(code):
                # behind the mark of an item
                end = min(end, code[current].start)
            quoted = _QUOTED.match(text, start, end)
            yield _Line(start, quoted.end() if quoted else start, end, quoted is not None)
        start = following


def _mark(
    text: str, lines: Sequence[_Line], index: int, held: Sequence[_Line], counted: Collection[int]
) -> re.Match[str] | None:
    """The mark with which a line begins an item; none where a paragraph is only broken before a number or a dash.

    ``counted`` are the numerals of the items before, the last one of each indentation.
    """
    line = lines[index]
    mark = _MARK.match(text, line.inner, line.end)
    if mark is not None and mark["letter"]:
        # an initial unless the next line, or the item before, goes on counting
        following = f"{chr(ord(mark['letter']) + 1)}."
        goes_on = index + 1 < len(lines) and text.startswith(following, lines[index + 1].inner)
        return mark if goes_on or _value(mark) in {number + 1 for number in counted} else None
    if mark is None or not held:
        return mark
    value = _value(mark)
    previous = text[held[-1].inner : held[-1].end].rstrip()
    numeral = _numeral(mark)
    if numeral is not None:
        follows = value is not None and (value == 1 or value - 1 in counted)
        return mark if follows or previous[-1:] in ".:;!?" or not numeral.isdigit() else None
    is_dash = mark["bullet"] in "–—" and text[mark.end()].islower() and previous[-1:] not in ".:;!?"
    return None if is_dash else mark


def _behind(text: str, mark: re.Match[str], end: int) -> int:
    """Where an item's text begins: behind its mark, and behind one more as in "- 1. Open the lid"."""
    more = _MARK.match(text, mark.end(), end)
    return mark.end() if more is None or more["letter"] else more.end()


def _numeral(mark: re.Match[str]) -> str | None:
    numeral = mark["number"] or mark["bold"] or mark["letter"]
    return str(numeral) if numeral else None


def _value(mark: re.Match[str]) -> int | None:
    """The number that an item's numeral or letter stands for."""
    numeral = _numeral(mark)
    if numeral is None:
        return None
    if numeral.isdigit():
        return int(numeral)
    return ord(numeral.lower()) - ord("a") + 1 if len(numeral) == 1 else None


def _rows(text: str, lines: Sequence[_Line]) -> Iterator[tuple[int, Span | None]]:
    """The lines that are rows of tables, each with its span, or None where it only heads or borders a table."""
    run: list[int] = []
    going_on = ("", False)
    for index, line in enumerate((*lines, _Line(0, 0, 0))):
        inside = text[line.inner : line.end].strip()
        separator = "|" if "|" in inside else "\t" if "\t" in inside else ""
        if run and (separator, line.quoted) != going_on:
            yield from _table(text, lines, run, going_on[0])
            run = []
        if separator:
            run.append(index)
        going_on = (separator, line.quoted)


def _table(text: str, lines: Sequence[_Line], run: Sequence[int], separator: str) -> Iterator[tuple[int, Span | None]]:
    inside = [text[lines[index].inner : lines[index].end].strip() for index in run]
    if len(run) == 1 and not (separator == "|" and inside[0][0] == inside[0][-1] == "|" and len(inside[0]) > 2):
        return
    borders = [place for place, row in enumerate(inside) if _BORDER.fullmatch(row)]
    heads = borders[0] if borders else int(_is_header(inside, separator))
    for place, index in enumerate(run):
        start, end = lines[index].inner, lines[index].end
        bare = text[start:end].lstrip(" \t|")
        start = end - len(bare)
        end = start + len(bare.rstrip(" \t|"))
        silent = place < heads or place in borders or _LETTER.search(text, start, end) is None
        yield index, None if silent else (start, end)


def _is_header(rows: Sequence[str], separator: str) -> bool:
    """Whether the first row names columns: it has no value, and all others have one."""
    cells = [[cell for cell in row.split(separator) if cell.strip()] for row in rows]
    return len(cells) > 1 and not any(map(is_value, cells[0])) and all(any(map(is_value, row)) for row in cells[1:])


def _paragraphs(text: str, lines: Sequence[_Line], number: int | None, small_words: frozenset[str]) -> Iterator[Block]:
    """The lines as one block, or as several where lines were broken on purpose."""
    widest = max(line.end - line.start for line in lines)
    start = lines[0].inner
    for line, following in pairwise(lines):
        if _is_parted(text, line, following, widest, small_words):
            yield Block(start, line.end, number=number)
            start, number = following.inner, None
    yield Block(start, lines[-1].end, number=number)


def _is_parted(text: str, line: _Line, following: _Line, widest: int, small_words: frozenset[str]) -> bool:
    first, second = text[line.inner : line.end].strip(), text[following.inner : following.end].strip()
    if _ENDED.search(text, max(line.inner, line.end - 12), line.end):
        return True
    if _LABEL.match(second) and _LABEL.match(first):
        return True
    if unicodedata.category(second[0]) == "So" or _BOLD_NUMERAL.match(second):
        return True
    if _BOLD.fullmatch(first) or _BOLD.fullmatch(second):
        return True
    begins, open_end = _STARTS.match(second), _OPEN_END.search(first, max(0, len(first) - 21))
    if begins is None or begins[1].islower() or (open_end and (not open_end[1] or open_end[1].lower() in small_words)):
        return False
    word = _FIRST_WORD.match(second)
    return line.end - line.start + 1 + (word.end() if word else 0) <= _ROOM * widest
