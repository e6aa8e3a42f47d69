"""How does a person read scores? A table of means, then for each metric its worst answers and why it is undefined."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from raguard.metrics.summary import MetricSummary, Summary
from raguard.text.terminals import visible

__all__ = ["render"]

_REASONS = 3
_LONGEST = 120
"""How many characters of an id or a reason are shown."""


def render(output: Console, summary: Summary) -> None:
    """Prints the table, the worst answers and what is undefined."""
    styled = output.color_system is not None
    for line in _lines(summary):
        output.print(line, soft_wrap=not styled)


def _lines(summary: Summary) -> Iterator[Text]:
    labels = [each.unsupported for each in summary.slices if each.unsupported is not None]
    count = len(summary.slices)
    head = f"{count:,} answer{'' if count == 1 else 's'}"
    if labels:
        head += f", {len(labels):,} with a label, {sum(labels):,} of them unsupported"
    yield Text(head, style="bold")
    yield Text()
    yield from _table(summary, labelled=bool(labels))
    for metric in summary.metrics:
        details = list(_details(metric))
        if details:
            yield Text()
            yield Text(visible(metric.name), style="bold")
            yield from details


def _table(summary: Summary, *, labelled: bool) -> Iterator[Text]:
    names = ["metric", "answers", "mean", "95 % interval", *(("AUROC", "by length") if labelled else ())]
    rows = [names, *(_row(metric)[: len(names)] for metric in summary.metrics)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(names))]
    for place, row in enumerate(rows):
        cells = [
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield Text("  ".join(cells).rstrip(), style="dim" if not place else "")


def _row(metric: MetricSummary) -> list[str]:
    bounds = "-" if metric.low is None else f"{_number(metric.low)} to {_number(metric.high)}"
    name = visible(metric.name) + ("" if metric.higher_is_better else " (higher is worse)")
    return [name, f"{metric.n:,}", _number(metric.mean), bounds, _number(metric.auroc), _number(metric.length_auroc)]


def _details(metric: MetricSummary) -> Iterator[Text]:
    for case in metric.worst:
        line = Text(f"  {_number(case.value)}  ")
        line.append(_one_line(case.id))
        if case.reason:
            line.append(f"  {_one_line(case.reason)}", style="dim")
        yield line
    reasons = list(metric.undefined.items())
    for why, count in reasons[:_REASONS]:
        yield Text(f"  undefined for {count:,}: {_one_line(why)}", style="yellow")
    rest = sum(count for _, count in reasons[_REASONS:])
    if rest:
        yield Text(f"  undefined for {rest:,} for other reasons", style="yellow")


def _one_line(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
