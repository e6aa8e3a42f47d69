"""Which lines and objects give values to names, as the rows of a table do? "Plan A: $10", [{"plan": "A", "price": 10}]

They are read as tables: a line has two cells and no header, an object has its keys for a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from raguard.reading.records import Field, by_key
from raguard.reading.tables import Cell, Table, is_value
from raguard.text.lines import lines_with

__all__ = ["find_listings", "find_records"]

_ITEM = re.compile(
    r"^[ \t]{0,12}(?:[-*•+]|\d{1,2}[.)])?[ \t]{0,4}(?P<label>[A-Za-z0-9][^:\n|]{0,60}?)[ \t]{0,4}(?::| -)[ \t]{1,4}"
    r"(?P<value>[^\n|:]{1,60})$",
    re.MULTILINE,
)
_NAMES = frozenset({"name", "title", "label", "id", "plan", "product", "item", "model", "tier", "region"})
_LONGEST_NAME = 60
_FEWEST = 2
_LONGEST_ITEM = 150
"""No line that ``_ITEM`` matches is longer."""


def find_listings(text: str) -> Iterator[Table]:
    """The runs of two lines or more that give a value to a name each.

    >>> [[cell.text for cell in row] for table in find_listings("- Plan A: $10\\n- Plan B: $20") for row in table.rows]
    [['Plan A', '$10'], ['Plan B', '$20']]
    """
    if "\n" not in text or (": " not in text and " - " not in text):
        return
    items = list(_items(text))
    if len(items) < _FEWEST:
        return
    run: list[re.Match[str]] = []
    for item in items:
        if not is_value(item["value"]) or item["value"].rstrip().endswith("."):
            continue
        if run and text[run[-1].end() : item.start()].strip():
            yield from _run(run)
            run = []
        run.append(item)
    yield from _run(run)


def _items(text: str) -> Iterator[re.Match[str]]:
    """The lines that give something to a name."""
    for start, end in sorted({*lines_with(text, ":"), *lines_with(text, " -")}):
        item = _ITEM.match(text, start) if end - start <= _LONGEST_ITEM else None
        if item is not None:
            yield item


def _run(items: Sequence[re.Match[str]]) -> Iterator[Table]:
    if len(items) >= _FEWEST:
        yield Table((), tuple((_cell(item, "label"), _cell(item, "value")) for item in items))


def _cell(item: re.Match[str], name: str) -> Cell:
    text = item[name].rstrip()
    return Cell(text, item.start(name), item.start(name) + len(text))


def find_records(text: str, fields: Sequence[Field]) -> Iterator[Table]:
    """The lists of objects that have the same keys, one of which names the object."""
    inside = [field for field in fields if field.record]
    naming = {field.keys for key, field in by_key(inside) if key in _NAMES}
    if not naming:
        return
    begins = [number for number, (one, two) in enumerate(pairwise(inside), 1) if one.record != two.record]
    groups: list[list[Sequence[Field]]] = []
    before: list[tuple[str, ...]] = []
    for start, end in pairwise([0, *begins, len(inside)]):
        keys = [field.keys for field in inside[start:end]]
        if keys != before:
            groups.append([])
            before = keys
        groups[-1].append(inside[start:end])
    for group in groups:
        label = next((number for number, field in enumerate(group[0]) if field.keys in naming), None)
        table = _records(text, group, label) if label is not None else None
        if table is not None:
            yield table


def _records(text: str, records: Sequence[Sequence[Field]], label: int) -> Table | None:
    """The rows of objects that have the same keys, of which the one at ``label`` names the object."""
    keys = [field.keys[-1] for field in records[0]]
    if any(len(str(record[label].value)) > _LONGEST_NAME for record in records) or len(keys) < 2:
        return None
    order = [label, *(number for number in range(len(keys)) if number != label)]
    header = tuple(Cell(keys[number].replace("_", " "), records[0][number].start, 0) for number in order)
    rows = tuple(
        tuple(Cell(text[record[n].start : record[n].end], record[n].start, record[n].end) for n in order)
        for record in records
    )
    return Table(header, rows)
