"""Does ``raguard score`` say what the metrics say, hold it against before, and lose nothing over a bad line?"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Says, says_of

from raguard import Document
from raguard.metrics import METRICS, EvalSlice, score

ROOT = Path(__file__).parent.parent
RENT, PETS = "The rent is $900 a month.", "Dogs and cats are not allowed in the flat."
GOOD = {
    "id": "good",
    "question": "What is the rent?",
    "chunks": [{"id": "rent", "text": RENT}, {"id": "pets", "text": PETS}],
    "answer": "The rent is $900 [1].",
    "gold_chunk_ids": ["rent"],
    "label": False,
}
BAD = {**GOOD, "id": "bad", "answer": "The rent is $950 and there is a heated pool on the roof [2].", "label": True}
OLD_NAMES = {"id": "old", "query": "What is the rent?", "docs": [RENT, PETS], "response": "Dogs are not allowed."}
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.fixture
def raguard_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Says:
    """Runs ``raguard score`` in this process."""
    return says_of(capsys, monkeypatch, "score")


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    """Writes lines: text as it is, anything else as JSON."""

    def write(*lines: Any, name: str = "answers.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines), "utf-8")
        return path

    return write


File = Callable[..., Path]


def sliced(case: dict[str, Any]) -> EvalSlice:
    chunks = [Document(each["text"], id=each["id"]) for each in case["chunks"]]
    return EvalSlice(
        question=case["question"], answer=case["answer"], chunks=chunks, gold_chunk_ids=case["gold_chunk_ids"]
    )


# what it prints


def test_score_prints_a_row_for_each_metric_and_the_worst_answers(raguard_says: Says, file: File) -> None:
    says = raguard_says(
        file(GOOD, BAD, OLD_NAMES), "--metric", "citation_faithfulness", "--metric", "hallucination_risk"
    )
    good, bad = (score(sliced(case))[-1].value or 0.0 for case in (GOOD, BAD))
    lines = says.out.splitlines()
    assert lines[:3] == [
        "3 answers, 2 with a label, 1 of them unsupported",
        "",
        "metric                                answers   mean   95 % interval  AUROC  by length",
    ]
    assert lines[3] == "citation_faithfulness                       2  0.500  0.000 to 1.000  1.000      1.000"
    assert lines[4].startswith("hallucination_risk (higher is worse)        3  ")
    assert lines[4].endswith("  1.000      1.000")
    assert lines[5:9] == [
        "",
        "citation_faithfulness",
        "  0.000  bad  0 of 1 citing sentences carried by what they cite",
        "  undefined for 1: the answer cites nothing",
    ]
    assert lines[11] == f"  {bad:.3f}  bad  of answer_groundedness, citation_faithfulness, retrieval_precision"
    assert f"  {good:.3f}  good  of answer_groundedness, citation_faithfulness, retrieval_precision" in lines
    assert (says.status, says.err) == (0, "")


def test_score_without_labels_shows_no_auroc(raguard_says: Says, file: File) -> None:
    says = raguard_says(file(OLD_NAMES))
    assert says.out.startswith("1 answer\n\nmetric                                answers   mean   95 % interval\n")
    assert "AUROC" not in says.out
    assert "  undefined for 1: no gold chunk ids are given" in says.out


def test_score_gives_as_json_what_the_metrics_say(raguard_says: Says, file: File) -> None:
    says = raguard_says(file(GOOD, BAD), "--json")
    told = json.loads(says.out)
    assert [entry["name"] for entry in told["metrics"]] == [metric.name for metric in METRICS]
    for case, entry in zip((GOOD, BAD), told["slices"], strict=True):
        assert entry["id"] == case["id"]
        assert entry["scores"] == {
            each.name: {"value": each.value, "reason": each.reason} for each in score(sliced(case))
        }
    assert told["faults"] == []
    assert {"regressions", "fewer_answers"}.isdisjoint(told)


def test_score_is_the_same_again(raguard_says: Says, file: File) -> None:
    path = file(GOOD, BAD, OLD_NAMES)
    assert raguard_says(path, "--json") == raguard_says(path, "--json")


def test_score_reads_standard_input_and_stops_at_the_limit(raguard_says: Says) -> None:
    lines = "".join(f"{json.dumps(case)}\n" for case in (GOOD, BAD, "broken")).encode()
    says = raguard_says("-", "--limit", "1", "--json", stdin=lines)
    assert [entry["id"] for entry in json.loads(says.out)["slices"]] == ["good"]
    assert (says.status, says.err) == (0, "")


def test_score_names_as_many_of_the_worst_as_asked(raguard_says: Says, file: File) -> None:
    path = file(*({**BAD, "id": f"bad-{number}"} for number in range(5)))
    for worst in (0, 2, 5):
        says = raguard_says(path, "--worst", worst, "--metric", "answer_groundedness")
        assert len(re.findall(r"^  \d\.\d{3}  bad-\d", says.out, re.M)) == worst


def test_score_takes_settings_from_a_file(raguard_says: Says, file: File, tmp_path: Path) -> None:
    config = tmp_path / "raguard.toml"
    config.write_text("max_response_chars = 5\n")
    says = raguard_says(file(GOOD), "--config", config, "--metric", "answer_groundedness")
    assert "undefined for 1: llm_response has 21 characters; the limit max_response_chars is 5" in says.out


# lines that cannot be read


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "is not valid JSON: "),
        ("[]", "is no JSON object"),
        ({"chunks": [], "answer": ""}, "the key question (or query) is missing"),
        ({"question": "", "answer": ""}, "the key chunks (or docs) is missing"),
        ({"question": "", "chunks": []}, "the key answer (or response) is missing"),
        ({**GOOD, "question": None}, "question must be a string, not NoneType"),
        ({**GOOD, "answer": 3}, "answer must be a string, not int"),
        ({**GOOD, "chunks": "x"}, "the key chunks (or docs) must be a list"),
        ({**GOOD, "chunks": [3]}, "chunk 1 must be a string, or an object with the key text"),
        ({**GOOD, "chunks": ["", {"text": 3}]}, "chunk 2 must be a string, or an object with the key text"),
        ({**GOOD, "chunks": [{"text": "", "id": 3}]}, "chunk 1: the key id must be a string"),
        ({**GOOD, "chunks": [{"text": "", "metadata": 3}]}, "chunk 1: the key metadata must be an object"),
        ({**GOOD, "gold_chunk_ids": "rent"}, "gold_chunk_ids must be a list of ids, not str"),
        ({**GOOD, "gold_chunk_ids": [3]}, "gold_chunk_ids[0] must be a string, not int"),
        ({**GOOD, "label": "yes"}, "the key label must be true, false or null"),
        ({**GOOD, "id": None}, "the key id must be a string or a whole number"),
        ({**GOOD, "reference": 3}, "reference must be a string or None, not int"),
    ],
)
def test_bad_line_is_named_and_the_others_are_scored(raguard_says: Says, file: File, line: Any, why: str) -> None:
    path = file(GOOD, "", line, BAD)
    says = raguard_says(path, "--json")
    told = json.loads(says.out)
    assert [entry["id"] for entry in told["slices"]] == ["good", "bad"]
    assert [(fault["line"], fault["why"].startswith(why)) for fault in told["faults"]] == [(3, True)]
    assert says.err.startswith(f"raguard: {path}: line 3: {why}")
    assert says.status == 2


def test_answers_without_an_id_are_called_by_their_line(raguard_says: Says, file: File) -> None:
    nameless = {key: value for key, value in GOOD.items() if key != "id"}
    says = raguard_says(file("", nameless, {**GOOD, "id": 7}), "--json")
    assert [entry["id"] for entry in json.loads(says.out)["slices"]] == ["line 2", "7"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{empty}"], "{empty}: holds no answer that can be scored"),
        (["{folder}/none.jsonl"], "{folder}/none.jsonl: cannot be read: No such file or directory"),
        (["{good}", "--metric", "tone"], "--metric: tone is none; give one of retrieval_precision, "),
        (["{good}", "--html", "{folder}"], "--html: {folder} is a folder; give the name of a file"),
        (["{good}", "--out", "{folder}/no/x.json"], "--out: the folder {folder}/no does not exist"),
        (
            ["{good}", "--out", "{folder}/./good.jsonl"],
            "--out: {folder}/good.jsonl is the file of the answers, too; gi",
        ),
        (["{good}", "--html", "{good}"], "--html: {good} is the file of the answers, too; give another name"),
        (["{good}", "--baseline", "{empty}", "--out", "{empty}"], "--out: {empty} is the baseline, too; give another"),
        (["{good}", "--html", "{folder}/x", "--out", "{folder}/x"], "--out: {folder}/x is the page of --html, too; gi"),
        (["{good}", "--baseline", "{folder}/no.json"], "{folder}/no.json: cannot be read: No such file or directory"),
        (["{good}", "--baseline", "{empty}"], "--baseline: {empty}: is not valid JSON: "),
        (["{good}", "--baseline", "{good}"], "--baseline: {good}: the baseline must be an object with a list of metr"),
        (["{good}", "--tolerance", "2"], "Invalid value for '--tolerance'"),
        (["{good}", "--limit", "0"], "Invalid value for '--limit'"),
        ([], "Missing argument 'FILE'"),
    ],
)
def test_what_cannot_be_scored_at_all_is_one_sentence(
    raguard_says: Says, file: File, tmp_path: Path, arguments: list[str], message: str
) -> None:
    names = {"empty": file(name="empty.jsonl"), "good": file(GOOD, name="good.jsonl"), "folder": tmp_path}
    says = raguard_says(*(argument.format(**names) for argument in arguments))
    assert says.err.startswith(f"raguard: {message.format(**names)}")
    assert says.err.count("\n") == 1
    assert (says.status, says.out) == (2, "")


def test_what_is_written_may_go_to_one_device(raguard_says: Says, file: File) -> None:
    path = file(GOOD)
    assert raguard_says(path, "--out", "/dev/null", "--html", "/dev/null").status == 0
    assert json.loads(path.read_text(encoding="utf-8")) == GOOD


# against before


def test_baseline_that_is_kept_passes(raguard_says: Says, file: File, tmp_path: Path) -> None:
    path, old = file(GOOD, BAD), tmp_path / "old.json"
    assert raguard_says(path, "--out", old).status == 0
    says = raguard_says(path, "--baseline", old, "--tolerance", "0", "--json")
    told = json.loads(says.out)
    assert (says.status, says.err, told["regressions"], told["fewer_answers"]) == (0, "", [], [])


def test_regression_beyond_the_tolerance_fails_and_is_named(raguard_says: Says, file: File, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    raguard_says(file(GOOD), "--out", old)
    before = {entry["name"]: entry["mean"] for entry in json.loads(old.read_text())["metrics"]}
    says = raguard_says(file(BAD), "--baseline", old, "--json")
    named = [entry["name"] for entry in json.loads(says.out)["regressions"]]
    assert named == ["citation_faithfulness", "answer_groundedness", "number_precision", "hallucination_risk"]
    lines = says.err.splitlines()
    assert lines[0] == f"raguard: worse than {old}: citation_faithfulness fell from 1.000 to 0.000"
    assert lines[3].startswith(
        f"raguard: worse than {old}: hallucination_risk rose from {before['hallucination_risk']:.3f} to "
    )
    assert says.status == 1
    assert raguard_says(file(GOOD), "--baseline", old).status == 0


def test_regression_within_the_tolerance_passes(raguard_says: Says, file: File, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    raguard_says(file(GOOD), "--out", old)
    assert raguard_says(file(BAD), "--baseline", old, "--tolerance", "1").status == 0


def test_metric_that_is_not_defined_any_more_fails(raguard_says: Says, file: File, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    raguard_says(file(GOOD), "--out", old, "--metric", "retrieval_recall")
    says = raguard_says(file({**GOOD, "gold_chunk_ids": None}), "--baseline", old)
    assert says.err == f"raguard: worse than {old}: retrieval_recall was 1.000 and is not defined any more\n"
    assert says.status == 1


def test_metric_that_is_defined_for_fewer_answers_is_named_and_passes(
    raguard_says: Says, file: File, tmp_path: Path
) -> None:
    old, asked = tmp_path / "old.json", ("--metric", "retrieval_recall")
    raguard_says(file(GOOD, {**GOOD, "id": "other"}), "--out", old, *asked)
    one_less = file(GOOD, {**GOOD, "id": "other", "gold_chunk_ids": None}, name="new.jsonl")
    says = raguard_says(one_less, "--baseline", old, *asked)
    line = f"raguard: fewer answers than {old}: retrieval_recall is defined for 1 answer, and was for 2\n"
    assert (says.status, says.err) == (0, line)
    told = json.loads(raguard_says(one_less, "--baseline", old, "--json", *asked).out)
    assert told["fewer_answers"] == [{"name": "retrieval_recall", "before": 2, "after": 1}]


def test_metric_that_is_not_asked_for_is_not_compared(raguard_says: Says, file: File, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    raguard_says(file(GOOD), "--out", old)
    says = raguard_says(file(BAD), "--baseline", old, "--metric", "retrieval_recall")
    assert (says.status, says.err) == (0, "")


@pytest.mark.parametrize("asked", [(), ("--metric", "entity_precision")])
def test_baseline_without_anything_to_compare_is_refused(
    raguard_says: Says, file: File, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    old = tmp_path / "old.json"
    means = [{"name": "tone", "mean": None}] if not asked else [{"name": "retrieval_recall", "mean": 1.0}]
    old.write_text(json.dumps({"metrics": means}), encoding="utf-8")
    says = raguard_says(file(GOOD), "--baseline", old, *asked)
    assert says.status == 2
    assert says.err == (
        f"raguard: --baseline: {old}: the baseline has no metric with a mean, so that nothing can be compared\n"
    )


def test_bad_line_counts_more_than_a_regression(raguard_says: Says, file: File, tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    raguard_says(file(GOOD), "--out", old)
    says = raguard_says(file(BAD, "{"), "--baseline", old)
    assert (says.status, len(says.err.splitlines())) == (2, 5)


# files and terminals


def test_page_and_json_are_written_whole_beside_the_table(raguard_says: Says, file: File, tmp_path: Path) -> None:
    page, out = tmp_path / "scores.html", tmp_path / "scores.json"
    page.write_text("old")
    says = raguard_says(file(GOOD, BAD), "--html", page, "--out", out)
    assert says.out.startswith("2 answers, ")
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert "<h1>answers.jsonl</h1>" in page.read_text("utf-8")
    assert json.loads(out.read_text("utf-8")) == json.loads(raguard_says(file(GOOD, BAD), "--json").out)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["answers.jsonl", "scores.html", "scores.json"]
    assert RENT not in page.read_text("utf-8") + out.read_text("utf-8")


def test_file_that_cannot_be_written_is_told_and_the_table_is_shown(raguard_says: Says, file: File) -> None:
    says = raguard_says(file(GOOD), "--out", "/dev/full")
    assert says.out.startswith("1 answer, 1 with a label")
    assert says.err == "raguard: --out: /dev/full: cannot be written: No space left on device\n"
    assert says.status == 2


def test_id_cannot_steer_the_terminal(raguard_says: Says, file: File) -> None:
    path = file({**BAD, "id": "\x1b]0;t\x07\x9b2J\u202e"})
    for option in ((), ("--json",)):
        says = raguard_says(path, *option)
        assert not STEERING.search(says.out)
        assert "0;t" in says.out


def test_reader_that_goes_away_early_changes_nothing(file: File) -> None:
    path = file(*({**BAD, "id": f"bad-{number}"} for number in range(20)))
    command = f"{sys.executable} -m raguard score {path} --json | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert (done.stdout, done.stderr, done.returncode) == (b"{\n", b"", 0)


def test_help_shows_the_exit_statuses(raguard_says: Says) -> None:
    says = raguard_says("--help")
    assert says.status == 0
    assert "Exit status: 0 scored, 1 a metric is worse than the baseline, 2 input error." in says.out
    documented = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").partition("## raguard score")[2]
    options = set(re.findall(r"--[a-z][a-z-]+", says.out)) - {"--help"}
    assert len(options) == 10
    assert [option for option in options if f"`{option}" not in documented] == []


def test_documented_session_is_true(raguard_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    ((arguments, shown),) = re.findall(r"^```shell-session\n\$ raguard score (.*)\n((?:.*\n)*?)```", text, re.MULTILINE)
    says = raguard_says(*arguments.split())
    assert doctest.OutputChecker().check_output(shown, says.out, doctest.ELLIPSIS), says.out
