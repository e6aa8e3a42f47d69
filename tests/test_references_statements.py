"""Do the quick ways to a sentence, and to what turns it round, lead where reading every word leads?"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import example, given, settings
from hypothesis import strategies as st
from references import statements as slow

from raguard import Config, Verifier
from raguard.case import Case
from raguard.checks.statements import _doubtful, _suspects
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.sources import Sources
from raguard.evidence.statements import Denials, alike
from raguard.knowledge import Knowledge
from raguard.reading.nouns import numbers_by_noun
from raguard.result import Unchecked

KNOWN = Knowledge(Config())
READER = KNOWN.readers.statements
_WORDS = "plan plans covers covered rises fell members of the a not never cannot doesn't don't 12 30 at least up to"
SAID = st.sampled_from([*_WORDS.split(), "at least", "O'Sullivan", "it's", "knot", "2not", "İst", "naïve", "notable"])
BETWEEN = st.sampled_from([" ", " ", " ", ", ", ". ", "? ", "\n", ".\n\n", ".The ", "' "])
MADE = settings(max_examples=150, deadline=None)


def texts(most: int) -> st.SearchStrategy[str]:
    """Texts of some words with something between them."""
    return st.lists(st.tuples(SAID, BETWEEN), max_size=most).map(lambda pairs: "".join(map("".join, pairs)))


def sources(*documents: str) -> Sources:
    """Some documents as one thing to ask."""
    return Sources([Chunk(number, None, Reading(text, KNOWN.readers, "en")) for number, text in enumerate(documents)])


@MADE
@given(texts(12))
def test_a_sentence_says_what_its_words_say_one_by_one(text: str) -> None:
    statement = READER.sentence(text, 0, len(text))
    assert (dict(statement.signs), statement.denies) == slow.sentence(READER, text)


@MADE
@given(texts(160), st.lists(st.integers(0, 600), min_size=1, max_size=4))
def test_a_sentence_is_found_around_a_place_as_by_all_sentences(text: str, places: list[int]) -> None:
    reading = Reading(text, KNOWN.readers, "en")
    for place in places if reading.text else ():
        place = min(place, len(reading.text) - 1)
        assert reading.sentence(place) == slow.around(reading, place)


@MADE
@given(texts(20), texts(20), texts(6))
def test_the_nearest_statement_is_alike_when_it_has_the_same_words(first: str, second: str, said: str) -> None:
    documents, signs = sources(first, second), READER.sentence(said, 0, len(said)).signs
    if signs:
        assert alike(documents, signs) == slow.alike(documents, signs)


@MADE
@given(texts(20), texts(20), texts(6))
def test_no_denial_turns_round_what_none_seems_to_oppose(first: str, second: str, said: str) -> None:
    statement, denials = READER.sentence(said, 0, len(said)), Denials(sources(first, second))
    if not statement.signs or statement.denies or READER.opposed(statement) or denials.oppose(statement.signs, 0.5):
        return
    for near in denials.near(statement.signs, 0.5):
        other = near.statement
        assert not (other.signs.keys() == statement.signs.keys() and statement.flipped(other))
        for denial in KNOWN.denials.find(near.chunk.reading.text, other.start, other.end):
            assert not denial.denied or denial.denied[0] not in statement.signs


def doubted(case: Case) -> Iterator[Unchecked]:
    """A check that tells when a quick look leaves a doubtful sentence out."""
    suspects = [each.start for each in _suspects(case) if _doubtful(case, each)]
    if suspects != [each.start for each in slow.statements(case) if _doubtful(case, each)]:
        yield Unchecked("sentences", "left out")


VERIFIER = Verifier(checks=[doubted])


@MADE
@example("Plans cover members.", "A plan does not cover members.")
@given(texts(20), texts(20))
def test_every_doubtful_sentence_is_a_suspect(said: str, document: str) -> None:
    unchecked = VERIFIER.verify("", [document], said, lang="en").unchecked
    assert not {"sentences", "doubted"}.intersection(each.what for each in unchecked)


@MADE
@given(st.lists(st.sampled_from(["12", "1,200", "9.5", "٣", "7,", "plans", "Plan", "%", " ", "-", ". "]), max_size=12))
def test_a_short_text_is_read_for_the_numbers_before_a_noun_when_it_has_some(pieces: list[str]) -> None:
    reading = Reading("".join(pieces), KNOWN.readers, "en")
    for noun in ("plans", "%"):
        assert set(reading.counted(noun)) == numbers_by_noun(reading.text).get(noun, set())
