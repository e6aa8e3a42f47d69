"""Does the benchmark of the middleware ask the application in every way, and keep its figures? No time is asserted."""

from __future__ import annotations

import json
from pathlib import Path

import middleware
import pytest

from raguard import Config, Verifier

QUESTION = ("When does it close?", ["The pool closes at 9 PM."], "The pool closes at 11 PM.")
WAYS = ["another route", "off", "shadow", "enforce"]


def test_every_way_has_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "figures.jsonl"
    assert middleware.main(["--answers", "2", "--runs", "1", "--json", str(kept)]) == 0
    (row,) = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    assert (row["benchmark"], row["runs"]) == ("middleware", 1)
    assert [list(ways) for ways in row["added_us"].values()] == [WAYS] * 3
    printed = capsys.readouterr().out
    assert [printed.count(f" {way} | ") for way in WAYS] == [3] * 4


def test_only_what_is_enforced_gets_a_verdict_and_all_else_stays_as_it_is() -> None:
    site = middleware.Site(Verifier(Config(modes=middleware.MODES)))
    bodies = {}
    try:
        for name, ask in site.timers().items():
            assert ask(QUESTION) > 0
            bodies[name] = json.loads(b"".join(message.get("body", b"") for message in site.sent))
    finally:
        site.close()
    shown = bodies.pop("enforce")
    assert (shown["answer"], shown["raguard"]["action"]) == ("The pool closes at 11 PM [unsupported].", "review")
    assert list(bodies.values()) == [{"answer": QUESTION[2], "documents": QUESTION[1]}] * 5
