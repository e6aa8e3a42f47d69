"""Does each shortcut of the readers find what the slow way finds?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import raguard.reading.dates as dates
import raguard.reading.identifiers as identifiers
from raguard import Config, Verifier
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.sources import Sources
from raguard.evidence.statements import same_words
from raguard.knowledge import Knowledge
from raguard.reading.dates import _LOOSE_DIGITS, DateReader
from raguard.reading.identifiers import IdentifierReader
from raguard.rulebook import load_rulebook
from raguard.text.phrases import Places
from raguard.text.spoken import Spoken
from raguard.text.words import letter_words

DATES = DateReader(load_rulebook())
IDENTIFIERS = IdentifierReader(load_rulebook())
KNOWN = Knowledge(Config())
BETWEEN = st.sampled_from([" ", "  ", "\n", "-", ".", ", ", "", "é", "_", "'"])
DATE_WORDS = st.sampled_from(
    ["may", "mar", "march", "mid", "next friday", "friday", "the day before yesterday", "q1", "7"]
)
NUMBERS = st.sampled_from(
    [
        "12",
        "12.5",
        "$12.50",
        "1,200",
        "9:30",
        "9:0-17:30",
        '"2024-05-04',
        "(3.9)",
        "12.5%",
        "Python",
        "AB",
        "K12",
        "v",
        "7z",
        "in",
    ]
)
SAID = st.sampled_from(["The plan", "covers", "doesn't cover", "twenty", "members", "12", "30", "rises", "plans"])


def pieces(
    words: st.SearchStrategy[str], between: st.SearchStrategy[str] = BETWEEN, most: int = 12
) -> st.SearchStrategy[str]:
    """Texts of some words with something between them."""
    return st.lists(st.tuples(words, between), max_size=most).map(lambda pairs: "".join(map("".join, pairs)))


@given(pieces(DATE_WORDS))
def test_words_of_dates_are_found_by_look_up_as_by_a_search_of_the_whole_text(low: str) -> None:
    assert DATES._words_of_dates(low, letter_words(low)) == [match.span() for match in DATES._anchor.finditer(low)]


@given(pieces(st.one_of(DATE_WORDS, st.sampled_from(["12", "3", "2019", "19th", "90s", "3q24", "9/10/24", "century"]))))
def test_digits_that_no_date_can_begin_with_are_left_out(text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dates, "_may_begin", lambda *_: True)
        everything = DATES.find(text)
    assert DATES.find(text) == everything


@given(pieces(st.sampled_from(["12", "1234567890123", "$", "/", "a", ":", "€", "³"])))
def test_loose_digits_are_those_that_nothing_ties_to_what_is_before(low: str) -> None:
    runs = [run.span() for run in re.finditer(r"[0-9]{1,9}", low)]
    tied = frozenset("_$€£¥#@+&%\\^/")
    loose = [(start, end) for start, end in runs if not (low[:start][-1:].isalnum() or low[:start][-1:] in tied)]
    assert [run.span() for run in _LOOSE_DIGITS.finditer(low)] == loose


@given(pieces(NUMBERS))
def test_a_plain_number_is_skipped_only_where_no_identifier_stands(text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(identifiers, "_PLAIN", re.compile(r"(?!)"))
        every_digit = identifiers._SIGNAL.pattern.replace("(?P<plain>", "(?P<plain>(?!)")
        patched.setattr(identifiers, "_SIGNAL", re.compile(every_digit))
        everything = list(IDENTIFIERS.find(text))
    assert list(IDENTIFIERS.find(text)) == everything


VALUES = st.sampled_from(
    [
        "12",
        "$1,200",
        "3 May",
        "May 2024",
        "2019",
        "first",
        "two",
        "hours",
        "percent",
        "5 pm",
        "9:30",
        "to",
        "about",
        "fell",
    ]
)
SENTENCES = st.lists(pieces(VALUES, st.sampled_from([" ", " ", ", ", "-", " and "]), most=6), min_size=1, max_size=4)


@settings(max_examples=100, deadline=None)
@given(SENTENCES)
def test_a_sentence_read_alone_states_what_it_does_in_its_text(sentences: list[str]) -> None:
    text = ". ".join(
        ["The plan covers all members of a household"] * 80 + sentences + ["Nothing else is said of it"] * 80
    )
    alone, whole = (Reading(text, KNOWN.readers, "en") for _ in range(2))
    assert whole.facts is not None
    places = range(text.index(sentences[0]), text.rindex(sentences[-1]) + len(sentences[-1]))
    assert [alone.facts_at(place) for place in places] == [list(whole.facts_at(place)) for place in places]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES, st.sampled_from([": ", '": "', '": ', '", "', ", ", ". "])), max_size=40))
def test_some_fields_of_a_record_read_alone_state_what_they_do_in_it(fields: list[tuple[str, str, str]]) -> None:
    said = ", ".join(f'"{first}{between}{second}"' for first, second, between in fields)
    text = f'{{"name": "Bell", {said}, "told": "{"Nothing else is said of it and of them " * 60}"}}'
    alone, whole = (Reading(text, KNOWN.readers, "en") for _ in range(2))
    assert whole.facts is not None
    places = range(len(said) + 20)
    assert [alone.facts_at(place) for place in places] == [list(whole.facts_at(place)) for place in places]
    for field in whole.fields:
        fresh = Reading(text, KNOWN.readers, "en")
        assert list(fresh.facts_of(field.start, field.end)) == list(whole.facts_in(field.start, field.end))


@given(st.text(alphabet="abz Z9'-é_\ud800日"))
def test_letter_words_are_the_runs_of_small_letters(text: str) -> None:
    assert letter_words(text) == set(re.findall("[a-z]+", text))


@given(pieces(SAID, st.sampled_from([" ", ", ", ". "]), most=5), pieces(SAID, st.just(" "), most=4))
def test_statements_that_lack_only_numbers_are_all_found(document: str, sentence: str) -> None:
    reader = KNOWN.readers.statements
    signs = reader.sentence(sentence, 0, len(sentence)).signs
    chunk = Chunk(0, None, Reading(document, KNOWN.readers, "en"))
    near = {each.statement.start for each in same_words(Sources([chunk]), signs)}
    words = {word for word in signs if word.isalpha()}
    starts = chunk.reading.sentences
    held = {start for start in starts if words and words <= chunk.reading.statement(start).signs.keys()}
    assert held <= near


@given(
    pieces(
        st.sampled_from(["Plan A", "It costs $10", "é", "x" * 45, "U.S.", "Yes"]), st.sampled_from([". ", "! ", " "])
    )
)
def test_words_of_an_answer_are_those_of_its_sentences(text: str) -> None:
    sentences = KNOWN.outliner.outline(Places(text)).sentences
    spoken = Spoken(text, sentences)
    numbers = range(len(spoken.words))
    inside = {
        span: [n for n in numbers if (sentence := spoken.sentence(n)) and sentence.span == span] for span in sentences
    }
    for (start, end), held in inside.items():
        matches = list(re.finditer("[A-Za-z0-9]{1,40}", text[start:end]))
        assert [spoken.words[number] for number in held] == [match.group().lower() for match in matches]
        assert [spoken.span(n, n + 1) for n in held] == [(start + m.start(), start + m.end()) for m in matches]


STATED = st.lists(
    st.sampled_from(
        [
            "The lease began on 4 May 2024.",
            "It costs $900 a month.",
            "Twelve of 30 members came.",
            "The fee rose by 12.5% to $1,200.",
            "It opens at 9:30.",
            "Version 3.9 came in 2023.",
            "The walk takes 90 minutes.",
        ]
    ),
    min_size=1,
    max_size=8,
)
WRONG = st.sampled_from(["It ended on 9 June 2025.", "It costs $1,900.", "Forty came.", "It takes 2 hours.", ""])


@settings(max_examples=60, deadline=None)
@given(st.lists(STATED.map(" ".join), min_size=1, max_size=4), STATED, WRONG)
def test_what_is_read_at_once_because_one_value_needs_it_leads_to_the_same(
    docs: list[str], said: list[str], wrong: str
) -> None:
    answer = " ".join([*said, wrong])
    verifier = Verifier(Config(cache_chunks=0))
    expecting = verifier.verify("", docs, answer)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sources, "expect", lambda *_: None)
        assert verifier.verify("", docs, answer) == expecting
