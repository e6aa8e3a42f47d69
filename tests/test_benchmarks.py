"""Are the benchmarks' own figures right? Exact figures on hand-made rows; no timing is asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import accuracy
import entities
import latency
import machine
import peer
import pytest
from answers import Answer, DataError, Span, read_answers, read_ragtruth
from invented import LENGTHS, invented
from report import context, percent, table
from scoring import (
    ANSWER_KEYS,
    Judged,
    at_least,
    false_alarms,
    figures,
    found_by_class,
    judge,
    longer_than,
    missed_spans,
    warnings_hash,
)
from timing import Question, Times, interleaved, ratios

from raguard.result import Ruleset, Severity, Summary, VerifyResult, Warning

HIGH, MEDIUM = at_least("high"), at_least("medium")


def warning(start: int, end: int, severity: Severity = "high", type: str = "missing_entity") -> Warning:
    return Warning(severity, type, "x" * (end - start), "Not found.", start, end, f"rule.{type}")


def result(*warnings: Warning) -> VerifyResult:
    return VerifyResult("proceed", list(warnings), Summary(), [], [], Ruleset("0", ""))


def answer(
    id: str,
    *,
    label: bool = False,
    spans: Sequence[tuple[int, int]] | None = (),
    words: int = 10,
    kind: str | None = None,
) -> Answer:
    response = "word " * words
    marks = None if spans is None else tuple(Span(start, end, response[start:end], "made") for start, end in spans)
    return Answer(
        id=id,
        task="qa",
        query="?",
        docs=("doc",),
        response=response,
        label=label,
        spans=marks,
        model="m",
        kind=kind,
    )


def row(**changes: Any) -> dict[str, Any]:
    known = {
        "id": "a",
        "task": "qa",
        "query": "Who?",
        "docs": ["Ann did."],
        "response": "Bob did.",
        "label": True,
    }
    return known | {"spans": [{"start": 0, "end": 3, "text": "Bob", "type": "name"}]} | changes


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in rows), encoding="utf-8")
    return path


JUDGED = [
    Judged(answer("hit", label=True, spans=[(0, 4), (10, 14)]), (warning(2, 6), warning(20, 24))),
    Judged(answer("missed", label=True, spans=[(5, 9)]), ()),
    Judged(answer("clean"), ()),
    Judged(answer("false alarm"), (warning(0, 4, "medium", "vague_reference"),)),
]


def test_figures_count_overlap_with_gold_spans() -> None:
    high = figures(JUDGED, HIGH)
    assert (high.answers, high.unsupported) == (4, 2)
    assert (high.warnings, high.right, high.precision) == (2, 1, 0.5)
    assert (high.spans, high.spans_hit, high.spans_share) == (3, 1, 1 / 3)
    assert (high.clean_flagged, high.clean_share) == (0, 0.0)
    assert (high.unsupported_flagged, high.unsupported_share, high.f1) == (1, 0.5, 2 / 3)


def test_a_wider_tier_holds_the_narrower_one() -> None:
    both = figures(JUDGED, MEDIUM)
    assert (both.warnings, both.right, both.clean_flagged, both.f1) == (3, 1, 1, 0.5)


def test_a_tier_can_be_narrowed_to_one_type() -> None:
    vague = figures(JUDGED, at_least("medium", "vague_reference"))
    assert (vague.warnings, vague.right, vague.unsupported_flagged, vague.clean_flagged) == (1, 0, 0, 1)


def test_warnings_that_only_touch_a_span_do_not_hit_it() -> None:
    assert figures([Judged(answer("a", label=True, spans=[(0, 4)]), (warning(4, 9),))], HIGH).right == 0


def test_the_label_decides_where_a_set_marks_no_spans() -> None:
    judged = [
        Judged(answer("a", label=True, spans=None), (warning(0, 4), warning(5, 9))),
        Judged(answer("b", spans=None), (warning(0, 4),)),
    ]
    scored = figures(judged, HIGH)
    assert (scored.warnings, scored.right, scored.spans, scored.spans_share) == (3, 2, 0, None)


def test_what_could_not_be_checked_flags_the_answer_but_is_no_marked_span() -> None:
    judged = [Judged(answer("a"), (warning(0, 0, type="input_error"),))]
    scored = figures(judged, HIGH)
    assert (scored.clean_flagged, scored.warnings, scored.precision) == (1, 0, None)
    assert judged[0].unchecked()
    assert Judged(answer("a"), (), ("names",)).unchecked()
    assert not JUDGED[0].unchecked()
    assert false_alarms(judged, HIGH) == []


def test_false_alarms_and_missed_spans_are_listed() -> None:
    assert [(found.id, alarm.start) for found, alarm in false_alarms(JUDGED, MEDIUM)] == [
        ("hit", 20),
        ("false alarm", 0),
    ]
    assert [(found.id, span.start) for found, span in missed_spans(JUDGED, MEDIUM)] == [
        ("hit", 10),
        ("missed", 5),
    ]


def test_the_length_baseline_finds_the_best_threshold() -> None:
    judged = [Judged(answer(str(words), label=label, words=words), ()) for words, label in
              [(3, False), (5, True), (5, False), (8, True), (9, True)]]  # fmt: skip
    words, best = longer_than(judged)
    assert (words, best.unsupported_flagged, best.clean_flagged, best.f1) == (3, 3, 1, 6 / 7)


def test_the_length_baseline_falls_back_to_flagging_all() -> None:
    assert longer_than([Judged(answer("a", label=True), ())])[0] == 0


def test_made_twins_are_counted_per_class() -> None:
    judged = [
        Judged(answer("a", kind="clean"), ()),
        Judged(answer("b", label=True, spans=[(0, 4)], kind="year"), (warning(0, 4),)),
        Judged(answer("c", label=True, spans=[(0, 4)], kind="year"), (warning(5, 9),)),
        Judged(answer("d", label=True, spans=[(0, 4)], kind="unit"), (warning(0, 4, "medium"),)),
    ]
    assert found_by_class(judged, HIGH) == {"unit": (1, 0), "year": (2, 1)}


def test_the_warnings_hash_tells_versions_apart() -> None:
    same, other = [Judged(answer("a"), (warning(0, 4),))], [Judged(answer("a"), (warning(0, 5),))]
    assert warnings_hash(same) == warnings_hash(list(same)) != warnings_hash(other)


def test_judge_hands_over_query_documents_and_response() -> None:
    asked: list[tuple[str, list[str], str]] = []

    def verify(query: str, docs: list[str], response: str) -> VerifyResult:
        asked.append((query, docs, response))
        return result(warning(0, 4))

    (judged,) = judge([answer("a", words=1)], verify)
    assert asked == [("?", ["doc"], "word ")]
    assert judged.warnings == (warning(0, 4),)


def test_labelled_rows_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", row(model="gpt-4", **{"class": "year"}), row(id="b", label=False, spans=None))
    first, second = read_answers(path)
    assert first.spans == (Span(0, 3, "Bob", "name"),)
    assert (first.docs, first.model, first.kind, first.label) == (("Ann did.",), "gpt-4", "year", True)
    assert (second.spans, second.model, second.kind) == (None, "unknown", None)


RAGTRUTH_RESPONSES = (
    {
        "id": "1",
        "source_id": "7",
        "model": "gpt-4",
        "labels": [],
        "split": "test",
        "quality": "good",
        "response": "Yes.",
    },
    {
        "id": "2",
        "source_id": "8",
        "model": "mistral",
        "labels": [{"start": 0, "end": 3, "text": "Bob", "label_type": "Evident Conflict"}],
        "split": "train",
        "quality": "good",
        "response": "Bob sleeps.",
    },
    {
        "id": "3",
        "source_id": "9",
        "model": "m",
        "labels": [],
        "split": "test",
        "quality": "good",
        "response": "Open.",
    },
    {
        "id": "4",
        "source_id": "9",
        "model": "m",
        "labels": [],
        "split": "test",
        "quality": "truncated",
        "response": "O",
    },
)
RAGTRUTH_SOURCES = (
    {
        "source_id": "7",
        "task_type": "QA",
        "source_info": {"question": "Is it?", "passages": "passage 1:It is.\n\npassage 2:So it is.\n\n"},
        "prompt": "Briefly answer the following question:\nIs it?",
    },
    {
        "source_id": "8",
        "task_type": "Summary",
        "source_info": "Ann sleeps.",
        "prompt": "Summarize the following news within 9 words:\nAnn sleeps.\noutput:",
    },
    {
        "source_id": "9",
        "task_type": "Data2txt",
        "source_info": {"name": "Café", "open": True},
        "prompt": "Instruction:\nWrite an overview. Structured data:\n{'name': 'Café'}\nOverview:",
    },
)


def test_ragtruth_is_read_as_published(tmp_path: Path) -> None:
    write(tmp_path / "response.jsonl", *RAGTRUTH_RESPONSES)
    write(tmp_path / "source_info.jsonl", *RAGTRUTH_SOURCES)
    qa, summary, record = read_answers(tmp_path)
    assert (qa.task, qa.query, qa.docs, qa.label) == ("qa", "Is it?", ("It is.", "So it is."), False)
    assert (summary.query, summary.docs) == ("Summarize the following news within 9 words:", ("Ann sleeps.",))
    assert (summary.label, summary.spans) == (True, (Span(0, 3, "Bob", "Evident Conflict"),))
    assert (record.task, record.query) == ("data2text", "Write an overview. Structured data:")
    assert record.docs == ('{"name": "Café", "open": true}',)
    assert [found.id for found in read_answers(tmp_path, split="train")] == ["2"]


def test_ragtruth_names_a_source_that_is_missing(tmp_path: Path) -> None:
    responses = write(tmp_path / "r.jsonl", *RAGTRUTH_RESPONSES)
    sources = write(tmp_path / "s.jsonl", *RAGTRUTH_SOURCES[1:])
    with pytest.raises(DataError, match=r"r\.jsonl, line 1: source_id 7 is not in .*s\.jsonl"):
        read_ragtruth(responses, sources)


@pytest.mark.parametrize(
    ("published", "task", "query", "right", "wrong"),
    [
        (
            {"knowledge": "K", "question": "Q?", "right_answer": "R", "hallucinated_answer": "H"},
            "qa", "Q?", "R", "H",
        ),
        (
            {"knowledge": "K", "dialogue_history": "Hi", "right_response": "R", "hallucinated_response": "H"},
            "dialogue", "Hi", "R", "H",
        ),
        (
            {"document": "K", "right_summary": "R", "hallucinated_summary": "H"},
            "summary", "Summarize the document.", "R", "H",
        ),
    ],
)  # fmt: skip
def test_halueval_is_read_as_published(
    tmp_path: Path, published: dict[str, str], task: str, query: str, right: str, wrong: str
) -> None:
    first, second = read_answers(write(tmp_path / "data.json", published))
    assert (first.task, first.query, first.docs, first.spans) == (task, query, ("K",), None)
    assert [(found.id, found.response, found.label) for found in (first, second)] == [
        ("1-right", right, False),
        ("1-hallucinated", wrong, True),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1: is not valid JSON"),
        ("[1]", "line 1: a line must be one JSON object"),
        ("", "holds no rows"),
        (
            json.dumps(row()) + "\n\n" + json.dumps(row(docs="one")),
            "line 3: docs must be a list of texts, not 'one'",
        ),
        (json.dumps(row(label="yes")), "line 1: label must be true or false, not 'yes'"),
        (json.dumps(row(query=None)), "line 1: query must be a text, not None"),
        (json.dumps(row(spans="x")), "line 1: the marked spans must be a list of objects or null, not 'x'"),
        (
            json.dumps(row(spans=[{"start": 5, "end": 99}])),
            "line 1: span 5–99 does not lie within the response of 8",
        ),
        (
            json.dumps(row(spans=[{"start": 0, "end": 3, "text": "Ann"}])),
            "line 1: span 0–3 is 'Bob' in the response, not 'Ann'",
        ),
        (
            json.dumps({"user_query": "?", "chatgpt_response": "!"}),
            "line 1: HaluEval's general answers come without",
        ),
        (json.dumps(RAGTRUTH_RESPONSES[0]), "line 1: is one half of RAGTruth"),
        (json.dumps({"text": "?"}), "line 1: has neither response and docs"),
    ],
)
def test_a_bad_row_is_one_sentence_with_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content, encoding="utf-8")
    assert accuracy.main([str(path)], verify=lambda query, docs, response: result()) == 2
    error = capsys.readouterr().err
    assert str(path) in error
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["missing.jsonl"], ["."]])
def test_accuracy_says_when_there_is_nothing_to_score(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert accuracy.main(arguments, verify=lambda query, docs, response: result()) == 2
    assert capsys.readouterr().err.startswith("accuracy.py: ")


def test_accuracy_prints_tables_lists_and_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean = row(id="b", label=False, spans=[], response="Cid did.", **{"class": "clean"})
    data = write(tmp_path / "a.jsonl", row(**{"class": "person"}), clean)
    kept = tmp_path / "rows" / "accuracy.jsonl"
    options = [
        str(data),
        "--severity",
        "high",
        "--by",
        "rule",
        "--list-false",
        "--list-missed",
        "--json",
        str(kept),
    ]
    assert accuracy.main(options, verify=lambda query, docs, response: result(warning(0, 3))) == 0
    printed = capsys.readouterr().out
    assert "| high                |       2 |        2 |     1 |     50.0% | 1/1 100.0% |        100.0% |" in printed
    assert "| longer than 0 words |" in printed
    assert "| changed values | high |       1 | 100.0% |" in printed
    assert "1 false alarms\n     1  rule.missing_entity\n" in printed
    assert "    …«Cid» did.…\n    Not found.\n" in printed
    assert "0 missed spans" in printed
    (written,) = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert written["sha256"] == machine.digest([data])
    assert written["tiers"]["high"]["precision"] == 0.5
    assert written["tiers"]["high"]["by_rule"]["rule.missing_entity"]["warnings"] == 2
    assert {"commit", "cpu", "cores", "python", "date", "warnings_sha256"} <= set(written)


def test_accuracy_prints_the_hash_of_each_set_and_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = write(tmp_path / "a.jsonl", row()), write(tmp_path / "b.jsonl", row(id="b"))

    def verify(query: str, docs: list[str], response: str) -> VerifyResult:
        return result(warning(0, 3))

    hashes = [warnings_hash(judge(answers, verify)) for answers in map(read_answers, (first, second))]
    both = warnings_hash(judge([*read_answers(first), *read_answers(second)], verify))
    assert accuracy.main([str(first), str(second)], verify=verify) == 0
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line.startswith("warnings")] == [
        *(f"warnings: sha256 {found}" for found in hashes),
        f"warnings of all 2 sets in this order: sha256 {both}",
    ]
    accuracy.main([str(first)], verify=verify)
    assert "warnings of all" not in capsys.readouterr().out


def test_a_limit_takes_the_first_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write(tmp_path / "a.jsonl", row(), row(id="b"), row(id="c"))
    assert accuracy.main([str(data), "--limit", "2"], verify=lambda query, docs, response: result()) == 0
    assert "a.jsonl: 2 answers, 2 unsupported" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        accuracy.main([str(data), "--limit", "0"])


@pytest.mark.parametrize(
    ("model", "group"),
    [
        ("gpt-4o", "strong"), ("gpt4", "strong"), ("Claude-3", "strong"), ("llama-3.1-405b", "strong"),
        ("llama-2-70b-chat", "other"), ("human+gpt edit", "other"), ("reference", "other"),
    ],
)  # fmt: skip
def test_generators_are_grouped_by_their_name(model: str, group: str, tmp_path: Path) -> None:
    (found,) = read_answers(write(tmp_path / "a.jsonl", row(model=model)))
    assert ANSWER_KEYS["generator"](found) == group


def test_context_marks_the_span_on_one_line() -> None:
    assert context("Ann met\nBob here.", 8, 11) == "…Ann met «Bob» here.…"


def test_tables_are_padded_and_shares_rounded() -> None:
    assert table(["a", "bb"], [["xyz", "1"]]).splitlines() == ["| a   | bb |", "|-----|---:|", "| xyz |  1 |"]
    assert [percent(share) for share in (None, 0.0, 0.0366, 1.0)] == ["–", "0.0%", "3.7%", "100.0%"]


def test_outside_git_the_commit_is_unknown(tmp_path: Path) -> None:
    assert machine.commit(tmp_path) == "unknown"


def test_a_budget_is_only_ever_stretched() -> None:
    assert machine.slowness(machine.REFERENCE_SECONDS * 3) == pytest.approx(3.0)
    assert machine.slowness(machine.REFERENCE_SECONDS / 3) == 1.0


@pytest.mark.parametrize("words", LENGTHS)
def test_invented_answers_are_as_promised(words: int) -> None:
    cases = invented(words, 20)
    assert cases == invented(words, 20)
    assert len({case.response for case in cases + invented(words, 20, seed=1)}) == 40
    assert all(abs(len(case.response.split()) - words) <= 15 for case in cases)
    assert all(3 <= len(case.docs) <= 5 for case in cases)
    assert all(abs(len(doc.split()) - 200) <= 15 for case in cases for doc in case.docs)


@pytest.mark.parametrize("words", LENGTHS)
def test_every_second_invented_answer_has_values_that_no_document_holds(words: int) -> None:
    for place, case in enumerate(invented(words, 20)):
        assert len(case.changed) in ((1, 2, 3) if place % 2 else (0,))
        assert all(value in case.response for value in case.changed)
        assert not any(value in doc for value in case.changed for doc in case.docs)


def test_timers_take_turns_on_every_question() -> None:
    order: list[tuple[str, str]] = []

    def fake(name: str, seconds: float) -> Any:
        def measure(question: Question) -> float:
            order.append((name, question[0]))
            return seconds

        return measure

    questions: list[Question] = [("first", [], ""), ("second", [], "")]
    seconds = interleaved(questions, {"ours": fake("ours", 0.002), "peer": fake("peer", 0.01)})
    assert order == [("ours", "first"), ("peer", "first"), ("peer", "second"), ("ours", "second")]
    assert seconds == {"ours": [0.002, 0.002], "peer": [0.01, 0.01]}
    assert Times.of(seconds["ours"]) == Times(2.0, 2.0, 2.0)


def test_ratios_are_the_middle_least_and_most_over_the_runs() -> None:
    ours = [[1.0, 1.0, 2.0]] * 3
    theirs = [[4.0, 6.0, 8.0], [5.0, 5.0, 8.0], [9.0, 7.0, 8.0]]
    found = ratios(ours, theirs)
    assert found["p50"] == (6.0, 5.0, 8.0)
    assert found["p95"] == pytest.approx((7.8 / 1.9, 7.7 / 1.9, 8.9 / 1.9))
    assert found["pairs"] == (5.0, 4.0, 7.0)
    assert Times.middle([Times(4.0, 8.0, 9.0), Times(5.0, 12.0, 13.0), Times(9.0, 10.0, 11.0)]) == Times(
        5.0, 10.0, 13.0
    )


def test_latency_prints_a_line_per_input_and_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, kept = write(tmp_path / "a.jsonl", row(), row(id="b")), tmp_path / "latency.jsonl"
    options = ["--runs", "1", "--answers", "2", "--data", str(data), "--json", str(kept)]
    assert latency.main(options, verify=lambda query, docs, response: result()) == 0
    printed = capsys.readouterr().out
    assert all(f"| {name} " in printed for name in ("30 words", "100 words", "250 words", "a.jsonl"))
    written = json.loads(kept.read_text(encoding="utf-8"))
    assert set(written["groups"]["a.jsonl"]["raguard"]) == {"p50", "p95", "longest"}


def test_latency_shows_the_ratios_to_the_peer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worker(
        tmp_path,
        monkeypatch,
        "import json, sys\n"
        "print(json.dumps({'version': '9'}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'seconds': 1000.0}), flush=True)\n",
    )
    kept = tmp_path / "latency.jsonl"
    options = ["--runs", "1", "--answers", "2", "--group", "30-words", "--json", str(kept)]
    peered = [*options, "--peer", "--peer-venv", str(tmp_path)]
    assert latency.main(peered, verify=lambda query, docs, response: result()) == 0
    assert "ratio by pair (min–max) |" in capsys.readouterr().out
    (group,) = json.loads(kept.read_text(encoding="utf-8"))["groups"].values()
    assert group["raguard-py"]["p50"] == 1_000_000.0
    assert set(group["ratios"]) == {"p50", "p95", "pairs"}


def test_latency_times_the_groups_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[Question] = []

    def verify(query: str, docs: list[str], response: str) -> VerifyResult:
        asked.append((query, docs, response))
        return result()

    data = write(tmp_path / "a.jsonl", row(docs=["The first one. " * 20]), row(id="b", docs=["The other one. " * 200]))
    options = ["--runs", "1", "--answers", "2", "--data", str(data), "--group", "12-chunks", "data-prepared"]
    assert latency.main(options, verify=verify) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1].strip() for line in printed if line.startswith("| ")] == [
        *("input", "a.jsonl prepared", "12 chunks of 2 KB"),
    ]
    assert [len(docs) for _, docs, _ in asked] == [1, 1, 12, 12]


def test_groups_of_data_need_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert latency.main(["--group", "data-prepared"], verify=lambda query, docs, response: result()) == 2
    assert capsys.readouterr().err == "latency.py: the groups data and data-prepared are those of --data PATH\n"


def test_a_peer_warning_stands_wherever_its_text_does() -> None:
    found = peer.located(["high", "missing_entity", "Bob", "Not found."], "Bob met bob.")
    assert [(warning.start, warning.end, warning.text) for warning in found] == [
        (0, 3, "Bob"),
        (8, 11, "bob"),
    ]
    (error,) = peer.located(["high", "input_error", "llm_response is empty.", "Check input."], "")
    assert (error.text, error.suggestion, error.start, error.end) == ("", "llm_response is empty.", 0, 0)


def worker(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Puts ``code`` in the place of raguard-py's worker, run by this very Python."""
    script = folder / "worker.py"
    script.write_text(code, encoding="utf-8")
    monkeypatch.setattr(peer, "WORKER", script)
    monkeypatch.setattr(peer, "_installed", lambda venv: Path(sys.executable))


