"""Which fields does a document hold when it is a record: JSON, key-and-value lines, a table?

Every reader here is tolerant: a record may stand in the middle of prose and be cut off anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from raguard.reading.tables import Table
from raguard.text.lines import lines_with

__all__ = ["Field", "Scalar", "by_key", "find_fields", "read_scalar"]

Scalar = bool | float | str | None

_STRING = r"""(?<!\\)"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[{\[,:\s])'[^'\\\n]*(?:\\.[^'\\\n]*)*'(?=\s*[:,}\]])"""
_WORD = r"(?<![\w.])(?:true|false|null|None|True|False|-?\d[\d.]*)(?![\w.])"
_TOKEN = re.compile(
    rf"""(?P<string>{_STRING})(?:\s{{0,9}}:\s{{0,9}}(?P<value>{_STRING}|{_WORD})(?P<parted>\s{{0,9}},)?)?
      | (?P<mark>[{{}}\[\],])
      | (?P<word>{_WORD})""",
    re.VERBOSE | re.DOTALL,
)
"""A pair of a string and a value is one token, with the comma behind it."""
_OUTSIDE = re.compile(
    r"""["'{\[](?:(?<=[{\[])|(?<=")(?<!\\")[^"\\]*(?:\\.[^"\\]*)*"|"""
    r"""(?<=[{\[,:\s]')[^'\\\n]*(?:\\.[^'\\\n]*)*'(?=\s*[:,}\]]))""",
    re.DOTALL,
)
"""What begins an object or a list, or a string, which may hold such a sign; it begins with a set of characters."""
_LINE = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*•][ \t]{1,4})?(?P<key>[A-Za-z][\w /()&'.-]{0,40}?)[ \t]*:"
    r"(?:[ \t]+(?P<value>\S.*)|[ \t]*)$",
    re.MULTILINE,
)
_BEHIND_KEYS = ('":', '" :', "':")
_LONGEST_KEY = 46
"""No key that ``_LINE`` matches is longer, with the mark of an item before it."""
_DEEPEST = 12
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("true", "yes", "y"), True),
    **dict.fromkeys(("false", "no", "n"), False),
    **dict.fromkeys(("null", "none", "n/a", "nil"), None),
}
_LONGEST_WORD = max(map(len, _WORDS))
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,10})?")
_LONGEST_NUMBER = 27


class Field(NamedTuple):
    """One field of a record: the keys that lead to it from the outside in, its value, and where the value stands."""

    keys: tuple[str, ...]
    value: Scalar
    start: int
    end: int
    cell: bool = False
    """Whether it is a cell of a table, which belongs to its row as much as to its column."""
    record: int = 0
    """Which of the text's objects holds it, counted from 1; 0 for a field of no object."""


def read_scalar(text: str) -> Scalar:
    """What a bare value of a record means.

    >>> read_scalar("yes"), read_scalar("N/A"), read_scalar("4.5"), read_scalar("free")
    (True, None, 4.5, 'free')
    """
    bare = text.strip()
    length = len(bare)
    if length > _LONGEST_NUMBER:
        return bare
    word = bare.lower() if length <= _LONGEST_WORD else ""
    if word in _WORDS:
        return _WORDS[word]
    return float(bare) if bare[-1:].isdecimal() and _NUMBER.fullmatch(bare) else bare


def find_fields(text: str, tables: Iterable[Table]) -> list[Field]:
    """The fields of every record in ``text`` and of its ``tables``, in order of position within each kind of record.

    >>> [(field.keys, field.value) for field in find_fields('{"a": {"WiFi": "free", "Lot": false}}', ())]
    [(('a', 'WiFi'), 'free'), (('a', 'Lot'), False)]
    """
    found: list[Field] = []
    if "{" in text or "|" in text:
        if any(mark in text for mark in _BEHIND_KEYS):
            found += _json_fields(text)
        elif "|" in text:
            found += _table_fields(tables)
    if ":" in text and "\n" in text and "{" not in text:
        found += _line_fields(text)
    return found


def by_key(fields: Sequence[Field]) -> Iterable[tuple[str, Field]]:
    """Each field with its own key in lower case."""
    return zip(map(str.lower, [field.keys[-1] for field in fields]), fields, strict=True)


def _json_fields(text: str) -> Iterator[Field]:
    path: list[str] = []
    kinds: list[str] = []
    records: list[int] = []
    count = 0
    key: str | None = None
    outer: tuple[str, ...] = ()
    in_object = False
    done = 0
    while (begun := _OUTSIDE.search(text, done)) is not None:
        done = begun.end()
        for token in _TOKEN.finditer(text, begun.start()) if begun.group() in ("{", "[") else ():
            string, value, parted, mark, word = token.groups()
            if mark is None:
                opens = in_object and key is None
                if opens:
                    key = (string or word).strip("\"'")
                if kinds:
                    keys = (*outer, key) if in_object and key else outer
                    record = records[-1] if in_object else 0
                    if keys and not opens:
                        yield _field(keys, string or word, token.start(), record)
                    if keys and value is not None:
                        yield _field(keys, value, token.start("value"), record)
                    if parted and in_object:
                        key = None
            elif mark == ",":
                key = None if in_object else key
            else:
                if mark in "{[":
                    kinds.append(mark)
                    count += 1
                    records.append(count)
                    path.append(key or "")
                elif kinds:
                    kinds.pop()
                    records.pop()
                    path.pop()
                key = None
                outer = tuple(filter(None, path[-_DEEPEST:]))
                in_object = kinds[-1:] == ["{"]
                done = token.end()
                if not kinds:
                    break
        if kinds:
            return


def _field(keys: tuple[str, ...], written: str, start: int, record: int) -> Field:
    end = start + len(written)
    if written[0] in "\"'":
        return Field(keys, read_scalar(written[1:-1]), start + 1, end - 1, False, record)
    value = _WORDS[written] if written in _WORDS else read_scalar(written)
    return Field(keys, value, start, end, False, record)


def _line_fields(text: str) -> Iterator[Field]:
    parents: list[tuple[int, str]] = []
    for match in _key_lines(text):
        indent, key, value = len(match.group("indent")), match.group("key").strip(), match.group("value")
        while parents and parents[-1][0] >= indent:
            parents.pop()
        if value is None:
            parents.append((indent, key))
            continue
        keys = (*(name for _, name in parents), key)
        start = match.start("value")
        yield Field(keys, read_scalar(value), start, start + len(value.rstrip(" \t")))


def _key_lines(text: str) -> Iterator[re.Match[str]]:
    """The lines of a key and a value, and those of a key alone."""
    for start, _ in lines_with(text, ":"):
        key = text[start : text.index(":", start)]
        match = _LINE.match(text, start) if len(key.strip(" \t")) <= _LONGEST_KEY else None
        if match is not None:
            yield match


def _table_fields(tables: Iterable[Table]) -> Iterator[Field]:
    for table in tables:
        titles = table.header or ()
        for row in table.rows:
            for cell, title in zip(row[1:], titles[1:], strict=False):
                keys = tuple(key for key in (row[0].text, title.text) if key)
                if cell.text and keys:
                    yield Field(keys, read_scalar(cell.text), cell.start, cell.end, cell=True)
