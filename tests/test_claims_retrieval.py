"""Does a retriever find the chunks that speak of a claim, and nothing else, whatever it is given?"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any

import numpy as np
import pytest
import retrieval

from raguard import ConfigError, Document
from raguard.claims.chunking import chunk_corpus
from raguard.claims.encoders import EncoderError
from raguard.claims.retrieval import Retriever
from raguard.testing import HashingEncoder

CORPUS = [
    "The fee is $5 a month.",
    "The office is in Leeds.",
    "Members pay no fee in May.",
    "The river rises in the hills.",
]


class Given:
    """An encoder whose vectors are given: of the corpus at first, then of what is asked."""

    def __init__(self, corpus: Any, asked: Any = None) -> None:
        self._vectors = [corpus, asked]

    def encode(self, texts: list[str], /) -> Any:
        return self._vectors.pop(0)


def found(retriever: Retriever, text: str, top_k: int = 5) -> list[int | None]:
    return [retrieved.index for retrieved in retriever.retrieve(text, top_k)]


def test_chunks_that_share_more_words_come_first() -> None:
    assert found(Retriever(CORPUS), "Is a fee to be paid in May?") == [0, 2, 1, 3]
    assert found(Retriever(CORPUS), "Is no fee to be paid in May?") == [2, 0, 1, 3]


def test_a_chunk_that_shares_no_word_is_not_found() -> None:
    retriever = Retriever(CORPUS)
    assert found(retriever, "fee") == [0, 2]
    assert found(retriever, "fees") == []
    assert found(retriever, "Zebras graze!") == []
    assert found(retriever, "") == found(retriever, " \n") == found(retriever, "?!") == []


def test_scores_are_those_of_bm25_as_lucene_has_it() -> None:
    # two texts of 2 and 4 words; idf = ln(1 + (2 - 1 + 0.5) / (1 + 0.5)), tf / (tf + k1 (1 - b + b length / mean))
    (one,) = Retriever(["red fox", "a blue whale sings"]).retrieve("fox")
    assert one.score == pytest.approx(np.log(2) / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)), rel=1e-6)


def test_a_word_of_the_text_counts_once() -> None:
    retriever = Retriever(CORPUS)
    assert retriever.retrieve("the fee fee FEE") == retriever.retrieve("fee the")


def test_case_width_and_punctuation_do_not_count() -> None:
    retriever = Retriever(["Die STRASSE ist offen", "Cafe\u0301 A-1", "Nothing"])
    assert found(retriever, "straße") == [0]
    assert found(retriever, "café") == [1]
    assert found(retriever, "Ａ１") == []
    assert found(retriever, "(Ａ)/１") == [1]


def test_scripts_without_spaces_are_found_by_pairs_of_characters() -> None:
    retriever = Retriever(["合同于2024年五月结束。", "费用为五元。", "月"])
    assert found(retriever, "五月结束吗") == [0]
    assert found(retriever, "2024") == [0]
    assert found(retriever, "月") == [2]


def test_equal_scores_keep_the_order_of_the_chunks() -> None:
    retriever = Retriever(["same text", "other", "same text", "same text"], encoder=HashingEncoder(), mode="bm25")
    assert found(retriever, "same") == [0, 2, 3]
    assert found(retriever, "same", 2) == [0, 2]
    rows = np.random.default_rng(7).normal(size=(1, 48)).repeat(60, axis=0)
    vectors = Retriever(["t"] * 60, encoder=Given(rows, rows[:1]), mode="cosine", cosine_threshold=1.0)
    assert found(vectors, "t", 99) == list(range(60))


def test_more_than_there_are_is_all_there_are() -> None:
    assert len(Retriever(CORPUS).retrieve("the fee", top_k=10_000)) == 4
    assert len(Retriever(CORPUS).retrieve("the fee", top_k=1)) == 1


def test_chunks_strings_and_documents_are_taken() -> None:
    made = chunk_corpus([Document("The fee is $5. " * 9, id="fees")], size=70)
    retriever = Retriever([*made, "", "A string fee.", Document("A Document's fee.", id="doc")])
    assert retriever.chunks[: len(made)] == tuple(made)
    assert [(chunk.text, chunk.document_id) for chunk in retriever.chunks[len(made) :]] == [
        ("A string fee.", None),
        ("A Document's fee.", "doc"),
    ]
    assert len(retriever) == len(made) + 2
    (best,) = retriever.retrieve("string", 1)
    assert best.index is not None
    assert retriever.chunks[best.index] == best.chunk


def test_a_corpus_without_a_word_is_searched_in_vain() -> None:
    assert found(Retriever(["!!!", "..."]), "the fee") == []
    assert found(Retriever(["!!!", "The fee."]), "the fee") == [1]


@pytest.mark.parametrize("chunks", [[], ["", " "], ()])
def test_an_empty_corpus_is_a_clear_error(chunks: Any) -> None:
    with pytest.raises(ConfigError, match=r"^chunks must hold at least one text that is not blank$"):
        Retriever(chunks)


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ("text", "chunks must be a list of strings or Documents, not str; put the one text into a list"),
        (None, "chunks must be a list of strings or Documents, not NoneType"),
        (["a", 3], "chunks[1] must be a string or a Document, not int"),
    ],
)
def test_what_is_no_list_of_chunks_is_a_clear_error(chunks: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        Retriever(chunks)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "dense"}, "mode must be one of auto, bm25, cosine, hybrid, not 'dense'"),
        ({"mode": "cosine"}, "mode 'cosine' needs an encoder"),
        ({"mode": "hybrid"}, "mode 'hybrid' needs an encoder"),
        ({"encoder": "model"}, "encoder must be an object with encode(list of strings), not str"),
        ({"encoder": object()}, "encoder must be an object with encode(list of strings), not object"),
        ({"cosine_threshold": 1.1}, "cosine_threshold must be a number from -1 to 1, not 1.1"),
        ({"cosine_threshold": float("nan")}, "cosine_threshold must be a number from -1 to 1, not nan"),
        ({"cosine_threshold": True}, "cosine_threshold must be a number from -1 to 1, not True"),
        ({"progress": 3}, "progress must be a callable (done, total), not int"),
    ],
)
def test_a_bad_option_is_a_clear_error(options: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        Retriever(CORPUS, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None,), "text must be a string, not NoneType"),
        ((b"fee",), "text must be a string, not bytes"),
        (("fee", 0), "top_k must be a whole number of at least 1, not 0"),
        (("fee", 2.0), "top_k must be a whole number of at least 1, not 2.0"),
        (("fee", True), "top_k must be a whole number of at least 1, not True"),
    ],
)
def test_a_bad_question_is_a_clear_error(arguments: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        Retriever(CORPUS).retrieve(*arguments)


def test_without_bm25s_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    message = "retrieval by words needs bm25s: pip install 'raguard-verify[retrieval]'"
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        Retriever(CORPUS)
    assert found(Retriever(CORPUS, encoder=HashingEncoder(), mode="cosine"), CORPUS[1], 1) == [1]


def test_the_mode_follows_from_the_encoder() -> None:
    encoder = HashingEncoder()
    assert Retriever(CORPUS).mode == "bm25"
    assert Retriever(CORPUS, encoder=encoder).mode == "hybrid"
    assert Retriever(CORPUS, encoder=encoder, mode="cosine").mode == "cosine"
    assert Retriever(CORPUS, encoder=encoder, mode="bm25").mode == "bm25"


def test_the_threshold_is_the_least_cosine_that_is_found() -> None:
    def retriever(threshold: float) -> Retriever:
        vectors = Given([[3, 4], [1, 0], [0, -2], [0, 0]], [[10.0, 0.0]])
        return Retriever(CORPUS, encoder=vectors, mode="cosine", cosine_threshold=threshold)

    assert [(one.index, one.score) for one in retriever(0.55).retrieve("?")] == [(1, 1.0), (0, 0.6)]
    assert found(retriever(0.6), "?") == [1, 0]
    assert found(retriever(0.601), "?") == [1]
    assert found(retriever(0), "?") == [1, 0, 2, 3]


def test_a_text_whose_vector_is_zero_is_like_nothing() -> None:
    assert found(Retriever(CORPUS, encoder=HashingEncoder(), mode="cosine"), "!!!") == []
    given = Given(np.zeros((4, 3)), np.ones((1, 3)))
    assert found(Retriever(CORPUS, encoder=given, mode="cosine", cosine_threshold=0.01), "?") == []


def test_hybrid_adds_the_reciprocal_ranks() -> None:
    # by words 1 alone; by vectors 3 before 1, 0 and 2 below the threshold
    vectors = Given([[0, 1], [1, 1], [0, 1], [1, 0]], [[1, 0]])
    one, three = Retriever(CORPUS, encoder=vectors).retrieve("Leeds")
    assert (one.index, one.score) == (1, 1 / 61 + 1 / 62)
    assert (three.index, three.score) == (3, 1 / 61)


def test_hybrid_finds_by_words_what_the_threshold_keeps_out() -> None:
    def vectors() -> Given:
        return Given([[0, 1], [0, 1], [0, 1], [0, 1]], [[1, 0]])

    assert found(Retriever(CORPUS, encoder=vectors()), "Leeds") == [1]
    assert found(Retriever(CORPUS, encoder=vectors(), mode="cosine"), "Leeds") == []


class Tensor:
    """What a tensor on another device looks like: an array only after detach, cpu and numpy."""

    def __init__(self, rows: Any, step: int = 0) -> None:
        self._rows, self._step = rows, step

    def detach(self) -> Tensor:
        return Tensor(self._rows, 1)

    def cpu(self) -> Tensor:
        return Tensor(self._rows, self._step + 1)

    def numpy(self) -> Any:
        assert self._step == 2
        return np.asarray(self._rows)

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        raise TypeError


@pytest.mark.parametrize("kind", [list, tuple, np.asarray, Tensor, lambda rows: np.asarray(rows, np.float16)])
def test_vectors_may_be_lists_arrays_and_tensors(kind: Any) -> None:
    given = Given(kind([[1, 0], [0, 1], [1, 1], [0, 2]]), kind([[0, 3]]))
    assert found(Retriever(CORPUS, encoder=given, mode="cosine"), "?") == [1, 3, 2]


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0]], "must give one vector for each of 4 texts, not an array of (1, 2)"),
        ([1.0, 2.0, 3.0, 4.0], "must give one vector for each of 4 texts, not an array of (4,)"),
        ([[], [], [], []], "must give one vector for each of 4 texts, not an array of (4, 0)"),
        (np.zeros((4, 2, 2)), "must give one vector for each of 4 texts, not an array of (4, 2, 2)"),
        ([[1.0], [2.0], [3.0], [4.0, 5.0]], "must give vectors of numbers, all of one width"),
        ([["a"], ["b"], ["c"], ["d"]], "must give vectors of numbers, all of one width"),
        ([[1], [None], [1], [1]], "must give vectors of numbers, all of one width"),
        (np.ones((4, 2), complex), "must give vectors of numbers, all of one width"),
        (None, "must give vectors of numbers, all of one width"),
        ([[1.0], [float("nan")], [1.0], [1.0]], "gave vectors with NaN or infinity in them"),
        ([[1.0], [float("inf")], [1.0], [1.0]], "gave vectors with NaN or infinity in them"),
    ],
)
def test_vectors_that_cannot_be_used_are_a_clear_error(vectors: Any, message: str) -> None:
    with pytest.raises(EncoderError, match=f"^the encoder {re.escape(message)}$"):
        Retriever(CORPUS, encoder=Given(vectors), mode="cosine")


def test_vectors_of_any_size_have_a_length() -> None:
    rows = np.array([[1e300, 1e300], [1e-300, 0], [5e-324, 5e-324], [1, -1]])
    given = Given(rows, [[1.0, 1.0]])
    retrieved = Retriever(CORPUS, encoder=given, mode="cosine").retrieve("?")
    assert [(one.index, one.score) for one in retrieved] == [(0, 1.0), (2, 1.0), (1, 0.707107)]


def test_a_vector_of_another_width_is_a_clear_error() -> None:
    retriever = Retriever(CORPUS, encoder=Given(np.ones((4, 3)), np.ones((1, 2))), mode="cosine")
    with pytest.raises(EncoderError, match=r"^the encoder gave a vector of 2 numbers, those of the index have 3$"):
        retriever.retrieve("?")


def test_batches_of_different_widths_are_a_clear_error() -> None:
    encoder = Given(np.ones((256, 3)), np.ones((1, 2)))
    with pytest.raises(EncoderError, match=r"^the encoder gave vectors of 2 and of 3 numbers$"):
        Retriever(["a"] * 257, encoder=encoder, mode="cosine")


def test_what_an_encoder_raises_is_named_without_its_text() -> None:
    class Broken:
        def encode(self, texts: list[str], /) -> Any:
            raise LookupError(texts[0])

    with pytest.raises(EncoderError, match=r"^the encoder failed with LookupError$"):
        Retriever(CORPUS, encoder=Broken())


def test_progress_is_told_in_steps_and_of_the_end() -> None:
    texts = [f"text {number}" for number in range(600)]
    steps = [(0, 600), (256, 600), (512, 600), (600, 600)]
    for options in ({}, {"encoder": HashingEncoder()}, {"encoder": HashingEncoder(), "mode": "cosine"}):
        told: list[tuple[int, int]] = []
        Retriever(texts, progress=lambda done, total, told=told: told.append((done, total)), **options)  # type: ignore[misc, arg-type]
        assert told == steps


def test_an_index_is_built_and_read_without_a_word(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        assert found(Retriever(CORPUS, encoder=HashingEncoder()), "The office is in Leeds.", 1) == [1]
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


class Counting(HashingEncoder):
    """An encoder that waits for a second caller and knows whether one came in meanwhile."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.both = Barrier(2, timeout=seconds)
        self.waiting = False
        self.met = 0

    def encode(self, texts: Any, /) -> Any:
        if self.waiting:
            try:
                self.both.wait()
                self.met += 1
            except BrokenBarrierError:
                pass
        return super().encode(texts)


