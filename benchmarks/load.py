"""What does the service take on, and what does the way over HTTP add to an inline call?

    python benchmarks/load.py --data ragtruth.jsonl

``raguard serve`` runs in processes of its own on the loopback. First it is asked over one connection, in turn with
inline calls in this process on the same answers. Then over 1, 8 and 64 connections, each of which asks again as soon
as it is answered; over twice as many as it has places for, and once more over one: does it refuse with 429, does its
memory stay, is it as fast as before? At last two worker processes. Meanwhile ``/healthz`` is asked ten times a second:
how long does what takes no judging wait for what does? Over many connections the asking process is late as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import machine
from answers import DataError
from inputs import invented_questions, read_questions, spread
from report import append_row, positive, table
from timing import Question, percentile

from raguard import Verifier

WORDS = 100
ANSWERS = 500
"""So many different answers go round."""
PLACES = 64
"""The places of the service, its default."""
_PERCENTS = (50, 95, 99)
_START_S = 120.0
_PAUSE_S = 0.1
"""Between two questions for the health."""
_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@dataclass(slots=True)
class Level:
    """What came back over some connections: seconds by status, over how many in all, and seconds for the health."""

    took: dict[int, list[float]] = field(default_factory=dict)
    seconds: float = 0.0
    health: list[float] = field(default_factory=list)

    @property
    def good(self) -> list[float]:
        """The seconds of what was answered with a verdict."""
        return self.took.get(200, [])

    def take(self, status: int, seconds: float) -> None:
        """Counts what came back."""
        self.took.setdefault(status, []).append(seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs all levels and prints them; returns the exit status (2: the data cannot be used)."""
    options = _parser().parse_args(arguments)
    try:
        found = read_questions(options.data) if options.data else invented_questions(WORDS, ANSWERS)
    except DataError as error:
        print(f"load.py: {error}", file=sys.stderr)
        return 2
    questions = spread(found, ANSWERS)
    name = options.data.name if options.data else f"invented, {WORDS} words"
    bodies = [body_of(question) for question in questions]
    rows: list[tuple[str, Level]] = []
    with serving(options.threads, 1) as (url, process):
        inline, hop = asyncio.run(in_turn(url, questions, bodies, options.seconds))
        rows += [("inline, in turn with the next", inline), ("HTTP, in turn with it", hop)]
        rows += [
            (f"HTTP, {count} connections", asyncio.run(ask(url, bodies, count, options.seconds)))
            for count in options.connections
        ]
        before = machine.resident(process)
        rows.append((f"HTTP, {2 * PLACES} connections", asyncio.run(ask(url, bodies, 2 * PLACES, options.seconds))))
        after = machine.resident(process)
        rows.append(("HTTP, 1 connection, afterwards", asyncio.run(ask(url, bodies, 1, options.seconds))))
    with serving(options.threads, 2) as (url, _):
        most = max(options.connections)
        rows.append((f"2 workers, {most} connections", asyncio.run(ask(url, bodies, most, options.seconds))))
    place = machine.describe()
    print(f"{name}: {len(questions)} answers, each level for {options.seconds:g} s, {options.threads} threads")
    print(machine.line(place) + "\n")
    headers = ["asked", "verdicts/s", *(f"p{percent} ms" for percent in _PERCENTS), "429", "other", "healthz p95 ms"]
    print(table(headers, [[title, *cells(level)] for title, level in rows]))
    figures = {title: figures_of(level) for title, level in rows}
    added = figures["HTTP, in turn with it"]["p50"] - figures["inline, in turn with the next"]["p50"]
    scaled = figures[rows[-1][0]]["per_second"] / figures[f"HTTP, {most} connections"]["per_second"]
    print(f"\nHTTP adds {added:.2f} ms (p50); two workers give {scaled:.2f} times the verdicts of one")
    print(f"memory of the service: {before:.0f} MB before the overload, {after:.0f} MB after it")
    if options.json:
        row = {"benchmark": "load", "data": name, "seconds": options.seconds, "threads": options.threads}
        append_row(options.json, row | place | {"levels": figures, "memory_mb": [before, after]})
    return 0


def body_of(question: Question) -> bytes:
    """A request for a verdict as it goes over the wire.

    >>> body_of(("When?", ["a"], "b"))[:23]
    b'POST /v1/verify HTTP/1.'
    """
    query, docs, response = question
    content = json.dumps({"query": query, "docs": docs, "response": response}).encode("ascii")
    head = "POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode("ascii") + content


async def in_turn(
    url: str, questions: Sequence[Question], bodies: Sequence[bytes], seconds: float
) -> tuple[Level, Level]:
    """Each answer judged here and over HTTP, one after the other: what else the machine does weighs on both alike."""
    verifier, inline, hop = Verifier(), Level(), Level()
    verifier.warm_up()
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    until = time.perf_counter() + 2 * seconds
    for turn, (question, body) in enumerate(cycle(zip(questions, bodies, strict=True))):
        started = time.perf_counter()
        verifier.verify(*question)
        between = time.perf_counter()
        writer.write(body)
        status = await _read(reader)
        answered = time.perf_counter()
        inline.take(200, between - started)
        hop.take(status, answered - between)
        if turn and answered > until:
            break
    writer.close()
    await writer.wait_closed()
    for level in (inline, hop):
        level.seconds = sum(map(sum, level.took.values()))
    return inline, hop


