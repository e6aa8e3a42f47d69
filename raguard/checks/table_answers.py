"""Does a sentence say of a row what the row's yes-or-no cell denies, or deny what it says?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raguard.case import Case, Finding
from raguard.evidence.tables import Grid, Mention
from raguard.text.words import singular

__all__ = ["answers", "by_grid"]

_WORD = re.compile(r"[A-Za-z0-9]{1,40}")


def answers(case: Case, mentions: Sequence[Mention], sentence: str, start: int) -> Iterator[Finding]:
    """A finding for each column of yes-or-no cells that ``sentence``, which begins at ``start``, names with one row.

    The names of the rows are blanked out in it.
    """
    titled = [
        (grid, next(iter(rows)))
        for grid, named in by_grid(mentions).items()
        if grid.titles and len(rows := {row for each in named for row in each.rows}) == 1 and grid.answers(*rows)
    ]
    spans = [match.span() for match in _WORD.finditer(sentence)] if titled else []
    words = [singular(sentence[first:last].lower()) for first, last in spans]
    for grid, index in titled:
        for column, (first, last) in sorted(grid.titled(words).items()):
            span = spans[first][0], spans[last][1]
            finding = _judge(case, grid, (index, column), sentence, span, start)
            if finding is not None:
                yield finding


def by_grid(mentions: Sequence[Mention]) -> dict[Grid, list[Mention]]:
    """The mentions of each table."""
    found: dict[Grid, list[Mention]] = {}
    for each in mentions:
        found.setdefault(each.grid, []).append(each)
    return found


def _judge(
    case: Case, grid: Grid, cell: tuple[int, int], sentence: str, span: tuple[int, int], start: int
) -> Finding | None:
    row, column = cell
    place = grid.rows[row].place(column)
    if place is None:
        return None
    says = grid.answers(row).get(column)
    polarity = case.known.polarity.reads(sentence, *span)
    begin, end = start + span[0], start + span[1]
    if says is None or polarity == "open" or case.denied(begin, end) or case.allowed(begin, end):
        return None
    if says is (polarity == "asserted"):
        return Finding("field", begin, end, "supported", place=place)
    rule, word = ("table.yes", "yes") if says else ("table.no", "no")
    said = f"The documents say {word} for {grid.rows[row].label}."
    return Finding("field", begin, end, "unsupported", rule=rule, said=said, place=place)
