"""Do the figures and the fitting of the claim formula reckon what they say? Small numbers reckoned by hand, no data."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace

import claims as claim_figures
import numpy as np
import numpy.typing as npt
import pytest
from answers import Answer, Span
from claim_measures import Measured, is_marked, measured
from claim_model import (
    DAMPING,
    FIXED,
    PROSE,
    RECORDS,
    Model,
    answer_risk,
    auroc,
    fit,
    folds,
    likeliest,
    probabilities,
)
from fit_claims import PRECISE, best_threshold, f1, model_values, profiles, reliability, rewritten
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard import Verifier
from raguard.evidence.claim_weights import ClaimWeights
from raguard.rulebook import load_rulebook, rules_folder

CALM = settings(derandomize=True, deadline=None, max_examples=100, database=None)
NAMES = tuple(dict.fromkeys((*PROSE, *RECORDS, *DAMPING, *FIXED["prose"], *FIXED["records"], "records")))
TEXT = "abcd efgh. Ijklmnopqrstuvwxyz ab!"


def answer(label: bool = False, *, number: int = 0, task: str = "qa", source: str = "", response: str = TEXT) -> Answer:
    return Answer(
        id=f"a{number}",
        task=task,
        query="",
        docs=(),
        response=response,
        label=label,
        spans=(),
        source=source,
    )


def data_of(
    answers: Sequence[Answer],
    owner: Sequence[int] | npt.NDArray[np.int64],
    measures: dict[str, npt.NDArray[np.float64]],
    marked: Sequence[int] | npt.NDArray[np.int64] | None = None,
) -> Measured:
    """A set of claims whose other measures are all 0."""
    owner = np.asarray(owner, dtype=np.int64)
    given_marks = np.zeros(len(owner), dtype=np.int64) if marked is None else np.asarray(marked, dtype=np.int64)
    return Measured(answers, {**{name: np.zeros(len(owner)) for name in NAMES}, **measures}, owner, given_marks, [])


def shipped(role: str) -> dict[str, float]:
    """The values of the rules of a role by measure."""
    return {str(rule.data["measure"]): float(rule.data["value"]) for rule in load_rulebook()["claims"].role(role)}


def shipped_model() -> Model:
    return Model(
        prose={name: shipped("prose")[name] for name in PROSE},
        records={name: shipped("records")[name] for name in RECORDS},
        prose_calibration=shipped("prose_calibration"),
        records_calibration=shipped("records_calibration"),
    )


def synthetic(seed: int = 0, *, count: int = 60) -> Measured:
    """Answers of three claims: those of an unsupported answer begin with one of much novelty, "missing" is noise."""
    noise = np.random.default_rng(seed)
    answers = [answer(number % 2 == 1, number=number) for number in range(count)]
    owner = np.repeat(np.arange(count), 3)
    bad = (owner % 2 == 1) & (np.arange(len(owner)) % 3 == 0)
    measures = {"novelty": bad * 0.7 + noise.random(len(owner)) * 0.3, "missing": noise.random(len(owner))}
    return data_of(answers, owner, measures, bad)


# --- the formula on arrays is that of the product ---


def test_the_names_and_the_values_by_hand_are_those_of_the_shipped_rules() -> None:
    assert shipped("prose").keys() == {*PROSE, *FIXED["prose"]}
    assert shipped("records").keys() == {*RECORDS, *FIXED["records"]}
    assert shipped("damping") == DAMPING
    for kind in ("prose", "records"):
        assert {name: shipped(kind)[name] for name in FIXED[kind]} == FIXED[kind]


def test_probabilities_are_those_of_the_product() -> None:
    draw = np.random.default_rng(7)
    size = 500
    measures = {name: draw.random(size) * (draw.random(size) < 0.6) for name in NAMES}
    measures["records"] = (draw.random(size) < 0.5).astype(float)
    chance = probabilities(shipped_model(), data_of([answer()], np.zeros(size, dtype=np.int64), measures))
    weigh = ClaimWeights(load_rulebook()).probability
    expected = [weigh({name: float(values[number]) for name, values in measures.items()}) for number in range(size)]
    assert chance.tolist() == pytest.approx(expected, rel=1e-12)
    assert 0 < measures["records"].sum() < size
    assert chance.min() < 0.1
    assert chance.max() > 0.9


def test_probabilities_of_claims_that_lack_nothing_are_those_of_the_offset() -> None:
    chance = probabilities(shipped_model(), data_of([answer()], [0, 0], {"records": np.array([0.0, 1.0])}))
    offsets = [shipped("prose_calibration")["offset"], shipped("records_calibration")["offset"]]
    assert chance.tolist() == pytest.approx([1 / (1 + np.exp(-offset)) for offset in offsets])


# --- fitting ---


def test_fit_gives_a_measure_that_separates_more_weight_than_noise() -> None:
    data = synthetic()
    model = fit([data], [np.ones(len(data.owner), dtype=bool)])
    assert model.prose["novelty"] > 5 * model.prose["missing"]
    assert model.prose.keys() == set(PROSE)
    assert model.records.keys() == set(RECORDS)
    assert auroc(data.labels, answer_risk(probabilities(model, data), data)) == 1.0


def test_fit_gives_the_weight_to_the_other_measure_when_that_one_separates() -> None:
    data = synthetic()
    measures = {**data.measures, "novelty": data.measures["missing"], "missing": data.measures["novelty"]}
    model = fit([replace(data, measures=measures)], [np.ones(len(data.owner), dtype=bool)])
    assert model.prose["missing"] > 5 * model.prose["novelty"]


def test_fit_weighs_records_by_their_own_formula() -> None:
    data = synthetic()
    data = replace(data, measures={**data.measures, "records": np.ones(len(data.owner))})
    mixed = replace(data, measures={**data.measures, "records": (data.owner % 4 < 2).astype(float)})
    model = fit([mixed], [np.ones(len(data.owner), dtype=bool)])
    for weights in (model.prose, model.records):
        assert weights["novelty"] > 5 * weights["missing"]


def test_fit_sees_nothing_of_claims_that_are_not_taken() -> None:
    data = synthetic()
    taken = data.owner < 40
    answers = [replace(each, label=each.label ^ (number >= 40)) for number, each in enumerate(data.answers)]
    changed = replace(
        data,
        answers=answers,
        marked=np.where(taken, data.marked, 1 - data.marked),
        measures={name: np.where(taken, values, 1 - values) for name, values in data.measures.items()},
    )
    assert fit([data], [taken]) == fit([changed], [taken])
    assert fit([data], [taken]) != fit([data], [data.owner < 38])


def test_fit_lets_other_sets_help_by_their_weight() -> None:
    data, other = synthetic(), synthetic(1)
    # in the other set novelty says nothing and what is missing tells all
    swapped = replace(
        other,
        measures={**other.measures, "novelty": other.measures["missing"], "missing": other.measures["novelty"]},
    )
    sets, taken = [data, swapped], [np.ones(len(each.owner), dtype=bool) for each in (data, swapped)]
    alone, helped = fit(sets, taken, others=0.0), fit(sets, taken, others=1.0)
    assert helped.prose["missing"] > 2 * alone.prose["missing"]
    assert alone.prose == pytest.approx(fit([data], taken[:1]).prose)


def test_out_of_fold_probabilities_owe_nothing_to_the_labels_of_their_fold() -> None:
    data = synthetic(count=30)
    part = folds(data.groups)
    changed = replace(
        data,
        answers=[replace(each, label=not each.label) if part[n] == 0 else each for n, each in enumerate(data.answers)],
        marked=np.where(part[data.owner] == 0, 1 - data.marked, data.marked),
    )
    (before,), best, thresholds = claim_figures.out_of_fold([data])
    (after,), changed_best, changed_thresholds = claim_figures.out_of_fold([changed])
    tested = part[data.owner] == 0
    assert before[tested].tolist() == after[tested].tolist()
    assert before[~tested].tolist() != after[~tested].tolist()
    assert best[part == 0].tolist() == changed_best[part == 0].tolist()
    for name, at in thresholds.items():
        assert at[part == 0].tolist() == changed_thresholds[name][part == 0].tolist()
    assert thresholds["precise"].tolist() == [PRECISE] * 30


# --- answers from claims ---


def test_answer_risk_is_half_the_likeliest_and_half_the_mean_of_two() -> None:
    data = data_of([answer(number=number) for number in range(4)], [0, 0, 0, 1, 3, 3], {})
    chance = np.array([0.2, 0.9, 0.6, 0.7, 0.1, 0.1])
    assert answer_risk(chance, data).tolist() == pytest.approx([0.825, 0.7, 0.0, 0.1])
    assert likeliest(chance, data).tolist() == [0.9, 0.7, 0.0, 0.1]


def test_measured_knows_the_answer_and_the_marks_of_each_claim() -> None:
    docs, response = ("The museum shows ships.",), "The museum shows ships. Penguins polish marble staircases."
    start = response.index("Penguins")
    span = Span(start, len(response), response[start:], "baseless")
    marked = replace(answer(True, response=response), docs=docs, spans=(span,))
    plain = replace(answer(number=1, response="The museum shows ships.", source="s"), docs=docs, spans=None)
    data = measured([marked, plain], Verifier())
    assert data.owner.tolist() == [0, 0, 1]
    assert data.marked.tolist() == [0, 1, -1]
    assert data.labels.tolist() == [True, False]
    assert data.groups.tolist() == ["a0", "s"]
    assert data.measures["novelty"].tolist() == [claim.measures["novelty"] for claim in data.claims]
    assert set(NAMES) <= data.measures.keys()


@pytest.mark.parametrize(
    ("span", "claim", "marked"),
    [
        ((11, 26), (0, 10), False),  # beside each other
        ((0, 9), (0, 4), True),  # four letters of eight
        ((0, 9), (0, 3), False),  # three letters are too few
        ((1, 3), (0, 10), True),  # a mark of two letters, whole
        ((1, 3), (0, 2), False),  # one letter of two
        ((0, 26), (11, 16), False),  # five letters of 23 are too small a share
        ((0, 26), (11, 23), True),  # twelve letters are enough whatever the share
        ((9, 10), (0, 10), False),  # a full stop is no letter
    ],
)
def test_is_marked_asks_for_a_good_part_of_a_mark(span: tuple[int, int], claim: tuple[int, int], marked: bool) -> None:
    start, end = span
    assert is_marked(replace(answer(), spans=(Span(start, end, TEXT[start:end], "x"),)), *claim) is marked


def test_is_marked_looks_at_every_mark_and_finds_none_where_there_is_none() -> None:
    far, near = Span(11, 26, TEXT[11:26], "x"), Span(0, 4, TEXT[:4], "x")
    assert is_marked(replace(answer(), spans=(far, near)), 0, 10)
    assert not is_marked(replace(answer(), spans=()), 0, 10)
    assert not is_marked(replace(answer(), spans=None), 0, 10)


# --- figures ---


@CALM
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30))
def test_auroc_counts_the_pairs(pairs: list[tuple[bool, int]]) -> None:
    positive = [score for label, score in pairs if label]
    negative = [score for label, score in pairs if not label]
    if not positive or not negative:
        return
    won = sum(1.0 if high > low else 0.5 if high == low else 0.0 for high in positive for low in negative)
    labels, scores = zip(*pairs, strict=True)
    assert auroc(labels, scores) == pytest.approx(won / (len(positive) * len(negative)))


@CALM
@given(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=60), st.integers(1, 6))
def test_folds_keep_groups_whole_and_are_about_equally_large(groups: list[str], count: int) -> None:
    fold = folds(groups, count)
    assert len({(group, int(number)) for group, number in zip(groups, fold, strict=True)}) == len(set(groups))
    sizes = np.bincount(fold, minlength=count)
    assert len(sizes) == count
    assert sizes.max() - sizes.min() <= max(map(groups.count, groups))


def test_f1_is_the_harmonic_mean_and_0_without_any() -> None:
    assert f1(np.array([True, True, False, False]), np.array([True, False, True, False])) == 0.5
    assert f1(np.array([True, False]), np.array([True, False])) == 1.0
    assert f1(np.array([False, False]), np.array([False, False])) == 0.0


def test_mixed_f1_gives_tasks_their_published_shares() -> None:
    tasks = np.array(["qa", "summary", "summary", "summary", "chat"])
    labels = np.array([True, True, False, False, True])
    flagged = np.array([True, False, True, False, False])
    # 900 for the one answer of qa, 300 for each summary, nothing for a task that is not published
    assert claim_figures.mixed_f1(flagged, labels, tasks) == pytest.approx(2 * 900 / (1200 + 1200))
    assert claim_figures.mixed_f1(np.zeros(5, dtype=bool), labels, tasks) == 0.0


def test_tier_tells_precision_recall_f1_and_clean_answers_flagged() -> None:
    labels = np.array([True, True, False, False, False])
    assert claim_figures.tier(np.array([True, False, True, False, False]), labels) == [
        "2",
        "50.0%",
        "50.0%",
        "0.500",
        "33.3%",
    ]
    assert claim_figures.tier(np.zeros(5, dtype=bool), labels) == ["0", "–", "0.0%", "0.000", "0.0%"]
    assert claim_figures.tier(np.ones(2, dtype=bool), np.ones(2, dtype=bool)) == ["2", "100.0%", "100.0%", "1.000", "–"]


def test_best_threshold_has_a_whole_neighbourhood_that_is_best() -> None:
    # every threshold from 0.20 to 0.79 is right; the first with ten right ones on either side is 0.30
    scores, labels = np.array([0.195, 0.795]), np.array([False, True])
    assert best_threshold(scores, labels) == pytest.approx(0.30)
    assert best_threshold(1 - scores, ~labels) == pytest.approx(0.31)


def test_profiles_are_fixed_best_and_of_enough_recall() -> None:
    unsupported = np.array([0.205, 0.405, *[0.9] * 8])
    found = profiles(np.array([*unsupported, 0.1]), np.array([True] * 10 + [False]))
    # nine of ten are above 0.40, eight of ten are not enough
    assert found["strict"] == pytest.approx(0.40)
    assert found["precise"] == PRECISE
    assert found["balanced"] == best_threshold(np.array([*unsupported, 0.1]), np.array([True] * 10 + [False]))
    nothing = profiles(np.zeros(3), np.ones(3, dtype=bool))
    assert nothing["strict"] == pytest.approx(0.05)


def test_reliability_puts_each_score_into_one_range() -> None:
    scores, unsupported = np.array([0.0, 0.01, 0.05, 0.06, 0.9, 1.0]), np.array([0, 0, 1, 1, 1, 0])
    assert reliability(scores, unsupported) == [
        ["0.00 to 0.05", "3", "0.02", "0.33"],
        ["0.05 to 0.10", "1", "0.06", "1.00"],
        ["0.80 to 1.00", "2", "0.95", "0.50"],
    ]


# --- the rule file ---

RULES = """
[meta]
id = "claims"
source = "by hand"

