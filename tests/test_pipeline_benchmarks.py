"""Does the benchmark of the pipeline measure what it says? Its figures and files; no time is asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pipeline
import pytest
from pipeline import Question

from raguard import Raguard
from raguard.pipeline.run_report import RunReport

CASES = [
    {
        "query": "Which fee?",
        "docs": ["The fee is $5.", {"text": "Fees are due."}],
        "response": "The fee is $5.",
        "label": False,
    },
    {"query": "Where is Leeds?", "docs": ["Leeds is in Yorkshire.", " "], "response": "Kent", "label": False},
    {"query": "Which fee?", "docs": ["The fee is $5."], "response": "", "label": True},
    {"query": " ", "docs": ["Nobody asks for this."], "response": "", "label": True},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8")
    return path


def test_questions_and_documents_are_read_once(data: Path) -> None:
    assert pipeline.read(data) == (
        ["The fee is $5.", "Fees are due.", "Leeds is in Yorkshire.", "Nobody asks for this."],
        [Question("Which fee?", frozenset({0, 1})), Question("Where is Leeds?", frozenset({2}))],
    )


@pytest.mark.parametrize("way", pipeline.WAYS)
def test_every_way_finds_the_own_documents(data: Path, way: str) -> None:
    documents, questions = pipeline.read(data)
    first, recall = pipeline.found(pipeline.over(documents, way), questions, 2)
    assert first == 1.0
    assert recall == (0.75 if way == "words" else 1.0)


def test_quoted_and_refused_answers_are_counted(data: Path) -> None:
    documents, questions = pipeline.read(data)
    right = pipeline.right_answers(data)
    assert right == {"Which fee?": "The fee is $5.", "Where is Leeds?": "Kent"}
    told = pipeline.quoting(pipeline.over(documents, "vectors"), documents, questions, right, 2)
    assert told == {"quoted": 1, "refused": 0, "refused of others": 2}
    right["Where is Leeds?"] = "Yorkshire"
    assert pipeline.quoting(pipeline.over(documents, "vectors"), documents, questions, right, 2)["quoted"] == 2


def test_averages_leave_out_what_is_undefined() -> None:
    made = Raguard.from_documents(["The fee is $5 a month."])
    reports = [made.run("What is the monthly fee?"), RunReport(question="?")]
    told = pipeline.averages(reports)
    assert (told["pass"], told["retrieval_recall"], told["citation_faithfulness"]) == (0.5, None, 1.0)
    assert {*pipeline.timed(made, [Question("Which fee?", frozenset())], 2)} >= {"run", "total", "verify"}


def test_a_row_is_kept_of_each_run(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    assert pipeline.main(["--data", str(data), "--json", str(rows)]) == 0
    assert pipeline.main(["--rounds", "1", "--json", str(rows)]) == 0
    own, whole = (json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines())
    assert [*own["found"]] == [*pipeline.WAYS, "extractive"]
    assert own["data"] == "cases.jsonl"
    assert whole["scores"]["vectors"]["retrieval_recall"] == 1.0
    assert [*whole["ms"]][:2] == ["run", "screen"]
    assert "| run " in capsys.readouterr().out
