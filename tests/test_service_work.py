"""Do threads of the service work one after the other, beside long work too, and hold no more than they need?"""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from threading import Barrier, BrokenBarrierError, Event
from typing import Any

import pytest

from raguard.service import work as module
from raguard.service.work import PartError, Work


def done(*calls: Callable[[], Any]) -> list[Any]:
    """What the calls return in two threads, which take them in this order."""

    async def ask() -> list[Any]:
        work = Work(2, len(calls))
        try:
            return await asyncio.gather(*map(work.run, calls), return_exceptions=True)
        finally:
            work.close()

    return asyncio.run(ask())


def fail() -> Any:
    raise SystemExit


@pytest.mark.parametrize("before", [(), (fail,)])
def test_one_thread_works_after_the_other(before: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AHEAD_S", 60)
    both = Barrier(2, timeout=0.2)
    told = done(*before, both.wait, both.wait)
    assert list(map(type, told)) == [*[PartError] * len(before), BrokenBarrierError, BrokenBarrierError]


def test_beside_long_work_short_work_does_not_wait_for_its_end() -> None:
    others = Event()
    assert done(lambda: others.wait(60), others.set) == [True, None]


def test_what_would_end_a_process_is_an_error_of_its_call() -> None:
    (told,) = done(fail)
    assert isinstance(told, PartError)


def test_work_that_nobody_waits_for_any_more_holds_no_text_in_the_line() -> None:
    class Text(str):
        """A string that can be watched."""

    async def asked() -> tuple[Any, int]:
        work, go_on = Work(1, 2), Event()
        first = asyncio.create_task(work.run(go_on.wait, 30))
        text = Text("The audit closed on 4 May 2024.")
        watched, second = weakref.ref(text), asyncio.create_task(work.run(len, text))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait({second})
        del text, second
        gc.collect()
        told = watched(), work.busy
        go_on.set()
        await first
        work.close()
        return told

    assert asyncio.run(asked()) == (None, 0)
