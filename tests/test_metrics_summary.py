"""Do the summary of scores, its statistics and its comparison with before reckon what they say?"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard import ConfigError, __version__
from raguard.metrics import (
    FewerAnswers,
    MetricScore,
    Regression,
    ScoredSlice,
    Summary,
    fewer_answers,
    regressions,
    summarize,
)
from raguard.metrics.plots import draw, tell
from raguard.metrics.statistics import auroc, histogram, interval

CALM = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def slices(*values: float | None, better: bool = True, labels: str = "", name: str = "tone") -> list[ScoredSlice]:
    """One slice for each value, called a, b …; ``labels`` are + for supported, - for unsupported, ? for none."""
    marks = labels or "?" * len(values)
    return [
        ScoredSlice(
            chr(97 + place),
            (MetricScore(name, value, f"reason {place}" if value is not None else "no tone", better),),
            words=10 * (place + 1),
            unsupported={"+": False, "-": True, "?": None}[mark],
        )
        for place, (value, mark) in enumerate(zip(values, marks, strict=True))
    ]


def only(given_slices: list[ScoredSlice], **options: Any) -> Any:
    (metric,) = summarize(given_slices, **options).metrics
    return metric


class TestSummary:
    def test_mean_is_over_what_is_defined_and_says_over_how_many(self) -> None:
        metric = only(slices(0.25, None, 0.75, None))
        assert (metric.n, metric.mean, metric.values) == (2, 0.5, (0.25, 0.75))
        assert metric.undefined == {"no tone": 2}

    def test_of_nothing_defined_is_none_throughout(self) -> None:
        metric = only(slices(None, None, labels="+-"))
        assert (metric.n, metric.mean, metric.low, metric.high, metric.auroc, metric.length_auroc) == (0, *[None] * 5)
        assert metric.worst == ()

    def test_worst_come_first_and_the_earlier_of_equal_ones(self) -> None:
        metric = only(slices(0.5, 0.25, 1.0, 0.25, None), worst=3)
        assert [(case.id, case.value, case.reason) for case in metric.worst] == [
            ("b", 0.25, "reason 1"),
            ("d", 0.25, "reason 3"),
            ("a", 0.5, "reason 0"),
        ]

    def test_worst_of_a_risk_are_the_highest_and_never_a_perfect_one(self) -> None:
        assert [case.id for case in only(slices(0.5, 0.0, 0.75, better=False)).worst] == ["c", "a"]
        assert [case.id for case in only(slices(0.5, 0.0, 1.0)).worst] == ["b", "a"]
        assert only(slices(0.5, 0.0), worst=0).worst == ()

    def test_auroc_takes_a_low_score_for_a_sign_and_a_high_risk(self) -> None:
        assert only(slices(0.1, 0.9, 0.2, 0.8, labels="-+-+")).auroc == 1.0
        assert only(slices(0.1, 0.9, 0.2, 0.8, labels="-+-+", better=False)).auroc == 0.0

    def test_auroc_and_that_of_length_are_over_the_same_answers(self) -> None:
        metric = only(slices(0.1, 0.9, None, 0.8, 0.3, labels="-+-+?"))
        assert (metric.labelled, metric.auroc, metric.length_auroc) == (3, 1.0, 0.0)

    def test_auroc_needs_both_labels(self) -> None:
        assert only(slices(0.1, 0.9, labels="--")).auroc is None
        assert only(slices(0.1, 0.9)).auroc is None

    def test_metrics_stand_in_the_order_of_their_scores(self) -> None:
        two = ScoredSlice("a", (MetricScore("z", 1.0, ""), MetricScore("a", 1.0, "")), words=1)
        assert [metric.name for metric in summarize([two]).metrics] == ["z", "a"]
        assert summarize([]) == Summary((), ())

    @pytest.mark.parametrize("worst", [-1, 1.0, True, None])
    def test_wrong_number_of_worst_cases_is_refused(self, worst: Any) -> None:
        with pytest.raises(ConfigError, match=r"^worst must be a whole number of at least 0, not "):
            summarize([], worst=worst)

    def test_as_json_holds_all_and_reads_back(self) -> None:
        summary = summarize(slices(0.25, None, labels="-+"), worst=1)
        told = json.loads(json.dumps(summary.to_dict()))
        assert told == summary.to_dict()
        assert told == {
            "raguard": __version__,
            "slices": [
                {
                    "id": "a",
                    "unsupported": True,
                    "words": 10,
                    "scores": {"tone": {"value": 0.25, "reason": "reason 0"}},
                },
                {
                    "id": "b",
                    "unsupported": False,
                    "words": 20,
                    "scores": {"tone": {"value": None, "reason": "no tone"}},
                },
            ],
            "metrics": [
                {
                    "name": "tone",
                    "higher_is_better": True,
                    "n": 1,
                    "mean": 0.25,
                    "low": 0.25,
                    "high": 0.25,
                    "undefined": {"no tone": 1},
                    "worst": [{"id": "a", "value": 0.25, "reason": "reason 0"}],
                    "labelled": 1,
                    "auroc": None,
                    "length_auroc": None,
                }
            ],
        }


class TestStatistics:
    def test_interval_is_the_same_again_and_holds_the_mean(self) -> None:
        values = [0.1, 0.4, 0.4, 0.9, 1.0] * 8
        low, high = interval(values)
        assert (low, high) == interval(values)
        assert low < sum(values) / len(values) < high

    def test_interval_is_that_of_the_normal_theory_for_many_values(self) -> None:
        low, high = interval([0.0, 1.0] * 500)
        assert low == pytest.approx(0.5 - 1.96 * 0.5 / 1000**0.5, abs=0.004)
        assert high == pytest.approx(0.5 + 1.96 * 0.5 / 1000**0.5, abs=0.004)

    @pytest.mark.parametrize("values", [[0.3], [0.3, 0.3]])
    def test_interval_of_equal_values_has_no_width(self, values: list[float]) -> None:
        assert interval(values) == (0.3, 0.3)

    @CALM
    @given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])), max_size=30))
    def test_auroc_is_the_share_of_pairs_in_order(self, cases: list[tuple[bool, float]]) -> None:
        bad = [risk for label, risk in cases if label]
        good = [risk for label, risk in cases if not label]
        pairs = [(a > b) + (a == b) / 2 for a in bad for b in good]
        slow = sum(pairs) / len(pairs) if pairs else None
        found = auroc([label for label, _ in cases], [risk for _, risk in cases])
        assert found == (slow if slow is None else pytest.approx(slow))

    @CALM
    @given(st.lists(st.floats(0, 1), max_size=40))
    def test_histogram_counts_each_value_once(self, values: list[float]) -> None:
        assert sum(histogram(values)) == len(values)

    def test_histogram_puts_borders_into_the_upper_part(self) -> None:
        assert [histogram([place / 10]).index(1) for place in range(11)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]

    def test_plot_has_one_bar_for_each_part_that_holds_something(self) -> None:
        drawn = draw([0.0, 0.05, 0.95], "<b>", 0.3)
        assert re.findall(r"<text[^>]*>(\d+)</text>", drawn)[:2] == ["2", "1"]
        assert drawn.count("<rect") == 2
        assert 'aria-label="&lt;b&gt;: 2 from 0 to 0.1, 1 from 0.9 to 1"' in drawn
        assert tell([]) == ""


class TestRegressions:
    def found(self, before: float | None, after: float | None, **options: Any) -> list[str]:
        better = options.pop("better", True)
        old = summarize(slices(before, better=better)).to_dict()
        return [str(each) for each in regressions(old, summarize(slices(after, better=better)), **options)]

    def test_names_what_fell_by_more_than_the_tolerance(self) -> None:
        assert self.found(0.9, 0.85) == ["tone fell from 0.900 to 0.850"]
        assert self.found(0.9, 0.879) == ["tone fell from 0.900 to 0.879"]
        assert self.found(0.9, 0.85, tolerance=0.1) == []

    @pytest.mark.parametrize("after", [0.88, 0.9, 1.0])
    def test_is_silent_on_what_fell_less_or_rose(self, after: float) -> None:
        assert self.found(0.9, after) == []

    def test_of_a_risk_is_what_rose(self) -> None:
        assert self.found(0.2, 0.3, better=False) == ["tone rose from 0.200 to 0.300"]
        assert self.found(0.3, 0.2, better=False) == []

    def test_without_tolerance_is_any_fall(self) -> None:
        assert self.found(0.9, 0.899, tolerance=0) == ["tone fell from 0.900 to 0.899"]
        assert self.found(0.1 + 0.2, 0.3, tolerance=0) == []

    def test_what_is_not_defined_any_more_is_one(self) -> None:
        assert self.found(0.9, None) == ["tone was 0.900 and is not defined any more"]
        old = summarize(slices(0.9)).to_dict()
        assert regressions(old, summarize(slices(0.9, name="other"))) == [Regression("tone", 0.9, None)]

    def test_what_had_no_mean_is_not_compared(self) -> None:
        old = summarize(slices(None)).to_dict()["metrics"] + summarize(slices(0.9, name="other")).to_dict()["metrics"]
        new = summarize([*slices(0.1), *slices(0.9, name="other")])
        assert regressions({"metrics": old}, new) == []

    @pytest.mark.parametrize("told", [{}, {"higher_is_better": True}])
    def test_of_a_risk_is_what_rose_whatever_the_baseline_says(self, told: dict[str, bool]) -> None:
        new = summarize(slices(0.3, better=False))
        assert regressions({"metrics": [{"name": "tone", "mean": 0.9, **told}]}, new) == []
        assert len(regressions({"metrics": [{"name": "tone", "mean": 0.1, **told}]}, new)) == 1

    @pytest.mark.parametrize(
        ("old", "message"),
        [
            ([], "the baseline must be an object with a list of metrics, as raguard score writes it"),
            ({"metrics": {}}, "the baseline must be an object with a list of metrics, as raguard score writes it"),
            ({"metrics": ["tone"]}, "metrics[0] of the baseline has no name"),
            ({"metrics": [{"name": 3}]}, "metrics[0] of the baseline has no name"),
            (
                {"metrics": [{"name": "a", "mean": "1"}]},
                "metrics[0] of the baseline has a mean that is no number from 0 to 1",
            ),
            (
                {"metrics": [{"name": "a", "mean": True}]},
                "metrics[0] of the baseline has a mean that is no number from 0 to 1",
            ),
            (
                {"metrics": [{"name": "a"}, {"name": "b", "mean": float("nan")}]},
                "metrics[1] of the baseline has a mean that is no number from 0 to 1",
            ),
            (
                {"metrics": [{"name": "a", "mean": 10**400}]},
                "metrics[0] of the baseline has a mean that is no number from 0 to 1",
            ),
            (
                {"metrics": [{"name": "a", "mean": 1.01}]},
                "metrics[0] of the baseline has a mean that is no number from 0 to 1",
            ),
            (
                {"metrics": [{"name": "a", "mean": 0.5}, {"name": "a", "mean": 0.6}]},
                "metrics[1] of the baseline has a second mean of the same metric",
            ),
            ({"metrics": []}, "the baseline has no metric with a mean, so that nothing can be compared"),
            (
                {"metrics": [{"name": "a", "mean": None}]},
                "the baseline has no metric with a mean, so that nothing can be compared",
            ),
        ],
    )
    def test_baseline_of_another_form_is_refused(self, old: Any, message: str) -> None:
        with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
            regressions(old, summarize([]))

    @pytest.mark.parametrize("tolerance", [-0.1, 1.1, float("nan"), True, "0.1"])
    def test_wrong_tolerance_is_refused(self, tolerance: Any) -> None:
        with pytest.raises(ConfigError, match=r"^tolerance must be a number from 0 to 1, not "):
            regressions({"metrics": []}, summarize([]), tolerance)


class TestFewerAnswers:
    def found(self, before: Sequence[float | None], after: Sequence[float | None]) -> list[FewerAnswers]:
        return fewer_answers(summarize(slices(*before)).to_dict(), summarize(slices(*after)))

    def test_names_what_is_defined_for_fewer(self) -> None:
        assert self.found([0.5, 0.5, 0.5], [None, 0.9, None]) == [FewerAnswers("tone", 3, 1)]
        assert str(FewerAnswers("tone", 3, 1)) == "tone is defined for 1 answer, and was for 3"
        assert str(FewerAnswers("tone", 3000, 2000)) == "tone is defined for 2,000 answers, and was for 3,000"

    @pytest.mark.parametrize("after", [[0.5, 0.5], [0.1, None, 0.2], [0.5, 0.5, 0.5]])
    def test_is_silent_on_what_is_defined_for_as_many_or_more(self, after: list[float | None]) -> None:
        assert self.found([0.5, None, 0.5], after) == []

    def test_is_silent_on_what_is_not_defined_any_more(self) -> None:
        assert self.found([0.5, 0.5], [None, None]) == []
        assert fewer_answers(summarize(slices(0.9)).to_dict(), summarize(slices(0.9, name="other"))) == []

    @pytest.mark.parametrize("told", [{}, {"n": 0}, {"n": 1}])
    def test_is_silent_on_a_baseline_that_does_not_say_for_how_many(self, told: dict[str, int]) -> None:
        assert fewer_answers({"metrics": [{"name": "tone", "mean": 0.9, **told}]}, summarize(slices(0.9))) == []

    @pytest.mark.parametrize("count", [-1, 1.5, True, "3", None])
    def test_count_of_another_kind_is_refused(self, count: Any) -> None:
        message = r"^metrics\[0\] of the baseline has an n that is no whole number of at least 0$"
        with pytest.raises(ConfigError, match=message):
            fewer_answers({"metrics": [{"name": "tone", "mean": 0.9, "n": count}]}, summarize(slices(0.9)))

    def test_baseline_of_another_form_is_refused(self) -> None:
        with pytest.raises(ConfigError, match=r"^the baseline must be an object with a list of metrics"):
            fewer_answers([], summarize([]))  # type: ignore[arg-type]
