"""Do the benchmarks of speed measure what they say? Their figures and files; no time is asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import stages
from inputs import invented_questions

from raguard.checks import DEFAULT_CHECKS
from raguard.evidence.chunk import Reading


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_by() -> list[object]:
    """The functions that make and read a chunk."""
    return [getattr(part, "func", part) for part in vars(Reading).values()]


def test_a_stopwatch_counts_what_runs_inside_for_itself_alone() -> None:
    ticks = iter([0.0, 1.0, 3.0, 10.0, 20.0, 24.0])
    watch = stages.Stopwatch(lambda: next(ticks))
    inner = watch.timed("inner", lambda: "found")
    outer = watch.timed("outer", inner)
    assert outer() == "found"
    inner()
    assert watch.seconds == {"outer": 8.0, "inner": 6.0}


def test_a_stopwatch_counts_what_fails() -> None:
    ticks = iter([0.0, 1.0, 3.0, 10.0])
    watch = stages.Stopwatch(lambda: next(ticks))
    with pytest.raises(ZeroDivisionError):
        watch.timed("outer", watch.timed("inner", lambda: 1 // 0))()
    assert watch.seconds == {"outer": 8.0, "inner": 2.0}


def test_the_stages_of_a_verdict_are_all_of_it_and_nothing_stays_watched() -> None:
    before = read_by()
    found, parts = stages.shares(invented_questions(30, 2))
    assert list(found) == [
        *("guard", "text", "building"),
        *(check.__name__ for check in DEFAULT_CHECKS),
        *("language model", "deciding", "the rest"),
    ]
    assert all(ms > 0 for name, ms in found.items() if name != "language model")
    assert sum(parts.values()) < sum(found.values())
    assert {"Reading()", "WordPlaces()", "Reading.words"} <= set(parts)
    assert read_by() == before


def test_stages_prints_both_tables_and_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "stages.jsonl"
    assert stages.main(["--limit", "2", "--json", str(kept)]) == 0
    printed = capsys.readouterr().out
    assert "invented, 100 words: 2 answers" in printed
    assert "| missing_names " in printed
    assert "| Reading.words " in printed
    (row,) = lines(kept)
    assert (row["benchmark"], row["answers"]) == ("stages", 2)
    assert {"ms", "stages", "parts", "commit", "python"} <= set(row)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stages.main(["--data", str(tmp_path / "missing.jsonl")]) == 2
    assert capsys.readouterr().err.startswith("stages.py: ")
