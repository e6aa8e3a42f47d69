"""Is each sentence of an answer weighed by its words: which does it hold, what do the documents lack of it, and why?

Probabilities are compared with the middle and with each other, never with a number: they are fitted anew.
"""

from __future__ import annotations

import copy
import math
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raguard import Case, CheckedClaim, ClaimsResult, Config, ConfigError, Document, Unchecked, Verifier
from raguard.checks.judged_claims import claim_spans, judged_claims
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

CALM = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)


def known_failure(reason: str) -> pytest.MarkDecorator:
    """A known failure."""
    return pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)


KNOWN = Knowledge(Config())
WORDS = KNOWN.readers.claims
VERIFIER, UNCACHED = Verifier(), Verifier(Config(cache_chunks=0))

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


def wordings(*docs: str) -> Wordings:
    return Wordings(Sources([Chunk(i, None, Reading(text, KNOWN.readers, "en")) for i, text in enumerate(docs)]))


def lacking(claim: str, *docs: str, asked: str = "", held: Callable[[ClaimWord], bool] = lambda _: False) -> Lack:
    """What documents lack of a claim."""
    found = lack(WORDS.words(claim, 0, len(claim)), held, wordings(*docs), frozenset(WORDS.stemmed(asked)))
    assert found is not None
    return found


def case_of(docs: list[str], response: str, query: str = "") -> Case:
    """The case that checks are asked."""
    seen: list[Case] = []

    def look(case: Case) -> Sequence[Any]:
        seen.append(case)
        return ()

    Verifier(checks=[look]).verify(query, docs, response)
    return seen[0]


def claims(docs: Sequence[str | Document], response: str, query: str = "", **options: Any) -> tuple[CheckedClaim, ...]:
    told = VERIFIER.claims(query, docs, response, **options)
    assert told.unchecked == ()
    return told.claims


def only(docs: Sequence[str | Document], response: str, query: str = "") -> CheckedClaim:
    (claim,) = claims(docs, response, query)
    return claim


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
    assert [text[word.start : word.end] for word in words] == [
        "The",
        "12",
        "old",
        "sailors",
        "boats",
        "sank",
        "at",
        "Oslo",
    ]
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
        pytest.param("- Paris is old", [], marks=known_failure("a dash that opens an item explains no capital")),
        ("City: Paris", []),
        ("**Paris** is old", []),
        ("In 2019 Paris grew", ["Paris"]),
    ],
)
def test_word_is_a_name_where_its_place_does_not_explain_its_capital(text: str, names: list[str]) -> None:
    assert [text[word.start : word.end] for word in WORDS.words(text, 0, len(text)) if word.name] == names


def test_rare_word_weighs_more_than_a_common_one_and_a_filler_less_than_it_is_rare() -> None:
    game, river, unknown, popular = WORDS.words("game river qzxv popular", 0, 23)
    assert 0 < game.rarity < river.rarity < unknown.rarity
    assert river.weight == river.rarity
    assert 0 < popular.weight < popular.rarity


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
    assert only(docs, answer).measures["novelty"] > 0
    assert own_rules(tmp_path, *lines).claims("", docs, answer).claims[0].measures["novelty"] == 0


# --- what the documents say in which words ---


def test_wording_knows_its_sentences_and_where_they_stand() -> None:
    text = "Otters swim.  Crabs hide under stones."
    found = wording(text)
    assert found.sentences == [WORDS.stemmed("otters swim"), WORDS.stemmed("crabs hide under stones")]
    assert [text[slice(*found.span(number))] for number in (0, 1)] == ["Otters swim.", "Crabs hide under stones."]
    assert not found.records


def test_wording_has_pairs_of_neighbours_alone() -> None:
    pairs = wording("Otters swim fast.").pairs
    otters, swim, fast = WORDS.stemmed("otters swim fast")
    assert pairs == {(otters, swim), (swim, fast)}


def test_wording_of_a_record_hides_what_it_denies_or_leaves_open() -> None:
    found = wording(CAFE)
    assert found.records
    assert {WORDS.stems[word] for word in ("sea", "good", "kids", "music", "jazz")} <= found.held.keys()
    hidden = {WORDS.stems[word] for word in ("outdoor", "seating", "take", "out", "wi", "fi")}
    assert hidden & found.held.keys() == set()


