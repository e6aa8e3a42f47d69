"""How are the figures shown and kept? Tables in Markdown on the screen, one JSON row per run in a file."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from answers import Answer, Span
from scoring import Figures

from raguard.result import Warning

__all__ = [
    "COLUMNS",
    "append_row",
    "cells",
    "context",
    "false_list",
    "missed_list",
    "number",
    "percent",
    "positive",
    "table",
    "timing_options",
]

COLUMNS = (
    "answers",
    "warnings",
    "right",
    "precision",
    "spans hit",
    "clean flagged",
    "unsupported flagged",
    "answer F1",
)
"""The headers of what ``cells`` returns."""

_AROUND = 40


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, padded for the screen: the first column to the left, the others to the right.

    >>> print(table(["task", "n"], [["qa", "12"]]))
    | task |  n |
    |------|---:|
    | qa   | 12 |
    """
    rows = [list(headers), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(headers))]
    lines = [
        "| "
        + " | ".join(cell.ljust(width) if not place else cell.rjust(width) for place, (cell, width) in pairs)
        + " |"
        for pairs in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
    ]
    rule = "|" + "|".join(
        "-" * (width + 2) if not place else "-" * (width + 1) + ":" for place, width in enumerate(widths)
    )
    return "\n".join([lines[0], rule + "|", *lines[1:]])


def cells(figures: Figures, *, baseline: bool = False) -> list[str]:
    """One table row of figures; a baseline, which marks no spans, shows dashes for what it cannot have."""
    return [
        str(figures.answers),
        "–" if baseline else str(figures.warnings),
        "–" if baseline else str(figures.right),
        percent(figures.precision),
        f"{figures.spans_hit}/{figures.spans} {percent(figures.spans_share)}" if figures.spans else "–",
        percent(figures.clean_share),
        percent(figures.unsupported_share),
        "–" if figures.f1 is None else f"{figures.f1:.3f}",
    ]


def percent(share: float | None) -> str:
    """A share as a percentage with one decimal, a dash for None.

    >>> percent(0.0366), percent(None)
    ('3.7%', '–')
    """
    return "–" if share is None else f"{100 * share:.1f}%"


def number(value: float | None) -> str:
    """A number with three decimals, a dash for None.

    >>> number(0.8999), number(None)
    ('0.900', '–')
    """
    return "–" if value is None else f"{value:.3f}"


def context(text: str, start: int, end: int) -> str:
    """``text[start:end]`` in double angle brackets with about 40 characters to either side, on one line."""
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return " ".join(f"…{before}«{text[start:end]}»{after}…".split())


def false_list(alarms: Sequence[tuple[Answer, Warning]]) -> str:
    """The number of false alarms per rule, then each one with where it stands and what was suggested."""
    counts = Counter(warning.rule for _, warning in alarms)
    lines = [
        f"{len(alarms)} false alarms",
        *(f"{count:6}  {rule}" for rule, count in counts.most_common()),
        "",
    ]
    for answer, warning in alarms:
        lines += [
            f"{answer.id}  {warning.severity}  {warning.rule}  {warning.text!r}",
            f"    {context(answer.response, warning.start, warning.end)}",
            f"    {warning.suggestion}",
        ]
    return "\n".join(lines)


def missed_list(spans: Sequence[tuple[Answer, Span]]) -> str:
    """The number of missed gold spans per type, then each one with where it stands."""
    counts = Counter(span.type for _, span in spans)
    lines = [
        f"{len(spans)} missed spans",
        *(f"{count:6}  {type}" for type, count in counts.most_common()),
        "",
    ]
    for answer, span in spans:
        lines += [f"{answer.id}  {span.type}", f"    {context(answer.response, span.start, span.end)}"]
    return "\n".join(lines)


def positive(text: str) -> int:
    """A command-line number that must be at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text}")
    return int(text)


def timing_options(name: str, says: str) -> argparse.ArgumentParser:
    """The options of a benchmark that times groups of inputs over several runs."""
    parser = argparse.ArgumentParser(prog=name, description=says)
    parser.add_argument(
        "--answers", type=positive, default=60, metavar="N", help="answers per group and run (default 60)"
    )
    parser.add_argument("--runs", type=positive, default=3, metavar="N", help="how often all is timed (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


def append_row(path: Path, row: Mapping[str, Any]) -> None:
    """Adds one JSON row to the end of a file, which is made when it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