[[rule]]
id = "claims.prose.novelty"
role = "prose"
value = 0.25
docs = ["x"]

[[rule]]
id = "claims.records.novelty"
role = "records"
value = -1.5

[[rule]]
id = "claims.prose.noveltyless"
why = "has no value"

[[rule]]
id = "claims.prose.high"
value = 7
source = "elsewhere"
"""


def test_rewritten_replaces_the_values_named_and_the_source_alone() -> None:
    found = rewritten(RULES, {"prose.novelty": 0.12345, "prose.high": -2.0}, "fitted")
    expected = RULES.replace("0.25", "0.123").replace("value = 7", "value = -2.000").replace("by hand", "fitted")
    assert found == expected


def test_rewritten_without_values_changes_nothing_else() -> None:
    assert rewritten(RULES, {}, "by hand") == RULES


@pytest.mark.parametrize("name", ["prose.unheard_of", "prose.noveltyless", "novelty"])
def test_rewritten_says_which_rule_is_missing(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^the file has no rule claims\.{name} with a value$"):
        rewritten(RULES, {"prose.novelty": 0.1, name: 0.2}, "fitted")


def test_model_values_are_named_after_their_rules() -> None:
    model = Model({"novelty": 1.0}, {"high": 2.0}, {"slope": 3.0}, {"offset": -4.0})
    assert model_values(model, {"strict": 0.5}) == {
        "prose.novelty": 1.0,
        "records.high": 2.0,
        "prose_calibration.slope": 3.0,
        "records_calibration.offset": -4.0,
        "profile.strict": 0.5,
    }


def test_rewritten_finds_every_value_of_a_model_in_the_shipped_file() -> None:
    content = (rules_folder() / "claims_weights.toml").read_text(encoding="utf-8")
    values = model_values(shipped_model(), shipped("profile"))
    source = tomllib.loads(content)["meta"]["source"]
    assert tomllib.loads(rewritten(content, values, source)) == tomllib.loads(content)
    raised = tomllib.loads(rewritten(content, {name: value + 1 for name, value in values.items()}, source))
    changed = [
        rule["id"].removeprefix("claims.")
        for rule, before in zip(raised["rule"], tomllib.loads(content)["rule"], strict=True)
        if rule != before
    ]
    assert sorted(changed) == sorted(values)
