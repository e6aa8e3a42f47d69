"""Are the words of claims and of documents read alike, and is what the documents lack of a claim measured?

Weights are compared with each other, never with a number: they are fitted anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raguard import Config, Verifier
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.claim_weights import ClaimWeights
from raguard.evidence.sources import Sources
from raguard.evidence.support import Lack, lack
from raguard.evidence.wording import Wording
from raguard.evidence.wordings import Wordings
from raguard.knowledge import Knowledge
from raguard.reading.claim_words import ClaimWord
from raguard.rulebook import load_rulebook
from raguard.text.stems import Stems

KNOWN = Knowledge(Config())
WORDS = KNOWN.readers.claims

MUSEUM = "The harbor museum opened in a former rope factory. Its collection shows ship models, maps and diving suits."
INVENTED = "Penguins polish marble staircases."
CAFE = (
    '{"name": "Sea Cafe", "attributes": {"OutdoorSeating": false, "TakeOut": null, "WiFi": "no", "GoodForKids": true,'
    ' "Music": "live jazz"}, "stars": 3.5}'
)


def stems(text: str) -> list[str]:
    """The stems of the words of a text that claim something."""
    return [word.stem for word in WORDS.words(text, 0, len(text)) if word.rarity]


def wording(text: str) -> Wording:
    return Reading(text, KNOWN.readers, "en").wording


def sentences(found: Wording) -> list[list[str]]:
    return [list(found.within(number, number + 1)) for number in range(len(found))]


def wordings(*docs: str) -> Wordings:
    return Wordings(Sources([Chunk(i, None, Reading(text, KNOWN.readers, "en")) for i, text in enumerate(docs)]))


def lacking(claim: str, *docs: str, asked: str = "", held: Callable[[ClaimWord], bool] = lambda _: False) -> Lack:
    """What documents lack of a claim."""
    found = lack(WORDS.words(claim, 0, len(claim)), held, wordings(*docs), frozenset(WORDS.stemmed(asked)), WORDS.stems)
    assert found is not None
    return found


# --- stems ---


@pytest.mark.parametrize(
    "forms",
    [
        "walk walks walked walking",
        "stop stops stopped stopping",
        "city cities city's",
        "leak leaks leaked leaking",
        "conduct conducts conductor conductors conductive",
        "locate locates located location locations",
        "take takes took taken taking",
        "child children child's",
        "recognize recognized recognizing",
        "12 twelve dozen",
        "1,200 1200 1200.0",
        "can't cant",
    ],
)
def test_stem_is_the_same_for_the_forms_of_a_word(forms: str) -> None:
    assert len({WORDS.stems[form] for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "words",
    ["walk work", "garden guard", "take talk", "moon month", "cheese chapel", "12 120", "1.5 15", "rain train"],
)
def test_stem_parts_words_that_only_look_alike(words: str) -> None:
    first, second = words.split()
    assert WORDS.stems[first] != WORDS.stems[second]


def test_stem_keeps_three_letters_and_its_irregular_forms_win() -> None:
    own = Stems(["s", "ing", "ings"], {"sing": "sing", "mice": "mouse"})
    assert [own[word] for word in ("as", "bus", "king", "bring", "paintings", "mice")] == [
        "as",
        "bus",
        "king",
        "bring",
        "paint",
        "mous",
    ]


@given(st.from_regex(r"[a-z0-9]{1,20}('[a-z]{1,3})?", fullmatch=True))
def test_stem_is_never_empty_and_no_longer_than_its_word(word: str) -> None:
    own = Stems(["ing", "ed", "s", "es", "y"], {})
    assert 0 < len(own[word]) <= len(word)
    assert own[word] == Stems(["y", "es", "s", "ed", "ing"], {})[word]


def test_stems_of_a_long_life_do_not_fill_the_memory() -> None:
    own = Stems(["s"], {})
    for number in range(50_100):
        assert own[f"{number}"] == f"{number}"
    assert len(own) <= 50_000


# --- words and what they weigh ---


def test_words_stand_where_they_say_and_only_in_the_span() -> None:
    text = "It opened. The 12 old sailors' boats sank at Oslo."
    words = WORDS.words(text, 11, len(text))
    written = [text[word.start : word.end] for word in words]
    assert " ".join(written) == "The 12 old sailors boats sank at Oslo"
    assert all(word.rarity == word.weight == 0 for word in words if text[word.start : word.end] in ("The", "at"))
    assert [word.stem for word in words if word.number] == ["12"]
    assert [text[word.start : word.end] for word in words if word.name] == ["Oslo"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Paris is old.", []),
        ("We saw Paris.", ["Paris"]),
        ("NASA said so.", ["NASA"]),
        ("It ended. Paris is old.", []),
        ("- Paris is old", []),
        ("City: Paris", []),
        ("**Paris** is old", []),
        ("In 2019 Paris grew", ["Paris"]),
    ],
)
def test_word_is_a_name_where_its_place_does_not_explain_its_capital(text: str, names: list[str]) -> None:
    assert [text[word.start : word.end] for word in WORDS.words(text, 0, len(text)) if word.name] == names


def test_rare_word_weighs_more_than_a_common_one_and_a_filler_less_than_it_is_rare() -> None:
    game, river, unknown, suggest = WORDS.words("game river qzxv suggest", 0, 23)
    assert 0 < game.rarity < river.rarity < unknown.rarity
    assert river.weight == river.rarity
    assert 0 < suggest.weight < suggest.rarity


def test_talk_about_the_answer_claims_nothing() -> None:
    assert stems("Based on the provided documents, however, this is also mentioned in the context.") == []
    assert stems("Based on the provided menu, lobster is mentioned.") == [WORDS.stems["menu"], WORDS.stems["lobster"]]


def test_keys_of_a_record_part_into_words() -> None:
    assert WORDS.stemmed_keys("BusinessAcceptsCreditCards has_heated_floor WiFi") == WORDS.stemmed(
        "business accepts credit cards has heated floor wi fi"
    )
    assert WORDS.stemmed("BusinessAcceptsCreditCards") == [WORDS.stems["businessacceptscreditcards"]]


def own_rules(folder: Path, *lines: str) -> Verifier:
    meta = '[meta]\nid = "claims"\nsource = "a test"\nlicence = "MIT"\nreviewed = 2026-11-30\n'
    rule = "\n".join(["[[rule]]", 'id = "house.test"', *lines])
    (folder / "own.toml").write_text(f"{meta}{rule}\n", encoding="utf-8")
    return Verifier(Config(rules_dir=folder))


def test_own_words_that_claim_nothing_are_not_weighed(tmp_path: Path) -> None:
    lines = 'role = "talk"', 'words = "blimey crikey"', 'accepts = ["crikey"]', 'rejects = ["cheese"]'
    told = own_rules(tmp_path, *lines).claims("", [MUSEUM], "Blimey crikey! Zounds forsooth!")
    assert [claim.text for claim in told.claims] == ["Zounds forsooth!"]


def test_own_forms_belong_to_their_stem(tmp_path: Path) -> None:
    lines = 'role = "form"', 'forms_of.lobster = ["crustacean"]', 'accepts = ["crustacean"]', 'rejects = ["crab"]'
    docs, answer = ["We serve lobster."], "We serve crustacean."
    assert lacking(answer, *docs).measures["novelty"] > 0
    assert own_rules(tmp_path, *lines).claims("", docs, answer).claims[0].measures["novelty"] == 0


def test_own_weights_are_part_of_the_ruleset(tmp_path: Path) -> None:
    lines = 'role = "talk"', 'words = "blimey"', 'accepts = ["blimey"]', 'rejects = ["cheese"]'
    assert own_rules(tmp_path, *lines).ruleset.hash != Verifier().ruleset.hash


# --- what the documents say in which words ---


def test_wording_knows_its_sentences_and_where_they_stand() -> None:
    text = "Otters swim.  Crabs hide under stones."
    found = wording(text)
    assert sentences(found) == [WORDS.stemmed("otters swim"), WORDS.stemmed("crabs hide under stones")]
    assert list(found.stems) == [*sentences(found)[0], *sentences(found)[1]] == list(found.within(-3, 9))
    assert [text[slice(*found.span(number))] for number in (0, 1)] == ["Otters swim.", "Crabs hide under stones."]
    assert not found.records


def test_places_of_stems_are_in_the_order_of_the_text() -> None:
    """Sums over them are the same for every hash seed."""
    found = wording("Ships sail. Crews love ships, whales and ships.")
    stems = WORDS.stemmed("whales ships sail")
    assert list(found.places(frozenset(stems))) == [(0, "ship"), (0, "sail"), (1, "ship"), (1, "whal")]


def test_wording_of_a_record_hides_what_it_denies_or_leaves_open() -> None:
    found = wording(CAFE)
    assert found.records
    assert {WORDS.stems[word] for word in ("sea", "good", "kids", "music", "jazz")} <= set(found.stems)
    hidden = {WORDS.stems[word] for word in ("outdoor", "seating", "take", "out", "wi", "fi")}
    assert hidden & set(found.stems) == set()


def test_wording_of_a_record_shows_the_same_keys_when_they_hold() -> None:
    said = CAFE.replace("false", "true").replace("null", "true").replace('"no"', '"free"')
    assert {WORDS.stems[word] for word in ("outdoor", "seating", "take", "out", "wi", "fi")} <= set(wording(said).stems)


def test_wording_of_lines_of_keys_and_values_hides_what_is_denied() -> None:
    found = wording("Balcony: yes\nElevator: no\nHeating: oil\nCellar: none\nDogs: n/a")
    assert found.records
    assert {WORDS.stems[word] for word in ("balcony", "heating", "oil")} <= set(found.stems)
    assert {WORDS.stems[word] for word in ("elevator", "cellar", "dogs")} & set(found.stems) == set()


def test_wording_of_prose_with_one_label_is_no_record() -> None:
    assert not wording("Note: the lift is old.\nIt was built long ago.\nNobody uses it.\nIt will be replaced.").records


def test_wording_cuts_a_sentence_without_an_end() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    found = wording(text)
    assert len(found) > 1
    assert list(found.stems) == WORDS.stemmed(text)
    assert max(end - start for start, end in map(found.span, range(len(found)))) < 500


def test_closest_sentence_is_the_first_of_two_that_hold_the_same() -> None:
    text = "Otters swim. Otters swim under bridges. Bridges burn. Otters swim under bridges."
    closest = wordings(text, text).closest(dict.fromkeys(WORDS.stemmed("otters bridges"), 2.0))
    assert closest is not None
    assert (closest.place.chunk.index, closest.place.start, closest.held) == (0, 13, 1.0)


def test_wordings_of_several_chunks_are_one_vocabulary() -> None:
    both = wordings("Otters swim.", "Crabs hide.")
    assert both.stems == frozenset(WORDS.stemmed("otters swim crabs hide"))
    otters, swim, crabs, hide = WORDS.stemmed("otters swim crabs hide")
    assert both.pairs == {(otters, swim), (crabs, hide)}
    assert both.begins("swimming") is both.begins("swimmers") is False
    assert wordings("Photography shop.").begins("photograf")
    assert not wordings("Photography shop.").begins("phot")


def test_closest_place_is_a_sentence_of_the_document() -> None:
    docs = ["Crabs hide. Lobsters sleep.", "It rains. Otters swim under bridges all day. It snows."]
    closest = wordings(*docs).closest(dict.fromkeys(WORDS.stemmed("otters bridges rains"), 1.0))
    assert closest is not None
    place = closest.place
    assert place.chunk.reading.text[place.start : place.end] == "Otters swim under bridges all day."
    assert closest.held == pytest.approx(2 / 3)
    assert closest.around == 1.0
    assert not closest.records
    assert wordings(*docs).closest({"qzxv": 1.0}) is None
    assert wordings(*docs).closest({}) is None


def test_closest_among_many_chunks_is_that_of_few() -> None:
    docs = [f"Number{i} rains." for i in range(40)]
    docs[31] = "Otters swim under bridges."
    closest = wordings(*docs).closest(dict.fromkeys(WORDS.stemmed("otters bridges"), 1.0))
    assert closest is not None
    assert (closest.place.chunk.index, closest.held) == (31, 1.0)


# --- what they lack of a claim ---


def test_lack_of_a_copied_sentence_is_nothing() -> None:
    found = lacking("Its collection shows ship models, maps and diving suits.", MUSEUM)
    assert {name: value for name, value in found.measures.items() if value} == {}
    assert found.new is None


def test_lack_has_the_measures_by_name_each_of_them_finite() -> None:
    found = lacking("Zoltan stole 77 lemons from the museum.", MUSEUM).measures
    assert set(found) == {"novelty", "missing", "unseen_pairs", "names", "numbers", "tail", "all_new"}
    assert all(value >= 0 and math.isfinite(value) for value in found.values())
    assert found["novelty"] > 0 < found["missing"]
    assert found["numbers"] > 0
    assert found["all_new"] == 0


@pytest.mark.parametrize(
    ("claim", "new"),
    [
        ("The museum serves lemonade.", "serves lemonade"),
        ("The museum shows maps.", None),
        ("Lemonade is served by penguins.", "Lemonade is served by penguins"),
        ("Its collection shows maps and juggling penguins.", "juggling penguins"),
    ],
)
def test_lack_says_where_the_new_words_stand(claim: str, new: str | None) -> None:
    span = lacking(claim, MUSEUM).new
    assert (claim[slice(*span)] if span else None) == new


def test_lack_of_a_text_that_claims_nothing_is_none() -> None:
    for text in ("Is it so? It is.", "Based on the provided documents:", "...", ""):
        assert (
            lack(WORDS.words(text, 0, len(text)), lambda _: False, wordings(MUSEUM), frozenset(), WORDS.stems) is None
        )


def test_lack_is_less_where_a_check_has_found_the_word_or_the_question_asks_it() -> None:
    claim = "The museum serves lemonade."
    bare = lacking(claim, MUSEUM)
    found = lacking(claim, MUSEUM, held=lambda word: claim[word.start : word.end] == "lemonade")
    asked = lacking(claim, MUSEUM, asked="Is there lemonade?")
    assert bare.measures["novelty"] > found.measures["novelty"] == asked.measures["novelty"] > 0


@pytest.mark.parametrize(
    ("claim", "doc"),
    [
        ("They offer health care.", "They offer healthcare."),
        ("They offer healthcare.", "They offer health-care."),
        ("It costs 1,500 euros.", "It costs 1500 euros."),
        ("It has 3 million users.", "It has 3,000,000 million users."),
        ("The photographer smiled.", "The photography smiled."),
        ("They offer pick up.", "They offer pickup."),
        ("They offer takeout.", "They offer take out."),
        ("Twelve otters swam.", "12 otters swim."),
    ],
)
def test_lack_knows_another_spelling(claim: str, doc: str) -> None:
    assert lacking(claim, doc).measures["novelty"] == 0


@pytest.mark.parametrize(
    ("claim", "doc"),
    [
        ("They offer health care.", "They offer carehealth."),
        ("It costs 1,500 euros.", "It costs 1501 euros."),
        ("The phonograph smiled.", "The photography smiled."),
        ("Twelve otters swam.", "13 otters swim."),
    ],
)
def test_lack_knows_no_spelling_that_only_looks_alike(claim: str, doc: str) -> None:
    assert lacking(claim, doc).measures["novelty"] > 0


def test_claim_of_new_words_alone_is_all_new() -> None:
    assert lacking("The moon is cheese.", MUSEUM).measures["all_new"] == 1
    assert lacking("The moon is cheese in the harbor.", MUSEUM).measures["all_new"] == 0
    # fillers alone are no invention
    assert lacking("This can help people.", MUSEUM).measures["all_new"] == 0


def test_words_that_nobody_put_together_are_unseen_pairs() -> None:
    measures = lacking("Maps opened the former diving museum.", MUSEUM).measures
    assert measures["unseen_pairs"] > 0.5
    assert measures["novelty"] == 0


def test_more_new_words_are_never_less_novel() -> None:
    words = ["The museum shows maps", " and penguins", " juggling lemons", " beside submarines"]
    novelties = [lacking("".join(words[: count + 1]) + ".", MUSEUM).measures["novelty"] for count in range(4)]
    assert novelties == sorted(novelties)
    assert len(set(novelties)) == 4


# --- the weights ---


def no_lack() -> dict[str, float]:
    """Every measure that a claim can have, at nothing."""
    (claim,) = Verifier().claims("", [MUSEUM], INVENTED).claims
    return dict.fromkeys(claim.measures, 0.0)


def test_probability_lies_between_zero_and_one_and_grows_with_what_is_lacking() -> None:
    weights = ClaimWeights(load_rulebook())
    none = no_lack()
    for records in (0.0, 1.0):
        chances = [
            weights.probability({**none, "records": records, "novelty": novelty}) for novelty in (0.0, 0.5, 1.0, 99.0)
        ]
        assert chances == sorted(chances)
        assert 0 < chances[0] < 0.5
        assert chances[-1] <= 1
        for measure in ("missing", "all_new", "high", "conflict"):
            assert weights.probability({**none, "records": records, measure: 1.0}) > chances[0]


@pytest.mark.parametrize("measure", ["absent", "introduces", "asks"])
def test_damping_makes_the_same_lack_count_less(measure: str) -> None:
    weights = ClaimWeights(load_rulebook())
    none = no_lack()
    lack_of_much = {**none, "novelty": 0.8, "missing": 0.8}
    assert weights.probability({**lack_of_much, measure: 1.0}) < weights.probability(lack_of_much)


def test_profiles_are_in_order() -> None:
    profiles = ClaimWeights(load_rulebook()).profiles
    assert set(profiles) == {"precise", "balanced", "strict"}
    assert 0 < profiles["strict"] <= profiles["balanced"] < profiles["precise"] < 1