def test_wording_of_a_record_shows_the_same_keys_when_they_hold() -> None:
    said = CAFE.replace("false", "true").replace("null", "true").replace('"no"', '"free"')
    assert {WORDS.stems[word] for word in ("outdoor", "seating", "take", "out", "wi", "fi")} <= wording(
        said
    ).held.keys()


def test_wording_of_lines_of_keys_and_values_hides_what_is_denied() -> None:
    found = wording("Balcony: yes\nElevator: no\nHeating: oil\nCellar: none\nDogs: n/a")
    assert found.records
    assert {WORDS.stems[word] for word in ("balcony", "heating", "oil")} <= found.held.keys()
    assert {WORDS.stems[word] for word in ("elevator", "cellar", "dogs")} & found.held.keys() == set()


def test_wording_of_prose_with_one_label_is_no_record() -> None:
    assert not wording("Note: the lift is old.\nIt was built long ago.\nNobody uses it.\nIt will be replaced.").records


def test_wording_cuts_a_sentence_without_an_end() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    found = wording(text)
    assert len(found.sentences) > 1
    assert [stem for sentence in found.sentences for stem in sentence] == WORDS.stemmed(text)
    assert max(end - start for start, end in map(found.span, range(len(found.sentences)))) < 500


def test_nearest_sentence_holds_most_and_the_first_of_two_that_hold_the_same() -> None:
    found = wording("Otters swim. Otters swim under bridges. Bridges burn. Otters swim under bridges.")
    rarities = dict.fromkeys(WORDS.stemmed("otters bridges"), 2.0)
    nearest = found.nearest(rarities)
    assert nearest is not None
    assert (nearest.number, nearest.held) == (1, 4.0)
    assert found.nearest({"qzxv": 5.0}) is None


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
        assert lack(WORDS.words(text, 0, len(text)), lambda _: False, wordings(MUSEUM), frozenset()) is None


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
        pytest.param(
            "They offer pick up.", "They offer pickup.", marks=known_failure("up claims nothing, so it joins nothing")
        ),
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


def test_probability_lies_between_zero_and_one_and_grows_with_what_is_lacking() -> None:
    weights, none = ClaimWeights(load_rulebook()), dict.fromkeys(only([MUSEUM], INVENTED).measures, 0.0)
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
    weights, none = ClaimWeights(load_rulebook()), dict.fromkeys(only([MUSEUM], INVENTED).measures, 0.0)
    lack_of_much = {**none, "novelty": 0.8, "missing": 0.8}
    assert weights.probability({**lack_of_much, measure: 1.0}) < weights.probability(lack_of_much)


def test_profiles_are_in_order() -> None:
    profiles = ClaimWeights(load_rulebook()).profiles
    assert set(profiles) == {"precise", "balanced", "strict"}
    assert 0 < profiles["strict"] <= profiles["balanced"] < profiles["precise"] < 1


# --- which spans are claims ---


def test_claims_of_prose_are_its_sentences() -> None:
    case = case_of([MUSEUM], "It shows maps. Dr. Lee swims at 9 a.m. daily!\n- one item\n- another item")
    assert [case.view.text[start:end].strip() for start, end in claim_spans(case)] == [
        "It shows maps.",
        "Dr. Lee swims at 9 a.m. daily!",
        "- one item",
        "- another item",
    ]


def test_claims_of_json_are_the_sentences_of_its_longer_strings() -> None:
    answer = (
        '{"tone": "dry wit", "text": "It shows maps. Otters swim there.", "n": 7, "more": [{"x": "a b c"}], "ok": true}'
    )
    case = case_of([MUSEUM], answer)
    assert [case.outline.text[start:end].strip() for start, end in claim_spans(case)] == [
        "It shows maps.",
        "Otters swim there.",
        "a b c",
    ]


def test_judged_claims_of_no_span_are_none() -> None:
    case = case_of([MUSEUM], "It shows maps.")
    assert list(judged_claims(case, [])) == []
    assert list(judged_claims(case, [(0, 0), (2, 3)])) == []


