"""Do the benchmarks of speed measure what they say? Their figures and files; no time is asserted."""

from __future__ import annotations

import asyncio
import json
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import batch
import event_loop
import growth
import machine
import memory
import pytest
import ratchet
import stages
import startup
from chart import Panel, svg
from fresh import ProcessError, printed
from groups import NAMES, groups
from inputs import invented_questions, long_answers, resized
from invented import shaped
from timing import Question

from raguard import Config, Verifier, VerifyResult
from raguard.checks import DEFAULT_CHECKS
from raguard.evidence.chunk import Reading
from raguard.result import Ruleset, Summary


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Asked:
    """A verify that finds nothing and keeps what it was asked."""

    def __init__(self) -> None:
        self.questions: list[Question] = []

    def __call__(self, query: str, docs: list[str], response: str) -> VerifyResult:
        self.questions.append((query, docs, response))
        return VerifyResult("proceed", [], Summary(), [], [], Ruleset("0", ""))


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
    assert {"Reading()", "WordPlaces()"} <= set(parts)
    assert any(name.startswith("Reading.") for name in parts)
    assert read_by() == before


def test_stages_prints_both_tables_and_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "stages.jsonl"
    assert stages.main(["--limit", "2", "--json", str(kept)]) == 0
    printed = capsys.readouterr().out
    assert "invented, 100 words: 2 answers" in printed
    assert "| missing_names " in printed
    assert "| Reading() " in printed
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
        ("dense", "16 KB of values", 10, (8, 16_000), 100),
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
            assert all(0.85 * docs[1] / docs[0] < len(doc) <= docs[1] / docs[0] for doc in found)


def test_groups_stand_in_the_order_of_the_table_whatever_the_order_named() -> None:
    data = {"a.jsonl": [("?", ["doc"], "Yes.")], "b.jsonl": [("?", ["doc"], "No.")]}
    assert [group.title for group in groups(["1-MB-prepared", "data-prepared", "250-words"], 10, data)] == [
        *("250 words", "a.jsonl prepared", "b.jsonl prepared", "1 MB prepared"),
    ]
    assert [group.prepared for group in groups(NAMES, 10, {})].count(True) == 1


def test_growth_asks_every_size_in_turn_and_writes_table_row_and_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verify, kept, picture = Asked(), tmp_path / "growth.jsonl", tmp_path / "docs" / "growth.svg"
    options = ["--sweep", "answer", "unsupported", "--answers", "2", "--json", str(kept), "--svg", str(picture)]
    assert growth.main(options, verify=verify) == 0
    printed = capsys.readouterr().out
    assert "Length of the answer (8 chunks of 2 KB)" in printed
    assert printed.count("p50 when doubled") == 1
    words = [len(response.split()) for _, _, response in verify.questions]
    for turn in (words[:7], words[7:14]):
        for told, size in zip(turn, growth.SWEEPS["answer"].sizes, strict=True):
            assert abs(told - size) <= 20
    (row,) = lines(kept)
    assert isinstance(row["curves"], dict)
    assert list(row["curves"]["unsupported"]) == ["0", "10", "25", "50", "75", "100"]
    titles = [found.text for found in ElementTree.parse(picture).iter() if found.get("class") == "title"]
    assert titles == ["Length of the answer", "Unsupported sentences"]


@pytest.mark.parametrize(("name", "size", "docs"), [("document", 32, [32_000]), ("chunks", 16, [1_000] * 16)])
def test_growing_documents_have_their_size(name: str, size: int, docs: list[int]) -> None:
    ((_, found, _),) = growth.SWEEPS[name].questions(size, 1)
    assert all(0.85 * most < len(doc) <= most for doc, most in zip(found, docs, strict=True))


def test_the_factor_is_per_doubling_whatever_the_step() -> None:
    assert growth.factors({100: 5.0, 200: 5.0, 800: 20.0, 1600: 80.0}) == {200: 1.0, 800: 2.0, 1600: 4.0}


