"""Which values does the answer give to a row or column of a table that the documents give to another?

A sentence names rows by their whole label. A value that no cell of the named row holds, but cells of other rows do, and
that stands nowhere outside of tables, belongs to another row. Where it is not certain which row a value belongs to,
nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from raguard.case import Case, Claim, Finding, FindingStatus
from raguard.checks.table_answers import answers, by_grid
from raguard.evidence.sources import Place
from raguard.evidence.tables import Grid, Held, Mention, Tables, stems, title_words
from raguard.result import Unchecked
from raguard.text.blanks import BLANK, Span, blank, merge
from raguard.text.outline import Outline
from raguard.text.phrases import Places
from raguard.text.spoken import Spoken
from raguard.values.quantities import Quantity
from raguard.values.value import Value

__all__ = ["contradicted_tables"]

_BARE_YEAR = re.compile(r"(?:19|20)\d\d")
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_SHORT_ANSWER = 100
"""Up to that many characters, an answer of one sentence that names no row speaks of the row that was asked for."""
_SMALL = 13
"""A bare number below that needs the column's word beside it: two of anything are no value of a table."""


class _Owner(NamedTuple):
    """The rows of one table that a claim is about, all of the same label."""

    grid: Grid
    rows: tuple[int, ...]

    @property
    def label(self) -> str:
        """How the table calls them."""
        return self.grid.rows[self.rows[0]].label

    @property
    def words(self) -> set[str]:
        """The words of the label."""
        return set(self.grid.rows[self.rows[0]].words)

    def places(self, column: int) -> list[Place]:
        """Where their cells of one column stand."""
        return [place for index in self.rows if (place := self.grid.rows[index].place(column)) is not None]

    def cells(self, tables: Tables, value: Value) -> list[tuple[int, Place]]:
        """The columns and places of the named rows' cells that hold ``value``."""
        return [cell for index in self.rows for cell in tables.cells(self.grid, index, value)]