# --- what comes back ---


def test_checked_claims_know_their_place_and_their_evidence() -> None:
    docs = [Document("Crabs hide under stones.", id="crabs.md"), MUSEUM]
    answer = f"  **Its collection** shows maps.\n\n{INVENTED} Crabs hide under a stone. "
    found = claims(docs, answer)
    assert [claim.text for claim in found] == [
        "**Its collection** shows maps.",
        INVENTED,
        "Crabs hide under a stone.",
    ]
    for claim in found:
        assert answer[claim.start : claim.end] == claim.text
    first, second, third = (claim.evidence for claim in found)
    assert first is not None
    assert (first.doc, first.text) == (1, "Its collection shows ship models, maps and diving suits.")
    assert second is None
    assert third is not None
    assert (third.doc, third.doc_id, third.start, third.text) == (0, "crabs.md", 0, "Crabs hide under stones.")
    assert [claim.unsupported > 0.5 for claim in found] == [False, True, False]


def test_checked_claim_carries_its_reasons() -> None:
    assert only([CAFE], "Sea Cafe has outdoor seating.").reasons[0] == "field OutdoorSeating is false"
    assert only([CAFE], "Sea Cafe offers takeout.").reasons[0] == "field TakeOut is null"
    assert only([CAFE], "Sea Cafe is good for kids.").reasons == ()
    assert only([MUSEUM], INVENTED).reasons == ("new: *Penguins polish marble staircases*",)
    assert only([MUSEUM], "Its collection shows ship models.").reasons == ()
    dated = only(["The harbor museum opened in May 2011."], "The harbor museum opened in June 2031.")
    assert dated.reasons[0] == "not carried: *June 2031*"


def test_checked_claim_against_a_record_shows_the_field() -> None:
    claim = only([CAFE], "Sea Cafe has outdoor seating.")
    assert claim.unsupported > 0.5
    assert claim.measures["conflict"] == claim.measures["records"] == 1
    assert claim.evidence is not None
    assert claim.evidence.text == "false"
    kind = only([CAFE], "Sea Cafe is good for kids.")
    assert kind.unsupported < 0.5
    assert kind.measures["conflict"] == 0


@pytest.mark.parametrize(
    ("response", "measure"),
    [
        ("- Its collection shows ship models.", "listed"),
        ("The documents do not mention lemonade.", "absent"),
        ("Its collection shows the following:", "introduces"),
        ("Does its collection show ship models?", "asks"),
    ],
)
def test_checked_claim_tells_the_make_of_its_sentence(response: str, measure: str) -> None:
    assert only([MUSEUM], response).measures[measure] > 0
    assert only([MUSEUM], "Its collection shows ship models.").measures[measure] == 0


@pytest.mark.parametrize(
    ("docs", "response", "unsupported"),
    [
        ([MUSEUM], "The moon is cheese.", True),
        ([MUSEUM, "In a song the moon is cheese."], "The moon is cheese.", False),
        ([MUSEUM], "The museum cafeteria serves grilled octopus with saffron mayonnaise and homemade lemonade.", True),
        ([MUSEUM], "Ship models, maps and diving suits are in the collection of the museum.", False),
        ([CAFE], "Candlelit booths overlook the turquoise lagoon beneath swaying palms.", True),
        ([CAFE], "There is live jazz music.", False),
        ([MUSEUM], "Sure, I am happy to help with your question.", False),
        (["The trial was not stopped early."], "The trial was stopped early.", True),
        (["The trial was stopped early."], "The trial was stopped early.", False),
    ],
)
def test_clear_claims_fall_on_their_side(docs: list[str], response: str, unsupported: bool) -> None:
    assert [claim.unsupported > 0.5 for claim in claims(docs, response)] in (
        [unsupported],
        [] if not unsupported else 0,
    )


