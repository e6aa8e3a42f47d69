"""Where does the time of a verdict go? The share of each stage, and of each part of the documents that is read.

python benchmarks/stages.py --data answers.jsonl

Not called ``profile``: that would hide Python's module of this name from everything that runs with this folder.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import ParamSpec, TypeVar
from unittest.mock import patch

import machine
from answers import DataError
from inputs import invented_questions, read_questions
from report import append_row, percent, positive, table
from timing import Question, steady

from raguard import Config, Verifier, case_builder, verifier
from raguard.case import Case, Check, Finding
from raguard.checks import DEFAULT_CHECKS
from raguard.evidence.chunk import Reading
from raguard.evidence.documents import Documents
from raguard.evidence.sources import Sources
from raguard.evidence.word_places import WordPlaces
from raguard.result import Unchecked

P = ParamSpec("P")
R = TypeVar("R")

WORDS = 100
LAZY: tuple[type, ...] = (Reading, WordPlaces, Sources, Documents)
"""What documents are read into: its lazily read parts are timed."""


class Stopwatch:
    """Adds up CPU seconds by name; what runs inside another timed call counts for itself alone."""

    def __init__(self, clock: Callable[[], float] = time.process_time) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = clock
        self._inside: list[float] = []

    def timed(self, name: str, function: Callable[P, R]) -> Callable[P, R]:
        """``function``, timed under ``name``."""

        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            began = self._clock()
            self._inside.append(0.0)
            try:
                return function(*args, **kwargs)
            finally:
                taken = self._clock() - began
                self.seconds[name] += taken - self._inside.pop()
                if self._inside:
                    self._inside[-1] += taken

        return call


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints where the time of the answers goes; returns the exit status (2 when the data cannot be used)."""
    options = _parser().parse_args(arguments)
    try:
        questions = read_questions(options.data, options.limit) if options.data else _invented(options.limit)
    except DataError as error:
        print(f"stages.py: {error}", file=sys.stderr)
        return 2
    stages, parts = shares(questions)
    place, total = machine.describe(), sum(stages.values())
    name = options.data.name if options.data else f"invented, {WORDS} words"
    print(f"{name}: {len(questions)} answers, {total:.2f} ms of CPU each, cold")
    print(machine.line(place) + "\n")
    for title, found in (("stage", stages), ("part of the documents", parts)):
        print(table([title, "ms", "share"], [_cells(part, ms, total) for part, ms in found.items()]) + "\n")
    if options.json:
        row = {"benchmark": "stages", "data": name, "answers": len(questions)} | place
        append_row(options.json, row | {"ms": total, "stages": stages, "parts": parts})
    return 0


def shares(questions: Sequence[Question]) -> tuple[dict[str, float], dict[str, float]]:
    """The milliseconds per answer of each stage, in the order of the flow, and of each part of the documents, longest
    first.

    A stage holds what it asks the documents for; a part is all that is read of a kind, whoever asked first.
    """
    stages, parts = Stopwatch(), Stopwatch()
    checks = [_timed_check(stages, check) for check in DEFAULT_CHECKS]
    guard = Verifier(Config(cache_chunks=0), checks=checks)
    guard.warm_up()
    with _watched(guard, stages, parts) as verify, steady():
        for question in questions:
            verify(*question)
    order = [
        "guard",
        "text",
        "building",
        *(check.__name__ for check in checks),
        "language model",
        "deciding",
        "the rest",
    ]
    longest = sorted(parts.seconds.items(), key=lambda part: -part[1])
    per_answer = 1000 / len(questions)
    return (
        {name: stages.seconds[name] * per_answer for name in order},
        {name: seconds * per_answer for name, seconds in longest},
    )


@contextmanager
def _watched(guard: Verifier, stages: Stopwatch, parts: Stopwatch) -> Iterator[Callable[..., object]]:
    """The verify of ``guard`` while all its stages and all parts of documents are timed."""
    with ExitStack() as stack:
        for owner, attribute, stage in (
            (verifier, "admit", "guard"),
            (guard._builder, "build", "building"),
            (case_builder, "read_answer", "text"),
            (guard._known.outliner, "outline", "text"),
            (guard._model, "entities", "language model"),
            (guard._judge, "decide", "deciding"),
        ):
            stack.enter_context(patch.object(owner, attribute, stages.timed(stage, getattr(owner, attribute))))
        for kind in LAZY:
            made = parts.timed(f"{kind.__name__}()", vars(kind)["__init__"])
            stack.enter_context(patch.object(kind, "__init__", made))
            for name, part in vars(kind).items():
                if isinstance(part, cached_property):
                    stack.enter_context(patch.object(part, "func", parts.timed(f"{kind.__name__}.{name}", part.func)))
        # what warm-up took is no part of the answers
        stages.seconds.clear()
        yield stages.timed("the rest", guard.verify)


def _timed_check(stages: Stopwatch, check: Check) -> Check:
    """``check`` under its own name, with its findings drawn while the time runs."""

    def drawn(case: Case) -> list[Finding | Unchecked]:
        return list(check(case))

    timed = stages.timed(check.__name__, drawn)
    timed.__name__ = check.__name__
    return timed


def _invented(limit: int | None) -> list[Question]:
    return invented_questions(WORDS, limit or 60)


def _cells(name: str, ms: float, total: float) -> list[str]:
    return [name, f"{ms:.3f}", percent(ms / total)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stages.py", description="Shows where the time of verify() goes.")
    parser.add_argument("--data", type=Path, metavar="PATH", help="these answers instead of invented ones")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N answers (invented: 60)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
