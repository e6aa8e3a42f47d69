"""Is one Verifier safe to share between threads and tasks, and is the model loaded once?"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import spacy
from casefile import Case, load_cases

from raguard import Verifier, VerifyResult, model

THREADS = 8


def _mixed() -> list[Case]:
    """Fifty cases from every corner."""
    cases = [case for case in load_cases() if not case.config]
    return cases[:: max(1, len(cases) // 50)][:50]


def _verify(verifier: Verifier, case: Case) -> VerifyResult:
    return verifier.verify(case.query, case.docs, case.response, lang=case.lang, history=case.history)


def _at_once(work: Callable[[], Any]) -> list[Any]:
    """What ``work`` returns in each of eight threads that start together."""
    gate = threading.Barrier(THREADS)

    def start() -> Any:
        gate.wait()
        return work()

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(start) for _ in range(THREADS)]]


def test_threads_get_the_results_of_one_thread() -> None:
    """Eight threads that share a Verifier each say what a single thread says."""
    cases = _mixed()
    assert len(cases) == 50
    alone = [_verify(Verifier(), case) for case in cases]
    shared = Verifier()
    for results in _at_once(lambda: [_verify(shared, case) for case in cases]):
        assert results == alone


def test_model_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many threads arrive first, the language model is loaded one time."""
    loads: list[str] = []
    load = spacy.load

    def counting(name: str, **options: Any) -> Any:
        loads.append(name)
        return load(name, **options)

    monkeypatch.setattr(spacy, "load", counting)
    model._load.cache_clear()
    _at_once(lambda: Verifier().warm_up())
    assert len(loads) == 1


def test_averify_does_not_block_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that waits for the event loop to tick gets its tick."""
    ticked = threading.Event()

    def waiting_check(case: Any) -> Iterator[Any]:
        assert ticked.wait(30), "the event loop stood still"
        yield from ()

    async def tick() -> None:
        await asyncio.sleep(0)
        ticked.set()

    async def both() -> VerifyResult:
        result, _ = await asyncio.gather(
            Verifier(checks=(waiting_check,)).averify("Q?", ["A text."], "A text."), tick()
        )
        return result

    result = asyncio.run(both())
    assert (result.action, result.warnings) == ("proceed", [])


def test_averify_says_what_verify_says() -> None:
    """Both ways give the same result, by position and by name."""
    verifier = Verifier()
    case = ("When?", ["The fair is on May 3."], "The fair is on May 4.")
    by_name = verifier.averify(query=case[0], retrieved_docs=case[1], llm_response=case[2], lang="en")
    assert asyncio.run(verifier.averify(*case)) == verifier.verify(*case)
    assert asyncio.run(by_name) == verifier.verify(*case)


def test_verify_many_is_lazy_and_ordered() -> None:
    """Cases are taken one by one as results are asked for, in order, from an endless source."""
    taken: list[int] = []

    def cases() -> Iterator[dict[str, Any]]:
        number = 0
        while True:
            taken.append(number)
            yield {
                "query": "How many?",
                "docs": ["There are 3 vans."],
                "response": f"There are {number} vans.",
            }
            number += 1

    results = Verifier().verify_many(cases())
    assert taken == []
    actions = [next(results).action for _ in range(5)]
    assert actions == ["review", "review", "review", "proceed", "review"]
    assert taken == [0, 1, 2, 3, 4]


def test_warm_up_freezes_what_exists_unless_told_not_to() -> None:
    """In a process of its own: nothing is frozen with freeze=False, the model's objects are by default."""
    program = (
        "import gc, raguard\n"
        "guard = raguard.Verifier()\n"
        "guard.warm_up(freeze=False)\n"
        "assert gc.get_freeze_count() == 0\n"
        "guard.warm_up()\n"
        "assert gc.get_freeze_count() > 50_000\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_verdict_leaves_no_cycles_behind() -> None:
    """What a verdict made goes at once; nothing is left to the garbage collector, also when values are unsupported.

    In a process of its own: what the threads of others leave behind counts as well.
    """
    program = """
import gc
from raguard import Config, Verifier

verifier = Verifier(Config(cache_chunks=0))
docs = ["Ann Lee leads it. " + "It was said that all is well. " * 100 + "It costs $5 since 4 May 2024, not more."]
answers = ["Ann Lee leads it for $5.", "Bo Ray left it for $7 on 9 May 2024; it has no lift.", '{"price": "$9"}']
for answer in answers:
    verifier.verify("Who?", docs, answer)
gc.collect()
gc.disable()
for answer in answers:
    verifier.verify("Who?", docs, answer)
print(gc.collect())
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"
