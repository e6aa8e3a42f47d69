"""Do embedder and retrievers find what a question speaks of, and refuse what they cannot use?"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock
from typing import Any

import numpy as np
import pytest

from raguard import ConfigError, Document
from raguard.claims import CorpusChunk, Encoder, EncoderError, HallucinationGuard, Retrieved, Retriever, chunk_corpus
from raguard.pipeline import (
    NO_ANSWER,
    Chunker,
    Embedder,
    ExtractiveProvider,
    FusedRetriever,
    HashingEmbedder,
    MemoryStore,
    Raguard,
    VectorRetriever,
)

CORPUS = ["The fee is $5 a month.", "Our office is in Leeds.", "Pets are not allowed in the flats."]
CHUNKS = chunk_corpus(CORPUS)


def retriever(embedder: Any = None) -> VectorRetriever:
    made = VectorRetriever(HashingEmbedder() if embedder is None else embedder, MemoryStore())
    made.add(CHUNKS)
    return made


def texts(found: list[Retrieved]) -> list[str]:
    return [each.chunk.text for each in found]


class Given:
    """An embedder that returns what it is given, whatever it is asked."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors

    def encode(self, texts: list[str], /) -> Any:
        if isinstance(self.vectors, Exception):
            raise self.vectors
        return self.vectors


# the hashing embedder


def test_an_embedder_is_an_encoder_by_another_name() -> None:
    assert Embedder is Encoder


def test_forms_of_a_word_are_the_same_and_words_without_a_claim_do_not_count() -> None:
    one, other, nothing = HashingEmbedder().encode(["The fees", "What is the fee?", "of the, and it?"])
    assert (one == other).all()
    assert not nothing.any()
    assert HashingEmbedder().encode([]).shape == (0, 1_024)


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    common, rare = np.abs(HashingEmbedder().encode(["people", "osteoporosis"])).max(axis=1)
    assert rare > common > 0


def test_scripts_without_spaces_are_compared_by_pairs_of_characters() -> None:
    tokyo, kyoto, berlin = HashingEmbedder().encode(["東京都の人口", "東京都", "柏林"])
    assert float(tokyo @ kyoto) > 0
    assert float(tokyo @ berlin) == 0


def test_vectors_are_the_same_in_every_process() -> None:
    code = "from raguard.pipeline import HashingEmbedder; print(HashingEmbedder(8).encode(['Rent is due']).tolist())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str(HashingEmbedder(8).encode(["Rent is due"]).tolist())


@pytest.mark.parametrize("width", [0, -1, True, 1.5, "8"])
def test_a_width_that_is_none_is_refused(width: Any) -> None:
    with pytest.raises(ConfigError, match=r"^width must be a whole number of at least 1, not "):
        HashingEmbedder(width)


@pytest.mark.parametrize("given", ["text", [1], None, [None]])
def test_what_are_no_texts_is_refused(given: Any) -> None:
    with pytest.raises(ConfigError, match=r"^texts must be a list of strings$"):
        HashingEmbedder().encode(given)


# retrievers


def test_the_nearest_chunks_are_found() -> None:
    assert texts(retriever().retrieve("How much is the monthly fee?", 1)) == [CORPUS[0]]
    assert texts(retriever().retrieve("May I have a pet in my flat?", 1)) == [CORPUS[2]]
    assert len(retriever().retrieve("May I have a pet?")) == 3


def test_a_question_without_a_word_finds_nothing() -> None:
    assert retriever().retrieve("What is it?") == []


def test_a_vector_retriever_serves_a_guard() -> None:
    guard = HallucinationGuard(retriever=retriever())
    result, _ = guard.check_sync(None, "The fee is $5 a month. There is a heated pool on the roof.")
    assert [claim.supported for claim in result.claims] == [True, False]


@pytest.mark.parametrize(
    ("vectors", "why"),
    [
        (OSError("the text"), r"^the embedder failed with OSError$"),
        ([[1.0]], r"^the embedder must give one vector for each of 3 texts, not an array of \(1, 1\)$"),
        ([["a"]] * 3, r"^the embedder must give vectors of numbers, all of one width$"),
        ([[float("inf")]] * 3, r"^the embedder gave vectors with NaN or infinity in them$"),
        (EncoderError("the service is away"), r"^the service is away$"),
    ],
)
def test_an_embedder_that_fails_is_told_without_any_text(vectors: Any, why: str) -> None:
    with pytest.raises(EncoderError, match=why):
        retriever(Given(vectors))