def test_the_peer_is_asked_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker(
        tmp_path,
        monkeypatch,
        "import json\n"
        "print(json.dumps({'version': '9'}), flush=True)\n"
        "text = json.loads(input())['response']\n"
        "print(json.dumps({'seconds': 0.5, 'warnings': [['high', 'missing_entity', text[:3], '?']]}))\n",
    )
    with peer.Peer(tmp_path) as asked:
        verdict = asked.verify("Who?", ["Ann did."], "Bob did, Bob \ud800.")
    assert (verdict.action, verdict.summary.high, verdict.ruleset.version) == ("review", 2, "raguard-py 9")


@pytest.mark.parametrize("before", ["", 'print(\'{"version": "9"}\', flush=True); '])
def test_a_peer_that_stops_says_why(
    before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worker(tmp_path, monkeypatch, f"{before}raise SystemExit('no model')")
    data = write(tmp_path / "a.jsonl", row())
    assert accuracy.main([str(data), "--peer", "--peer-venv", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "accuracy.py: raguard-py stopped answering: no model\n"


def test_entities_are_counted_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(id=text, response=text, spans=None) for text in ("Alice Johnson left.", "It did so.")]
    data, kept = write(tmp_path / "a.jsonl", *rows), tmp_path / "e.jsonl"
    options = ["--data", str(data), "--json", str(kept)]
    assert entities.main(options) == 0
    monkeypatch.setattr(entities, "_stock", lambda nlp: lambda text: [(0, 5, "LAW")] if "Alice" in text else [])
    assert entities.main(options) == 1
    same, different = (json.loads(line)["inputs"]["a.jsonl"] for line in kept.read_text(encoding="utf-8").splitlines())
    assert (same["texts"], same["entities"], same["differing"]) == (2, 1, 0)
    assert (different["texts"], different["entities"], different["differing"]) == (2, 1, 1)
    assert "| a.jsonl |     2 |        1 |         1 |" in capsys.readouterr().out


def test_entities_without_data_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entities.main(["--data", str(tmp_path / "none.jsonl")]) == 2
    assert capsys.readouterr().err.startswith("entities.py: ")


@pytest.mark.parametrize(
    "script",
    [
        "accuracy.py",
        "entities.py",
        "latency.py",
        "stages.py",
        "growth.py",
        "event_loop.py",
        "memory.py",
        "startup.py",
        "batch.py",
        "ratchet.py",
    ],
)
def test_scripts_run_from_the_root(script: str) -> None:
    command = [sys.executable, f"benchmarks/{script}", "--help"]
    run = subprocess.run(command, cwd=machine.ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"usage: {script}")
