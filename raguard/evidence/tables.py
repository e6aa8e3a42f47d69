"""Which rows and columns do the documents' tables have, how does an answer name them, and which cells hold a value?"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.kept import Memo
from raguard.evidence.shelf import Shelf, Stated
from raguard.evidence.sources import Place, Sources
from raguard.reading.records import read_scalar
from raguard.reading.tables import Cell, Table, is_value
from raguard.text.blanks import Span
from raguard.text.spoken import Spoken
from raguard.text.words import beginning, plain_words, singular, spoken_forms
from raguard.values.value import Fact, Value

__all__ = ["Grid", "GridRow", "Held", "Mention", "Tables", "stems", "title_words"]

_WORD = re.compile(r"[A-Za-z0-9]{1,40}")
_NOTE = re.compile(r"\s{0,3}(?:[*†‡^]{1,3}\d?|\[\w{1,2}\]|\(\w{1,2}\))$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SIGNS = {"✓": True, "✔": True, "✅": True, "✗": False, "✘": False, "❌": False}
_LONGEST_LABEL = 20
_MOST_ALIKE = 50
"""A label of more rows of one table than that names none."""
_MOST_PLACES = 500
"""A value that stands in more places than that belongs to no row."""
_MOST_TABLES = 100
"""A label of rows in more tables than that names none."""
Columns = Mapping[str, Mapping[tuple[str, ...], Sequence[int]]]


class GridRow(NamedTuple):
    """One row with its chunk, the words of its label and its cells."""

    chunk: Chunk
    label: str
    words: tuple[str, ...]
    cells: tuple[Cell, ...]

    def place(self, column: int) -> Place | None:
        """Where the cell of a column stands; None when the row has none or an empty one."""
        if column >= len(self.cells) or not self.cells[column].text:
            return None
        return Place(self.chunk, self.cells[column].start, self.cells[column].end)

    def facts(self) -> dict[int, Sequence[Fact]]:
        """The values that the cells of each column state."""
        cells = [(cell, column) for column, cell in enumerate(self.cells) if cell.text]
        if not cells:
            return {}
        start, end = min([cell.start for cell, _ in cells]), max([cell.end for cell, _ in cells])
        facts = self.chunk.reading.facts_of(start, end)
        starts = [fact.start for fact in facts]
        return {
            column: facts[bisect_left(starts, cell.start) : bisect_left(starts, cell.end)] for cell, column in cells
        }


@dataclass(eq=False)
class Grid:
    """One table over all chunks that it stands in."""

    titles: tuple[str, ...] | None
    """The header of each column; None when no chunk holds the header row."""
    labels: int
    """The column that names the rows."""
    rows: list[GridRow] = field(default_factory=list)
    _answers: dict[int, Mapping[int, bool]] = field(default_factory=dict)
    _facts: dict[int, Mapping[int, Sequence[Fact]]] = field(default_factory=dict)

    @property
    def label_title(self) -> str:
        """The header above the names of the rows."""
        return self.titles[self.labels] if self.titles is not None and self.labels < len(self.titles) else ""

    @cached_property
    def column_words(self) -> Mapping[str, int]:
        """The words that tell a column from the others, and which; none where the header is missing."""
        words = [title_words(title) for title in self.titles or ()]
        shared = Counter(word for each in words for word in each)
        return {word: column for column, each in enumerate(words) for word in each if shared[word] == 1}

    def facts(self, row: int) -> Mapping[int, Sequence[Fact]]:
        """The values that a row states in each column."""
        if row not in self._facts:
            self._facts[row] = self.rows[row].facts()
        return self._facts[row]

    def answers(self, row: int) -> Mapping[int, bool]:
        """The columns in which a row says yes or no, and which of them."""
        if row not in self._answers:
            said = enumerate(_SIGNS.get(cell.text[:1], read_scalar(cell.text)) for cell in self.rows[row].cells)
            self._answers[row] = {column: value for column, value in said if isinstance(value, bool)}
        return self._answers[row]

    @cached_property
    def told_apart(self) -> frozenset[int]:
        """The columns that have such a word."""
        return frozenset(self.column_words.values())

    @cached_property
    def _titled(self) -> Columns:
        """The columns by the words of their header, and these by the first word."""
        found: dict[str, dict[tuple[str, ...], list[int]]] = {}
        for column, title in enumerate(self.titles or ()):
            words = stems(title)
            if words and len(words) <= _LONGEST_LABEL and column != self.labels:
                found.setdefault(words[0], {}).setdefault(words, []).append(column)
        return found

    def titled(self, words: Sequence[str]) -> Mapping[int, tuple[int, int]]:
        """The columns whose whole header stands among ``words`` (stems), each with its first and last word there."""
        found: dict[int, tuple[int, int]] = {}
        for first, word in enumerate(words):
            forms = self._titled.get(word)
            for last in range(first, min(first + _LONGEST_LABEL, len(words))) if forms else ():
                columns = (forms or {}).get(tuple(words[first : last + 1]), ())
                for column in columns if len(columns) <= _MOST_ALIKE else ():
                    found.setdefault(column, (first, last))
        return found


class Mention(NamedTuple):
    """A span of the answer that is the label of some rows of one table."""

    grid: Grid
    rows: tuple[int, ...]
    start: int
    end: int


class Held(NamedTuple):
    """A cell that holds a value."""

    grid: Grid
    row: int
    column: int


class Tables:
    """The tables of a case."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self.grids = list(_grids(sources))
        self._by_first: dict[str, dict[tuple[str, ...], dict[int, list[int]]]] = {}
        for number, grid in enumerate(self.grids):
            for index, row in enumerate(grid.rows):
                if row.words:
                    forms = self._by_first.setdefault(row.words[0], {})
                    forms.setdefault(row.words, {}).setdefault(number, []).append(index)
        self._stems = {word: stem for stem in self._by_first for word in spoken_forms(stem)}
        self._shelves: dict[str, Shelf] = {}
        self._rows: dict[tuple[Grid, int, str], tuple[Shelf, dict[Fact, int]]] = {}
        self._covering: Memo[tuple[Grid, int, Value], Sequence[tuple[int, Place]]] = Memo()

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def named(self, spoken: Spoken) -> dict[Span, list[Mention]]:
        """The rows that each sentence names by their whole label, in order; the longest label wins."""
        found: dict[Span, list[Mention]] = {}
        done = 0
        for first in spoken.places(self._stems):
            sentence = spoken.sentence(first) if first >= done else None
            if sentence is None:
                continue
            forms = self._by_first[self._stems[spoken.words[first]]]
            most = min(first + max(map(len, forms)), sentence.last)
            said = tuple(map(singular, spoken.words[first:most]))
            label = next((said[:length] for length in range(len(said), 0, -1) if said[:length] in forms), None)
            if label is not None:
                done = first + len(label)
                span = spoken.span(first, done)
                tables = forms[label].items() if len(forms[label]) <= _MOST_TABLES else ()
                alike = ((grid, rows) for grid, rows in tables if len(rows) <= _MOST_ALIKE)
                mentions = [Mention(self.grids[grid], tuple(rows), *span) for grid, rows in alike]
                found.setdefault(sentence.span, []).extend(mentions)
        return found

    def holding(self, value: Value) -> list[Held] | None:
        """The cells that state ``value``; None when it stands outside of all tables too, or too often to tell."""
        entries = (entry for entry in self._shelf(value.axis).within(value.windows()) if entry.fact.value.covers(value))
        found = []
        for count, entry in enumerate(islice(entries, _MOST_PLACES + 1)):
            held = self._cell(entry.chunk, entry.fact.start)
            if held is None or count == _MOST_PLACES:
                return None
            found.append(held)
        return found

    def cells(self, grid: Grid, row: int, value: Value) -> Sequence[tuple[int, Place]]:
        """The columns and places of a row's cells that hold ``value``, from left to right."""
        return self._covering.of((grid, row, value), self._holding)

    def _holding(self, cell: tuple[Grid, int, Value]) -> Sequence[tuple[int, Place]]:
        grid, row, value = cell
        shelf, columns = self._row(grid, row, value.axis)
        entries = (entry for entry in shelf.within(value.windows()) if entry.fact.value.covers(value))
        held = sorted({columns[entry.fact] for entry in entries})
        return [(each, place) for each in held if (place := grid.rows[row].place(each)) is not None]

    def _row(self, grid: Grid, row: int, axis: str) -> tuple[Shelf, dict[Fact, int]]:
        """The values of one axis in a row, and in which column each stands."""
        key = (grid, row, axis)
        if key not in self._rows:
            chunk, cells = grid.rows[row].chunk, grid.facts(row).items()
            columns = {fact: column for column, facts in cells for fact in facts if fact.value.axis == axis}
            self._rows[key] = Shelf([Stated(chunk, fact) for fact in columns], every=True), columns
        return self._rows[key]

    @cached_property
    def _cells(self) -> dict[int, list[tuple[int, int, Held]]]:
        """The cells of each chunk in order of position."""
        found: dict[int, list[tuple[int, int, Held]]] = {}
        for grid in self.grids:
            for index, row in enumerate(grid.rows):
                cells = ((cell, column) for column, cell in enumerate(row.cells) if cell.text)
                entries = ((cell.start, cell.end, Held(grid, index, column)) for cell, column in cells)
                found.setdefault(row.chunk.index, []).extend(entries)
        for each in found.values():
            each.sort(key=itemgetter(0))
        return found

    def _cell(self, chunk: Chunk, place: int) -> Held | None:
        cells = self._cells.get(chunk.index, ())
        number = bisect_right(cells, place, key=itemgetter(0)) - 1
        if number < 0 or cells[number][1] <= place:
            return None
        return cells[number][2]

    def _shelf(self, axis: str) -> Shelf:
        """The values of one axis that the chunks state, in tables and elsewhere, each at every place."""
        if axis not in self._shelves:
            facts = ((chunk, fact) for chunk in self._sources.chunks for fact in chunk.reading.facts)
            self._shelves[axis] = Shelf((Stated(*each) for each in facts if each[1].value.axis == axis), every=True)
        return self._shelves[axis]


