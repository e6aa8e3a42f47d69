"""Does a long text, filed by word, give the same places as a short one that is searched?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from raguard.evidence.word_places import WordPlaces
from raguard.text.words import plain_words

WORDS = st.sampled_from(["red", "reds", "car", "a", "A", "12", "Ärger", "rd"])
MARKS = st.sampled_from([" ", ", ", "\n", "-", ". "])
TEXTS = st.lists(st.tuples(WORDS, MARKS), max_size=30)


def _both(pieces: list[tuple[str, str]]) -> tuple[WordPlaces, WordPlaces]:
    text = "".join(word + mark for word, mark in pieces)
    return WordPlaces(text), WordPlaces(text, long=0)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=3))
def test_phrases_stand_in_the_same_places_searched_and_filed(pieces: list[tuple[str, str]], words: list[str]) -> None:
    searched, filed = _both(pieces)
    phrase = [word.lower() for word in words]
    assert list(searched.of(phrase)) == list(filed.of(phrase))


@given(TEXTS, WORDS, st.integers(1, 4))
def test_beginnings_of_words_stand_in_the_same_places(pieces: list[tuple[str, str]], word: str, most: int) -> None:
    searched, filed = _both(pieces)
    filed.prepare()
    for number in (most, most + 3):
        assert searched.beginning(word.lower(), most=number) == filed.beginning(word.lower(), most=number)


@given(TEXTS, TEXTS, TEXTS)
def test_a_passage_is_held_searched_and_filed(
    before: list[tuple[str, str]], inside: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    _, filed = _both([*before, ("x", " "), *inside, ("y", " "), *after])
    passage = "x " + "".join(word + mark for word, mark in inside) + "y"
    assert filed.holds(passage)
    assert not filed.holds(f"{passage} z")


@given(TEXTS, st.lists(WORDS, min_size=2, max_size=3))
def test_a_first_word_with_all_others_in_reach_is_found_in_a_filed_text(
    pieces: list[tuple[str, str]], words: list[str]
) -> None:
    searched, filed = _both(pieces)
    wanted = [plain_words(word) for word in words]
    text = searched.plain.split()
    everywhere = list(searched.first_near_all(wanted, reach=1_000))
    assert list(filed.first_near_all(wanted, reach=1_000)) == (everywhere if set(wanted) <= set(text) else [])
