"""Does every input get a result, and does what could not be checked say so?"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from raguard import Config, Document, Verifier, VerifyResult, verify
from raguard.checks import DEFAULT_CHECKS
from raguard.checks.citations import unsupported_citations
from raguard.checks.values import unsupported_values
from raguard.evidence.words import Words

QUERY = "When is the closing date?"
DOCS = ["The closing date is April 4."]
RESPONSE = "The closing date is April 4."
WRONG = "The closing date is April 9."


def _faults(result: VerifyResult) -> list[str]:
    """The messages of the input errors, each of which must have no span."""
    faults = [warning for warning in result.warnings if warning.type == "input_error"]
    assert all((w.severity, w.text, w.start, w.end, w.evidence) == ("high", "", 0, 0, None) for w in faults)
    assert all(w.suggestion.strip() for w in faults)
    assert not faults or result.action == "review"
    return [warning.suggestion for warning in faults]


NOT_TEXT = [None, b"bytes", 5, 2.5, {"a": 1}, ["list"], object(), True]
NOT_DOCUMENTS = [
    None,
    b"bytes",
    5,
    2.5,
    "a plain string",
    {"text": "a dict"},
    {"a set"},
    object(),
    [None],
    [{"text": "a dict"}],
    [b"bytes"],
    [5],
    [["nested"]],
    [Document(None)],  # type: ignore[arg-type]
    [Document(b"bytes")],  # type: ignore[arg-type]
    ["good", None],
]


@pytest.mark.parametrize("value", NOT_TEXT, ids=repr)
def test_wrong_type_of_query_is_an_input_error(value: Any) -> None:
    """A query that is no string gives one input error that names the query."""
    (message,) = _faults(verify(value, DOCS, RESPONSE))
    assert "query" in message


@pytest.mark.parametrize("value", NOT_TEXT, ids=repr)
def test_wrong_type_of_response_is_an_input_error(value: Any) -> None:
    """An answer that is no string gives one input error that names the response."""
    (message,) = _faults(verify(QUERY, DOCS, value))
    assert "response" in message


@pytest.mark.parametrize("value", NOT_DOCUMENTS, ids=lambda value: repr(value)[:40])
def test_wrong_type_of_documents_is_an_input_error(value: Any) -> None:
    """Documents that are no sequence of texts give an input error that names the documents."""
    messages = _faults(verify(QUERY, value, RESPONSE))
    assert messages
    assert any("document" in message or "docs" in message for message in messages)


@pytest.mark.parametrize("value", [None, "xx", 5, "", b"en", ["en"]], ids=repr)
def test_unknown_language_is_an_input_error(value: Any) -> None:
    """A language that raguard does not know gives an input error that names lang."""
    messages = _faults(verify(QUERY, DOCS, RESPONSE, lang=value))
    assert any("lang" in message for message in messages)


def test_tuple_of_texts_and_documents_is_fine() -> None:
    """Any sequence will do, and texts and documents may be mixed."""
    result = verify(QUERY, ("An other text.", Document(DOCS[0], id="a#1")), RESPONSE)
    assert (result.action, result.warnings) == ("proceed", [])


def test_generator_of_documents_gets_a_result() -> None:
    """A generator is no sequence: it could be read only once."""
    assert _faults(verify(QUERY, (text for text in DOCS), RESPONSE))  # type: ignore[arg-type]


def test_blank_input_is_an_input_error_per_fault() -> None:
    """A blank answer and blank documents are two faults; an empty query is none."""
    assert len(_faults(verify("", ["", " \n"], " \t"))) == 2
    assert len(_faults(verify(None, None, None))) == 3  # type: ignore[arg-type]
    assert _faults(verify("", DOCS, RESPONSE)) == []


@pytest.mark.parametrize(
    ("query", "docs", "response"),
    [("\ud800", DOCS, RESPONSE), (QUERY, ["\udfff April 4"], RESPONSE), (QUERY, DOCS, RESPONSE + "\ud83d")],
    ids=["query", "docs", "response"],
)
def test_lone_surrogate_is_an_input_error_and_the_result_is_json(query: str, docs: list[str], response: str) -> None:
    """Broken text is said to be broken, and the result can still be written as UTF-8."""
    result = verify(query, docs, response)
    assert len(_faults(result)) == 1
    assert result.to_json().encode("utf-8")


def test_broken_document_does_not_hide_what_the_checks_find() -> None:
    """An input error stands beside the findings, not in their place."""
    result = verify(QUERY, [*DOCS, "\udfff"], WRONG)
    assert [warning.text for warning in result.warnings if warning.type != "input_error"] == ["April 9"]


@pytest.mark.parametrize("where", ["query", "docs", "response"])
def test_null_characters_get_a_result_with_true_spans(where: str) -> None:
    """A NUL character is a character like any other."""
    case: dict[str, Any] = {"query": QUERY, "docs": DOCS, "response": WRONG}
    case[where] = ["\x00", *DOCS, "\x00 April 1\x00"] if where == "docs" else f"\x00{case[where]}\x00"
    result = verify(case["query"], case["docs"], case["response"])
    assert [warning.text for warning in result.warnings if warning.severity == "high"] == ["April 9"]
    assert all(case["response"][w.start : w.end] == w.text for w in result.warnings)


PIECES = (
    *(
        "(",
        "1,",
        "A ",
        "March ",
        "$",
        "**",
        "[1](",
        "|",
        "\n",
        "a.",
        "🎉",
        "`",
        "#",
        "- ",
        "é",
        "\u0301",
        '"',
    ),
    *("\x00", "-", "Ab", "<", "0", "中", "1 ", "$5 ", "May 4, ", "9 cats. ", "Zoltan Hegedus "),
)


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_longest_answer_of_one_piece_ends(piece: str) -> None:
    """An answer at the limit ends, whatever it repeats, and its spans are true."""
    response = piece * (200_000 // len(piece))
    result = verify(QUERY, DOCS, response)
    assert isinstance(result, VerifyResult)
    assert all(response[w.start : w.end] == w.text for w in result.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["(", "March 4, 2024 ", "[1](", "Anna Lindstrom ", "{", "a|"], ids=ascii)
def test_documents_at_the_limits_end(piece: str) -> None:
    """As many documents as allowed, together as long as allowed."""
    text = (piece * 2_500)[:2_490]
    docs = [f"{number} {text}"[:2_500] for number in range(2_000)]
    result = verify(QUERY, docs, WRONG)
    assert [warning.text for warning in result.warnings if warning.severity == "high"] == ["April 9"]


@pytest.mark.parametrize(
    ("docs", "response", "limit"),
    [
        (DOCS, "a " * 100_001, 200_000),
        (["a " * 2_500_001], RESPONSE, 5_000_000),
        (DOCS * 2_001, RESPONSE, 2_000),
        ([*DOCS, Document("Yes.", id="a" * 1_001)], RESPONSE, 1_000),
    ],
    ids=["response", "document characters", "documents", "document id"],
)
def test_input_over_a_limit_names_the_limit(docs: list[str], response: str, limit: int) -> None:
    """Each limit has its own message, with the number in it."""
    (message,) = _faults(verify(QUERY, docs, response))
    assert str(limit) in message.replace(",", "").replace("_", "")


def test_query_over_the_limit_supports_nothing() -> None:
    """A query that was not read is said to be unread, and what it holds is no echo."""
    query = "Is it April 9? " * 7_000
    (message,) = _faults(result := verify(query, DOCS, WRONG))
    assert "max_query_chars" in message
    assert [warning.rule for warning in result.warnings] == ["input.error", "date.unsupported"]


def test_id_over_the_limit_supports_nothing() -> None:
    """An answer cites an id as long as it is read; a document keeps its text when its id is too long."""
    docs = [Document(DOCS[0], id="plan-2 § 7")]
    cited = f"{RESPONSE} (§ 7)"
    assert verify(QUERY, docs, cited).action == "proceed"
    result = verify(QUERY, docs, cited, config=Config(max_id_chars=3))
    assert [warning.text for warning in result.warnings] == ["", "7"]
    assert {fact.evidence.doc_id for fact in result.facts if fact.evidence} == {None}


def test_evidence_of_a_broken_document_is_its_own_text() -> None:
    """Offsets and text of evidence are those of the document as it was given, broken characters and all."""
    docs = ["Lead: Anna \ud83d Lindstrom."]
    result = verify("Who?", docs, "The lead is Anna Lindstrom.")
    (place,) = [fact.evidence for fact in result.facts if fact.evidence]
    assert place.text == "Anna \ud83d Lindstrom" == docs[0][place.start : place.end]
    assert result.to_json().encode("utf-8")


def test_limits_come_from_the_config() -> None:
    """A smaller limit of the config is the one that is named, and every fault is said."""
    config = Config(max_response_chars=17, max_document_chars=19)
    messages = _faults(verify(QUERY, DOCS, RESPONSE, config=config))
    assert len(messages) == 2
    assert all(any(limit in message for message in messages) for limit in ("17", "19"))


def test_no_documents_can_be_skipped() -> None:
    """With no_documents = "skip" the answer proceeds, and the result says that nothing was checked."""
    result = verify(QUERY, [], WRONG, config=Config(no_documents="skip"))
    assert (result.action, result.warnings, result.facts) == ("proceed", [], [])
    assert result.unchecked
    assert all(gap.what and gap.why for gap in result.unchecked)


def test_skipping_no_documents_hides_no_other_fault() -> None:
    """A wrong type is no absence of documents."""
    assert _faults(verify(QUERY, None, WRONG, config=Config(no_documents="skip")))  # type: ignore[arg-type]


def broken_check(case: Any) -> Iterator[Any]:
    """A check that fails on what it reads, and says it aloud."""
    raise RuntimeError(f"cannot read {case.query}")
    yield


def test_crash_in_a_check_is_said_and_loses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The result names the check, keeps what the others found, and the log holds no text of the input."""
    caplog.set_level(logging.DEBUG)
    result = Verifier(checks=(broken_check, *DEFAULT_CHECKS)).verify(QUERY, DOCS, WRONG)
    assert result.action == "review"
    assert {(w.severity, w.type, w.text) for w in result.warnings} == {
        ("high", "check_error", ""),
        ("high", "unsupported_date", "April 9"),
    }
    (error,) = [warning for warning in result.warnings if warning.type == "check_error"]
    assert "broken_check" in error.suggestion
    assert (error.start, error.end) == (0, 0)
    logged = caplog.text
    assert "broken_check" in logged
    assert "closing" not in logged
    assert "April" not in logged