def test_a_chart_draws_curves_and_what_would_be_linear() -> None:
    curves = {"p50": [(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)], "p95": [(1.0, 2.0), (100.0, 50.0)]}
    drawn = svg([Panel("A <b> & c", "note", "KB", curves), Panel("Share", "", "%", curves, log=False)], "ms")
    root = ElementTree.fromstring(drawn)
    classes = Counter(found.get("class") for found in root.iter())
    assert (classes["curve c0"], classes["curve c1"], classes["linear"]) == (2, 2, 1)
    assert "prefers-color-scheme: dark" in drawn
    assert "A &lt;b&gt; &amp; c" in drawn
    first, linear = (
        next(found for found in root.iter() if found.get("class") == name) for name in ("curve c0", "linear")
    )
    places = [place.split(",") for place in (first.get("points") or "").split()]
    assert places[0] == [linear.get("x1"), linear.get("y1")]
    assert places[-1] == [linear.get("x2"), linear.get("y2")]


def test_a_flat_curve_can_be_drawn() -> None:
    drawn = svg([Panel("Flat", "", "KB", {"p50": [(1.0, 10.0), (8.0, 10.0)]})], "ms")
    assert "nan" not in drawn
    assert "100 ms" in drawn


class Loop:
    """An averify that takes ten turns of the event loop and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.running = self.most = 0

    async def __call__(self, query: str, docs: list[str], response: str) -> VerifyResult:
        self.asked.append((query, docs, response))
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(10):
            await asyncio.sleep(0)
        self.running -= 1
        return Asked()(query, docs, response)


def test_event_loop_does_not_wait_for_answers_before_it_offers_the_next() -> None:
    averify = Loop()
    questions: list[Question] = [("first", [], ""), ("second", [], "")]
    found = asyncio.run(event_loop.offer(averify, questions, [0.0] * 3))
    assert [query for query, _, _ in averify.asked] == ["first", "second", "first"]
    assert averify.most > 1
    assert len(found.calls) == 3
    assert all(seconds >= 0 for seconds in found.calls)


def test_event_loop_ticks_while_it_waits() -> None:
    found = asyncio.run(event_loop.offer(Loop(), [], [], rest=5 * event_loop.TICK))
    assert found.calls == []
    assert found.lags
    assert all(lag >= 0 for lag in found.lags)
    # also where the loop stands for longer than it is to wait
    assert len(asyncio.run(event_loop.offer(Loop(), [], [])).lags) == 2


def test_arrivals_are_as_many_as_the_rate_says() -> None:
    even, uneven = event_loop.arrivals(50, 2, "even"), event_loop.arrivals(50, 2, "random")
    assert (len(even), even[-1]) == (100, 1.98)
    assert (len(uneven), uneven) == (100, sorted(uneven))
    assert uneven == event_loop.arrivals(50, 2, "random") != even
    assert len(event_loop.arrivals(1, 0.1, "even")) == 2


def test_event_loop_prints_a_table_and_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, averify = tmp_path / "event_loop.jsonl", Loop()
    assert event_loop.main(["--rate", "200", "--seconds", "0.05", "--json", str(kept)], averify=averify) == 0
    printed_table = capsys.readouterr().out
    assert "invented, 100 words: 10 answers, 200 a second" in printed_table
    assert len({response for _, _, response in averify.asked}) == 10
    (row,) = lines(kept)
    assert isinstance(row["ms"], dict)
    assert {name: set(figures) for name, figures in row["ms"].items()} == {
        name: {"p50", "p95", "p99", "longest"}
        for name in ("averify()", "lag of the event loop", "lag of an idle event loop")
    }


def test_a_fresh_process_has_loaded_nothing_and_says_why_it_failed() -> None:
    assert printed(["-c", "import sys; print('raguard' in sys.modules, 'spacy' in sys.modules)"]) == "False False\n"
    assert printed(["-c", "print('review'); raise SystemExit(1)"], may_exit=(0, 1)) == "review\n"
    with pytest.raises(ProcessError, match="a process failed: ValueError: no"):
        printed(["-c", "raise ValueError('no')"])


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_prints_the_ratio_to_spacy_with_the_model_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "memory.jsonl"
    before = machine.resident()
    assert memory.main(["--answers", "1", "--json", str(kept)]) == 0
    assert before > 1
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert [memory.MODEL, "1.00"] in [row[::2] for row in table if row]
    (row,) = lines(kept)
    assert (row["answers"], isinstance(row["megabytes"], dict)) == (100, True)
    assert isinstance(row["megabytes"], dict)
    assert list(row["megabytes"]) == [
        *(memory.MODEL, memory.WHOLE, memory.WARM),
        *("after 100 answers, no chunk kept", "after 100 answers, default config"),
    ]
    assert all(megabytes > 10 for megabytes in row["megabytes"].values())


def test_startup_times_every_program_in_processes_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "startup.jsonl"
    assert startup.main(["--runs", "1", "--json", str(kept)]) == 0
    printed_table = capsys.readouterr().out
    assert all(f"| {title} " in printed_table for title in (*startup.PROGRAMS, startup.CHECK))
    (row,) = lines(kept)
    assert isinstance(row["ms"], dict)
    assert all(figures["median"] == figures["least"] == figures["longest"] > 0 for figures in row["ms"].values())


def test_startup_says_which_program_failed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(startup, "PROGRAMS", {"broken": "raise ValueError('broken')"})
    assert startup.main(["--runs", "1"]) == 2
    assert capsys.readouterr().err == "startup.py: a process failed: ValueError: broken\n"


def test_batch_compares_ways_over_the_same_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "batch.jsonl"
    options = ["--answers", "2", "--processes", "2", "--runs", "1", "--json", str(kept)]
    assert batch.main(options, verifier=Verifier(Config(cache_chunks=0))) == 0
    assert "| single calls " in capsys.readouterr().out
    (row,) = lines(kept)
    assert isinstance(row["answers_per_second"], dict)
    assert list(row["answers_per_second"]) == [batch.SINGLE, batch.MANY, f"{batch.MANY}, 2 processes"]
    assert all(rates["whole"] > 0 and rates["running"] > 0 for rates in row["answers_per_second"].values())


BEST = {"30-words": {"p50": 0.4, "p95": 0.2}, "dense": {"p50": 0.1, "p95": 0.08}}


@pytest.mark.parametrize(
    ("now", "sentences"),
    [
        ({"p50": 0.31, "p95": 0.5}, []),
        ({"p50": 0.29, "p95": 0.2}, ["30-words p50: the ratio fell by 27.5%, from 0.4 to 0.29"]),
        ({"p50": 0.4, "p95": 0.1}, ["30-words p95: the ratio fell by 50.0%, from 0.2 to 0.1"]),
    ],
)
def test_a_ratio_may_fall_by_a_quarter(now: dict[str, float], sentences: list[str]) -> None:
    assert ratchet.fallen(BEST, BEST | {"30-words": now}) == sentences


def test_a_ratio_with_no_best_has_not_fallen() -> None:
    assert ratchet.fallen({}, BEST) == []


def test_the_ratchet_file_is_of_this_set_of_checks() -> None:
    kept = ratchet.best()
    assert ratchet.key().checks in {mine.checks for mine in kept}
    assert all(set(ratios) == set(ratchet.GROUPS) for ratios in kept.values())


def test_the_ratchet_keeps_what_is_better_and_complains_of_what_is_worse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = tmp_path / "ratchet.toml", tmp_path / "rows.jsonl"
    other = '[[best]]\nchecks = "2 checks"\npython = "3.11"\n[best.ratios]\ndense = { p50 = 0.5, p95 = 0.25 }\n'
    file.write_text(other, encoding="utf-8")

    def run(ratios: ratchet.Ratios, *options: str) -> int:
        monkeypatch.setattr(ratchet, "measured", lambda verify, answers, rounds: ratios)
        return ratchet.main(["--file", str(file), *options], verify=Asked())

    assert run(BEST, "--update", "--json", str(kept)) == 0
    assert run(BEST | {"dense": {"p50": 0.2, "p95": 0.07}}, "--update") == 0
    best = BEST | {"dense": {"p50": 0.2, "p95": 0.08}}
    others = {ratchet.Key("2 checks", "3.11"): {"dense": {"p50": 0.5, "p95": 0.25}}}
    assert ratchet.best(file) == others | {ratchet.key(): best}
    capsys.readouterr()
    assert run(BEST) == 1
    told = capsys.readouterr().out
    assert [cell.strip() for cell in told.splitlines()[-4].split("|")[1:-1]] == ["dense p50", "0.100", "0.200", "-50%"]
    assert told.endswith("\ndense p50: the ratio fell by 50.0%, from 0.2 to 0.1\n")
    assert ratchet.best(file)[ratchet.key()] == best
    assert [row["ratios"] for row in lines(kept)] == [BEST]


def test_ratios_are_of_every_group_and_more_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "calibrate", lambda clock: 1000.0)
    found = ratchet.measured(Asked(), answers=2, rounds=1)
    assert list(found) == list(ratchet.GROUPS)
    assert all(ratio > 1000 for ratios in found.values() for ratio in ratios.values())
