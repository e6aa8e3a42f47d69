"""What does telling a verdict add to it? An instrumented Verifier beside a plain one on the same inputs, in turn.

    python benchmarks/telemetry.py

Timed are OpenTelemetry's API alone, as where an application sets up no provider, and its SDK with providers that keep
spans, metrics and events in memory. The inputs are those of latency.py, and no chunk is remembered.
"""

from __future__ import annotations

import gc
import statistics
import sys
import timeit
from collections.abc import Mapping, Sequence
from operator import sub
from typing import Any

import machine
from groups import USUAL, groups
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from report import append_row, table, timing_options
from timing import Question, Timer, Times, interleaved, ratios, timer

from raguard import Config, Verifier, verify
from raguard.telemetry import instrumented

ALONE, AGAIN, UNHEARD, HEARD = "verify", "nobody: verify again", "no provider", "SDK in memory"
_CALLS = 1_000
Runs = Mapping[str, tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Times every group of inputs in every way, and prints the table; returns the exit status."""
    options = timing_options("telemetry.py", "Times telling a verdict beside verify().").parse_args(arguments)
    verifier = Verifier(Config(cache_chunks=0))
    verifier.warm_up()
    tracers, meters, logs = _providers()
    given = {"tracer_provider": tracers, "meter_provider": meters, "logger_provider": logs}
    ways: dict[str, Any] = {
        ALONE: verifier.verify,
        AGAIN: verifier.verify,
        UNHEARD: instrumented(verifier).verify,
        HEARD: instrumented(verifier, **given).verify,
    }
    timers: dict[str, Timer] = {name: timer(way) for name, way in ways.items()}
    chosen = groups([name for name in USUAL if name != "data"], options.answers, {})
    measured = {group.title: _runs(group.questions, timers, options.runs) for group in chosen}
    place = machine.describe()
    print(machine.line(place) + "\n")
    print(_table(measured))
    own = {UNHEARD: _own_us({}), HEARD: _own_us(given)}
    print("\nbeside a verdict that takes no time: " + ", ".join(f"{us:.0f} µs {name}" for name, us in own.items()))
    if options.json:
        figures = {"groups": _row(measured), "own_us": own}
        append_row(options.json, {"benchmark": "telemetry", "runs": options.runs} | place | figures)
    for provider in (tracers, meters, logs):
        provider.shutdown()
    return 0


def _providers() -> tuple[TracerProvider, MeterProvider, LoggerProvider]:
    tracers, meters, logs = TracerProvider(), MeterProvider([InMemoryMetricReader()]), LoggerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
    logs.add_log_record_processor(SimpleLogRecordProcessor(InMemoryLogRecordExporter()))
    return tracers, meters, logs


def _runs(questions: Any, timers: Mapping[str, Timer], runs: int) -> Runs:
    """The seconds of verify alone and of each other way beside it, run by run; who goes first alternates."""
    found: dict[str, tuple[list[list[float]], list[list[float]]]] = {name: ([], []) for name in timers if name != ALONE}
    for run in range(runs):
        asked: list[Question] = questions(run)
        # what is asked first pays for what only the first call makes
        for question in asked:
            timers[ALONE](question)
        for name, (alone, told) in found.items():
            gc.collect()
            seconds = interleaved(asked, {ALONE: timers[ALONE], name: timers[name]})
            alone.append(seconds[ALONE])
            told.append(seconds[name])
    return found


def _own_us(providers: Mapping[str, Any]) -> float:
    """What telling takes of a verdict that was found before, in microseconds: the least of five times many."""
    result = verify("When?", ["It closed on 4 May 2024."], "On 9 May 2024, for $5.")
    once = instrumented(_Known(), **providers)
    once.result = result
    times = timeit.repeat(lambda: once.verify("", [], ""), number=_CALLS, repeat=5)
    return round(1_000_000 * min(times) / _CALLS, 1)


class _Known(Verifier):
    """Says what it is told to."""

    result: Any = None

    def verify(self, *case: Any, **options: Any) -> Any:
        return self.result


def _added_us(alone: Sequence[Sequence[float]], told: Sequence[Sequence[float]]) -> float:
    """The median of what is added question by question, in microseconds."""
    pairs = [
        sub(other, own)
        for owns, others in zip(alone, told, strict=True)
        for own, other in zip(owns, others, strict=True)
    ]
    return round(1_000_000 * statistics.median(pairs), 1)


def _table(measured: Mapping[str, Runs]) -> str:
    headers = ["input", "told to", "p50 ms", "alone", "ratio by pair (min–max)", "added µs"]
    rows = []
    for title, ways in measured.items():
        for name, (alone, told) in ways.items():
            own, other = (Times.middle([Times.of(seconds) for seconds in runs]) for runs in (alone, told))
            mid, low, top = ratios(alone, told)["pairs"]
            figures = [f"{mid:.3f} ({low:.3f}–{top:.3f})", f"{_added_us(alone, told):.0f}"]
            rows.append([title, name, f"{other.p50:.2f}", f"{own.p50:.2f}", *figures])
    return table(headers, rows)


def _row(measured: Mapping[str, Runs]) -> dict[str, Any]:
    """The figures per input: the ratios to verify alone, and what is added in microseconds."""
    return {
        title: {
            name: {"ratios": ratios(alone, told), "added_us": _added_us(alone, told)}
            for name, (alone, told) in ways.items()
        }
        for title, ways in measured.items()
    }


if __name__ == "__main__":
    sys.exit(main())
