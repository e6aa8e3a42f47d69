"""What does it cost to judge an answer while it is written, and are its sentences judged as the whole is?

    python benchmarks/streaming.py ragtruth.jsonl seeded_strong.jsonl

A token is a word with the space behind it. All is timed warm, documents read by nobody before; ``verify()`` of the
whole answer is timed in turn with the stream.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import machine
from answers import DataError
from inputs import invented_questions, read_questions
from report import append_row, positive, table
from timing import Question, Times, percentile, steady

from raguard import Verifier, VerifyResult, Warning
from raguard.streaming import Finished, Released, StreamEvent, Warned

COLUMNS = (
    "answers",
    "high warnings",
    "told in time",
    "told wrongly",
    "late",
    "per token p50",
    "per token p95",
    "per sentence p95",
    "first sentence p50",
    "stream / verify",
)
_TOKEN = re.compile(r"\s*\S+\s?|\s+")
Key = tuple[str, int, int]


@dataclass(slots=True)
class Tally:
    """What the streams of one set of answers said, and how long each step took in seconds."""

    answers: int = 0
    final: int = 0
    in_time: int = 0
    wrongly: int = 0
    late: int = 0
    tokens: list[float] = field(default_factory=list)
    sentences: list[float] = field(default_factory=list)
    """The tokens that a sentence was judged with."""
    firsts: list[float] = field(default_factory=list)
    """From the token that completes the first sentence to its release."""
    streamed: float = 0.0
    verified: float = 0.0

    def row(self) -> list[str]:
        """One row of the table; times in milliseconds, those of a token in microseconds."""
        token = Times.of(self.tokens)
        return [
            str(self.answers),
            str(self.final),
            str(self.in_time),
            str(self.wrongly),
            str(self.late),
            f"{1000 * token.p50:.1f} µs",
            f"{1000 * token.p95:.0f} µs",
            f"{Times.of(self.sentences).p95:.1f} ms",
            f"{percentile(self.firsts, 50):.1f} ms",
            f"{self.streamed / self.verified:.2f}",
        ]


def tallied(questions: Sequence[Question], verifier: Verifier) -> Tally:
    """The tally over the questions, each answer streamed and then verified as a whole, with nothing kept between."""
    tally = Tally()
    for query, docs, response in questions:
        verifier.forget()
        events = _streamed(tally, verifier, (query, docs, response))
        verifier.forget()
        began = time.perf_counter()
        result = verifier.verify(query, docs, response)
        tally.verified += time.perf_counter() - began
        _count(tally, events, result)
    return tally


def _streamed(tally: Tally, verifier: Verifier, question: Question) -> list[StreamEvent]:
    query, docs, response = question
    stream = verifier.stream(query, docs, on_review="redact")
    events: list[StreamEvent] = []
    total, is_first = 0.0, True
    for token in [*_TOKEN.findall(response), None]:
        began = time.perf_counter()
        found = stream.finish() if token is None else stream.feed(token)
        took = time.perf_counter() - began
        total += took
        tally.tokens.append(took)
        if found:
            tally.sentences.append(took)
        if is_first and any(isinstance(event, Released) for event in found):
            tally.firsts.append(took)
            is_first = False
        events += found
    tally.streamed += total
    return events


def _count(tally: Tally, events: Sequence[StreamEvent], result: VerifyResult) -> None:
    told = {_key(event.warning) for event in events if isinstance(event, Warned) and event.warning.severity == "high"}
    final = {_key(warning) for warning in result.warnings if warning.severity == "high"}
    (end,) = (event for event in events if isinstance(event, Finished))
    if end.result != result:
        raise AssertionError("the final result of a stream is not that of verify()")
    tally.answers += 1
    tally.final += len(final)
    tally.in_time += len(final & told)
    tally.wrongly += len(told - final)
    tally.late += len(final - told)


def _key(warning: Warning) -> Key:
    return warning.rule, warning.start, warning.end


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a row for each set of answers; returns the exit status (2: a file that cannot be used)."""
    parser = argparse.ArgumentParser(prog="streaming.py", description="Times Verifier.stream() beside verify().")
    parser.add_argument("paths", type=Path, nargs="*", metavar="PATH", help="labelled answers; without one: invented")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N answers of each PATH")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    options = parser.parse_args(arguments)
    try:
        sets = {path.name: read_questions(path, options.limit) for path in options.paths}
    except DataError as error:
        print(f"streaming.py: {error}", file=sys.stderr)
        return 2
    if not sets:
        sets = {"invented, 100 words": invented_questions(100, options.limit or 60)}
    verifier = Verifier()
    verifier.warm_up()
    place = machine.describe()
    with steady():
        rows = {name: tallied(questions, verifier).row() for name, questions in sets.items()}
    print(machine.line(place) + "\n")
    print(table(["set", *COLUMNS], [[name, *row] for name, row in rows.items()]))
    if options.json:
        figures = {name: dict(zip(COLUMNS, row, strict=True)) for name, row in rows.items()}
        append_row(options.json, {"benchmark": "streaming"} | place | {"sets": figures})
    return 0


if __name__ == "__main__":
    sys.exit(main())
