"""Has a verdict become slower than it once was? Ratios to a yardstick; the best of each set of checks are kept.

python benchmarks/ratchet.py --update

A ratio is how many verdicts fit into one turn of the yardstick (``machine.calibrate``): more is faster, and a slow
machine slows both.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import machine
from groups import Group, groups
from report import append_row, percent, positive, table
from scoring import Verify
from timing import Times, cold_verifier, steady, timer

from raguard.checks import DEFAULT_CHECKS

__all__ = ["FILE", "Key", "Ratios", "best", "fallen", "key", "measured"]

Ratios: TypeAlias = Mapping[str, Mapping[str, float]]
"""By group, the ratio at p50 and the one at p95."""

FILE = Path(__file__).resolve().parent / "ratchet.toml"
GROUPS = ("30-words", "100-words", "250-words", "dense")
ANSWERS, ROUNDS = 30, 5
MOST_FALL = 0.25
_HEAD = """\
# The best ratios that each set of checks has reached: time of the yardstick over that of a verdict; more is faster.
# Written by `python benchmarks/ratchet.py --update`; `make bench` fails when one falls by more than a quarter.
"""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Whose ratios: those of a set of checks, by their number and the hash of their names, under a Python version."""

    checks: str
    python: str


def main(arguments: Sequence[str] | None = None, *, verify: Verify | None = None) -> int:
    """Prints the ratios beside the best ones; returns 1 when one has fallen by more than a quarter."""
    options = _parser().parse_args(arguments)
    now, mine = measured(verify or cold_verifier().verify, answers=options.answers, rounds=options.rounds), key()
    kept = best(options.file)
    before = kept.get(mine, {})
    rows = [
        [f"{group} {figure}", f"{ratio:.3f}", *_beside(ratio, before.get(group, {}).get(figure))]
        for group, ratios in now.items()
        for figure, ratio in ratios.items()
    ]
    place = machine.describe()
    print(f"{mine.checks}, Python {mine.python}, {place['cpu']}, {place['commit']}\n")
    print(table(["ratio", "now", "best", "change"], rows))
    if options.json:
        append_row(options.json, {"benchmark": "ratchet", "checks": mine.checks} | place | {"ratios": now})
    if options.update:
        _write(options.file, {**kept, mine: _better(before, now)})
        print(f"\nThe better ones are kept in {options.file}.")
        return 0
    fell = fallen(before, now)
    if fell:
        print("\n" + "\n".join(fell))
    return 1 if fell else 0


def key() -> Key:
    """The key of the shipped checks under this Python."""
    names = [check.__name__ for check in DEFAULT_CHECKS]
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()
    return Key(f"{len(names)} checks {digest[:8]}", f"{sys.version_info.major}.{sys.version_info.minor}")


def measured(verify: Verify, *, answers: int = ANSWERS, rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """The ratios now, by CPU time, with the yardstick before every verdict: the medians over the rounds.

    The groups take turns, so that a slow moment of the machine falls on one round of each.
    """
    told = {group: name for name in GROUPS for group in groups([name], answers, {})}
    found: dict[str, dict[str, list[float]]] = {name: {"p50": [], "p95": []} for name in told.values()}
    for turn in range(rounds):
        for group, name in told.items():
            for figure, ratio in _measured(group, verify, turn).items():
                found[name][figure].append(ratio)
    return {
        name: {figure: round(statistics.median(ratios), 3) for figure, ratios in figures.items()}
        for name, figures in found.items()
    }


def best(file: Path = FILE) -> dict[Key, Ratios]:
    """The best ratios kept in a file."""
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["best"] if file.exists() else []
    return {Key(entry["checks"], entry["python"]): entry["ratios"] for entry in entries}


def fallen(before: Ratios, now: Ratios) -> list[str]:
    """A sentence for each ratio that lies more than a quarter under the best one."""
    return [
        f"{group} {figure}: the ratio fell by {percent(1 - ratio / kept)}, from {kept} to {ratio}"
        for group, figures in now.items()
        for figure, ratio in figures.items()
        if ratio < (1 - MOST_FALL) * (kept := before.get(group, {}).get(figure, 0.0))
    ]


def _measured(group: Group, verify: Verify, turn: int) -> dict[str, float]:
    """The ratios of one round."""
    measure = timer(verify, time.process_time)
    yardsticks, seconds = [], []
    questions = group.questions(turn)
    with steady():
        for question in questions:
            yardsticks.append(machine.calibrate(time.process_time))
            seconds.append(measure(question))
    unit, times = 1000 * statistics.median(yardsticks), Times.of(seconds)
    return {"p50": unit / times.p50, "p95": unit / times.p95}


def _better(before: Ratios, now: Ratios) -> Ratios:
    """Of each ratio the higher one."""
    return {
        group: {figure: max(ratio, before.get(group, {}).get(figure, 0.0)) for figure, ratio in figures.items()}
        for group, figures in now.items()
    }


def _beside(ratio: float, kept: float | None) -> list[str]:
    return ["–", "–"] if kept is None else [f"{kept:.3f}", f"{100 * (ratio / kept - 1):+.0f}%"]


def _write(file: Path, kept: Mapping[Key, Ratios]) -> None:
    lines = [_HEAD]
    for mine, ratios in sorted(kept.items()):
        lines += ["[[best]]", f'checks = "{mine.checks}"', f'python = "{mine.python}"', "[best.ratios]"]
        lines += [f"{group} = {{ p50 = {row['p50']}, p95 = {row['p95']} }}" for group, row in ratios.items()]
        lines.append("")
    file.write_text("\n".join(lines), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ratchet.py", description="Holds the time of verify() to its best ratios.")
    parser.add_argument("--update", action="store_true", help="keep what is better than the best")
    parser.add_argument("--file", type=Path, default=FILE, metavar="FILE", help="where they are kept")
    parser.add_argument("--answers", type=positive, default=ANSWERS, metavar="N", help=f"a round (default {ANSWERS})")
    parser.add_argument("--rounds", type=positive, default=ROUNDS, metavar="N", help=f"default {ROUNDS}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
