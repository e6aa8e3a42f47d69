"""Are many documents asked with the same result as one after the other?"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from references import many as slow
from references import presence

from raguard import Config
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.passages import fullest_passages
from raguard.evidence.rivals import _ALIKE, Rivals
from raguard.evidence.sources import Sources
from raguard.knowledge import Knowledge

KNOWN = Knowledge(Config())
BOUNDED = settings(max_examples=150, deadline=None)
_NAMES = [
    "Karen Blake",
    "Karin Blake",
    "Blake",
    "Blaker",
    "Blake Karen Lee",
    "Akren Bleak",
    "Lars Eide",
    "NATO",
    "NATOs",
]
_SAID = ["N.A.T.O.", "nato", "eBay", "U.S.", "us", "plans", "planned", "the plan", "grew", "grows in spring"]
TEXT = st.lists(st.sampled_from([*_NAMES, *_SAID]), max_size=5).map(". ".join)
TEXTS = st.lists(TEXT, min_size=1, max_size=24)
ASKED = ["NATO", "US", "BAY", "K", "NATOS"]
CAPITALS = [*ASKED, "Karen", "Blake", "Bay", "EBay", "A_B"]


def sources(documents: list[str]) -> Sources:
    return Sources([Chunk(n, None, Reading(text, KNOWN.readers, "en")) for n, text in enumerate(documents)])


@BOUNDED
@given(TEXTS, st.sampled_from(["karen blake", "blake", "kaern balke", "eide", "lars", "karen blake karen", "zq"]))
def test_the_nearest_of_many_names_is_the_nearest_of_all(documents: list[str], name: str) -> None:
    rivals = Rivals(sources(documents), KNOWN.lexicon)
    likely, names = rivals._likely(name), list(rivals._names)
    assert slow.nearest(likely, name, _ALIKE) == slow.nearest(names, name, _ALIKE)


@BOUNDED
@given(TEXTS, st.integers(0, 101))
def test_capitals_are_looked_for_where_a_word_begins_so(documents: list[str], asked: int) -> None:
    many = sources(documents)
    many.vocabulary._asked = asked
    texts = [chunk.reading.text for chunk in many.chunks]
    assert [many.vocabulary.shouts(word) for word in ASKED] == [
        any(word in presence.capitals(t) for t in texts) for word in ASKED
    ]
    found = [[presence.capital(text, word) for text in texts] for word in CAPITALS]
    first = [next(((n, span) for n, span in enumerate(spans) if span), None) for spans in found]
    places = map(many.capital, CAPITALS)
    assert [place and (place.chunk.index, (place.start, place.end)) for place in places] == first


@BOUNDED
@given(TEXTS, st.lists(st.sampled_from(["plan", "grow", "grew", "karen", "spring"]), min_size=1, unique=True))
def test_the_fullest_passages_are_those_of_all_chunks(documents: list[str], words: list[str]) -> None:
    many = sources(documents)
    assert fullest_passages(many, words) == slow.fullest_passages(many, words)
