"""Does the benchmark of the service ask a real one, count what is refused, and stop in time?"""

from __future__ import annotations

import json
from pathlib import Path

import load
import pytest


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
    # 128 connections, 64 places: how many are refused depends on how fast the others are judged
    assert written["levels"]["HTTP, 128 connections"]["refused"] > 0
    assert written["levels"]["HTTP, 2 connections"]["refused"] == 0
    assert "| HTTP, 128 connections" in capsys.readouterr().out


def test_data_that_cannot_be_read_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert load.main(["--data", str(tmp_path / "none.jsonl")]) == 2
    assert capsys.readouterr().err.startswith("load.py: ")
