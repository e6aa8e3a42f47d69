"""Does verify() stay within its time and its best ratios, and does the time grow no faster than the input?

Run by ``pytest benchmarks/test_budgets.py --benchmark-enable``.

The budgets are stated for the machine described in ``machine.py``; on a slower one they are stretched by as much as a
fixed piece of work, timed before every call, takes longer there. All times are of the CPU: what other programs take
does not count.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import pytest
import ratchet
from groups import groups
from hostile import FAMILIES
from machine import calibrate, slowness
from pytest_benchmark.fixture import BenchmarkFixture
from timing import Question, Times, cold_verifier, steady, timer

from raguard import Verifier, VerifyResult

BUDGETS: Mapping[str, float] = {
    "30-words": 10.0,
    "100-words": 10.0,
    "250-words": 10.0,
    "12-chunks": 12.0,
    "64-KB": 30.0,
    "1-MB": 400.0,
    "1-MB-prepared": 20.0,
    "dense": 25.0,
    "2000-unsupported": 100.0,
}
"""The most milliseconds at p95, by group."""
ANSWERS = 120
SIZE = 250
ROUNDS = 3
MOST_GROWTH = 3.2
"""How many times longer twice the input may take: 2 is linear, 4 quadratic."""

pytestmark = pytest.mark.benchmark(timer=time.process_time)


@pytest.fixture(autouse=True)
def timed(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("benchmark_enable"):
        pytest.skip("timing needs --benchmark-enable")


@pytest.fixture
def without_collection() -> Iterator[None]:
    with steady():
        yield


@pytest.fixture
def frozen() -> Iterator[None]:
    """Garbage of the verdicts is collected, but not looked for in what was there before, such as pytest."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def verify() -> Callable[..., VerifyResult]:
    return cold_verifier().verify


@pytest.fixture(scope="module")
def keeping() -> Verifier:
    verifier = Verifier()
    verifier.warm_up()
    return verifier


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("name", BUDGETS)
def test_verify_stays_within_its_budget_at_p95(
    benchmark: BenchmarkFixture, name: str, verify: Callable[..., VerifyResult], keeping: Verifier
) -> None:
    (group,) = groups([name], ANSWERS, {})
    rounds = [group.questions(turn) for turn in range(ROUNDS)]
    left = iter(list(chain.from_iterable(rounds)))
    calibrations: list[float] = []

    def next_question() -> tuple[Question, dict[str, object]]:
        query, docs, response = next(left)
        if group.prepared:
            keeping.prepare(docs, query=query)
            gc.collect()  # what preparing owes; memory.py tells how long it takes
        calibrations.append(calibrate(time.process_time))
        return (query, docs, response), {}

    asked = keeping.verify if group.prepared else verify
    benchmark.pedantic(asked, setup=next_question, rounds=sum(map(len, rounds)))  # type: ignore[no-untyped-call]
    assert benchmark.stats is not None
    found = list(zip(_parts(benchmark.stats.stats.data), _parts(calibrations), strict=True))
    told = [(Times.of(took), BUDGETS[name] * slowness(statistics.median(yardsticks))) for took, yardsticks in found]
    # what slows a machine for a moment slows one round, and what slows the code slows all of them
    times, budget = min(told, key=lambda each: each[0].p95 / each[1])
    benchmark.extra_info["budget_ms"] = budget
    assert times.p95 < budget, f"{group.title}: p95 {times.p95:.2f} ms of {budget:.2f} ms (p50 {times.p50:.2f} ms)"


def _parts(values: Sequence[float]) -> list[Sequence[float]]:
    """The values of each round."""
    size = len(values) // ROUNDS
    return [values[start : start + size] for start in range(0, len(values), size)]


def test_no_ratio_falls_by_more_than_a_quarter(
    benchmark: BenchmarkFixture, verify: Callable[..., VerifyResult]
) -> None:
    kept, mine = ratchet.best(), ratchet.key()
    assert mine.checks in {known.checks for known in kept}, (
        f"benchmarks/ratchet.toml knows no {mine.checks}; add its line with python benchmarks/ratchet.py --update"
    )
    if mine not in kept:
        pytest.skip(f"benchmarks/ratchet.toml holds no ratios for Python {mine.python}")
    now = benchmark.pedantic(ratchet.measured, args=(verify,), rounds=1)  # type: ignore[no-untyped-call]
    assert not ratchet.fallen(kept[mine], now)


@pytest.mark.usefixtures("without_collection")
@pytest.mark.parametrize("family", FAMILIES)
def test_twice_the_input_takes_about_twice_the_time(
    benchmark: BenchmarkFixture, verify: Callable[..., VerifyResult], family: str
) -> None:
    measure, once, twice = timer(verify, time.process_time), FAMILIES[family](SIZE), FAMILIES[family](2 * SIZE)
    alone: list[float] = []

    def next_round() -> tuple[Question, dict[str, object]]:
        # in turn, so that a slow moment of the machine falls on both
        alone.append(measure(once))
        return twice, {}

    benchmark.pedantic(verify, setup=next_round, rounds=ROUNDS)  # type: ignore[no-untyped-call]
    assert benchmark.stats is not None
    growth = benchmark.stats.stats.min / min(alone)
    assert growth < MOST_GROWTH, f"{family}: twice the input takes {growth:.1f} times as long"
