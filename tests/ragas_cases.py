"""What the adapter makes of real metrics of ragas; run by ``test_ragas.py`` in an environment that has ragas.

Every connection is refused here, so that a metric or the telemetry that asked for one would fail.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from ragas.metrics import ExactMatch as SingleTurnExactMatch
from ragas.metrics import IDBasedContextPrecision
from ragas.metrics.base import SimpleBaseMetric
from ragas.metrics.collections import ExactMatch, NonLLMStringSimilarity
from ragas.metrics.result import MetricResult

from raguard import ConfigError, Document
from raguard.metrics import EvalSlice, RagasMetric, score

RENT = "The rent is $900."


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """No test may connect to anything."""
    asked: list[Any] = []

    def refuse(self: socket.socket, address: Any) -> None:
        asked.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield asked
    assert asked == []


def told(**parts: Any) -> EvalSlice:
    chunks = [Document(RENT, id="a"), Document("Pets are not allowed.", id="b")]
    return EvalSlice(**{"question": "What is the rent?", "answer": RENT, "chunks": chunks, **parts})


def by(metric: RagasMetric, slice: EvalSlice) -> tuple[str, float | None, str]:
    (only,) = score(slice, metrics=[metric])
    return only.name, only.value, only.reason


def test_metric_of_the_collections_scores_against_the_reference() -> None:
    metric = RagasMetric(ExactMatch())
    assert by(metric, told(reference=RENT)) == ("ragas_exact_match", 1.0, "")
    assert by(metric, told(reference="The rent is $901.")) == ("ragas_exact_match", 0.0, "")


def test_metric_of_the_collections_scores_between_the_ends() -> None:
    name, value, _ = by(RagasMetric(NonLLMStringSimilarity()), told(reference="The rent is $901."))
    assert name == "ragas_non_llm_string_similarity"
    assert value == pytest.approx(1 - 1 / len(RENT))


def test_single_turn_metric_scores_ids_as_raguard_does() -> None:
    slice = told(gold_chunk_ids=["a", "x"])
    assert by(RagasMetric(IDBasedContextPrecision()), slice)[1] == 0.5
    assert next(each.value for each in score(slice) if each.name == "retrieval_precision") == 0.5


def test_single_turn_metric_scores_the_answer() -> None:
    assert by(RagasMetric(SingleTurnExactMatch(), name="same"), told(reference=RENT)) == ("same", 1.0, "")


def test_metric_without_its_input_is_undefined_with_what_it_needs() -> None:
    why = "the metric needs reference, which the slice has not"
    assert by(RagasMetric(ExactMatch()), told()) == ("ragas_exact_match", None, why)
    assert by(RagasMetric(SingleTurnExactMatch()), told()) == ("ragas_exact_match", None, why)
    lacking = by(RagasMetric(IDBasedContextPrecision()), told())
    assert lacking[1:] == (None, "the metric needs reference_context_ids, which the slice has not")


class Own(SimpleBaseMetric):
    """A metric of ragas that does what it is told."""

    def __init__(self, act: Any) -> None:
        super().__init__(name="own")
        self.act = act

    def score(self, **parts: Any) -> MetricResult:
        raise NotImplementedError

    async def ascore(self, response: str) -> MetricResult:
        return MetricResult(value=await self.act(response))


def test_metric_that_fails_or_never_ends_is_undefined_and_loses_nothing() -> None:
    async def fail(response: str) -> float:
        raise KeyError(response)

    async def hang(response: str) -> float:
        await asyncio.Event().wait()
        return 1.0

    async def nothing(response: str) -> float:
        return float("nan")

    metrics = [RagasMetric(Own(fail)), RagasMetric(Own(hang), timeout_s=0.05), RagasMetric(Own(nothing))]
    found = score(told(reference=RENT), metrics=[*metrics, RagasMetric(ExactMatch())])
    assert [each.reason for each in found] == [
        "the metric failed (KeyError)",
        "the metric failed (TimeoutError)",
        "the metric gave NaN",
        "",
    ]
    assert [each.name for each in found] == ["ragas_own", "ragas_own (2)", "ragas_own (3)", "ragas_exact_match"]


def test_metric_scores_within_a_running_event_loop() -> None:
    async def main() -> tuple[str, float | None, str]:
        return by(RagasMetric(ExactMatch()), told(reference=RENT))

    assert asyncio.run(main()) == ("ragas_exact_match", 1.0, "")


def test_what_is_no_metric_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^metric must be a metric of ragas .* not the class ExactMatch$"):
        RagasMetric(ExactMatch)
    with pytest.raises(ConfigError, match=r"^metric must be a metric of ragas .* not str$"):
        RagasMetric("exact_match")
    with pytest.raises(ConfigError, match=r"^timeout_s must be a number of seconds above 0, not 0$"):
        RagasMetric(ExactMatch(), timeout_s=0)


def test_telemetry_is_off_unless_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGAS_DO_NOT_TRACK")
    RagasMetric(ExactMatch())
    assert os.environ["RAGAS_DO_NOT_TRACK"] == "true"