@dataclass(eq=False)
class _Sentence:
    """A sentence that names rows, its labels blanked out, where it begins, and what values it states."""

    text: str
    start: int
    claims: Sequence[Claim]
    _columns: dict[Grid, frozenset[int]] = field(default_factory=dict)
    _values: dict[Grid, Sequence[Claim]] = field(default_factory=dict)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words without plural endings."""
        return frozenset(stems(self.text))

    @cached_property
    def _words(self) -> frozenset[str]:
        return title_words(self.text)

    def columns(self, grid: Grid) -> frozenset[int]:
        """The columns that it names by a word of their own."""
        if grid not in self._columns:
            known = grid.column_words
            self._columns[grid] = frozenset(known[word] for word in self._words if word in known)
        return self._columns[grid]

    def values(self, grid: Grid) -> Sequence[Claim]:
        """The claims that are not words of a header: 2019 above a column is none."""
        if grid not in self._values:
            heads = grid.column_words.keys()
            self._values[grid] = [claim for claim in self.claims if not title_words(self._text_of(claim)) <= heads]
        return self._values[grid]

    def _text_of(self, claim: Claim) -> str:
        return self.text[claim.start - self.start : claim.end - self.start]


def contradicted_tables(case: Case) -> Iterator[Finding | Unchecked]:
    """A finding for each value that a sentence gives to a row: supported by its cell, or another row's or column's."""
    if not case.documents.tables:
        return
    asked = _asked(case) if len(case.outline.sentences) == 1 and len(case.outline.text) <= _SHORT_ANSWER else None
    named = _named(case, case.outline, case.spoken)
    open_columns: list[Unchecked] = []
    for start, end in case.outline.sentences if asked is not None else named:
        mentions = named.get((start, end), [])
        # a word inside a label compares nothing: Net sales, Total
        rest = _without(mentions, case.outline.text, start, end)
        context = rest
        if not mentions and asked is not None:
            mentions, context = asked[0], f"{rest}\n{asked[1]}"
        if not mentions or rest.rstrip().endswith("?") or case.known.row_names.compares(context):
            continue
        open_columns += _missing_headers(mentions)
        yield from answers(case, mentions, rest, start)
        if case.known.row_names.denies(rest):
            continue
        claims = [claim for claim in case.claims_within(start, end) if _free(case, claim, rest, start)]
        sentence = _Sentence(context, start, claims)
        for claim, owners in _owned(mentions, claims, rest):
            finding = _judge(case, claim, owners, sentence)
            if finding is not None:
                yield finding
    yield from dict.fromkeys(open_columns)


def _missing_headers(mentions: Sequence[Mention]) -> list[Unchecked]:
    """The named tables whose columns nothing tells apart."""
    parts = sorted({each.grid.rows[0].chunk.index for each in mentions if each.grid.titles is None})
    return [Unchecked("table columns", f"document {n + 1} holds a part of a table without its header") for n in parts]


def _named(case: Case, outline: Outline, spoken: Spoken) -> dict[Span, list[Mention]]:
    """The rows that each sentence names for certain."""
    certain = case.known.row_names.certain
    named = case.documents.tables.named(spoken).items()
    return {span: sure for span, mentions in named if (sure := [each for each in mentions if certain(each, outline)])}


def _without(mentions: Sequence[Mention], text: str, start: int, end: int) -> str:
    return blank(text[start:end], merge((each.start - start, each.end - start) for each in mentions))


def _asked(case: Case) -> tuple[list[Mention], str] | None:
    """The one row that the question is about, with its other words: "How much is Plan A?" - "It costs $10."."""
    text = "".join(chunk.reading.text for chunk in case.asked.chunks)
    outline = case.known.outliner.outline(Places(text))
    mentions = _named(case, outline, Spoken(text, [(0, len(text))])).get((0, len(text)), [])
    if len({each.rows for each in mentions}) != 1:
        return None
    return mentions, _without(mentions, text, 0, len(text))


def _free(case: Case, claim: Claim, rest: str, start: int) -> bool:
    """Whether the claim is no part of a label, which is blanked out in ``rest``, not denied and not allowed."""
    inside = BLANK in rest[claim.start - start : claim.end - start]
    return not inside and not case.denied(claim.start, claim.end) and not case.allowed(claim.start, claim.end)


def _owned(mentions: Sequence[Mention], claims: Sequence[Claim], sentence: str) -> Iterator[tuple[Claim, list[_Owner]]]:
    """Each claim with the rows that it is about: the only ones named, else pair by pair when the pairing is certain."""
    owners: dict[int, list[_Owner]] = {}
    for grid, named in by_grid(mentions).items():
        for number, rows in enumerate(_pairs(named, claims, sentence)):
            if rows is not None:
                owners.setdefault(number, []).append(_Owner(grid, rows))
    for number, found in owners.items():
        yield claims[number], found


def _pairs(named: Sequence[Mention], claims: Sequence[Claim], sentence: str) -> list[tuple[int, ...] | None]:
    if len({each.rows for each in named}) == 1:
        return [named[0].rows] * len(claims)
    if len(named) != len(claims):
        return [None] * len(claims)
    kinds = [kind for _, kind in sorted([*((m.start, 0) for m in named), *((c.start, 1) for c in claims)])]
    alternate = all(first != second for first, second in zip(kinds[::2], kinds[1::2], strict=True))
    parted = sum(first != second for first, second in pairwise(kinds)) == 1
    if (alternate and len(set(kinds[::2])) == 1) or (parted and _RESPECTIVELY.search(sentence)):
        return [each.rows for each in named]
    return [None] * len(claims)


def _judge(case: Case, claim: Claim, owners: Sequence[_Owner], sentence: _Sentence) -> Finding | None:
    for owner in owners:
        cells = [cell for value in claim.values for cell in owner.cells(case.documents.tables, value)]
        if cells:
            return _other_column(claim, owner, cells, sentence) or _finding(claim, place=cells[0][1])
    if all(len(owner.rows) == len(owner.grid.rows) for owner in owners):
        return None
    for value in claim.values:
        held = case.documents.tables.holding(value)
        if held != []:
            return _other_row(case, claim, owners, held, sentence) if held else None
    return None


def _other_row(
    case: Case, claim: Claim, owners: Sequence[_Owner], held: Sequence[Held], sentence: _Sentence
) -> Finding | None:
    """The finding for a value that only other rows hold, unless the sentence may speak of one of them."""
    owner = next((owner for owner in owners if all(each.grid is owner.grid for each in held)), None)
    if owner is None or any(each.column == owner.grid.labels for each in held):
        return None
    theirs = (set(owner.grid.rows[each.row].words) for each in held)
    if any(sentence.stems & (words - owner.words) for words in theirs):
        return None
    columns = {each.column for each in held}
    named = columns & sentence.columns(owner.grid)
    if not named and _needs_column(case, claim):
        return None
    right = [place for column in sorted(named or columns) for place in owner.places(column)]
    if not right:
        return None
    texts = dict.fromkeys(place.chunk.reading.text[place.start : place.end] for place in right)
    rule = "table.other_row" if len(texts) == 1 else "table.other_rows"
    return _finding(claim, rule, f"The documents say {' or '.join(texts)} for {owner.label}.", right[0])


def _other_column(
    claim: Claim, owner: _Owner, cells: Sequence[tuple[int, Place]], sentence: _Sentence
) -> Finding | None:
    """The finding for the sentence's only value when its row holds it in a column other than the one that is named."""
    named, holding = sentence.columns(owner.grid), {column for column, _ in cells}
    if len(named) != 1 or named & holding or sentence.values(owner.grid) != [claim]:
        return None
    if not holding <= owner.grid.told_apart:
        return None
    column = next(iter(named))
    right = owner.places(column)
    kinds = {fact.value.kind for index in owner.rows for fact in owner.grid.facts(index).get(column, ())}
    if len(right) != 1 or claim.values[-1].kind not in kinds:
        return None
    text = right[0].chunk.reading.text[right[0].start : right[0].end]
    title = (owner.grid.titles or ())[column]
    said = f"The documents say {text} for {owner.label} ({title})."
    return _finding(claim, "table.other_column", said, right[0])


def _finding(claim: Claim, rule: str | None = None, said: str = "", place: Place | None = None) -> Finding:
    status: FindingStatus = "unsupported" if rule else "supported"
    return Finding(claim.values[0].kind, claim.start, claim.end, status, rule=rule, said=said, place=place)


def _needs_column(case: Case, claim: Claim) -> bool:
    """Whether the value may be about anything unless the sentence names the column: a bare year, a small count."""
    if _BARE_YEAR.fullmatch(case.outline.text[claim.start : claim.end]):
        return True
    value = claim.values[-1]
    return isinstance(value, Quantity) and value.bare and abs(value.readings[0].amount) < _SMALL
