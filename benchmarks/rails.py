"""What do rails add to a verdict? ``Rails([verifier])`` beside ``verifier.verify`` on the same inputs, in turn.

    python benchmarks/rails.py

The inputs are those of latency.py: invented answers, new in every run, and no chunk is remembered from one call to the
next.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import timeit
from collections.abc import Mapping, Sequence
from operator import sub
from typing import Any

import machine
from groups import USUAL, groups
from report import append_row, table, timing_options
from timing import Question, Timer, Times, interleaved, ratios, timer

from raguard import Config, Verifier
from raguard.claims import HallucinationGuard
from raguard.rails import Decision, Rails

ALONE = "verify"
BUDGET_MS = 10_000
_PASS = Decision("pass", "nothing was looked for")
_CALLS = 1_000
Runs = Mapping[str, Sequence[Sequence[float]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Times every group of inputs by every way to ask, and prints the table; returns the exit status."""
    options = timing_options("rails.py", "Times Rails beside verify() after warm-up.").parse_args(arguments)
    verifier = Verifier(Config(cache_chunks=0))
    verifier.warm_up()
    with asyncio.Runner() as runner:
        timers = _timers(verifier, runner)
        chosen = groups([name for name in USUAL if name != "data"], options.answers, {})
        measured = {group.title: _runs(group.questions, timers, options.runs) for group in chosen}
    place = machine.describe()
    print(machine.line(place) + "\n")
    print(_table(measured))
    own = {name: _own_us(budget_ms) for name, budget_ms in (("without a budget", None), ("with one", BUDGET_MS))}
    print("\na rail that does nothing: " + ", ".join(f"{us:.0f} µs {name}" for name, us in own.items()))
    if options.json:
        figures = {"groups": _row(measured), "own_us": own}
        append_row(options.json, {"benchmark": "rails", "runs": options.runs} | place | figures)
    return 0


def _timers(verifier: Verifier, runner: asyncio.Runner) -> dict[str, Timer]:
    """The ways to ask; the guard judges by its default scorer."""
    plain, bounded = Rails([verifier]), Rails([verifier], budget_ms=BUDGET_MS)
    both = Rails([verifier, HallucinationGuard()])

    def later(*question: Any) -> Any:
        return runner.run(plain.adecide(*question))

    ways = {
        ALONE: verifier.verify,
        "Rails([verifier])": plain.decide,
        "with budget_ms": bounded.decide,
        "adecide": later,
        "with a claim guard": both.decide,
    }
    timers: dict[str, Timer] = {name: timer(way) for name, way in ways.items()}  # type: ignore[arg-type]
    return timers


def _runs(questions: Any, timers: Mapping[str, Timer], runs: int) -> Runs:
    """The seconds of every way to ask, run by run."""
    found: dict[str, list[list[float]]] = {name: [] for name in timers}
    for run in range(runs):
        asked: list[Question] = questions(run)
        gc.collect()
        for name, seconds in interleaved(asked, timers).items():
            found[name].append(seconds)
    return found


def _added_ms(alone: Sequence[Sequence[float]], rails: Sequence[Sequence[float]]) -> float:
    """The median of what is added question by question, in milliseconds."""
    pairs = [
        sub(other, own)
        for owns, others in zip(alone, rails, strict=True)
        for own, other in zip(owns, others, strict=True)
    ]
    return round(1000 * statistics.median(pairs), 3)


def _own_us(budget_ms: float | None) -> float:
    """What a call takes whose only rail does nothing, in microseconds: the least of five times many."""
    rails = Rails([_Nothing()], budget_ms=budget_ms)
    times = timeit.repeat(lambda: rails.decide("", [], ""), number=_CALLS, repeat=5)
    return round(1_000_000 * min(times) / _CALLS, 1)


class _Nothing:
    name = "nothing"

    def decide(self, query: str, docs: Sequence[Any], answer: str) -> Decision:
        return _PASS


def _table(measured: Mapping[str, Runs]) -> str:
    headers = ["input", "asked by", "p50 ms", "p95 ms", "ratio by pair (min–max)", "added ms"]
    rows = []
    for title, runs in measured.items():
        for name, seconds in runs.items():
            times = Times.middle([Times.of(of_run) for of_run in seconds])
            mid, low, top = ratios(runs[ALONE], seconds)["pairs"]
            row = [title, name, f"{times.p50:.2f}", f"{times.p95:.2f}"]
            row += (
                ["–", "–"]
                if name == ALONE
                else [f"{mid:.2f} ({low:.2f}–{top:.2f})", f"{_added_ms(runs[ALONE], seconds):.3f}"]
            )
            rows.append(row)
    return table(headers, rows)


def _row(measured: Mapping[str, Runs]) -> dict[str, Any]:
    """The figures per input: the ratios to verify alone, and what is added in milliseconds."""
    return {
        title: {
            name: {"ratios": ratios(runs[ALONE], seconds), "added_ms": _added_ms(runs[ALONE], seconds)}
            for name, seconds in runs.items()
            if name != ALONE
        }
        for title, runs in measured.items()
    }


if __name__ == "__main__":
    sys.exit(main())
