"""Does verify() stay within its time, and does the time grow no faster than the input?

Run by ``pytest benchmarks/test_budgets.py --benchmark-enable``.

The budget is stated for the machine described in ``machine.py``; on a slower one it is stretched by as much
as a fixed piece of work, timed before every call, takes longer there.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import pytest
from hostile import FAMILIES
from invented import LENGTHS, invented
from machine import calibrate, slowness
from pytest_benchmark.fixture import BenchmarkFixture
from timing import Question, Times, steady, timer

from raguard import Config, Verifier, VerifyResult

P95_MS = 10.0
ANSWERS = 120
SIZE = 250
ROUNDS = 3
MOST_GROWTH = 3.2
"""How many times longer twice the input may take: 2 is linear, 4 quadratic."""


@pytest.fixture
def without_collection() -> Iterator[None]:
    with steady():
        yield


@pytest.fixture(scope="module")
def verify() -> Callable[..., VerifyResult]:
    verifier = Verifier(Config(cache_chunks=0))
    verifier.warm_up()
    return verifier.verify


@pytest.mark.parametrize("words", LENGTHS)
def test_verify_stays_within_ten_milliseconds_at_p95(
    benchmark: BenchmarkFixture, verify: Callable[..., VerifyResult], words: int
) -> None:
    if benchmark.disabled:
        pytest.skip("timing needs --benchmark-enable")
    cases = iter(invented(words, ANSWERS))
    calibrations: list[float] = []

    def next_question() -> tuple[Question, dict[str, object]]:
        calibrations.append(calibrate())
        case = next(cases)
        return (case.query, list(case.docs), case.response), {}

    benchmark.pedantic(verify, setup=next_question, rounds=ANSWERS)  # type: ignore[no-untyped-call]
    assert benchmark.stats is not None
    times = Times.of(benchmark.stats.stats.data)
    budget = P95_MS * slowness(statistics.median(calibrations))
    benchmark.extra_info["budget_ms"] = budget
    assert times.p95 < budget, f"{words} words: p95 {times.p95:.2f} ms of {budget:.2f} ms (p50 {times.p50:.2f} ms)"


@pytest.mark.usefixtures("without_collection")
@pytest.mark.parametrize("family", FAMILIES)
def test_twice_the_input_takes_about_twice_the_time(
    benchmark: BenchmarkFixture, verify: Callable[..., VerifyResult], family: str
) -> None:
    if benchmark.disabled:
        pytest.skip("timing needs --benchmark-enable")
    measure, once, twice = timer(verify), FAMILIES[family](SIZE), FAMILIES[family](2 * SIZE)
    alone = min(measure(once) for _ in range(ROUNDS))
    benchmark.pedantic(verify, args=twice, rounds=ROUNDS)  # type: ignore[no-untyped-call]
    assert benchmark.stats is not None
    growth = benchmark.stats.stats.min / alone
    assert growth < MOST_GROWTH, f"{family}: twice the input takes {growth:.1f} times as long"