def test_an_embedder_that_changes_its_width_keeps_nothing() -> None:
    class Growing:
        width = 1

        def encode(self, texts: list[str], /) -> Any:
            self.width += 1
            return [[1.0] * self.width for _ in texts]

    store = MemoryStore()
    with pytest.raises(EncoderError, match=r"^the embedder gave vectors of more than one width$"):
        VectorRetriever(Growing(), store).add(chunk_corpus([f"Text {number}." for number in range(300)]))
    assert store.count() == 0


def test_an_embedder_that_is_not_concurrent_is_asked_by_one_thread_at_a_time() -> None:
    class Alone(HashingEmbedder):
        concurrent = False
        entered = Lock()

        def encode(self, texts: Any, /) -> Any:
            assert self.entered.acquire(blocking=False), "two threads entered"
            try:
                return super().encode(texts)
            finally:
                self.entered.release()

    shared, start = retriever(Alone()), Barrier(8)

    def ask(place: int) -> list[str]:
        start.wait()
        return [texts(shared.retrieve("Which fee?", 1))[0] for _ in range(20)]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(8))) == [[CORPUS[0]] * 20] * 8


@pytest.mark.parametrize(
    ("retrievers", "why"),
    [
        ([], r"^retrievers must be a list of one or more, not an empty one$"),
        ("words", r"^retrievers must be a list of one or more, not str$"),
        ([Retriever], r"^retrievers\[0\] must be an object with retrieve\(text, top_k\), not the class Retriever$"),
        ([CORPUS], r"^retrievers\[0\] must be an object with retrieve\(text, top_k\), not list$"),
    ],
)
def test_what_are_no_retrievers_cannot_be_fused(retrievers: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        FusedRetriever(retrievers)


@pytest.mark.parametrize("chunks", [CORPUS, CORPUS[0], None, [CHUNKS]])
def test_what_are_no_chunks_is_not_embedded(chunks: Any) -> None:
    made = VectorRetriever(HashingEmbedder(), MemoryStore())
    with pytest.raises(ConfigError, match=r"^chunks must be a list of CorpusChunks; Chunker\(\)\.chunk\(documents\)"):
        made.add(chunks)
    assert made.store.count() == 0


def test_fusion_sums_the_ranks() -> None:
    first = Given([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    vectors = retriever(first)
    first.vectors = [[3.0, 2.0, 1.0]]
    words = Retriever(CHUNKS, mode="bm25")
    found = FusedRetriever([vectors, words]).retrieve("pets in flats", 2)
    assert [(each.chunk, each.score) for each in found] == [
        (CHUNKS[2], pytest.approx(1 / 63 + 1 / 61)),
        (CHUNKS[1], pytest.approx(1 / 62 + 1 / 62)),
    ]


@pytest.mark.parametrize(
    ("retrieval", "expected"), [("vectors", CORPUS[2]), ("words", CORPUS[2]), ("hybrid", CORPUS[2])]
)
def test_every_way_of_retrieval_finds_the_chunk(retrieval: Any, expected: str) -> None:
    report = Raguard.from_documents(CORPUS, retrieval=retrieval, top_k=1).run("Are pets allowed?")
    assert [chunk.text for chunk in report.chunks] == [expected]


def test_retrieval_by_words_without_bm25s_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    for retrieval in ("words", "hybrid"):
        with pytest.raises(ConfigError, match=r"needs bm25s: pip install 'raguard-verify\[retrieval\]'$"):
            Raguard.from_documents(CORPUS, retrieval=retrieval)
    assert Raguard.from_documents(CORPUS).run("Which fee?").answer == "The fee is $5 a month [1]."


# the chunker


def test_a_chunker_cuts_behind_sentences() -> None:
    document = Document("The rent is $900. It is due in May. Pets are welcome.", id="rent.md")
    chunks = Chunker(size=40, overlap=20).chunk([document])
    assert [chunk.text for chunk in chunks] == [
        "The rent is $900. It is due in May.",
        "It is due in May. Pets are welcome.",
    ]
    assert all(chunk.id.startswith("rent.md::chunk-") and chunk.document_id == "rent.md" for chunk in chunks)
    assert Chunker(size=40, overlap=20) == Chunker(40, 20)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"size": 0}, r"^size must be a whole number of characters of at least 1, not 0$"),
        ({"size": "1"}, r"^size must be"),
        ({"size": 10, "overlap": 10}, r"^overlap must be a whole number of characters from 0 to 9, not 10$"),
    ],
)
def test_a_chunker_refuses_sizes_that_are_none_when_it_is_built(arguments: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        Chunker(**arguments)


# the extractive provider


def answer(question: str, *documents: str, most: int = 3) -> str:
    return ExtractiveProvider(most).generate(question, chunk_corpus(documents))


def test_the_answer_is_the_sentence_with_its_mark() -> None:
    text = "The clinic opens at 8 am. Visitors park behind the house. Bring your card."
    assert answer("When does the clinic open?", "No.", text) == "The clinic opens at 8 am [2]."
    assert answer("Where do visitors park?", text) == "Visitors park behind the house [1]."


def test_an_answer_of_several_sentences_is_in_the_order_of_the_chunks() -> None:
    told = answer("Who may visit the ward?", "Children may visit the ward.", "Friends may visit the ward at 4 pm.")
    assert told == "Children may visit the ward [1]. Friends may visit the ward at 4 pm [2]."
    assert answer("Who may visit the ward?", "Children may visit the ward.", "Friends may visit the ward.", most=1) == (
        "Children may visit the ward [1]."
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Bring:\n- your insurance card from Ms Lee\n- a list", "your insurance card from Ms Lee [1]."),
        ("| What | When |\n|---|---|\n| insurance card | day 1 |", "insurance card | day 1 [1]."),
        ("Insurance card: at the desk", "Insurance card: at the desk [1]."),
        ("Insurance card 7", "Insurance card 7 [1]."),
        ("The insurance\n  card is needed.", "The insurance card is needed [1]."),
    ],
)
def test_items_rows_and_lines_with_a_value_are_no_headings(text: str, told: str) -> None:
    assert answer("Which insurance card?", text) == told


