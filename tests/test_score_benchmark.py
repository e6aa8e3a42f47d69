"""Does the benchmark of the metrics reckon what it says? A few answers, no data."""

from __future__ import annotations

import numpy as np
import pytest
from answers import Answer
from claim_measures import Measured
from score_metrics import WAYS, miscited, scored, ways

from raguard import Verifier

DOCS = ("The rent is $900 a month.", "Dogs and cats are not allowed in the flat.")


def answer(response: str, *, label: bool = False, docs: tuple[str, ...] = DOCS) -> Answer:
    return Answer(id="a", task="qa", query="", docs=docs, response=response, label=label, spans=())


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier()


@pytest.mark.parametrize(
    ("way", "risk"),
    [
        ("guard's risk: half the worst, half the mean of the two worst", 0.75),
        ("the worst claim", 0.8),
        ("any claim, as if independent", 1 - 0.2 * 0.4 * 0.9),
        ("mean of all claims", 0.5),
        ("share of claims above 0.5", 2 / 3),
    ],
)
def test_way_makes_one_risk_of_the_claims(way: str, risk: float) -> None:
    assert WAYS[way](np.array([0.1, 0.8, 0.6])) == pytest.approx(risk)


def test_answer_without_a_claim_has_no_risk() -> None:
    answers = [answer("", label=False), answer("", label=True), answer("", label=False)]
    owner = np.array([1, 2])
    data = Measured(answers, {}, owner, np.array([1, 0]), ())
    assert ways(data, np.array([0.9, 0.1])) == dict.fromkeys(WAYS, 1.0) | {"share of claims above 0.5": 1.0}
    assert ways(data, np.array([0.1, 0.9]))["the worst claim"] == 0.5


def test_turned_documents_make_a_citation_wrong(verifier: Verifier) -> None:
    answers = [
        answer("The rent is $900 [1]. Dogs are not allowed in the flat [2]."),
        answer("The rent is $900 [1].", label=True),
        answer("The rent is $900."),
        answer("The rent is $900 [1].", docs=DOCS[:1]),
    ]
    assert miscited(answers, verifier) == ([1.0], [0.0])


def test_each_answer_is_timed_and_scored(verifier: Verifier) -> None:
    slices, seconds = scored([answer("The rent is $900 [1].", label=True)], verifier)
    assert {name: len(times) for name, times in seconds.items()} == {"verify()": 1, "claims()": 1, "score()": 1}
    assert [(each.unsupported, each.words, len(each.scores)) for each in slices] == [(True, 5, 8)]