@pytest.mark.parametrize("several", [False, True])
def test_an_encoder_is_entered_by_one_thread_unless_it_takes_several(several: bool) -> None:
    encoder = Counting(seconds=10 if several else 0.05)
    if several:
        encoder.concurrent = True  # type: ignore[attr-defined]
    retriever = Retriever(CORPUS, encoder=encoder)
    encoder.waiting = True
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda text: found(retriever, text, 1), [CORPUS[1], CORPUS[2]]))
    assert answers == [[1], [2]]
    assert encoder.met == (2 if several else 0)


def test_one_retriever_answers_many_threads_alike() -> None:
    retriever = Retriever(CORPUS, encoder=HashingEncoder())
    questions = CORPUS * 25
    alone = [retriever.retrieve(question) for question in questions]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(retriever.retrieve, questions)) == alone


def test_importing_retrieval_loads_no_library_that_only_some_modes_need() -> None:
    code = "import raguard.claims.retrieval, sys; print({'bm25s', 'httpx', 'spacy'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_the_benchmark_prints_its_tables_and_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "retrieval.jsonl"
    arguments = ["--chunks", "60", "--claims", "3", "--top-k", "2", "--scorer", "none", "lexical", "--json", str(kept)]
    assert retrieval.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "60 chunks of " in printed
    assert "| cutting into chunks |" in printed
    assert "| hybrid, scored by lexical |" in printed
    (row,) = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert (row["benchmark"], row["chunks"], row["claims"], row["top_k"]) == ("retrieval", 60, 3, 2)
    assert list(row["seconds"]) == ["cutting into chunks", "bm25", "cosine", "hybrid"]
    assert row["ms"]["bm25"]["supported"] is None
    assert row["ms"]["bm25, scored by lexical"]["supported"] == 1.0


def test_the_benchmark_makes_as_many_chunks_and_claims_as_asked_for() -> None:
    documents, claims = retrieval.corpus(100, 7)
    chunks, indexes, _ = retrieval.indexed(documents, 100)
    assert (len(chunks), len(claims), len(set(claims))) == (100, 7, 7)
    assert {mode: index.mode for mode, index in indexes.items()} == {
        "bm25": "bm25",
        "cosine": "cosine",
        "hybrid": "hybrid",
    }
