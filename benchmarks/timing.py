"""How long does a call take, beside another tool's on the same input? Both are timed in turn."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import truediv
from typing import TypeAlias

from scoring import Verify

from raguard import Config, Verifier

__all__ = ["Question", "Timer", "Times", "cold_verifier", "interleaved", "percentile", "ratios", "steady", "timer"]

Question: TypeAlias = tuple[str, list[str], str]
Timer: TypeAlias = Callable[[Question], float]
"""Asks one question and says how many seconds the answer took."""


@dataclass(frozen=True, slots=True)
class Times:
    """The p50, p95 and longest of several times, in milliseconds."""

    p50: float
    p95: float
    longest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Times:
        """The figures of at least two times in seconds.

        >>> Times.of([0.001, 0.002, 0.003])
        Times(p50=2.0, p95=2.9, longest=3.0)
        """
        shares = statistics.quantiles(seconds, n=20, method="inclusive")
        return cls(*(round(1000 * value, 4) for value in (shares[9], shares[18], max(seconds))))

    @classmethod
    def middle(cls, runs: Sequence[Times]) -> Times:
        """The median p50 and p95 over several runs, and the longest time of all."""
        return cls(
            statistics.median(run.p50 for run in runs),
            statistics.median(run.p95 for run in runs),
            max(run.longest for run in runs),
        )


def cold_verifier() -> Verifier:
    """raguard after its warm-up, remembering no document from one answer to the next, as its peers do."""
    verifier = Verifier(Config(cache_chunks=0))
    verifier.warm_up()
    return verifier


@contextmanager
def steady() -> Iterator[None]:
    """No garbage is collected meanwhile: a full collection goes through the language model too, whatever the input."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def percentile(seconds: Sequence[float], percent: int) -> float:
    """The time, in milliseconds, that so many percent of at least two times in seconds do not exceed.

    >>> percentile([0.001, 0.002, 0.003], 50)
    2.0
    """
    return round(1000 * statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1], 4)


def timer(verify: Verify, clock: Callable[[], float] = time.perf_counter) -> Timer:
    """A timer around one call of ``verify``; with ``time.process_time`` other programs' turns do not count."""

    def measure(question: Question) -> float:
        began = clock()
        verify(*question)
        return clock() - began

    return measure


def interleaved(questions: Sequence[Question], timers: Mapping[str, Timer]) -> dict[str, list[float]]:
    """The seconds of each timer on every question; who goes first alternates from one question to the next."""
    seconds: dict[str, list[float]] = {name: [] for name in timers}
    for place, question in enumerate(questions):
        order = list(timers) if place % 2 == 0 else list(timers)[::-1]
        for name in order:
            seconds[name].append(timers[name](question))
    return seconds


def ratios(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> dict[str, tuple[float, float, float]]:
    """How many times longer the other takes: median, least and most over the runs, each a list of seconds.

    At p50 and p95 it is the ratio of a run's two figures; ``pairs`` is the median of the ratios question by question.
    """
    runs = list(zip(ours, theirs, strict=True))
    figures = [(Times.of(own), Times.of(other)) for own, other in runs]
    found = {
        "p50": [other.p50 / own.p50 for own, other in figures],
        "p95": [other.p95 / own.p95 for own, other in figures],
        "pairs": [statistics.median(map(truediv, other, own)) for own, other in runs],
    }
    return {name: (statistics.median(values), min(values), max(values)) for name, values in found.items()}