def test_crash_after_some_findings_keeps_them() -> None:
    """What a check found before it crashed is not lost."""

    def half_check(case: Any) -> Iterator[Any]:
        yield from unsupported_values(case)
        raise ValueError("half way")

    result = Verifier(checks=(half_check,)).verify(QUERY, DOCS, WRONG)
    assert [warning.text for warning in result.warnings if warning.type == "unsupported_date"] == ["April 9"]
    assert [warning.type for warning in result.warnings if not warning.text] == ["check_error"]


@pytest.mark.parametrize(
    "case", [None, {}, {"query": "Q"}, 5, "text", {"query": "", "docs": DOCS, "answer": "A."}], ids=repr
)
def test_bad_case_of_many_is_an_input_error(case: Any) -> None:
    """One bad case among many gets its own input error; the others get their verdicts."""
    good = {"query": QUERY, "docs": DOCS, "response": RESPONSE}
    first, second = Verifier().verify_many([case, good])
    assert _faults(first)
    assert second.action == "proceed"


def test_columns_of_a_table_without_its_header_are_unchecked() -> None:
    """Where no document holds the header row, the row is checked and the columns are said to be open."""
    part = "| Iberia | 60 min | 8 h |\n| Nordics | 45 min | 6 h |"
    header = "| Region | First answer | Repair |\n|---|---|---|\n| Alps | 30 min | 4 h |"
    answer = "For Iberia the first answer takes 60 minutes."
    gap = ("table columns", "document 1 holds a part of a table without its header")
    assert gap in [(each.what, each.why) for each in Verifier().verify("When?", [part], answer).unchecked]
    assert Verifier().verify("When?", [header, part], answer).unchecked == []


