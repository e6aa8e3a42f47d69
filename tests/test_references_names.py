"""Are names, terms and words written apart found as by looking everywhere?"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from references import names as slow
from references import presence

from raguard import Config
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.sources import Sources
from raguard.knowledge import Knowledge
from raguard.reading import names
from raguard.text.words import camel_words

KNOWN = Knowledge(Config())
BOUNDED = settings(max_examples=150, deadline=None)
_PIECES = ["A", "B.", "Ann", "iPhone", "xBc", "eBay", "abC", "d", "van", "of the", "U.S.", "AT&T", "O'Neil", "don't"]
_LONG = [
    "A" + "b" * 39,
    "c" * 38 + "dE",
    "A-b-c-d-e-f-gHi",
    "A'b'c'd'e'f'gHi",
    "é",
    "1",
    "_",
    "日本",
    "The",
    "Don't",
    "The of",
    "PhD",
    "G7",
    "Lee",
]
PIECES = st.sampled_from([*_PIECES, *_LONG])
MARKS = st.sampled_from([" ", "", "  ", ".", "-", "'", "&", "/", "_", "\x00", "\n"])
TEXTS = st.lists(st.tuples(PIECES, MARKS), max_size=12).map(lambda pairs: "".join(map("".join, pairs)))


@BOUNDED
@given(TEXTS)
def test_runs_are_found_by_their_capital_as_at_every_place(text: str) -> None:
    spans = [(run.start() - (run.lastindex or 0), run.end()) for run in names._RUN.finditer(text)]
    words = [[(token.text, token.start) for token in names._tokens(text, start, end)] for start, end in spans]
    contracted = names.CONTRACTED
    assert words == [[word for word in run if word[0] not in contracted] for run in slow.runs(text)]


@BOUNDED
@given(TEXTS)
def test_simple_runs_are_the_ones_that_are_read_word_by_word(text: str) -> None:
    found = list(names.find_names(text, KNOWN.lexicon))
    assert [[(token.text, token.start) for token in run.tokens] for run in found] == slow.names(text, KNOWN.lexicon)
    for run in found:
        plain = names.NameRun.of(run.tokens)
        assert (run.start, run.end, run.text, run.words) == (plain.start, plain.end, plain.text, plain.words)
        if run.simple:
            tokens = [names._token(token.text, token.start, token.end) for token in run.tokens]
            assert list(run.tokens) == tokens
            assert not any(token.capitals or token.text in KNOWN.lexicon.acronyms for token in tokens)


@BOUNDED
@given(
    st.lists(st.sampled_from(["metopro", "lol", "olol", "mab", "4", "é", " ", ".", "'", "X", "statin"])).map("".join)
)
def test_a_text_with_a_term_of_an_open_class_is_told_by_its_words(text: str) -> None:
    found = KNOWN.lexicon.open_class.search(text) is not None
    assert KNOWN.lexicon.holds_open_class(text) or not found


@BOUNDED
@given(st.lists(st.sampled_from(["hall", "oway", "Hall", "HalloWay", "hallo", "way", "h.a.l.", "-", " ", " ", "."])))
def test_a_word_written_apart_is_told_by_its_longer_half_first(pieces: list[str]) -> None:
    reading = Reading("".join(pieces), KNOWN.readers, "en")
    listed, plain = presence.words(reading.text), reading.plain.split()
    parted = camel_words(presence.odd_words(reading.text))
    joined = {first + last for some in (plain, parted) for first, last in pairwise(some)}
    for word in ("halloway", "hallhall", "halloalloway", "waywa"):
        halves = any({word[:place], word[place:]} <= listed for place in range(1, len(word)))
        assert Sources([Chunk(0, None, reading)]).vocabulary.joins(word) == (halves and word in joined)
