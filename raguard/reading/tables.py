"""Which tables does a text hold? Rows of cells with their places, and the header row when there is one.

Lines with bars, tabs or the same number of commas make a table. A part of a table whose header row stands elsewhere has
no header here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

__all__ = ["Cell", "Table", "find_tables", "is_value", "split_row"]

_RULE_ROW = re.compile(r"^[\s|:+=-]*$")
_YEAR = re.compile(r"(?:FY|Q[1-4])?\W{0,2}(?:19|20)\d\d\W{0,2}")
_LABEL_NUMBER = re.compile(r"\b[A-Za-z]{1,9}[ -]?\d{1,2}\b")
_SAYS = frozenset({"yes", "no", "true", "false", "✓", "✔", "✗", "✘", "✅", "❌", "n/a", "none", "-"})
_COMMAS = re.compile(r'(?:^|,)\s{0,4}(?P<cell>"[^"\n]{0,400}"|[^,\n]*)')
_STOPS = ".:;,"
"""What a line of prose ends with, and no row parted by commas."""
_LONGEST_CELL = 60
_FEWEST_WITH_COMMAS = 3
"""Prose has lines with commas too: a header and two rows at least, all with as many commas."""


class Cell(NamedTuple):
    """The text of one cell and its place."""

    text: str
    start: int
    end: int


Row = tuple[Cell, ...]


class Table(NamedTuple):
    """The rows of one table; ``header`` is None where the text begins in the middle of the table, and empty where the
    rows need none."""

    header: Row | None
    rows: tuple[Row, ...]

    @property
    def start(self) -> int:
        """Where the first cell stands."""
        return (self.header or self.rows[0])[0].start

    @property
    def end(self) -> int:
        """Where the last cell ends."""
        return (self.rows[-1] if self.rows else self.header or ())[-1].end

    @property
    def width(self) -> int:
        """How many columns the widest row has."""
        return max(len(row) for row in (*self.rows, self.header or ()))


def is_value(cell: str) -> bool:
    """Whether a cell holds a value rather than a name.

    >>> [is_value(cell) for cell in ("$10", "Yes", "Plan A", "2019", "Tier 2")]
    [True, True, False, False, False]
    """
    bare = cell.strip()
    if bare.lower() in _SAYS:
        return True
    if not _has_digit(bare) or _YEAR.fullmatch(bare):
        return False
    return _has_digit(_LABEL_NUMBER.sub("", bare))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def find_tables(text: str) -> Iterator[Table]:
    """The tables of ``text`` in order.

    >>> [(table.header[1].text, len(table.rows)) for table in find_tables("Plan | Price\\nA | $10\\nB | $20")]
    [('Price', 2)]
    """
    for separator, lines in _runs(text):
        table = _table(separator, lines)
        if table is not None:
            yield table


def _runs(text: str) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The runs of lines whose cells the same thing parts, each line with its place: a bar, a tab or so many commas."""
    barred = "|" in text or "\t" in text
    if not barred and text.count("\n") < _FEWEST_WITH_COMMAS - 1:
        return
    lines = text.split("\n")
    parted = [
        number
        for number, line in enumerate(lines)
        if ("," in line and line[-1] not in _STOPS) or (barred and ("|" in line or "\t" in line))
    ]
    if not barred and not any(last - first == 2 for first, last in zip(parted, parted[2:], strict=False)):
        # commas part the cells of three lines in a row at least
        return
    places = list(accumulate(map(len, lines), initial=0))
    run: list[tuple[str, int]] = []
    going_on = ("", 0)
    for number in parted:
        separator = _separator(lines[number])
        if run and (separator, number) != going_on:
            yield going_on[0], run
            run = []
        if separator:
            run.append((lines[number], places[number] + number))
        going_on = (separator, number + 1)
    if run:
        yield going_on[0], run


def _separator(line: str) -> str:
    """What parts the cells of a line; nothing where it has none."""
    if "|" in line:
        return "|"
    if "\t" in line.strip():
        return "\t"
    commas = line.count(",")
    return f"{commas}," if commas and _is_record(line) else ""


def _is_record(line: str) -> bool:
    """Whether a line with commas may be a row: short cells, no sentence."""
    bare = line.strip()
    return len(bare) < _LONGEST_CELL * (line.count(",") + 1) and bare[-1:] not in _STOPS and ". " not in bare


def _table(separator: str, lines: Sequence[tuple[str, int]]) -> Table | None:
    fewest = _FEWEST_WITH_COMMAS if separator.endswith(",") else 1
    if len(lines) < fewest:
        return None
    rows = [(line, place) for line, place in lines if not _RULE_ROW.match(line)]
    if len(rows) < fewest:
        return None
    rule = next((number for number, (line, _) in enumerate(lines) if _RULE_ROW.match(line)), 0)
    cells = [row for row in _rows(rows, separator[-1]) if row]
    if not cells or max(map(len, cells)) < 2:
        return None
    top = rule if 0 < rule < len(cells) + 1 else _headers(cells)
    if separator.endswith(",") and (top != 1 or not all(cell.text for cell in cells[0])):
        return None
    header = max(cells[:top], key=_filled, default=None)
    return Table(header, tuple(cells[top:])) if cells[top:] or separator == "|" else None


def _rows(lines: Sequence[tuple[str, int]], separator: str) -> Iterator[Row]:
    bare = [line.strip() for line, _ in lines]
    left = separator == "|" and all(line.startswith("|") for line in bare)
    right = separator == "|" and all(line.endswith("|") for line in bare)
    for line, place in lines:
        begin = line.index("|") + 1 if left else 0
        end = line.rindex("|") if right else len(line)
        yield split_row(line[begin : max(begin, end)], place + begin, separator)


def split_row(line: str, place: int, separator: str) -> Row:
    """The cells of a line that begins at ``place``; commas inside quotation marks part nothing."""
    if separator == "," and '"' in line:
        parts = [match.span("cell") for match in _COMMAS.finditer(line)]
    else:
        parts, done = [], 0
        for part in line.split(separator):
            parts.append((done, done + len(part)))
            done += len(part) + 1
    return tuple(_cell(line, start, end, place) for start, end in parts)


def _cell(line: str, start: int, end: int, place: int) -> Cell:
    text = line[start:end].strip(' "')
    begin = place + start + (line[start:end].find(text) if text else 0)
    return Cell(text, begin, begin + len(text))


def _headers(rows: Sequence[Row]) -> int:
    """How many rows at the top are headers: those without a label, else one that holds no value as those below do."""
    top = 0
    while top < len(rows) and not rows[top][0].text:
        top += 1
    if top:
        return top
    below = any(is_value(cell.text) for row in rows[1:] for cell in row[1:])
    return 1 if below and not any(is_value(cell.text) for cell in rows[0][1:]) else 0


def _filled(row: Row) -> tuple[int, int]:
    """How specific a header row is: the one with the most filled cells, of these the lowest."""
    return sum(bool(cell.text) for cell in row), row[0].start
