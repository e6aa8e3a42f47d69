"""How good are retrieval and answer, in numbers that anyone gets again, without any call to the outside?

>>> from raguard.metrics import EvalSlice, score
>>> rooms = ["The rent is $900 a month.", "Pets are not allowed."]
>>> told = EvalSlice(question="What is the rent?", answer="The rent is $900 [1].", chunks=rooms)
>>> [(each.name, each.value) for each in score(told) if each.value == 1]
[('citation_faithfulness', 1.0), ('number_precision', 1.0)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.metrics.built_in import METRICS, BuiltInMetric
    from raguard.metrics.comparing import FewerAnswers, Regression, fewer_answers, regressions
    from raguard.metrics.faithfulness import citation_faithfulness
    from raguard.metrics.groundedness import answer_groundedness
    from raguard.metrics.metric import Metric, MetricScore, UndefinedScoreError
    from raguard.metrics.ragas_metric import RagasMetric
    from raguard.metrics.retrieval import retrieval_precision, retrieval_recall
    from raguard.metrics.risk import hallucination_risk
    from raguard.metrics.scoring import score
    from raguard.metrics.slices import EvalSlice
    from raguard.metrics.summary import MetricSummary, ScoredSlice, Summary, summarize

__all__ = [
    "METRICS",
    "BuiltInMetric",
    "EvalSlice",
    "FewerAnswers",
    "Metric",
    "MetricScore",
    "MetricSummary",
    "RagasMetric",
    "Regression",
    "ScoredSlice",
    "Summary",
    "UndefinedScoreError",
    "answer_groundedness",
    "citation_faithfulness",
    "fewer_answers",
    "hallucination_risk",
    "regressions",
    "retrieval_precision",
    "retrieval_recall",
    "score",
    "summarize",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "built_in": ("METRICS", "BuiltInMetric"),
        "comparing": ("FewerAnswers", "Regression", "fewer_answers", "regressions"),
        "faithfulness": ("citation_faithfulness",),
        "groundedness": ("answer_groundedness",),
        "metric": ("Metric", "MetricScore", "UndefinedScoreError"),
        "ragas_metric": ("RagasMetric",),
        "retrieval": ("retrieval_precision", "retrieval_recall"),
        "risk": ("hallucination_risk",),
        "scoring": ("score",),
        "slices": ("EvalSlice",),
        "summary": ("MetricSummary", "ScoredSlice", "Summary", "summarize"),
    },
)
