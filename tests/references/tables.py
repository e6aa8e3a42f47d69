"""Which lines are rows, items or fields, when every line is tried?"""

from __future__ import annotations

import re
from itertools import groupby

from raguard.reading.listings import _ITEM
from raguard.reading.records import _LINE
from raguard.reading.tables import Table, _is_record, _table


def runs(text: str) -> list[tuple[str, list[tuple[str, int]]]]:
    """The runs of lines whose cells the same thing parts."""
    lines, place = [], 0
    for line in text.split("\n"):
        lines.append((_separator(line), line, place))
        place += len(line) + 1
    grouped = ((separator, list(run)) for separator, run in groupby(lines, key=lambda each: each[0]))
    return [(separator, [(line, place) for _, line, place in run]) for separator, run in grouped if separator]


def tables(text: str) -> list[Table]:
    """The tables of ``text``."""
    found = (_table(separator, lines) for separator, lines in runs(text))
    return [table for table in found if table is not None]


def _separator(line: str) -> str:
    if "|" in line:
        return "|"
    if "\t" in line.strip():
        return "\t"
    commas = line.count(",")
    return f"{commas}," if commas and _is_record(line) else ""


def items(text: str) -> list[re.Match[str]]:
    """The lines that give something to a name."""
    return list(_ITEM.finditer(text))


def key_lines(text: str) -> list[tuple[int, int]]:
    """Where the lines of a key and a value stand, and those of a key alone."""
    return [match.span() for match in _LINE.finditer(text)]
