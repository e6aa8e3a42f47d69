"""What does the ASGI middleware add to an application that calls verify() itself? Both answer in turn, in one process.

    python benchmarks/middleware.py

No server and no socket stand between: the application is called as a server calls it. It sends a JSON body with the
answer and its documents. Where nothing is judged (another route, a tenant whose mode is off) it stands beside the
application alone. No chunk is remembered.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from operator import sub
from typing import Any
from urllib.parse import urlencode

import machine
from groups import USUAL, groups
from report import append_row, table, timing_options
from timing import Question, Timer, Times, interleaved, timer

from raguard import Config, Verifier
from raguard.gate import Gate
from raguard.integrations.asgi import CheckedRoute, RaguardMiddleware
from raguard.modes import Modes

ALONE, INLINE = "the application alone", "the application with verify()"
ELSEWHERE = "another route"
BESIDE = {ELSEWHERE: ALONE, "off": ALONE, "shadow": INLINE, "enforce": INLINE}
"""The ways through the middleware, each with what it is timed beside; each is the name of a tenant."""
MODES = Modes(mode="enforce", tenants={"off": Modes(mode="off"), "shadow": Modes(mode="shadow")})
Pairs = tuple[list[float], list[float]]


class Site:
    """An application, with or without the middleware around it, that is asked as a server asks."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier, self._loop = verifier, asyncio.new_event_loop()
        self._question: Question = ("", [], "")
        self.sent: list[dict[str, Any]] = []

    def timers(self) -> dict[str, Timer]:
        """A timer of each way to ask."""
        found = {ALONE: self._timer(self._app), INLINE: self._timer(self._inline)}
        for name in BESIDE:
            route = CheckedRoute(path="/other" if name == ELSEWHERE else "/ask", query="parameter:q")
            site = RaguardMiddleware(self._app, gate=Gate(self._verifier), routes=[route], tenant=_always(name))
            found[name] = self._timer(site)
        return found

    def close(self) -> None:
        """Nothing is asked any more."""
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def _timer(self, app: Callable[..., Any]) -> Timer:
        def ask(query: str, docs: Sequence[str], response: str) -> Any:
            self._question = (query, list(docs), response)
            self.sent = []
            asked = urlencode({"q": query}).encode()
            scope = {"type": "http", "method": "GET", "path": "/ask", "query_string": asked, "headers": []}
            self._loop.run_until_complete(app(scope, self._receive, self._send))

        return timer(ask)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        _, docs, answer = self._question
        body = json.dumps({"answer": answer, "documents": docs}).encode()
        length = str(len(body)).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _inline(self, scope: Any, receive: Any, send: Any) -> None:
        self._verifier.verify(*self._question)
        await self._app(scope, receive, send)

    async def _receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


def _always(name: str) -> Callable[[Any], str]:
    return lambda scope: name


def main(arguments: Sequence[str] | None = None) -> int:
    """Times every group of inputs in every way, and prints the table; returns the exit status."""
    options = timing_options("middleware.py", "Times the ASGI middleware beside verify().").parse_args(arguments)
    verifier = Verifier(Config(cache_chunks=0, modes=MODES))
    verifier.warm_up()
    chosen = groups([name for name in USUAL if name != "data"], options.answers, {})
    site = Site(verifier)
    try:
        timers = site.timers()
        measured = {group.title: _pairs(group.questions, timers, options.runs) for group in chosen}
    finally:
        site.close()
    place = machine.describe()
    print(machine.line(place) + "\n")
    print(_table(measured))
    if options.json:
        figures = {title: {way: _added_us(*pairs) for way, pairs in ways.items()} for title, ways in measured.items()}
        append_row(options.json, {"benchmark": "middleware", "runs": options.runs} | place | {"added_us": figures})
    return 0


def _pairs(questions: Any, timers: Mapping[str, Timer], runs: int) -> dict[str, Pairs]:
    """The seconds of what each way stands beside and of the way itself, question by question over all runs."""
    found: dict[str, Pairs] = {name: ([], []) for name in BESIDE}
    for run in range(runs):
        asked: list[Question] = questions(run)
        # what is asked first pays for what only the first call makes
        for question in asked:
            timers[INLINE](question)
        for name, (without, through) in found.items():
            gc.collect()
            seconds = interleaved(asked, {"without": timers[BESIDE[name]], name: timers[name]})
            without += seconds["without"]
            through += seconds[name]
    return found


def _added_us(without: Sequence[float], through: Sequence[float]) -> float:
    added: float = statistics.median(map(sub, through, without))
    return round(1_000_000 * added, 1)


def _table(measured: Mapping[str, Mapping[str, Pairs]]) -> str:
    rows = []
    for title, ways in measured.items():
        for name, (without, through) in ways.items():
            own, other = Times.of(through), Times.of(without)
            figures = [f"{value:.2f}" for value in (own.p50, other.p50, own.p95, other.p95)]
            rows.append([title, name, BESIDE[name], *figures, f"{_added_us(without, through):.0f}"])
    return table(["input", "way", "beside", "p50 ms", "its p50", "p95 ms", "its p95", "added µs"], rows)


if __name__ == "__main__":
    sys.exit(main())
