"""Does the benchmark of a judge count right, with what is unchecked counted apart? Against a scripted server."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import judge as judge_figures
import pytest
from answers import Answer
from chat_server import ChatServer, Request, blocking, completion, passing
from judge import Outcome, Verdicts, by_length, reasons, verdicts

from raguard.rails import Decision


def answer(response: str, label: bool) -> Answer:
    return Answer(id="a", task="qa", query="", docs=("d",), response=response, label=label, spans=None)


def test_verdicts_give_the_figures_that_follow() -> None:
    counts = Verdicts(right=3, false=1, missed=2, clean=4)
    assert (counts.answers, counts.precision, counts.recall) == (10, 0.75, 0.6)
    assert counts.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert counts.clean_flagged == 0.2
    assert counts.balanced == pytest.approx((0.6 + 0.8) / 2)
    assert counts.cells("x") == ["x", "10", "4", "75.0%", "60.0%", "0.667", "0.700", "20.0%"]


def test_a_figure_of_nothing_is_a_dash() -> None:
    assert Verdicts(0, 0, 0, 0).cells("x") == ["x", "0", "0", "–", "–", "–", "–", "–"]
    assert verdicts([(False, False)]).cells("x")[3:] == ["–", "–", "–", "–", "0.0%"]


def test_the_length_baseline_has_the_best_number_of_words_for_the_answers() -> None:
    answers = [answer("a b c d", True), answer("a b c", True), answer("a b", False), answer("a", False)]
    assert by_length(answers) == (2, Verdicts(right=2, false=0, missed=0, clean=2))
    assert by_length([answer("a b", True)]) == (0, Verdicts(right=1, false=0, missed=0, clean=0))


def test_reasons_are_counted_of_what_is_unchecked_alone() -> None:
    decisions = [
        Decision("unchecked", "late"),
        Decision("unchecked", "late"),
        Decision("block", "no"),
        Decision("pass", ""),
    ]
    outcomes = [Outcome(answer("a", True), decision) for decision in decisions]
    assert reasons(outcomes) == Counter({"late": 2})


ROWS: list[tuple[str, str, bool, Any]] = [
    ("r1", "one two three", True, blocking),
    ("r2", "one two", True, passing),
    ("r3", "one", False, passing),
    ("r4", "one two three four", False, blocking),
    ("r5", "cut off", True, lambda request: completion(passing(request), "length")),
    ("r6", "broken", False, lambda request: "I pass."),
    ("r7", "gone", False, lambda request: 503),
    ("r8", "gone too", True, lambda request: 503),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"id": id, "task": "qa" if label else "summary", "query": "q", "docs": ["d"], "response": text, "label": label}
        for id, text, label, _ in ROWS
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def reply(request: Request) -> Any:
    script = {text: script for _, text, _, script in ROWS}
    return script[request.answer](request)


def test_the_benchmark_scores_an_endpoint_and_counts_unchecked_apart(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_TEST", "sk-test")
    out = tmp_path / "rows" / "judge.jsonl"
    with ChatServer(reply) as server:
        where = ["--base-url", server.url, "--model", "m", "--data", str(data), "--key-variable", "KEY_OF_TEST"]
        judge_figures.main([*where, "--no-screen", "--at-once", "3", "--json", str(out), "--list-wrong"])
        assert len(server.requests) == 8
        assert {request.headers["Authorization"] for request in server.requests} == {"Bearer sk-test"}
    told = capsys.readouterr().out
    row = json.loads(out.read_text(encoding="utf-8"))
    assert row["figures"]["the judge"] == {
        "answers": 4,
        "flagged": 2,
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "balanced": 0.5,
        "clean_flagged": 0.5,
    }
    assert row["model"] == "m"
    assert list(row["figures"]) == ["the judge", "longer than 1 words", "flag all"]
    assert row["unchecked"] == {
        "the endpoint answered with status 503": 2,
        "the reply was cut off by the token budget": 1,
        "the reply holds no verdict": 1,
    }
    assert row["length_auroc"] == 0.5
    assert row["p50_ms"] > 0
    assert "8 answers, 4 judged" in told
    assert "unchecked: 4 of 8" in told
    assert "r2  pass  All is stated." in told
    assert "r4  block  Not stated." in told
    assert "sk-test" not in told + out.read_text(encoding="utf-8")


def test_the_only_model_of_an_endpoint_is_asked_where_none_is_named(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(reply, models=["the-one"]) as server:
        judge_figures.main(["--base-url", server.url, "--data", str(data), "--no-screen", "--limit", "2"])
        assert [request.body["model"] for request in server.requests] == ["the-one"] * 2
    assert "model the-one: 2 answers, 2 judged" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("models", "told"),
    [
        ([], "the endpoint lists 0 models; give --model"),
        (["a", "b"], "the endpoint lists 2 models; give --model"),
        (None, "the models of the endpoint cannot be listed (NotFoundError); give --model"),
    ],
)
def test_an_endpoint_with_no_or_several_models_wants_one_to_be_named(
    models: list[str] | None, told: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(reply, models=models) as server:
        with pytest.raises(SystemExit):
            judge_figures.main(["--base-url", server.url, "--data", str(data)])
        assert server.requests == []
    assert told in capsys.readouterr().err


def test_an_endpoint_that_gives_no_verdict_has_no_figures(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(lambda request: 401) as server:
        judge_figures.main(
            ["--base-url", server.url, "--model", "m", "--data", str(data), "--no-screen", "--limit", "1"]
        )
    told = capsys.readouterr().out
    assert "1 answers, 0 judged" in told
    assert "     1  the endpoint answered with status 401" in told


@pytest.mark.parametrize(
    ("url", "told"),
    [("ftp://a", "base_url must begin with http:// or https://"), ("http://a", "missing.jsonl: cannot be read")],
)
def test_what_cannot_be_used_is_told_in_a_sentence(
    url: str, told: str, capsys: pytest.CaptureFixture[str], data: Path
) -> None:
    path = data if url.startswith("ftp") else data.parent / "missing.jsonl"
    with pytest.raises(SystemExit):
        judge_figures.main(["--base-url", url, "--model", "m", "--data", str(path)])
    assert told in capsys.readouterr().err
