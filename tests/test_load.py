"""Does the benchmark of the service ask a real one, count what is refused, and stop in time?"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import load
import pytest
from timing import percentile


def test_levels_are_asked_counted_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "rows.jsonl"
    arguments = ["--seconds", "0.5", "--connections", "1", "2", "--json", str(kept)]
    assert load.main(arguments) == 0
    written = json.loads(kept.read_text(encoding="utf-8"))
    assert list(written["levels"]) == [
        "inline, in turn with the next",
        "HTTP, in turn with it",
        "HTTP, 1 connections",
        "HTTP, 2 connections",
        "HTTP, 128 connections",
        "HTTP, 1 connection, afterwards",
        "2 workers, 2 connections",
    ]
    assert all(level["per_second"] > 0 and level["other"] == 0 for level in written["levels"].values())
    # how many of 128 find the 64 places taken is a matter of how fast they are read and judged
    assert written["levels"]["HTTP, 2 connections"]["refused"] == 0
    assert "| HTTP, 128 connections" in capsys.readouterr().out


def test_each_status_is_counted_and_timed_apart() -> None:
    statuses = cycle((200, 429, 500, 200))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                is_health = head.startswith(b"GET /healthz ")
                if not is_health:
                    await reader.readexactly(int(head.rsplit(b": ", 1)[1]))
                status = 204 if is_health else next(statuses)
                writer.write(f"HTTP/1.1 {status} Told\r\nContent-Length: 2\r\n\r\n{{}}".encode("ascii"))
        writer.close()

    async def asked() -> load.Level:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            return await load.ask(url, [load.body_of(("When?", ["Friday."], "On Friday."))], 4, 0.0)

    level = asyncio.run(asked())
    assert {status: len(took) for status, took in level.took.items()} == {200: 4, 429: 2, 500: 2}
    figures = load.figures_of(level)
    assert figures["per_second"] == 4 / level.seconds
    assert (figures["refused"], figures["other"]) == (2, 2)
    assert level.health
    assert figures["healthz_p95"] == percentile(level.health, 95)
    assert load.cells(level)[-3:] == ["2", "2", f"{figures['healthz_p95']:.1f}"]


def test_data_that_cannot_be_read_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert load.main(["--data", str(tmp_path / "none.jsonl")]) == 2
    assert capsys.readouterr().err.startswith("load.py: ")
