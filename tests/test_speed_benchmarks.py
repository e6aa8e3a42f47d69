"""Do the benchmarks of speed measure what they say? Their figures and files; no time is asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import stages
from groups import NAMES, groups
from inputs import invented_questions, long_answers, resized
from invented import shaped

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


def test_shaped_answers_have_the_documents_asked_for() -> None:
    cases = shaped(100, (1_000, 3_000), 5)
    assert cases == shaped(100, (1_000, 3_000), 5)
    assert len({case.response for case in cases}) == len({case.docs for case in cases}) == 5
    for case in cases:
        assert abs(len(case.response.split()) - 100) <= 15
        assert all(0.85 * size < len(doc) <= size for doc, size in zip(case.docs, (1_000, 3_000), strict=True))
        assert case.changed == ()


def test_shaped_documents_do_not_repeat_themselves() -> None:
    (case,) = shaped(30, (1_000,) * 50, 1)
    sentences = [sentence for doc in case.docs for sentence in doc.split(". ")]
    assert len(set(sentences)) > 0.9 * len(sentences)


@pytest.mark.parametrize(("share", "told"), [(0.0, 0), (0.5, 5), (1.0, 10)])
def test_the_share_of_unsupported_sentences_is_kept(share: float, told: int) -> None:
    (case,) = shaped(150, (4_000,), 1, unsupported=share)
    sentences = [sentence for sentence in case.response.split(". ") if any(value in sentence for value in case.changed)]
    assert abs(len(sentences) - told) <= 2
    assert not any(value in doc for value in case.changed for doc in case.docs)


def test_resized_documents_begin_with_the_answers_own() -> None:
    first, second = "The first red one. " * 10, "The other blue one. " * 10
    (question,) = resized([("?", [first], "Yes.")], (100, 100, 300), [("", [first], ""), ("", [second], "")])
    assert all(size - 10 < len(doc) <= size for doc, size in zip(question[1], (100, 100, 300), strict=True))
    assert first.startswith(question[1][0])
    assert "other blue" in question[1][2]
    assert (question[0], question[2]) == ("?", "Yes.")


def test_long_answers_are_joined_and_stand_beside_other_documents() -> None:
    known = [(str(number), [f"doc {number}"], f"Answer {number} has five words.") for number in range(4)]
    assert long_answers(known, 7, 2) == [
        ("2", ["doc 2"], "Answer 0 has five words.\n\nAnswer 1"),
        ("0", ["doc 0"], "Answer 2 has five words.\n\nAnswer 3"),
    ]


@pytest.mark.parametrize(
    ("name", "title", "count", "docs", "words"),
    [
        ("30-words", "30 words", 10, None, 30),
        ("12-chunks", "12 chunks of 2 KB", 10, (12, 24_000), 100),
        ("64-KB", "64 KB", 10, (32, 64_000), 100),
        ("1-MB", "1 MB", 2, (500, 1_000_000), 100),
        ("2000-unsupported", "2,000 words, all unsupported", 2, (8, 16_000), 2_000),
    ],
)
def test_groups_are_of_the_size_that_they_name(
    name: str, title: str, count: int, docs: tuple[int, int] | None, words: int
) -> None:
    (group,) = groups([name], 10, {})
    questions = group.questions(0)
    assert (group.title, group.prepared, len(questions)) == (title, False, count)
    assert questions != group.questions(1)
    for _, found, response in questions:
        assert abs(len(response.split()) - words) <= 20
        if docs is not None:
            assert len(found) == docs[0]
            assert 0.9 * docs[1] < sum(map(len, found)) <= docs[1]


def test_groups_stand_in_the_order_of_the_table_whatever_the_order_named() -> None:
    data = {"a.jsonl": [("?", ["doc"], "Yes.")], "b.jsonl": [("?", ["doc"], "No.")]}
    assert [group.title for group in groups(["1-MB-prepared", "data-prepared", "250-words"], 10, data)] == [
        *("250 words", "a.jsonl prepared", "b.jsonl prepared", "1 MB prepared"),
    ]
    assert [group.prepared for group in groups(NAMES, 10, {})].count(True) == 1
