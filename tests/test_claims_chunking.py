"""Is a corpus cut where a reader would cut it, into chunks whose ids say what they hold?"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard import ConfigError, Document
from raguard.claims.chunking import CorpusChunk, chunk_corpus, whole_chunks

FEES = "The fee is $5 a month. It is due on the first day. Members pay nothing in May."


def texts(*documents: str | Document, size: int, overlap: int = 0) -> list[str]:
    return [chunk.text for chunk in chunk_corpus(documents, size, overlap)]


def test_a_chunk_says_where_it_stands() -> None:
    chunks = chunk_corpus(["Short.", Document(FEES, id="fees.md")], size=50, overlap=0)
    digests = [sha256(text.encode()).hexdigest()[:8] for text in ("Short.", FEES[:50], FEES[51:])]
    assert chunks == [
        CorpusChunk(f"doc-0::chunk-0::{digests[0]}", "Short.", 0, None, 0, 6),
        CorpusChunk(f"fees.md::chunk-0::{digests[1]}", FEES[:50], 1, "fees.md", 0, 50),
        CorpusChunk(f"fees.md::chunk-1::{digests[2]}", FEES[51:], 1, "fees.md", 51, 78),
    ]


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        (FEES, 78, [FEES]),
        (FEES, 77, ["The fee is $5 a month. It is due on the first day.", "Members pay nothing in May."]),
        ("One a b.\n\nTwo. Six c. Ten.", 16, ["One a b.", "Two. Six c. Ten."]),
        ("One. Two.\nSix seven eight nine ten", 27, ["One. Two.\nSix seven eight", "nine ten"]),
        ("First row here\nSecond row here now", 28, ["First row here", "Second row here now"]),
        ("We met Dr. Smith at noon", 14, ["We met Dr.", "Smith at noon"]),
        ("They left then. She stayed for it", 20, ["They left then.", "She stayed for it"]),
        ('He said "stop." Then all of it was', 24, ['He said "stop."', "Then all of it was"]),
        ("It was (by now) 1.5 km e.g. small ok", 30, ["It was (by now) 1.5 km e.g.", "small ok"]),
        ("合同于五月结束。费用为五元。会员免费。", 15, ["合同于五月结束。费用为五元。", "会员免费。"]),
        ("a" * 30 + " b", 10, ["a" * 30, "b"]),
        ("go " + "a" * 30 + " b", 10, ["go", "a" * 30, "b"]),
        ("aaaa,bbbb,cccc", 10, ["aaaa,bbbb,", "cccc"]),
        ("  padded text, and more  ", 14, ["padded text,", "and more"]),
        ("a" + " " * 40 + "b", 10, ["a", "b"]),
    ],
)
def test_a_document_is_cut_at_its_strongest_border(text: str, size: int, expected: list[str]) -> None:
    assert texts(text, size=size) == expected


def test_a_document_that_fits_stays_whole() -> None:
    assert texts("  One.\n\nTwo.\n", size=13) == ["  One.\n\nTwo.\n"]
    assert texts("  One.\n\nTwo.\n", size=12) == ["One.\n\nTwo."]


def test_the_overlap_repeats_whole_sentences() -> None:
    assert texts(FEES, size=55, overlap=30) == [
        "The fee is $5 a month. It is due on the first day.",
        "It is due on the first day. Members pay nothing in May.",
    ]


def test_the_overlap_is_a_fifth_of_the_size_when_it_is_not_given() -> None:
    words = " ".join(f"word{number:02}" for number in range(30))
    one, two, *_ = chunk_corpus([words], size=70)
    assert (one.end, two.start) == (69, 56)


def test_an_overlap_that_holds_no_whole_sentence_repeats_nothing() -> None:
    assert texts(FEES, size=55, overlap=27) == [
        "The fee is $5 a month. It is due on the first day.",
        "Members pay nothing in May.",
    ]


def test_words_are_repeated_where_there_are_no_sentences() -> None:
    assert texts("one two three four five six", size=14, overlap=6) == ["one two three", "three four", "four five six"]


def test_what_is_repeated_gives_way_to_a_long_word() -> None:
    assert texts("one two " + "x" * 12 + " six", size=13, overlap=8) == ["one two", "x" * 12, "six"]


def test_ids_do_not_depend_on_other_documents() -> None:
    one, two = Document(FEES, id="fees"), Document("The office is in Leeds.", id="office")
    before = [chunk.id for chunk in chunk_corpus([one, two], size=50)]
    after = [chunk.id for chunk in chunk_corpus([Document("New."), two, Document("Changed.", id="x"), one], size=50)]
    assert set(before) < set(after)
    assert after.index(before[-1]) == 1


def test_a_changed_text_has_another_id() -> None:
    (one,) = chunk_corpus([Document("The fee is $5.", id="fees")])
    (two,) = chunk_corpus([Document("The fee is $6.", id="fees")])
    assert one.id.rpartition("::")[0] == two.id.rpartition("::")[0] == "fees::chunk-0"
    assert one.id != two.id


def test_duplicates_have_ids_of_their_own() -> None:
    same = Document("The fee is $5.", id="fees")
    first, *others = [chunk.id for chunk in chunk_corpus([same, same, same, Document("The fee is $5.", id="fees")])]
    assert others == [f"{first}::2", f"{first}::3", f"{first}::4"]


def test_an_id_that_looks_like_a_counted_one_stays_unique() -> None:
    texts = [Document("One.", id="doc-1"), "One.", Document("One.", id="doc-1"), "One."]
    ids = [chunk.id for chunk in chunk_corpus(texts)]
    assert len(set(ids)) == 4


def test_blank_documents_have_no_chunk_and_keep_their_place() -> None:
    assert [(chunk.document, chunk.text) for chunk in chunk_corpus(["", " \n", "One.", "\t" * 3_000])] == [(2, "One.")]
    assert chunk_corpus([]) == []


def test_broken_text_has_an_id_too() -> None:
    (chunk,) = chunk_corpus(["A lone \ud800 surrogate."])
    assert re.fullmatch(r"doc-0::chunk-0::[0-9a-f]{8}", chunk.id)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one text", "documents must be a list of strings or Documents, not str; put the one text into a list"),
        (b"bytes", "documents must be a list of strings or Documents, not bytes"),
        (None, "documents must be a list of strings or Documents, not NoneType"),
        ({"text": "x"}, "documents must be a list of strings or Documents, not dict"),
        (["One.", None], "documents[1] must be a string or a Document, not NoneType"),
        ([b"One."], "documents[0] must be a string or a Document, not bytes"),
        ([{"text": "x"}], "documents[0] must be a string or a Document, not dict"),
        ([Document(None)], "documents[0].text must be a string, not NoneType"),  # type: ignore[arg-type]
        ([Document("x", id=3)], "documents[0].id must be a string or None, not int"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_list_of_documents_is_a_clear_error(documents: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        chunk_corpus(documents)


@pytest.mark.parametrize("size", [0, -1, 10.0, True, None, "10"])
def test_a_bad_size_is_a_clear_error(size: Any) -> None:
    with pytest.raises(ConfigError, match=r"^size must be a whole number of characters of at least 1, not "):
        chunk_corpus(["One."], size=size)


@pytest.mark.parametrize("overlap", [-1, 10, 1.5, True, "1"])
def test_a_bad_overlap_is_a_clear_error(overlap: Any) -> None:
    with pytest.raises(ConfigError, match=r"^overlap must be a whole number of characters from 0 to 9, not "):
        chunk_corpus(["One."], size=10, overlap=overlap)
    assert chunk_corpus(["One."], size=10, overlap=9)


def test_whole_chunks_takes_chunks_strings_and_documents() -> None:
    made = chunk_corpus([Document(FEES, id="fees")], size=50)
    chunks = whole_chunks([*made, "One.", " ", Document("Two.", id="two")])
    assert chunks[: len(made)] == made
    assert [(chunk.text, chunk.document, chunk.document_id) for chunk in chunks[len(made) :]] == [
        ("One.", len(made), None),
        ("Two.", len(made) + 2, "two"),
    ]


def test_whole_chunks_never_gives_an_id_that_a_chunk_has() -> None:
    (given_one,) = chunk_corpus(["One."])
    assert [chunk.id for chunk in whole_chunks(["One.", given_one])] == [f"{given_one.id}::2", given_one.id]
    with pytest.raises(ConfigError, match=r"^chunks\[1\] has the id of a chunk before it, 'doc-0::chunk-0::"):
        whole_chunks([given_one, given_one])


PIECES = st.sampled_from(
    ["a", "Bc", "12", ".", "!", "。", "合同", ",", " ", "  ", "\n", "\n\n", '"', "Dr. ", "é", "x" * 40]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=120).map("".join), st.integers(1, 60), st.data())
def test_chunks_are_places_of_their_document_and_cover_it(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    chunks = chunk_corpus([text], size, overlap)
    covered = 0
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert chunk.start >= covered - overlap
        assert not text[covered : chunk.start].strip()
        assert chunk.end > covered
        for border in (chunk.start, chunk.end):
            assert re.fullmatch(r"\w\w", text[max(border - 1, 0) : border + 1]) is None
        assert len(chunk.text) <= size or not re.search(r"\s", chunk.text)
        covered = chunk.end
    assert not text[covered:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("piece", [" ", "\n", "a", "a.", '!"', "\t\n", " \n\n", "a" * 600 + " ", "a" * 1_001 + ","])
def test_hostile_documents_are_cut_in_linear_time(piece: str) -> None:
    text = piece * (500_000 // len(piece))
    assert sum(len(chunk.text) for chunk in chunk_corpus([text])) <= 2 * len(text)
