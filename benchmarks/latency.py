"""How long does one verify() take, and how many times longer does raguard-py take on the same input?

python benchmarks/latency.py --peer
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import machine
from answers import DataError
from groups import NAMES, USUAL, Group, groups
from inputs import read_questions
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
        chosen = groups(_names(options), options.answers, _data(options))
        with ExitStack() as stack:
            timers = _timers({group.prepared for group in chosen}, options, verify, stack)
            measured = {group.title: _runs(group, timers[group.prepared], options.runs) for group in chosen}
    except (DataError, PeerError) as error:
        print(f"latency.py: {error}", file=sys.stderr)
        return 2
    place = machine.describe()
    print(machine.line(place) + "\n")
    print(_table(measured))
    if options.json:
        append_row(options.json, {"benchmark": "latency", "runs": options.runs} | place | {"groups": _row(measured)})
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="latency.py", description="Times verify() after warm-up.")
    parser.add_argument(
        "--data", type=Path, action="append", default=[], metavar="PATH", help="also time these answers (repeat)"
    )
    parser.add_argument(
        "--group",
        nargs="+",
        action="extend",
        default=[],
        choices=[*NAMES, "all"],
        metavar="NAME",
        help=f"only these: {', '.join(NAMES)}, all (default: {', '.join(USUAL)})",
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N answers of each PATH")
    parser.add_argument(
        "--answers", type=positive, default=60, metavar="N", help="answers per group and run (default 60)"
    )
    parser.add_argument("--runs", type=positive, default=3, metavar="N", help="how often all is timed (default 3)")
    parser.add_argument("--peer", action="store_true", help="time raguard-py 0.1.1 on the same inputs in turn")
    parser.add_argument("--peer-venv", type=Path, metavar="DIR", help="where raguard-py is or will be installed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


def _names(options: argparse.Namespace) -> Sequence[str]:
    if "all" in options.group:
        return NAMES
    return options.group or USUAL


def _data(options: argparse.Namespace) -> dict[str, list[Question]]:
    """The questions of each file named; raises DataError also where a group needs one and none is named."""
    if not options.data and {"data", "data-prepared"} & set(options.group):
        raise DataError("the groups data and data-prepared are those of --data PATH")
    return {path.name: read_questions(path, options.limit) for path in options.data}


def _timers(
    kinds: Iterable[bool], options: argparse.Namespace, verify: Verify | None, stack: ExitStack
) -> dict[bool, dict[str, Timer]]:
    """What times a question without (False) and with chunks read before (True)."""
    timers = {prepared: {OURS: _prepared(verify) if prepared else _cold(verify)} for prepared in kinds}
    if options.peer:
        peer = stack.enter_context(Peer(options.peer_venv))
        for both in timers.values():
            both[PEER] = lambda question: float(peer.ask(*question)["seconds"])
    return timers


def _cold(verify: Verify | None) -> Timer:
    return timer(verify or _warm(Config(cache_chunks=0)).verify)


def _prepared(verify: Verify | None) -> Timer:
    """Times a question whose documents have been prepared just before, which is not timed."""
    verifier = _warm(Config(cache_chunks=10_000, cache_chars=50_000_000))
    measure = timer(verify or verifier.verify)

    def measured(question: Question) -> float:
        query, docs, _ = question
        verifier.prepare(docs, query=query)
        return measure(question)

    return measured


def _warm(config: Config) -> Verifier:
    verifier = Verifier(config)
    verifier.warm_up()
    return verifier


def _runs(group: Group, timers: Mapping[str, Timer], runs: int) -> dict[str, list[list[float]]]:
    """The seconds of every timer, run by run."""
    found: dict[str, list[list[float]]] = {name: [] for name in timers}
    for run in range(runs):
        questions = group.questions(run)
        gc.collect()
        for name, seconds in interleaved(questions, timers).items():
            found[name].append(seconds)
    return found


def _table(measured: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> str:
    headers = ["input", "p50 ms", "p95 ms", "max ms"]
    if any(PEER in runs for runs in measured.values()):
        headers += [f"{PEER} p50", f"{PEER} p95"]
        headers += [f"ratio {name} (min–max)" for name in ("p50", "p95", "by pair")]
    rows = []
    for title, runs in measured.items():
        ours = _middle(runs[OURS])
        row = [title, f"{ours.p50:.2f}", f"{ours.p95:.2f}", f"{ours.longest:.2f}"]
        if PEER in runs:
            theirs = _middle(runs[PEER])
            row += [f"{theirs.p50:.2f}", f"{theirs.p95:.2f}"]
            row += [f"{mid:.1f} ({low:.1f}–{top:.1f})" for mid, low, top in ratios(runs[OURS], runs[PEER]).values()]
        rows.append(row)
    return table(headers, rows)


def _row(measured: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> dict[str, Any]:
    """The figures per input: each tool's times, and the ratios when the peer ran."""
    row: dict[str, Any] = {}
    for title, runs in measured.items():
        row[title] = {name: asdict(_middle(seconds)) for name, seconds in runs.items()}
        if PEER in runs:
            row[title]["ratios"] = ratios(runs[OURS], runs[PEER])
    return row


def _middle(runs: Sequence[Sequence[float]]) -> Times:
    return Times.middle([Times.of(seconds) for seconds in runs])


if __name__ == "__main__":
    sys.exit(main())