def test_names_beyond_what_the_language_model_gets_are_judged_by_presence_and_said_to_be() -> None:
    """A very long answer of unknown words at sentence starts shows the model its first part alone."""
    letters = "bcdfghklmnprstvz"
    openers = [f"{first}{second}{third}o".title() for first in letters for second in letters for third in letters]
    # a claim that is likelier unsupported would take the place of the name in it
    config = Config(severity={"unsupported_claim": "low"})
    answer = " ".join(f"{opener} came late." for opener in openers[:2_000])
    result = verify(QUERY, DOCS, answer, lang="en", config=config)
    assert [gap.what for gap in result.unchecked] == ["names"]
    assert {warning.rule for warning in result.warnings[-20:]} == {"name.presence"}
    assert "name.presence" not in {warning.rule for warning in result.warnings if warning.end < 15_000}


@pytest.mark.parametrize(
    ("response", "pointer"),
    [
        ('{"' + "k" * 1_001 + '": "$59"}', ""),
        ('{"a":[' * 300 + '"$59"' + "]}" * 300, "/a/0" * 250),
        ('{"a": {"b~/": ["$49", "$59"]}}', "/a/b~0~1/1"),
    ],
    ids=["long key", "deep", "short"],
)
def test_pointer_of_a_leaf_is_as_long_as_anyone_needs(response: str, pointer: str) -> None:
    """Full pointers would take the square of the answer's length; a longer one ends at what holds the leaf."""
    result = verify(QUERY, ["The fee is $49."], response)
    assert [(w.text, w.pointer) for w in result.warnings if w.type == "missing_entity"] == [("$59", pointer)]


