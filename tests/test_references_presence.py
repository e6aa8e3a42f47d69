"""Does asking for one word tell what listing all words tells?"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from references import presence as slow

from raguard import Config
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.sources import Sources
from raguard.evidence.word_places import WordPlaces
from raguard.knowledge import Knowledge
from raguard.text.words import plain_words

READERS = Knowledge(Config()).readers
_WORDS = ["US", "us", "U.S.", "u.s.a.", "WildWood", "iPhone", "4A", "B2B", "A1/BC", "A1", "Ann", "ann", "planning"]
PARTS = st.sampled_from([*_WORDS, "NATOs", "e", "Wi-Fi", "WiFi", "Σας", "日本", "½", "e.g.", "a_b", "X.Y.Z.A.B.C.D.E."])
MARKS = st.sampled_from([" ", "", ".", ", ", "\n", "-", "_", "'", "•", "\x1f"])
TEXTS = st.lists(st.tuples(PARTS, MARKS), max_size=14).map(lambda pairs: "".join(map("".join, pairs)))
ASKED = ["us", "usa", "u", "wild", "wood", "wildwood", "phone", "a", "4a", "b2", "b", "bc", "ann", "wi", "fi", "日本"]
ASKED += ["xyzabc", "de", "eg", "plann", "nato", "1f", "s", "σασ", "σας"]
CAPITALS = ["US", "USA", "BC", "NATO", "WI", "XYZABC", "DE", "EG", "A", "Ann", "Wild", "WiFi", "Σας", "NATOs"]
BOUNDED = settings(max_examples=150, deadline=None)


@BOUNDED
@given(st.text(alphabet="aB1 .-_\n•ßΣİ日本½é\u0301\ud800"))
def test_plain_words_are_made_run_by_run_as_character_by_character(text: str) -> None:
    assert plain_words(text) == slow.plain_words(text)


@BOUNDED
@given(TEXTS)
def test_a_word_is_held_when_it_is_one_of_all_words(given_text: str) -> None:
    reading = Reading(given_text, READERS, "en")
    listed = slow.words(reading.text)
    assert reading.words.all == listed
    fresh = Reading(given_text, READERS, "en")
    beginning = {prefix for prefix in ASKED for word in listed if word.startswith(prefix)}
    assert {word for word in ASKED if fresh.words.has(word)} == listed & set(ASKED)
    assert {word for word in ASKED if fresh.words.begins(word)} == beginning
    stems = {word[:5] for word in ASKED}
    asked = Reading(given_text, READERS, "en")
    assert {stem for stem in stems if asked.words.has_stem(stem)} == stems & {word[:5] for word in listed}


@BOUNDED
@given(TEXTS)
def test_capitals_are_found_where_a_list_of_them_has_them(text: str) -> None:
    reading = Reading(text, READERS, "en")
    assert {word for word in CAPITALS if reading.words.shouts(word)} == slow.capitals(reading.text) & set(CAPITALS)
    assert [reading.words.capital(word) for word in CAPITALS] == [slow.capital(reading.text, word) for word in CAPITALS]


@BOUNDED
@given(st.lists(st.sampled_from(["a", "red", "car", "a a"]), max_size=1_400), st.integers(0, 3))
def test_the_first_place_is_that_of_a_filed_text(words: list[str], last: int) -> None:
    phrase = [["a"], ["a", "a"], ["red", "a"], ["car"]][last]
    long = WordPlaces(" ".join(words), long=0)
    assert long.first(" ".join(phrase)) == next(WordPlaces(" ".join(words), long=0).of(phrase), -1)


@BOUNDED
@given(st.lists(TEXTS, min_size=17, max_size=20))
def test_many_chunks_tell_the_same_asked_one_by_one_and_filed_by_word(texts: list[str]) -> None:
    chunks = [Chunk(index, None, Reading(text, READERS, "en")) for index, text in enumerate(texts)]
    few, often = Sources(chunks), Sources(chunks)
    for word in map(str, range(200)):
        often.vocabulary.holds(word)
    for word in ASKED:
        assert few.vocabulary.holds(word) == often.vocabulary.holds(word)
        assert few.find([word]) == often.find([word])
        assert few.find(["a", word]) == often.find(["a", word])
        assert list(few.vocabulary.holding([word, "a"])) == list(often.vocabulary.holding([word, "a"]))
        assert list(few.vocabulary.beginning(word)) == list(often.vocabulary.beginning(word))
