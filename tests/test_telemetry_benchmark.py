"""Does the benchmark of telemetry print and keep its figures? No time is asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import telemetry


def test_every_way_of_telling_has_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "figures.jsonl"
    assert telemetry.main(["--answers", "2", "--runs", "1", "--json", str(kept)]) == 0
    (row,) = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    ways = ["nobody: verify again", "no provider", "SDK in memory"]
    assert row["benchmark"] == "telemetry"
    assert {tuple(group) for group in row["groups"].values()} == {tuple(ways)}
    assert [*row["own_us"]] == ways[1:]
    printed = capsys.readouterr().out
    assert [printed.count(f"{way} |") for way in ways] == [len(row["groups"])] * 3
