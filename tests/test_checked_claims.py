"""Is each sentence of an answer judged as a whole, with its place, its evidence and its reasons?

Probabilities are compared with the middle and with each other, never with a number: they are fitted anew.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raguard import Case, CheckedClaim, ClaimsResult, Config, ConfigError, Document, Unchecked, Verifier
from raguard.checks.judged_claims import claim_spans, judged_claims

CALM = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
VERIFIER, UNCACHED = Verifier(), Verifier(Config(cache_chunks=0))

MUSEUM = "The harbor museum opened in a former rope factory. Its collection shows ship models, maps and diving suits."
INVENTED = "Penguins polish marble staircases."
CAFE = (
    '{"name": "Sea Cafe", "attributes": {"OutdoorSeating": false, "TakeOut": null, "WiFi": "no", "GoodForKids": true,'
    ' "Music": "live jazz"}, "stars": 3.5}'
)


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
    docs: list[str | Document] = [Document("Crabs hide under stones.", id="crabs.md"), MUSEUM]
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
    assert any(claim.unsupported > 0.5 for claim in claims(docs, response)) is unsupported


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
    found = claims([MUSEUM], answer, spans=[(0, 9), (3, 3), (10, len(answer))])
    assert [claim.text for claim in found] == [INVENTED]


def test_spans_that_are_no_part_of_the_answer_are_told() -> None:
    told = VERIFIER.claims("", [MUSEUM], INVENTED, spans=[(9, 2), (0, len(INVENTED)), (-9, 4), (500, 900)])
    assert [claim.text for claim in told.claims] == [INVENTED]
    assert [gap.why for gap in told.unchecked] == [f"span {number} is no part of the answer" for number in (0, 2, 3)]


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


def test_claim_that_takes_the_place_of_a_lesser_warning_leaves_its_fact() -> None:
    docs = ["The ferry left Seattle at noon."]
    answer = "Masked acrobats smuggled sapphires into Washington aboard turquoise submarines."
    alone = Verifier(Config(checks=("missing_names",))).verify("", docs, answer)
    assert [(warning.severity, warning.text) for warning in alone.warnings] == [("low", "Washington")]
    result = VERIFIER.verify("", docs, answer)
    assert [warning.type for warning in result.warnings] == ["unsupported_claim"]
    assert result.facts == alone.facts != []


def test_claim_stays_behind_a_warning_that_is_as_serious() -> None:
    answer = "Acrobats juggle sapphires on 9 May 2024 inside turquoise submarines."
    result = VERIFIER.verify("", [MUSEUM], answer)
    assert [(warning.type, warning.text) for warning in result.warnings] == [("unsupported_date", "9 May 2024")]
    assert [(fact.text, fact.status) for fact in result.facts] == [("9 May 2024", "unsupported")]


def test_warning_of_a_claim_shows_the_closest_sentence() -> None:
    docs = ["It rains.", "The museum shows ships. The cellar is old."]
    answer = "The museum cafeteria serves grilled octopus with saffron mayonnaise and homemade lemonade."
    (warning,) = VERIFIER.verify("", docs, answer).warnings
    assert warning.evidence is not None
    assert (warning.evidence.doc, warning.evidence.text) == (1, "The museum shows ships.")


def test_the_documentation_names_every_measure() -> None:
    page = (Path(__file__).parent.parent / "docs" / "checks.md").read_text(encoding="utf-8")
    table = page.partition("**Measures.**")[2].partition("\n\n**Formula.**")[0]
    named = [name for row in re.findall(r"(?m)^\| (`.*?) \|", table) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(only([MUSEUM], INVENTED).measures)


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
    assert {gap.what for gap in told.unchecked} == {"claims"}
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


def test_work_grows_with_the_claims_and_the_chunks_and_not_with_their_product() -> None:
    """Twice as many sentences against twice as many chunks, which share some words, are about twice the work."""
    calls = []
    for count in (500, 1_000):
        docs, verifier = many(count), Verifier(checks=())
        answer = " ".join(docs[::-1])
        verifier.claims("", docs[:1], answer, lang="en")
        calls.append(work(lambda: verifier.claims("", docs, answer, lang="en")))  # noqa: B023
    assert calls[1] < 2.5 * calls[0]


def test_many_claims_against_many_chunks_are_all_judged() -> None:
    docs = many(2_000)
    told = Verifier(checks=()).claims("", docs, " ".join(docs), lang="en")
    assert len(told.claims) == 2_000
    assert max(claim.unsupported for claim in told.claims) < 0.5


def test_what_an_own_check_left_out_is_told_beside_the_claims() -> None:
    def look(case: Case) -> Sequence[Any]:
        return [Unchecked("claims", "the reader of footnotes is away")]

    told = Verifier(checks=[look]).claims("", [MUSEUM], INVENTED)
    assert [claim.text for claim in told.claims] == [INVENTED]
    assert told.unchecked == (Unchecked("claims", "the reader of footnotes is away"),)
