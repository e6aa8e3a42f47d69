"""Does averify() keep its time, and the event loop its own, when answers keep coming?

python benchmarks/event_loop.py --rate 50 --seconds 20
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, cycle
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import machine
from answers import DataError
from inputs import invented_questions, read_questions
from report import append_row, positive, table
from timing import Question, cold_verifier, percentile

from raguard import VerifyResult

Averify: TypeAlias = Callable[[str, list[str], str], Awaitable[VerifyResult]]
Gaps: TypeAlias = Literal["even", "random"]

WORDS = 100
TICK = 0.005
"""How often, in seconds, the event loop is asked to be on time."""
_PERCENTS = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Load:
    """The seconds from each answer's arrival to its verdict, and by how many each tick of the event loop was late."""

    calls: list[float]
    lags: list[float]


def main(arguments: Sequence[str] | None = None, *, averify: Averify | None = None) -> int:
    """Offers answers for some seconds and prints the times; returns the exit status (2: the data cannot be used)."""
    options = _parser().parse_args(arguments)
    due = arrivals(options.rate, options.seconds, options.gaps)
    try:
        questions = read_questions(options.data) if options.data else invented_questions(WORDS, len(due))
    except DataError as error:
        print(f"event_loop.py: {error}", file=sys.stderr)
        return 2
    averify = averify or cold_verifier().averify
    idle = asyncio.run(offer(averify, [], [], rest=min(2.0, options.seconds)))
    load = asyncio.run(offer(averify, questions, due))
    place = machine.describe()
    name = options.data.name if options.data else f"invented, {WORDS} words"
    print(f"{name}: {len(load.calls)} answers, {options.rate} a second, {options.gaps} gaps, one process, cold")
    print(machine.line(place) + "\n")
    measured = {"averify()": load.calls, "lag of the event loop": load.lags, "lag of an idle event loop": idle.lags}
    figures = {title: _figures(seconds) for title, seconds in measured.items()}
    headers = ["time", *(f"p{percent} ms" for percent in _PERCENTS), "max ms"]
    print(table(headers, [[title, *(f"{ms:.2f}" for ms in row.values())] for title, row in figures.items()]))
    if options.json:
        row = {"benchmark": "event_loop", "data": name, "rate": options.rate, "seconds": options.seconds}
        append_row(options.json, row | {"gaps": options.gaps} | place | {"ms": figures})
    return 0


def arrivals(rate: int, seconds: float, gaps: Gaps) -> list[float]:
    """When, in seconds from the start, each answer arrives: at least two of them, ``rate`` a second.

    >>> arrivals(4, 1, "even")
    [0.0, 0.25, 0.5, 0.75]
    """
    count = max(2, round(rate * seconds))
    if gaps == "even":
        return [number / rate for number in range(count)]
    chance = random.Random(rate)
    return list(accumulate((chance.expovariate(rate) for _ in range(count - 1)), initial=0.0))


async def offer(averify: Averify, questions: Iterable[Question], due: Sequence[float], *, rest: float = 0.0) -> Load:
    """Asks each question when it is due, whether or not those before are answered, and then waits for ``rest``.

    A call's time runs from when it was due, so that a late start counts; so does each tick that the loop misses.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def call(question: Question, at: float) -> float:
        await averify(*question)
        return loop.time() - began - at

    lags: list[float] = []
    ticking = loop.create_task(_tick(lags))
    calls = []
    for question, at in zip(cycle(questions), due, strict=False):
        await asyncio.sleep(max(0.0, began + at - loop.time()))
        calls.append(loop.create_task(call(question, at)))
    taken = await asyncio.gather(*calls)
    await asyncio.sleep(rest)
    # of a single tick there is no percentile
    while len(lags) < 2:
        await asyncio.sleep(TICK)
    ticking.cancel()
    return Load(taken, lags)


async def _tick(lags: list[float]) -> None:
    """Adds to ``lags`` by how much each tick is late, until it is cancelled."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        due += TICK
        await asyncio.sleep(max(0.0, due - loop.time()))
        lags.append(loop.time() - due)


def _figures(seconds: Sequence[float]) -> dict[str, float]:
    return {f"p{percent}": percentile(seconds, percent) for percent in _PERCENTS} | {"longest": 1000 * max(seconds)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="event_loop.py", description="Times averify() while answers keep coming.")
    parser.add_argument("--rate", type=positive, default=50, metavar="N", help="answers a second (default 50)")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="S", help="for how long (default 20)")
    parser.add_argument("--gaps", choices=get_args(Gaps), default="even", help="how arrivals are spaced (default even)")
    parser.add_argument("--data", type=Path, metavar="PATH", help="these answers instead of invented ones")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
