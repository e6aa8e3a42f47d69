"""Is text made readable as the slow way does it?"""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from references import text as slow

from raguard.language import LanguageGuesser
from raguard.lexicon import Lexicon
from raguard.reading import quotes
from raguard.reading.citations import CitationReader
from raguard.reading.claim_words import ClaimWords
from raguard.reading.statements import StatementReader
from raguard.rulebook import load_rulebook
from raguard.text import markup, outline
from raguard.text.folding import fold
from raguard.text.hyphens import HyphenJoiner
from raguard.text.phrases import Places

RULEBOOK = load_rulebook()
LANGUAGES = LanguageGuesser(RULEBOOK)
CITATIONS = CitationReader(RULEBOOK, [r"<<(?P<id>\w{1,20})>>"])
OUTLINER = outline.Outliner(RULEBOOK)
LEXICON = Lexicon(RULEBOOK, ())
HYPHENS = HyphenJoiner(LEXICON)
QUOTES = quotes.QuoteReader(RULEBOOK)
STATEMENTS = StatementReader(RULEBOOK)
CLAIM_WORDS = ClaimWords(RULEBOOK)
CLAIMING = st.sampled_from([*"a7Z.,'_- \n\x1cÄ€²İ٣", "walked", "'s", ". ", ", ", "1,200.50", "b" * 61])
MANY = "".join(map(chr, range(0xC0, 0x100)))
SIGNS = st.sampled_from(
    [*"a7 -\n\r\véÜ–€²º\u00ad\u200b\u0301ßﬁ價א٣萬ლⓁ𝐋🅱\u3164\u180e\ud800", "ab", "\r\n", "руб", MANY, "plain " * 300]
)
_TAGS = ["<sup>2</sup>", "<b>", "</td>", "<br/>", '<a href="x">', "![", "](", "](u)", "[1]", "&amp;"]
DRESS = st.sampled_from([*"a \n*_`\\<[)&#", "40", "**", "~~", "\\*", *_TAGS])
_HALVES = ["Septem", "ber", "Lind", "strom", "re", "open", "long", "term", "cost", "a" * 21]
PARTED = st.sampled_from([*_HALVES, "-\n", "- \n", "-\t\n ", *"-_ \nA7é."])
ABBREVIATED = st.sampled_from([*".? \n(\"'1aBЖ", "Mr", "no", "e.g", "U.S", "approx", "said", "etc."])
ENDS = st.sampled_from([*'.!?\n aB7")]\x00é', "'", "「", "』", "No.", "C.", "The "])
_SMALL = "the of was a e he die und nicht les des pour que los y por não"
_NAMED = "van Van La der Vegas Jan plan 12 x € 日本語 привет ლარი ꤊꤢ꤬ꤛꤢ꤭ দ 𝑥"
SAID = st.sampled_from([*_SMALL.split(), *_NAMED.split(), "b" * 35])

_CITED = [
    "doc",
    "Source ",
    "passages ",
    "see ",
    "no. ",
    "page ",
    " of ",
    "p. ",
    "#",
    "12",
    "1",
    "[^",
    "a.pdf",
    "<<",
    ">>",
]
CITED = st.sampled_from([*_CITED, *"[](){}【】:,;- a\n"])
SPOKEN = st.sampled_from(
    ['"', "Karen Blake", "He", " said", " quietly ", " wrote ", ", ", ". ", "\n", " ", "no", "-said"]
)


def texts(pieces: st.SearchStrategy[str], between: str = "", most: int = 25) -> st.SearchStrategy[str]:
    """Texts made of some pieces."""
    return st.lists(pieces, max_size=most).map(between.join)


@settings(max_examples=150, deadline=None)
@given(texts(SIGNS))
def test_a_text_folds_as_by_one_look_at_each_character(text: str) -> None:
    assert fold(text) == slow.fold(text)


@settings(max_examples=150, deadline=None)
@given(texts(DRESS))
def test_dress_is_found_where_its_signs_stand(text: str) -> None:
    assert [match.span() for match in markup._dressed(text)] == slow.dress(text)


@settings(max_examples=150, deadline=None)
@given(texts(PARTED))
def test_halves_of_words_are_looked_for_at_their_hyphens(text: str) -> None:
    assert list(HYPHENS._edits(text)) == slow.joins(LEXICON, text)


@settings(max_examples=150, deadline=None)
@given(texts(ENDS))
def test_sentences_begin_where_a_search_at_every_place_says(text: str) -> None:
    assert STATEMENTS.starts(text) == slow.sentence_starts(text)


@settings(max_examples=150, deadline=None)
@given(texts(ENDS))
def test_ends_and_quotation_marks_of_an_answer_are_found_where_their_signs_stand(text: str) -> None:
    assert [match.span() for match in outline._END.finditer(text)] == slow.claim_ends(text)
    assert [match.span() for match in quotes._MARK.finditer(text)] == slow.quote_marks(text)


@settings(max_examples=150, deadline=None)
@given(texts(ABBREVIATED) | texts(ENDS))
@example("B . ")
@example("see B. Holt")
def test_sentences_of_an_answer_end_where_a_look_at_each_full_stop_says(text: str) -> None:
    assert OUTLINER._sentences(Places(text)) == slow.claim_sentences(OUTLINER, text)


@settings(max_examples=150, deadline=None)
@given(texts(SAID, " "))
def test_a_quick_look_at_the_language_decides_as_a_full_one(text: str) -> None:
    folded = fold(text).text
    assert LANGUAGES.shown(folded) == slow.shown_language(LANGUAGES, folded)


@settings(max_examples=150, deadline=None)
@given(texts(CITED))
def test_citations_are_found_where_one_can_begin(text: str) -> None:
    places = Places(text)
    for _, pattern, opened_by, _ in CITATIONS._patterns:
        assert opened_by is not None
        found = places.matches(pattern, opened_by)
        assert [match.span() for match in found] == [match.span() for match in pattern.finditer(text)]


@settings(max_examples=150, deadline=None)
@given(texts(SPOKEN))
def test_a_speaker_is_looked_for_before_a_quotation_where_someone_speaks(text: str) -> None:
    for quote in QUOTES.find(text):
        start, end = quote._opened - 1, quote._closed + 1
        assert quote.speaker == slow.speaker(QUOTES, text, start, end)


@settings(max_examples=300, deadline=None)
@given(st.lists(CLAIMING, max_size=12).map("".join))
def test_stems_are_those_of_every_match_of_the_word_pattern(text: str) -> None:
    assert CLAIM_WORDS.stemmed(text) == slow.stemmed(CLAIM_WORDS, text)