async def ask(url: str, bodies: Sequence[bytes], connections: int, seconds: float) -> Level:
    """Asks over so many connections for so long, each at least twice, and each from another body on."""
    host, port = url.removeprefix("http://").split(":")
    level, is_over = Level(), asyncio.Event()
    beside, *opened = await asyncio.gather(*(asyncio.open_connection(host, int(port)) for _ in range(connections + 1)))
    began = time.perf_counter()

    async def look(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while len(level.health) < 2 or not is_over.is_set():
            started = time.perf_counter()
            writer.write(_HEALTH)
            await _read(reader)
            level.health.append(time.perf_counter() - started)
            with suppress(TimeoutError):
                await asyncio.wait_for(is_over.wait(), _PAUSE_S)
        writer.close()
        await writer.wait_closed()

    async def one(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = number * len(bodies) // connections
        for turn, body in enumerate(islice(cycle(bodies), first, None)):
            started = time.perf_counter()
            writer.write(body)
            status = await _read(reader)
            answered = time.perf_counter()
            level.take(status, answered - started)
            # of a single time there is no percentile
            if turn and answered - began > seconds:
                break
        writer.close()
        await writer.wait_closed()

    looking = asyncio.create_task(look(*beside))
    await asyncio.gather(*(one(number, *streams) for number, streams in enumerate(opened)))
    level.seconds = time.perf_counter() - began
    is_over.set()
    await looking
    return level


async def _read(reader: asyncio.StreamReader) -> int:
    """Reads one response and returns its status."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    await reader.readexactly(int(length[1]) if length else 0)
    return int(head.split(b" ", 2)[1])


@contextmanager
def serving(threads: int, workers: int) -> Iterator[tuple[str, int]]:
    """The address of a service in processes of its own, and the id of the first."""
    with tempfile.TemporaryDirectory() as folder:
        settings, log = Path(folder) / "raguard.toml", Path(folder) / "log"
        settings.write_text(f"[service]\nthreads = {threads}\nmax_requests = {PLACES}\n", encoding="utf-8")
        command = [sys.executable, "-m", "raguard", "serve", "--config", str(settings), "--port", "0"]
        environment = {**os.environ, "PYTHONPATH": str(machine.ROOT)}
        with log.open("wb") as written:
            process = subprocess.Popen(
                [*command, "--workers", str(workers)], env=environment, stderr=written, cwd=folder
            )
        try:
            port = _wait(log, workers)
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def _wait(log: Path, workers: int) -> int:
    """The port, when every worker has been seen to be ready: a new connection reaches any of them."""
    until, ready, port = time.monotonic() + _START_S, 0, 0
    while ready < 20 * workers:
        if time.monotonic() > until:
            raise TimeoutError("the service did not get ready")
        if not port:
            told = re.search(r"running on http://127\.0\.0\.1:(\d+)", log.read_text(encoding="utf-8"))
            port = int(told[1]) if told else 0
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                ready = ready + 1 if b" 200 " in connection.recv(64) else 0
        except OSError:
            ready = 0
        if not ready:
            time.sleep(0.1)
    return port


def cells(level: Level) -> list[str]:
    """A row of the table."""
    figures = figures_of(level)
    shown = [f"{figures['per_second']:.0f}", *(f"{figures[f'p{percent}']:.1f}" for percent in _PERCENTS)]
    health = f"{figures['healthz_p95']:.1f}" if "healthz_p95" in figures else ""
    return [*shown, f"{figures['refused']:.0f}", f"{figures['other']:.0f}", health]


def figures_of(level: Level) -> dict[str, float]:
    """Verdicts a second, their times in milliseconds, and how much else came back.

    >>> figures_of(Level({200: [0.001, 0.003], 429: [0.0001]}, 2.0))["per_second"]
    1.0
    """
    counts = Counter({status: len(took) for status, took in level.took.items()})
    times = {f"p{percent}": percentile(level.good, percent) for percent in _PERCENTS}
    other = sum(counts.values()) - counts[200] - counts[429]
    health = {"healthz_p95": percentile(level.health, 95)} if level.health else {}
    return {"per_second": counts[200] / level.seconds, **times, "refused": counts[429], "other": other, **health}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="load.py", description="Times raguard serve over the loopback.")
    parser.add_argument("--data", type=Path, metavar="PATH", help="these answers instead of invented ones")
    parser.add_argument("--seconds", type=float, default=5.0, metavar="S", help="for how long each level (default 5)")
    parser.add_argument("--threads", type=positive, default=2, metavar="N", help="threads of a worker (default 2)")
    parser.add_argument(
        "--connections", type=positive, nargs="+", default=[1, 8, 64], metavar="N", help="the levels (default 1 8 64)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="append the figures as one JSON row")
    return parser


if __name__ == "__main__":
    sys.exit(main())
