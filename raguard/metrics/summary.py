"""What do the scores of many slices come to, metric by metric?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from raguard import ConfigError, __version__
from raguard.metrics.metric import MetricScore
from raguard.metrics.statistics import auroc, interval

__all__ = ["Case", "MetricSummary", "ScoredSlice", "Summary", "summarize"]


@dataclass(frozen=True, slots=True)
class ScoredSlice:
    """The scores of one slice; ``words`` is the length of its answer, ``unsupported`` a human label, if there is one.

    >>> ScoredSlice("q-1", (MetricScore("retrieval_recall", 0.5, ""),), words=12).unsupported is None
    True
    """

    id: str
    scores: tuple[MetricScore, ...]
    words: int
    unsupported: bool | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One slice as a case of a metric: its id, its score, and what that rests on."""

    id: str
    value: float
    reason: str


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over many slices. Numbers are from 0 to 1, and None where nothing is defined."""

    name: str
    higher_is_better: bool
    values: tuple[float, ...]
    """The scores of the slices for which it is defined, in their order."""
    mean: float | None
    low: float | None
    """The lower bound of the 95 % bootstrap interval of the mean."""
    high: float | None
    undefined: Mapping[str, int]
    """How many slices have no score, by reason."""
    worst: tuple[Case, ...]
    """Worst first, earlier slices first among equals; perfect scores are not listed."""
    labelled: int
    """How many slices have a label and a score."""
    auroc: float | None
    """How well the metric tells unsupported answers from supported ones; 0.5 is chance, None without both."""
    length_auroc: float | None
    """The same for nothing but the number of words of the same answers."""

    @property
    def n(self) -> int:
        """For how many slices it is defined."""
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Summary:
    """The metrics over many slices, and the slices."""

    metrics: tuple[MetricSummary, ...]
    slices: tuple[ScoredSlice, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings, numbers and None, ready for ``json.dumps``; ``regressions`` reads it back.

        >>> told = summarize([ScoredSlice("a", (MetricScore("tone", 0.5, ""),), words=3)])
        >>> told.to_dict()["metrics"][0]["mean"]
        0.5
        """
        return {
            "raguard": __version__,
            "slices": [
                {
                    "id": each.id,
                    "unsupported": each.unsupported,
                    "words": each.words,
                    "scores": {score.name: {"value": score.value, "reason": score.reason} for score in each.scores},
                }
                for each in self.slices
            ],
            "metrics": [_plain(metric) for metric in self.metrics],
        }

    def to_html(self, title: str = "scores") -> str:
        """A self-contained page for a browser, with a table, a histogram for each metric, and the worst cases.

        It holds ids and reasons, but no text of questions, documents or answers; encode it as UTF-8.

        >>> summarize([ScoredSlice("a", (MetricScore("tone", 0.5, ""),), words=3)]).to_html().startswith("<!doctype")
        True
        """
        from raguard.metrics.page import to_html

        return to_html(self, title)


def summarize(scored: Iterable[ScoredSlice], *, worst: int = 5) -> Summary:
    """The summary of scored slices, all by the same metrics; ``worst`` is how many of the worst cases are named.

    Raises ConfigError for ``worst`` below 0. The same slices give the same summary.

    >>> slices = [ScoredSlice(str(k), (MetricScore("tone", k / 4, ""),), words=3, unsupported=k < 2) for k in range(5)]
    >>> told = summarize(slices, worst=1).metrics[0]
    >>> told.mean, told.worst[0].id, told.auroc, told.length_auroc
    (0.5, '0', 1.0, 0.5)
    """
    if type(worst) is not int or worst < 0:
        raise ConfigError(f"worst must be a whole number of at least 0, not {worst!r}")
    slices = tuple(scored)
    by_name: dict[str, list[tuple[ScoredSlice, MetricScore]]] = {}
    for each in slices:
        for score in each.scores:
            by_name.setdefault(score.name, []).append((each, score))
    return Summary(tuple(_summary(name, given, worst) for name, given in by_name.items()), slices)


def _summary(name: str, given: Sequence[tuple[ScoredSlice, MetricScore]], worst: int) -> MetricSummary:
    better = given[0][1].higher_is_better
    defined = [(each, score.value, score.reason) for each, score in given if score.value is not None]
    values = tuple(value for _, value, _ in defined)
    low, high = interval(values) if values else (None, None)
    flawed = [entry for entry in defined if entry[1] != float(better)]
    ranked = sorted(flawed, key=lambda entry: entry[1] if better else -entry[1])
    judged = [(each.unsupported, value, each.words) for each, value, _ in defined if each.unsupported is not None]
    labels = [unsupported for unsupported, _, _ in judged]
    return MetricSummary(
        name=name,
        higher_is_better=better,
        values=values,
        mean=sum(values) / len(values) if values else None,
        low=low,
        high=high,
        undefined=dict(Counter(score.reason for _, score in given if score.value is None).most_common()),
        worst=tuple(Case(each.id, value, reason) for each, value, reason in ranked[:worst]),
        labelled=len(judged),
        auroc=auroc(labels, [1 - value if better else value for _, value, _ in judged]),
        length_auroc=auroc(labels, [words for _, _, words in judged]),
    )


def _plain(metric: MetricSummary) -> dict[str, Any]:
    told = asdict(metric)
    del told["values"]
    return {
        **told,
        "n": metric.n,
        "undefined": dict(metric.undefined),
        "worst": [asdict(case) for case in metric.worst],
    }