def _grids(sources: Sources) -> Iterator[Grid]:
    """The tables of all chunks; one without a header row goes on with the table that ended the chunk before."""
    before: tuple[Chunk, Table, Grid] | None = None
    for chunk in sources.chunks:
        last = before
        for table in chunk.reading.tables:
            if table.header is None and last is not None and _goes_on(*last[:2], chunk, table):
                grid = last[2]
            else:
                titles = None if table.header is None else tuple(cell.text for cell in table.header)
                grid = Grid(titles, _label_column(table))
                yield grid
            grid.rows += [_row(chunk, row, grid.labels) for row in table.rows if row[grid.labels :]]
            last = before = (chunk, table, grid)


def _goes_on(chunk: Chunk, table: Table, following: Chunk, part: Table) -> bool:
    """Whether ``part``, at the head of a chunk, goes on with the table at the foot of the chunk before it."""
    return (
        following.index == chunk.index + 1
        and table.width == part.width
        and not chunk.reading.text[table.end :].strip(" |\n")
        and not following.reading.text[: part.start].strip(" |\n")
    )


def _label_column(table: Table) -> int:
    """The first column of names; years in the first column name their rows too."""
    rows = table.rows
    for column in range(table.width):
        rows = tuple(row for row in rows if column < len(row))
        cells = [row[column].text for row in rows if row[column].text]
        if cells and sum(map(is_value, cells)) * 2 < len(cells):
            return column
    return 0


def _row(chunk: Chunk, cells: tuple[Cell, ...], labels: int) -> GridRow:
    label = _NOTE.sub("", cells[labels].text)
    words = stems(label)
    if len(words) > _LONGEST_LABEL or (all(word.isdigit() for word in words) and not _YEAR.fullmatch(label)):
        words = ()
    return GridRow(chunk, label, words, cells)


def stems(text: str) -> tuple[str, ...]:
    """The words of ``text`` in lower case without a plural ending."""
    return tuple(map(singular, _WORD.findall(plain_words(text))))


def title_words(text: str) -> frozenset[str]:
    """The words of a header or sentence, cut so that *monthly* is *month* and *launched* is *launch*."""
    return frozenset(map(beginning, stems(text)))
