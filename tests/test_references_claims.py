"""Does the quick way to judge claims come to what the slow one comes to? Made answers against made documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raguard import Case, Verifier
from raguard.checks import DEFAULT_CHECKS
from raguard.checks.judged_claims import claim_spans, judged_claims

CALM = settings(
    derandomize=True,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)

RECORD = (
    '{"name": "Larch Kiosk", "city": "Ebbing", "hours": {"Monday": "9:0-17:0"}, "attributes": {"HasTerrace": false,'
    ' "Delivery": null, "GoodForDogs": true}, "stars": 4.5, "reviews": ["The pea soup was thick and cheap."]}'
)
DOCS = (
    "The rope walk of Ebbing was built in 1874. It employed 90 spinners and 12 carters until a fire on 3 May 1921.",
    "Members may borrow two kites a week. A torn kite is mended free of charge by Ida Sorn, who runs the workshop.",
    "The audit found no fault in the books. The treasurer resigned before the audit began.",
    RECORD,
)
STATEMENTS = (
    "The rope walk was built in 1874.",
    "The rope walk was built in 1921.",
    "It employed 12 spinners.",
    "Ida Sorn mends torn kites for free.",
    "Otto Sorn mends torn kites for free.",
    "The audit found a fault in the books.",
    "Members may borrow two kites a week and swim in the heated lagoon.",
    "Larch Kiosk has a terrace.",
    "Larch Kiosk does not have a terrace and welcomes dogs.",
    "Larch Kiosk offers delivery.",
    "Guests call the pea soup thick.",
    "It opens at 8 AM on Mondays.",
    "The documents do not mention a lagoon.",
    "Jaguars recite thunderous sonnets beneath violet glaciers.",
    "I hope this helps!",
    "Is the workshop open?",
    "Here is what the documents say:",
    "## Kites and ropes",
    "- kites\n- ropes\n- emerald necklaces",
    "Yes.",
    "42",
    "…",
)
WORDS = st.sampled_from(sorted({word for text in (*DOCS[:3], *STATEMENTS) for word in text.split()}))
PIECES = st.sampled_from(STATEMENTS) | st.lists(WORDS, min_size=1, max_size=14).map(lambda words: f"{' '.join(words)}.")
ANSWERS = st.lists(PIECES, min_size=1, max_size=6).map("\n".join)
THRESHOLDS = st.sampled_from([0.0, 0.02, 0.1, 0.3, 0.5, 0.65, 0.8, 0.95, 1.0]) | st.floats(0, 1)


SEEN: list[Case] = []


def look(case: Case) -> Sequence[Any]:
    """Stands last among the checks and keeps the case with what they have found."""
    SEEN.append(case)
    return ()


VERIFIER = Verifier(checks=[*DEFAULT_CHECKS[:-1], look])


def case_of(docs: Sequence[str], response: str, query: str = "") -> Case:
    """The case as the check of claims is asked about it: with the findings of all checks before."""
    VERIFIER.verify(query, docs, response, lang="en")
    return SEEN.pop()


def test_the_check_of_claims_is_the_last_one() -> None:
    """What stands in its place here sees all that it sees."""
    assert DEFAULT_CHECKS[-1].__module__ == "raguard.checks.claims"


@CALM
@given(
    st.lists(st.sampled_from(DOCS), min_size=1, max_size=4, unique=True),
    ANSWERS,
    st.sampled_from(["", STATEMENTS[6]]),
    THRESHOLDS,
)
def test_claims_above_a_threshold_are_those_of_all_that_are_above_it(
    docs: list[str], response: str, query: str, above: float
) -> None:
    case = case_of(docs, response, query)
    spans = claim_spans(case)
    everything = list(judged_claims(case, spans))
    quick = [claim for claim in judged_claims(case, spans, above=above) if claim.unsupported > above]
    assert quick == [claim for claim in everything if claim.unsupported > above]


@CALM
@given(st.lists(st.sampled_from(DOCS), min_size=1, max_size=4, unique=True), ANSWERS)
def test_a_claim_comes_back_whenever_it_is_above_by_the_least(docs: list[str], response: str) -> None:
    """The most that a claim may come to is never less than what it comes to."""
    case = case_of(docs, response)
    spans = claim_spans(case)
    for claim in judged_claims(case, spans):
        assert claim in judged_claims(case, spans, above=math.nextafter(claim.unsupported, 0.0))


@CALM
@given(st.lists(st.sampled_from(DOCS), min_size=1, max_size=4, unique=True), ANSWERS, THRESHOLDS)
def test_what_the_quick_way_returns_beyond_is_judged_the_same(docs: list[str], response: str, above: float) -> None:
    """Claims that may be above the threshold come too; each is one of the slow way's, in its order."""
    case = case_of(docs, response)
    spans = claim_spans(case)
    everything = judged_claims(case, spans)
    assert all(claim in everything for claim in judged_claims(case, spans, above=above))


def test_the_quick_way_passes_over_what_cannot_be_above() -> None:
    """Near miss: without a threshold every claim comes back."""
    case = case_of(
        DOCS, "Members may borrow two kites a week. Jaguars recite thunderous sonnets beneath violet glaciers."
    )
    spans = claim_spans(case)
    assert len(list(judged_claims(case, spans))) == 2
    assert [case.view.text[claim.start : claim.end].strip() for claim in judged_claims(case, spans, above=0.5)] == [
        "Jaguars recite thunderous sonnets beneath violet glaciers."
    ]