@pytest.mark.parametrize(
    ("pattern", "cited"),
    [
        (r"ref (?P<index>\w{1,9})", "ref abc"),
        (r"ref (?P<index>\w{1,9})", "ref 7"),
        (r"ref (?P<numbers>\d{1,6})", "ref 1002"),
    ],
)
def test_own_citation_that_leads_nowhere_is_unknown(pattern: str, cited: str) -> None:
    """An index that is no number crashes nothing, and a long number is not read in parts."""
    result = verify(QUERY, DOCS * 2, f"{RESPONSE} {cited}", config=Config(citations=(pattern,)))
    assert [(w.rule, w.text) for w in result.warnings if w.type != "unsupported_number"] == [
        ("citation.unknown", cited)
    ]


def test_many_marks_ask_the_documents_once_for_a_word_that_all_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 30 sentences and 30 documents with the same two words, each of these is looked for in each document once."""
    asked: list[str] = []
    has_stem = Words.has_stem

    def counting(self: Words, stem: str) -> bool:
        asked.append(stem)
        return has_stem(self, stem)

    monkeypatch.setattr(Words, "has_stem", counting)
    names = ["".join(pair) for pair in product("bcdfg", "aeiouy")]
    docs = [f"The {name} pump takes fresh oil." for name in names]
    answer = " ".join(f"The {name * 2} pump takes fresh oil [{place}]." for place, name in enumerate(names, start=1))
    Verifier(Config(cache_chunks=0), checks=(unsupported_citations,)).verify("", docs, answer)
    of_all = [stem for stem in asked if stem == "fresh"]
    # and once for each mark, in the document that it cites
    assert len(of_all) == len(docs) + len(names)