def test_spans_are_judged_in_their_order_and_by_themselves() -> None:
    answer = f"{INVENTED} Its collection shows ship models. The end."
    place = answer.index("Its")
    found = claims([MUSEUM], answer, spans=[(place, place + 35), (0, len(INVENTED)), (0, 8), (0, len(answer))])
    assert [claim.text for claim in found] == [
        answer[place : place + 35],
        INVENTED,
        "Penguins",
        answer,
    ]
    assert [claim.unsupported > 0.5 for claim in found[:2]] == [False, True]


def test_spans_without_a_claiming_word_are_left_out() -> None:
    answer = f"It is so. {INVENTED}"
    found = claims([MUSEUM], answer, spans=[(0, 9), (3, 3), (9, 2), (-9, 4), (500, 900), (10, len(answer))])
    assert [claim.text for claim in found] == [INVENTED]


def test_spans_stand_in_the_original_text() -> None:
    """Folding and Markdown move the text under which a claim is read."""
    answer = f"“Œuvre ½” — **naïve** text… {INVENTED}"
    place = answer.index("Penguins")
    assert [claim.text for claim in claims([MUSEUM], answer, spans=[(place, len(answer))])] == [INVENTED]


def test_claims_of_a_json_answer_stand_in_its_strings() -> None:
    answer = '{"text": "Its collection shows \\"ship\\" models. Penguins polish marble staircases.", "n": 7}'
    found = VERIFIER.claims("", [MUSEUM], answer).claims
    assert [claim.unsupported > 0.5 for claim in found] == [False, True]
    assert found[1].text == INVENTED
    assert all(answer[claim.start : claim.end] == claim.text for claim in found)


def test_what_tools_returned_carries_claims_and_what_the_model_said_does_not() -> None:
    for role, unsupported in (("tool", False), ("assistant", True)):
        (claim,) = claims([MUSEUM], INVENTED, history=[{"role": role, "content": f"Yes. {INVENTED}"}])
        assert (claim.unsupported > 0.5) is unsupported
        if not unsupported:
            assert claim.evidence is not None
            assert (claim.evidence.source, claim.evidence.text) == ("history", INVENTED)


def test_words_of_the_user_are_echoes() -> None:
    asked = only([MUSEUM], INVENTED, query="Do penguins polish marble staircases?")
    assert asked.measures["novelty"] == 0
    assert asked.unsupported < only([MUSEUM], INVENTED).unsupported
    told = claims([MUSEUM], INVENTED, history=[{"role": "user", "content": "My penguins polish marble staircases."}])
    assert told[0].measures["novelty"] == 0


@pytest.mark.parametrize(
    ("docs", "response", "lang"),
    [
        (["Im Hafen liegt ein alter Kutter mit roten Segeln."], "Drachen verkaufen billige Schirme.", "de"),
        (
            ["Im Hafen liegt ein alter Kutter, und die Fischer flicken ihre Netze."],
            "There is a cutter in the harbor.",
            "auto",
        ),
    ],
)
def test_sentences_of_other_languages_are_unchecked(docs: list[str], response: str, lang: str) -> None:
    told = VERIFIER.claims("", docs, response, lang=lang)
    assert told.claims == ()
    assert Unchecked("claims", "sentences are weighed as a whole in English alone") in told.unchecked
    result = VERIFIER.verify("", docs, response, lang=lang)
    assert "claims" in [gap.what for gap in result.unchecked]
    assert [warning for warning in result.warnings if warning.type == "unsupported_claim"] == []


def test_claims_and_warnings_tell_the_same() -> None:
    answer = f"Its collection shows ship models. {INVENTED}"
    (warning,) = VERIFIER.verify("", [MUSEUM], answer).warnings
    claim = claims([MUSEUM], answer)[1]
    assert (warning.type, warning.rule) == ("unsupported_claim", "claim.unsupported")
    assert claim.start <= warning.start < warning.end <= claim.end
    assert warning.text == answer[warning.start : warning.end] == "Penguins polish marble staircases"
    assert f"{claim.unsupported:.2f}" in warning.suggestion
    assert warning.evidence == claim.evidence


def test_warning_of_a_claim_shows_the_closest_sentence() -> None:
    docs = ["It rains.", "The museum shows ships. The cellar is old."]
    answer = "The museum cafeteria serves grilled octopus with saffron mayonnaise and homemade lemonade."
    (warning,) = VERIFIER.verify("", docs, answer).warnings
    assert warning.evidence is not None
    assert (warning.evidence.doc, warning.evidence.text) == (1, "The museum shows ships.")


