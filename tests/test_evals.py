"""Does the question set under ``evals/`` fit its handbook, and does its runner score it?"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from raguard.claims import chunk_corpus

EVALS = Path(__file__).parent.parent / "evals"


@pytest.fixture(scope="module")
def runner() -> dict[str, Any]:
    return runpy.run_path(str(EVALS / "run.py"))


def test_gold_ids_are_those_of_the_chunks(runner: dict[str, Any]) -> None:
    ids = {chunk.id for chunk in chunk_corpus(runner["handbook"](), runner["SIZE"], overlap=0)}
    questions = runner["questions"]()
    assert len(questions) == 21
    assert len({question["id"] for question in questions}) == 21
    for question in questions:
        assert set(question["gold_chunk_ids"] or ()) <= ids
        assert (question["gold_chunk_ids"] is None) == (question["id"] == "lift")
    assert sum(question["label"] for question in questions) == 6


def test_runner_scores_the_answers_and_the_wrong_ones_fall_behind(
    runner: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "scores.json"
    assert runner["main"](["--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("21 answers, 21 with a label, 6 of them unsupported\n")
    told = {metric["name"]: metric for metric in json.loads(out.read_text())["metrics"]}
    assert {name: metric["n"] for name, metric in told.items()} == {
        "retrieval_precision": 20,
        "retrieval_recall": 20,
        "citation_faithfulness": 19,
        "answer_groundedness": 21,
        "entity_precision": 8,
        "number_precision": 14,
        "date_precision": 4,
        "hallucination_risk": 21,
    }
    assert told["retrieval_recall"]["mean"] == 0.9
    for name in ("citation_faithfulness", "answer_groundedness", "hallucination_risk"):
        assert told[name]["auroc"] > 0.9 > 0.65 > told[name]["length_auroc"]


def test_runner_with_more_chunks_finds_more(runner: dict[str, Any], tmp_path: Path) -> None:
    kept = tmp_path / "cases.jsonl"
    assert runner["main"](["--top-k", "11", "--cases", str(kept), "--json"]) == 0
    cases = [json.loads(line) for line in kept.read_text().splitlines()]
    found = [set(case["gold_chunk_ids"]) <= {chunk["id"] for chunk in case["chunks"]} for case in cases[:-1]]
    assert len(found) == 20
    assert sum(found) > 18


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top-k", "0"], "--top-k must be a whole number of at least 1"),
        (
            ["--cases", "{folder}/no/x.jsonl"],
            "--cases: {folder}/no/x.jsonl: cannot be written: No such file or directory",
        ),
        (["--cases", "{folder}"], "--cases: {folder}: cannot be written: Is a directory"),
    ],
)
def test_runner_says_in_a_sentence_what_is_wrong(
    runner: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        runner["main"]([argument.format(folder=tmp_path) for argument in arguments])
    assert capsys.readouterr().err.endswith(f"error: {message.format(folder=tmp_path)}\n")
