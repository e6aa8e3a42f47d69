"""Which lines are rows, items or fields, when every line is tried, and which fields has JSON, token by token?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from raguard.reading.listings import _ITEM, _LONGEST_NAME, _NAMES
from raguard.reading.records import _DEEPEST, _LINE, _STRING, _WORD, Field, read_scalar
from raguard.reading.tables import Table, _is_record, _table

_TOKEN = re.compile(rf"(?P<string>{_STRING})|(?P<mark>[{{}}\[\],])|(?P<word>{_WORD})", re.DOTALL)


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


def json_fields(text: str) -> Iterator[Field]:
    """The fields of the objects in ``text``."""
    opened: list[tuple[str, str, int]] = []
    count, key = 0, None
    for token in _TOKEN.finditer(text):
        outer = tuple(name for _, name, _ in opened[-_DEEPEST:] if name)
        in_object = bool(opened) and opened[-1][0] == "{"
        mark, written = token["mark"], token.group()
        if mark is None and in_object and key is None:
            key = written.strip("\"'")
        elif mark is None and opened:
            keys = (*outer, key) if in_object and key else outer
            quoted = int(token["string"] is not None)
            start, end = token.start() + quoted, token.end() - quoted
            if keys:
                yield Field(keys, read_scalar(text[start:end]), start, end, record=opened[-1][2] if in_object else 0)
        elif mark == ",":
            key = None if in_object else key
        elif mark is not None:
            if mark in "{[":
                count += 1
                opened.append((mark, key or "", count))
            elif opened:
                opened.pop()
            key = None


def record_groups(fields: Sequence[Field]) -> list[list[list[Field]]]:
    """The runs of objects that have the same keys, one of which names the object."""
    records = [list(group) for _, group in groupby((f for f in fields if f.record), key=lambda field: field.record)]
    alike = groupby(records, key=lambda record: tuple(field.keys for field in record))
    groups = [list(group) for _, group in alike]
    return [group for group in groups if len(group[0]) > 1 and _is_named(group)]


def _is_named(group: Sequence[Sequence[Field]]) -> bool:
    numbers = [number for number, field in enumerate(group[0]) if field.keys[-1].lower() in _NAMES]
    return bool(numbers) and all(len(str(record[numbers[0]].value)) <= _LONGEST_NAME for record in group)
