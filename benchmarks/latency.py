"""How long does one verify() take, and how many times longer does raguard-py take on the same input?

python benchmarks/latency.py --peer
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import machine
from answers import DataError
from inputs import invented_questions, read_questions
from invented import LENGTHS
from peer import Peer, PeerError
from report import append_row, positive, table
from scoring import Verify
from timing import Question, Timer, Times, interleaved, ratios, timer

from raguard import Config, Verifier

OURS, PEER = "raguard", "raguard-py"


def main(arguments: Sequence[str] | None = None, *, verify: Verify | None = None) -> int:
    """Times every group of inputs and prints the table; returns the exit status (2: no data or no peer)."""
    options = _parser().parse_args(arguments)
    try:
        groups = _groups(options)
        with ExitStack() as stack:
            timers = _timers(options, verify or _fresh_verify(), stack)
            measured = {name: _runs(questions, timers, options.runs) for name, questions in groups.items()}
    except (DataError, PeerError) as error:
        print(f"latency.py: {error}", file=sys.stderr)
        return 2
    place = machine.describe()
    print(f"{place['cpu']}, {place['cores']} cores, Python {place['python']}, {place['date']}")
    print(f"commit {place['commit']}\n")
    print(_table(measured))
    if options.json:
        append_row(options.json, {"benchmark": "latency", "runs": options.runs} | place | {"groups": _row(measured)})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="latency.py", description="Times verify() after warm-up.")
    parser.add_argument(
        "--data", type=Path, action="append", default=[], metavar="PATH", help="also time these answers"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N answers of each PATH")
    parser.add_argument("--answers", type=positive, default=60, metavar="N", help="invented answers per length and run")
    parser.add_argument("--runs", type=positive, default=3, metavar="N", help="how often all is timed (default 3)")
    parser.add_argument("--peer", action="store_true", help="time raguard-py 0.1.1 on the same inputs in turn")
    parser.add_argument("--peer-venv", type=Path, metavar="DIR", help="where raguard-py is or will be installed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


def _groups(options: argparse.Namespace) -> dict[str, Callable[[int], list[Question]]]:
    """The inputs of a run by name; invented ones are new in every run, so that none is known from before."""

    def made(words: int) -> Callable[[int], list[Question]]:
        return lambda run: invented_questions(words, options.answers, seed=run)

    def read(path: Path) -> Callable[[int], list[Question]]:
        questions = read_questions(path, options.limit)
        return lambda run: questions

    return {f"{words} words": made(words) for words in LENGTHS} | {path.name: read(path) for path in options.data}


def _fresh_verify() -> Verify:
    """verify() after warm-up, remembering no chunk from one call to the next: every document is read anew."""
    verifier = Verifier(Config(cache_chunks=0))
    verifier.warm_up()
    return verifier.verify


def _timers(options: argparse.Namespace, verify: Verify, stack: ExitStack) -> dict[str, Timer]:
    timers = {OURS: timer(verify)}
    if options.peer:
        peer = stack.enter_context(Peer(options.peer_venv))
        timers[PEER] = lambda question: float(peer.ask(*question)["seconds"])
    return timers


def _runs(questions: Callable[[int], list[Question]], timers: Mapping[str, Timer], runs: int) -> dict[str, list[Times]]:
    found: dict[str, list[Times]] = {name: [] for name in timers}
    for run in range(runs):
        gc.collect()
        for name, times in interleaved(questions(run), timers).items():
            found[name].append(times)
    return found


def _table(measured: Mapping[str, Mapping[str, Sequence[Times]]]) -> str:
    headers = ["input", "p50 ms", "p95 ms", "max ms"]
    if any(PEER in runs for runs in measured.values()):
        headers += ["raguard-py p50", "raguard-py p95", "ratio p50 (min–max)", "ratio p95 (min–max)"]
    rows = []
    for group, runs in measured.items():
        ours = Times.middle(runs[OURS])
        row = [group, f"{ours.p50:.2f}", f"{ours.p95:.2f}", f"{ours.longest:.2f}"]
        if PEER in runs:
            theirs = Times.middle(runs[PEER])
            row += [f"{theirs.p50:.2f}", f"{theirs.p95:.2f}"]
            row += [f"{mid:.1f} ({low:.1f}–{top:.1f})" for mid, low, top in ratios(runs[OURS], runs[PEER]).values()]
        rows.append(row)
    return table(headers, rows)


def _row(measured: Mapping[str, Mapping[str, Sequence[Times]]]) -> dict[str, Any]:
    """The figures per input: each tool's times, and the ratios when the peer ran."""
    row: dict[str, Any] = {}
    for group, runs in measured.items():
        row[group] = {name: asdict(Times.middle(times)) for name, times in runs.items()}
        if PEER in runs:
            row[group]["ratios"] = ratios(runs[OURS], runs[PEER])
    return row


if __name__ == "__main__":
    sys.exit(main())