def test_result_is_plain_frozen_data() -> None:
    told = VERIFIER.claims("", [MUSEUM], INVENTED)
    assert isinstance(told, ClaimsResult)
    assert pickle.loads(pickle.dumps(told)) == told
    assert copy.deepcopy(told) == told
    with pytest.raises(AttributeError):
        told.claims[0].unsupported = 0.0  # type: ignore[misc]
    assert all(isinstance(value, float) for value in told.claims[0].measures.values())


# --- profiles ---


def severities(profile: str, response: str) -> list[str]:
    config = Config(profile=profile)  # type: ignore[arg-type]
    return [warning.severity for warning in Verifier(config).verify("", [MUSEUM], response).warnings]


def test_profile_moves_where_a_claim_becomes_high() -> None:
    doubtful = "Its collection shows ship models, maps and taxidermied flamingos wearing embroidered waistcoats."
    assert {profile: severities(profile, doubtful) for profile in ("precise", "balanced", "strict")} == {
        "precise": ["medium"],
        "balanced": ["high"],
        "strict": ["high"],
    }
    for profile in ("precise", "balanced", "strict"):
        assert severities(profile, INVENTED) == ["high"]
        assert severities(profile, "Its collection shows ship models.") == []


@pytest.mark.parametrize("value", ["", "PRECISE", "loose", None, 1, True, ["precise"]])
def test_unknown_profile_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"^profile must be one of precise, balanced, strict, not "):
        Config(profile=value)


def test_profile_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "raguard.toml"
    path.write_text('profile = "strict"\n', encoding="utf-8")
    assert Config.from_toml(path) == Config(profile="strict")
    path.write_text('profile = "loose"\n', encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"raguard\.toml: profile must be one of precise, balanced, strict, not 'loose'"
    ):
        Config.from_toml(path)


def test_profile_is_part_of_the_ruleset() -> None:
    hashes = {Verifier(Config(profile=profile)).ruleset.hash for profile in ("precise", "balanced", "strict")}
    assert len(hashes) == 3
    assert Verifier(Config(profile="precise")).ruleset == Verifier().ruleset


def test_own_weights_are_part_of_the_ruleset(tmp_path: Path) -> None:
    lines = 'role = "talk"', 'words = "blimey"', 'accepts = ["blimey"]', 'rejects = ["cheese"]'
    assert own_rules(tmp_path, *lines).ruleset.hash != VERIFIER.ruleset.hash


# --- every input gets a result ---


@pytest.mark.parametrize(
    ("arguments", "gaps"),
    [
        ((None, None, None), ["input", "input", "input", "claims"]),
        (("", "a document", "It is."), ["input", "claims"]),
        (("", [None], INVENTED), ["input", "claims"]),
        (("", [MUSEUM], b"bytes"), ["input", "claims"]),
        (("", [MUSEUM], ""), ["input", "claims"]),
        (("", [], INVENTED), ["claims"]),
        ((7, [MUSEUM], INVENTED), ["input"]),
    ],
)
def test_claims_of_a_wrong_input_say_so(arguments: tuple[Any, Any, Any], gaps: list[str]) -> None:
    told = VERIFIER.claims(*arguments)
    assert [gap.what for gap in told.unchecked] == gaps
    assert bool(told.claims) is ("claims" not in gaps)


@pytest.mark.parametrize("spans", [7, ["ab"], [(0,)], [(1.5, 2.5)], [(None, 2)], "ab", [None]])
def test_spans_that_are_none_give_no_claims_and_no_exception(spans: Any, caplog: pytest.LogCaptureFixture) -> None:
    told = VERIFIER.claims("", [MUSEUM], INVENTED, spans=spans)
    assert told.claims == ()
    assert [gap.what for gap in told.unchecked] == ["claims"]
    assert "enguins" not in caplog.text + repr(told.unchecked)


