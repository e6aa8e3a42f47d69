"""How does the time of a verdict grow with its input? Four curves, as tables and as one picture; a cliff would show.

python benchmarks/growth.py --svg docs/growth.svg
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import machine
from chart import Panel, svg
from inputs import asked
from invented import shaped
from report import append_row, positive, table
from scoring import Verify
from timing import Question, Timer, Times, cold_verifier, steady, timer

_WORDS = 100
_CHUNKS = (2_000,) * 8
_TO_THOUSAND = (*(2**power for power in range(10)), 1_000)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One thing that grows while the rest stays: its sizes and the questions of each, ``count`` of them."""

    title: str
    others: str
    axis: str
    sizes: tuple[int, ...]
    questions: Callable[[int, int], list[Question]]
    doubles: bool = True


SWEEPS: Mapping[str, Sweep] = {
    "answer": Sweep(
        "Length of the answer",
        "8 chunks of 2 KB",
        "words",
        (30, 60, 125, 250, 500, 1_000, 2_000),
        lambda words, count: asked(shaped(words, _CHUNKS, count, words)),
    ),
    "document": Sweep(
        "Size of the only document",
        "answers of 100 words",
        "KB",
        _TO_THOUSAND,
        lambda size, count: asked(shaped(_WORDS, (size * 1_000,), count)),
    ),
    "chunks": Sweep(
        "Number of chunks of 1 KB",
        "answers of 100 words",
        "chunks",
        _TO_THOUSAND,
        lambda number, count: asked(shaped(_WORDS, (1_000,) * number, count)),
    ),
    "unsupported": Sweep(
        "Unsupported sentences",
        "answers of 250 words, 8 chunks of 2 KB",
        "%",
        (0, 10, 25, 50, 75, 100),
        lambda share, count: asked(shaped(250, _CHUNKS, count, unsupported=share / 100)),
        doubles=False,
    ),
}
"""What grows, by the name that ``--sweep`` takes."""


def main(arguments: Sequence[str] | None = None, *, verify: Verify | None = None) -> int:
    """Prints a table per curve and draws them all; returns the exit status."""
    options = _parser().parse_args(arguments)
    measure = timer(verify or cold_verifier().verify, time.process_time)
    found: dict[str, dict[int, Times]] = {}
    place = machine.describe()
    print(machine.line(place))
    print(f"CPU time, {options.answers} answers of each size, cold\n")
    for name in options.sweep or SWEEPS:
        sweep = SWEEPS[name]
        found[name] = _measured(sweep, options.answers, measure)
        print(f"{sweep.title} ({sweep.others})\n\n{_table(sweep, found[name])}\n")
    if options.svg:
        options.svg.parent.mkdir(parents=True, exist_ok=True)
        options.svg.write_text(svg([_panel(SWEEPS[name], times) for name, times in found.items()], "ms"), "utf-8")
    if options.json:
        curves = {name: {size: asdict(times) for size, times in curve.items()} for name, curve in found.items()}
        append_row(options.json, {"benchmark": "growth", "answers": options.answers} | place | {"curves": curves})
    return 0


def _measured(sweep: Sweep, answers: int, measure: Timer) -> dict[int, Times]:
    """The times of each size; all sizes take turns, so that a slow moment of the machine falls on all of them."""
    questions = {size: sweep.questions(size, answers) for size in sweep.sizes}
    seconds: dict[int, list[float]] = {size: [] for size in sweep.sizes}
    for turn in range(answers):
        with steady():
            for size in sweep.sizes:
                seconds[size].append(measure(questions[size][turn]))
    return {size: Times.of(taken) for size, taken in seconds.items()}


def factors(times: Mapping[int, float]) -> dict[int, float]:
    """How many times longer twice the size takes, from each size to the next: 1 is flat, 2 linear, 4 quadratic.

    >>> factors({1: 3.0, 2: 6.0, 8: 24.0})
    {2: 2.0, 8: 2.0}
    """
    return {
        size: round((times[size] / times[before]) ** (1 / math.log2(size / before)), 3)
        for before, size in pairwise(times)
    }


def _table(sweep: Sweep, curve: Mapping[int, Times]) -> str:
    rows = [
        [f"{size:,}", f"{times.p50:.2f}", f"{times.p95:.2f}", f"{times.longest:.2f}"] for size, times in curve.items()
    ]
    headers = [sweep.axis, "p50 ms", "p95 ms", "max ms"]
    if sweep.doubles:
        headers += ["p50 when doubled", "p95 when doubled"]
        for column in map(factors, _figures(curve)):
            for row, size in zip(rows, curve, strict=True):
                row.append(f"× {column[size]:.2f}" if size in column else "–")
    return table(headers, rows)


def _figures(curve: Mapping[int, Times]) -> tuple[dict[int, float], dict[int, float]]:
    """The p50 and the p95 of each size."""
    return {size: times.p50 for size, times in curve.items()}, {size: times.p95 for size, times in curve.items()}


def _panel(sweep: Sweep, curve: Mapping[int, Times]) -> Panel:
    curves = {
        name: [(float(size), ms) for size, ms in figures.items()]
        for name, figures in zip(("p50", "p95"), _figures(curve), strict=True)
    }
    return Panel(sweep.title, sweep.others, sweep.axis, curves, log=sweep.doubles)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="growth.py", description="Times verify() on inputs that grow.")
    parser.add_argument("--sweep", nargs="+", choices=SWEEPS, metavar="NAME", help=f"only these: {', '.join(SWEEPS)}")
    parser.add_argument("--answers", type=positive, default=30, metavar="N", help="answers per size (default 30)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the curves into this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
