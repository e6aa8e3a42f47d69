"""Is verify_many() as fast as the single calls, and how much faster with several processes?

python benchmarks/batch.py --processes 2
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import machine
from answers import DataError
from inputs import invented_questions, read_questions
from report import append_row, positive, table
from timing import cold_verifier

from raguard import Verifier

Case = Mapping[str, Any]

WORDS = 100
DISTINCT = 500
"""So many invented answers are made; they come again and again."""
FIRST = 200
"""After so many answers every process is at work."""
SINGLE, MANY = "single calls", "verify_many()"


def main(arguments: Sequence[str] | None = None, *, verifier: Verifier | None = None) -> int:
    """Times each way over the same cases and prints the rates; returns the exit status (2: no data)."""
    options = _parser().parse_args(arguments)
    try:
        questions = (
            read_questions(options.data, options.answers)
            if options.data
            else invented_questions(WORDS, min(options.answers, DISTINCT))
        )
    except DataError as error:
        print(f"batch.py: {error}", file=sys.stderr)
        return 2
    distinct = ({"query": query, "docs": docs, "response": response} for query, docs, response in questions)
    cases = list(islice(cycle(distinct), options.answers))
    ways = _ways(verifier or cold_verifier(), options.processes)
    rates = {title: Rate.middle(runs) for title, runs in _rates(ways, cases, options.runs).items()}
    place = machine.describe()
    name = options.data.name if options.data else f"invented, {WORDS} words"
    print(f"{name}: {len(cases)} answers, cold")
    print(machine.line(place) + "\n")
    single = rates[SINGLE]
    rows = []
    for title, rate in rates.items():
        ratios = [f"{mine / theirs:.2f}" for mine, theirs in zip(rate, single, strict=True)]
        rows.append([title, f"{rate.whole:.0f}", ratios[0], f"{rate.running:.0f}", ratios[1]])
    print(table(["way", "answers/s", "ratio", "after the first answers", "ratio"], rows))
    if options.json:
        row = {"benchmark": "batch", "data": name, "answers": len(cases), "runs": options.runs}
        append_row(options.json, row | place | {"answers_per_second": {t: r._asdict() for t, r in rates.items()}})
    return 0


def _ways(verifier: Verifier, processes: int) -> dict[str, Callable[[Iterable[Case]], Iterable[object]]]:
    """What yields the verdicts of cases, by its name."""
    return {
        SINGLE: lambda cases: (verifier.verify(case["query"], case["docs"], case["response"]) for case in cases),
        MANY: verifier.verify_many,
        f"{MANY}, {processes} processes": lambda cases: verifier.verify_many(cases, processes=processes),
    }


class Rate(NamedTuple):
    """Answers a second: of all the time, which starting processes is a part of, and after the first answers came."""

    whole: float
    running: float

    @classmethod
    def of(cls, began: float, moments: Sequence[float]) -> Rate:
        """The rates of answers that came at ``moments`` (seconds), at least two, asked for at ``began``."""
        first = min(FIRST, len(moments) - 1)
        return cls(len(moments) / (moments[-1] - began), (len(moments) - first) / (moments[-1] - moments[first - 1]))

    @classmethod
    def middle(cls, runs: Sequence[Rate]) -> Rate:
        """The median of each over several runs."""
        return cls(statistics.median(run.whole for run in runs), statistics.median(run.running for run in runs))


def _rates(
    ways: Mapping[str, Callable[[Iterable[Case]], Iterable[object]]], cases: Sequence[Case], runs: int
) -> dict[str, list[Rate]]:
    """The rates of each way, run by run."""
    rates: dict[str, list[Rate]] = {title: [] for title in ways}
    for run in range(runs):
        for title in list(ways) if run % 2 == 0 else list(ways)[::-1]:
            gc.collect()
            began = time.perf_counter()
            rates[title].append(Rate.of(began, [time.perf_counter() for _ in ways[title](cases)]))
    return rates


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="batch.py", description="Times verify_many().")
    parser.add_argument("--data", type=Path, metavar="PATH", help="these answers instead of invented ones")
    parser.add_argument("--answers", type=positive, default=5_000, metavar="N", help="how many (default 5000)")
    parser.add_argument("--processes", type=positive, default=2, metavar="N", help="how many (default 2)")
    parser.add_argument("--runs", type=positive, default=3, metavar="N", help="how often all is timed (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
