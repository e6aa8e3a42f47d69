"""Is what nobody read told as unchecked, and never as supported, whatever the answer looks like?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from raguard import Case, Config, Finding, Unchecked, Verifier
from raguard.checks import DEFAULT_CHECKS
from raguard.claims import (
    Context,
    EvidenceScorer,
    GuardAction,
    GuardConfig,
    GuardVerdict,
    HallucinationGuard,
    NLILabel,
    NLIScore,
    NLIScorer,
)
from raguard.claims.asking import RefusedError
from raguard.rails import GuardRail

ROOMS = ["The rent is $900 a month.", "Pets are not allowed."]
RENT = "The rent is $900 a month."
SAID = "the scorer said: "


def check(answer: str, *, question: str | None = None, scorer: NLIScorer | None = None) -> Any:
    """The result of a guard that blocks, for an answer about the rooms."""
    guard = HallucinationGuard(scorer, config=GuardConfig(action=GuardAction.BLOCK))
    return guard.check_sync(None, answer, ROOMS, question=question)[0]


def told(result: Any) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.status.value, claim.reasons if claim.status == "unchecked" else ()) for claim in result.claims]


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("屋顶上有一个温水游泳池,每天开放到很晚。", "sentences in other letters than Latin ones are not read"),
        ("屋上には温水プールがあり、毎日開いています。", "sentences in other letters than Latin ones are not read"),
        ('Here it is: {"pool": "heated pool on the roof"}', "an object inside prose is an example and no claim"),
    ],
)
def test_a_sentence_that_is_not_read_is_unchecked(sentence: str, why: str) -> None:
    result = check(f"{RENT} Pets are not allowed. {sentence}")
    assert told(result) == [("supported", ()), ("supported", ()), ("unchecked", (SAID + why,))]
    assert (result.verdict, result.degraded) == (GuardVerdict.FLAGGED, True)


def test_a_foreign_name_within_a_sentence_changes_nothing() -> None:
    assert told(check("The rent (家賃) is $900 a month.")) == [("supported", ())]


def test_keys_of_a_json_answer_that_say_something_are_unchecked() -> None:
    why = f"{SAID}the keys of a JSON answer are no claims"
    assert told(check('{"there is a heated pool": "$900 a month"}')) == [("unchecked", (why,))]
    assert told(check('{"rent": "$900 a month"}')) == [("supported", ())]


def test_a_sign_of_code_within_a_line_hides_nothing_behind_it() -> None:
    for mark in ("~~~", "```"):
        result = check(f"{RENT} {mark} There is a heated pool on the roof. Napoleon built it in 1805.")
        assert [status for status, _ in told(result)] == ["supported", "hallucination_flag", "hallucination_flag"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the rent $500 a month?", "The rent is $500 a month."),
        ("Are dogs allowed in the flat?", "Dogs are allowed in the flat."),
        ("Is there a heated pool on the roof?", "There is a heated pool on the roof."),
    ],
)
def test_what_only_the_question_says_is_unchecked(question: str, answer: str) -> None:
    result = check(answer, question=question)
    assert told(result) == [("unchecked", (f"{SAID}only the question says so",))]
    assert (result.verdict, result.degraded) == (GuardVerdict.FLAGGED, True)


def test_what_question_and_documents_say_is_supported() -> None:
    assert told(check(RENT, question="Is the rent $900 a month?")) == [("supported", ())]


def failing(case: Case) -> Iterator[Finding | Unchecked]:
    raise RuntimeError


def test_claims_are_unchecked_when_a_check_has_failed() -> None:
    checks = [failing if each.__name__ == "unsupported_values" else each for each in DEFAULT_CHECKS]
    result = check("The rent is $950 a month.", scorer=EvidenceScorer(Verifier(checks=checks)))
    assert told(result) == [("unchecked", (f"{SAID}claims cannot be scored: failing: the check failed",))]


def test_claims_are_unchecked_when_the_language_model_is_missing() -> None:
    scorer = EvidenceScorer(Verifier(Config(model="no_such_model")))
    result = check("Alice Johnson set the rent at $900 a month.", scorer=scorer)
    assert [status for status, _ in told(result)] == ["unchecked"]
    assert result.claims[0].reasons[0].endswith("judged by presence alone: the language model cannot be used")


def test_claims_in_another_language_are_not_asked_about_one_by_one() -> None:
    # "Ja, 59 Euro im Monat." alone would show no language, and be read as English
    claims = ["Der Preis ist nach der Prüfung mit 59 Euro bestätigt.", "Ja, 59 Euro im Monat."]
    with pytest.raises(RefusedError):
        asyncio.run(EvidenceScorer().score_claims(None, claims, ROOMS))
    assert [status for status, _ in told(check(" ".join(claims)))] == ["unchecked", "unchecked"]


def test_words_in_no_claim_are_counted_and_named() -> None:
    answer = f"{RENT}\n```\nmake heated pool\n```"
    result = check(answer)
    assert (result.verdict, result.degraded, result.words_left_out) == (GuardVerdict.PASS, False, 3)
    assert result.reason == "1 judged claim is supported. 3 words stand in no claim and were not checked."
    assert "3 words of the answer, which stand in no claim" in result.to_html(answer, ROOMS)
    decision = GuardRail(HallucinationGuard()).decide("", ROOMS, answer)
    assert (decision.state, decision.unchecked) == ("pass", ("3 words were not checked: in no claim",))
    assert check(RENT).words_left_out == 0


class Partly(NLIScorer):
    """Says of every second claim that it could not judge it."""

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        return NLIScore(NLILabel.ENTAILMENT, 1.0, unchecked="" if "rent" in hypothesis else "it is not about the rent")


def test_a_scorer_can_say_that_it_did_not_judge_a_claim() -> None:
    result = check(f"{RENT} Pets are not allowed.", scorer=Partly())
    assert told(result) == [("supported", ()), ("unchecked", (f"{SAID}it is not about the rent",))]
    with pytest.raises(ValueError, match=r"^unchecked must be a string, not int$"):
        NLIScore(NLILabel.NEUTRAL, 0.0, unchecked=1)  # type: ignore[arg-type]