def test_a_sentence_that_two_chunks_hold_is_told_once() -> None:
    assert answer("When is rent due?", "The rent is due in May.", "The rent is due in May.") == (
        "The rent is due in May [1]."
    )


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("Who won the cup?", "The clinic opens at 8 am."),
        ("When does the clinic open?", "When does the clinic open?"),
        ("Opening hours", "# Opening hours"),
        ("What are the hours of the ward?", "# Hours of our ward\nPlease ring."),
        ("What are the hours of the ward?", "Hours of our ward\n\nPlease ring."),
        ("What is it?", "The clinic opens at 8 am."),
        ("", "The clinic opens at 8 am."),
    ],
)
def test_what_no_sentence_answers_is_said_to_be_unanswered(question: str, document: str) -> None:
    assert answer(question, document) == NO_ANSWER
    assert answer(question) == NO_ANSWER


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Dosage is 5 mg a day", "Dosage is 5 mg a day [1]."),
        ("Dosage is 5 mg a day!", "Dosage is 5 mg a day [1]!"),
        ('Dosage: "5 mg a day."', 'Dosage: "5 mg a day [1]."'),
        ("Dosage is set in D.C.", "Dosage is set in D.C. [1]."),
        ("Dosage is 5 mg a day [7][8, 9].", "Dosage is 5 mg a day [1]."),
    ],
)
def test_the_mark_stands_before_the_stop_and_marks_of_the_document_go(sentence: str, told: str) -> None:
    assert answer("Which dosage?", sentence) == told


@pytest.mark.parametrize("most", [0, True, "3"])
def test_a_number_of_sentences_that_is_none_is_refused(most: Any) -> None:
    with pytest.raises(ConfigError, match=r"^max_sentences must be a whole number of at least 1, not "):
        ExtractiveProvider(most)


def test_the_chunk_given_first_is_cited_by_one() -> None:
    chunks = [CorpusChunk(name, f"The fee of {name} is $5.", 0, None, 0, 20) for name in ("Leeds", "York")]
    assert ExtractiveProvider().generate("Which fee has York?", chunks[::-1]) == "The fee of York is $5 [1]."