@pytest.mark.parametrize(
    "response",
    [
        "\ud800 The moon \udfff is cheese.",
        "\x00\u200b\u202e\ufeff The moon\u200d is cheese.",
        "０５％ ＄ Ｔｈｅ ｍｏｏｎ ｉｓ ｃｈｅｅｓｅ.",
        "今天月亮是奶酪。",
        "``` ```*__[[](((" * 400,
        "a'" * 500 + "b.1,2." * 500,
        "1,1." * 2_000,
        "'" * 3_000,
        "Word" * 3_000,
        "{" * 300 + '"a b c d"' + "}" * 300,
        ". " * 3_000,
        "?!:\n* " * 1_000,
        "½²ﬁ№ǅ ŉ İstanbul ẞ ﷺ",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_hostile_text_gets_true_spans(response: str) -> None:
    told = VERIFIER.claims(response[:50], [MUSEUM, response], response, lang="en")
    assert [gap.why for gap in told.unchecked if "failed" in gap.why] == []
    for claim in told.claims:
        assert response[claim.start : claim.end] == claim.text != ""
        assert 0 <= claim.unsupported <= 1
        assert all(map(math.isfinite, claim.measures.values()))


def test_answer_at_the_limit_is_judged_whole() -> None:
    sentence = "Its collection shows ship models, maps and diving suits. "
    answer = (sentence * 3_600)[:199_000] + INVENTED
    told = VERIFIER.claims("", [MUSEUM], answer)
    assert told.claims[-1].text.endswith(INVENTED)
    assert len(told.claims) > 3_000


def test_check_that_crashes_leaves_the_claims(caplog: pytest.LogCaptureFixture) -> None:
    def crash(case: Case) -> Sequence[Any]:
        raise ValueError("Penguins")

    told = Verifier(checks=[crash]).claims("", [MUSEUM], INVENTED)
    assert [claim.unsupported > 0.5 for claim in told.claims] == [True]
    assert Unchecked("crash", "the check failed") in told.unchecked
    assert "enguins" not in caplog.text


def test_claims_are_the_same_in_every_thread() -> None:
    answers = [f"Its collection shows ship models. {INVENTED}", "The moon is cheese.", "There is live jazz music."] * 4
    docs = [MUSEUM, CAFE]
    alone = [VERIFIER.claims("", docs, answer) for answer in answers]
    shared, gate = Verifier(), threading.Barrier(8)

    def work(_: int) -> list[ClaimsResult]:
        gate.wait()
        return [shared.claims("", docs, answer) for answer in answers]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [alone] * 8


# --- what holds for every text ---

NOUNS = ("otter", "bridge", "lantern", "orchard", "ferry", "museum", "violin", "harbor", "kettle", "staircase", "baker")
VERBS = ("paints", "carries", "polishes", "hides", "repairs", "borrowed", "was selling", "will guard")
sentences = st.builds(
    "The {} {} the {} near an {} {}.".format,
    st.sampled_from(NOUNS),
    st.sampled_from(VERBS),
    st.sampled_from(NOUNS),
    st.sampled_from(("old", "empty", "iron", "orange", "unpainted")),
    st.sampled_from(NOUNS),
)
odd_sentences = st.sampled_from(
    (
        "- The **ferry** carries:\n- 12 lanterns\n- an old kettle\n",
        "Fee: $10\nLift: no\nHeated pool: no\nName: Grey Heron\n",
        '{"name": "Grey Heron", "HeatedPool": false, "Lounge": null, "tags": ["iron bridge", "two violins"]}',
        "| Tool | Use |\n|---|---|\n| saw | cuts timber |\n| drill | no |\n",
        "## A heading\nDoes the otter hide? It does: “never say never”, said Dr. Ann Lee at 9 a.m. on 4 May 2019.",
    )
)
docs_of_sentences = st.lists(st.lists(sentences, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=6)
documents = st.lists(
    st.one_of(st.lists(sentences, min_size=1, max_size=3).map(" ".join), odd_sentences), min_size=1, max_size=5
)


def claim_warnings(docs: list[str], response: str) -> list[str]:
    return [each.text for each in VERIFIER.verify("", docs, response).warnings if each.type == "unsupported_claim"]


@CALM
@given(docs=documents, data=st.data())
def test_copied_document_has_no_claim_warning(docs: list[str], data: st.DataObject) -> None:
    assert claim_warnings(docs, data.draw(st.sampled_from(docs))) == []


@CALM
@given(docs=docs_of_sentences, extra=documents, data=st.data())
def test_added_document_makes_no_copied_sentence_unsupported(
    docs: list[str], extra: list[str], data: st.DataObject
) -> None:
    response = data.draw(st.sampled_from(docs)).partition(". ")[0].rstrip(".") + "."
    (before,), (after,) = claims(docs, response, lang="en"), claims([*extra, *docs, *extra], response, lang="en")
    assert before.measures["novelty"] == after.measures["novelty"] == 0
    assert before.unsupported < 0.5 > after.unsupported


@CALM
@given(docs=docs_of_sentences, response=sentences, extra=documents)
def test_added_document_makes_no_word_new(docs: list[str], response: str, extra: list[str]) -> None:
    before, after = only(docs, response).measures, only([*docs, *extra], response).measures
    for measure in ("novelty", "unseen_pairs", "names", "numbers", "tail", "all_new"):
        assert after[measure] <= before[measure]


@CALM
@given(docs=docs_of_sentences, response=sentences, data=st.data())
def test_order_of_documents_does_not_matter_for_what_is_new(
    docs: list[str], response: str, data: st.DataObject
) -> None:
    """What is missing around the closest sentence may: where a chunk ends, the next one goes on."""
    shuffled = data.draw(st.permutations(docs))
    first, second = only(docs, response), only(shuffled, response)
    assert {**first.measures, "missing": 0} == {**second.measures, "missing": 0}
    assert first.reasons == second.reasons


@CALM
@given(docs=docs_of_sentences, response=st.lists(sentences, min_size=1, max_size=3).map(" ".join))
def test_same_input_gives_the_same_claims(docs: list[str], response: str) -> None:
    """With everything kept, with nothing kept, and by spans of one's own."""
    first = VERIFIER.claims("", docs, response)
    assert VERIFIER.claims("", docs, response) == first
    assert UNCACHED.claims("", docs, response) == first
    spans = [(claim.start, claim.end) for claim in first.claims]
    assert VERIFIER.claims("", docs, response, spans=spans) == first


@CALM
@given(docs=docs_of_sentences, response=sentences)
def test_a_claim_is_weighed_alike_wherever_it_stands(docs: list[str], response: str) -> None:
    """What stands before and behind a sentence changes nothing in it."""
    alone = only(docs, response)
    among = claims(docs, f"It is so. {response} {INVENTED}")[0]
    assert (among.text, among.unsupported, among.reasons) == (alone.text, alone.unsupported, alone.reasons)


def work(run: Callable[[], object]) -> int:
    """How many functions a run calls: the same on every machine."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


def many(count: int) -> list[str]:
    """So many sentences, each of words of its own and a few that all have."""
    letters = "bcdfghklmnprstvz"
    words = [f"{a}{e}{b}{i}{c}" for a in letters for e in "aou" for b in letters for i in "eo" for c in letters]
    return [f"{a} paints {b} near the {c}." for a, b, c in zip(*[iter(words[: 3 * count])] * 3, strict=True)]


@known_failure("each claim asks every chunk for what it shares with it")
def test_work_grows_with_the_claims_and_the_chunks_and_not_with_their_product() -> None:
    """Twice as many sentences against twice as many chunks are about twice the work."""
    calls = []
    for count in (100, 200, 400):
        docs, verifier = many(count), Verifier(checks=())
        answer = " ".join(docs[::-1])
        verifier.claims("", docs[:1], answer, lang="en")
        calls.append(work(lambda: verifier.claims("", docs, answer, lang="en")))  # noqa: B023
    assert all(second < 2.5 * first for first, second in pairwise(calls))


def test_many_claims_against_many_chunks_are_all_judged() -> None:
    docs = many(2_000)
    told = Verifier(checks=()).claims("", docs, " ".join(docs), lang="en")
    assert len(told.claims) == 2_000
    assert max(claim.unsupported for claim in told.claims) < 0.5
