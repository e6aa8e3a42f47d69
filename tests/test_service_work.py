"""Is what the threads of the service raise an error of one call, and do they hold no more than they need?"""

from __future__ import annotations

import asyncio
import gc
import weakref
from threading import Event
from typing import Any

import pytest

from raguard.service.work import PartError, Work


def test_what_would_end_a_process_is_an_error_of_its_call() -> None:
    async def ask() -> str:
        work = Work(1, 1)
        with pytest.raises(PartError) as told:
            await work.run(end)
        work.close()
        return str(told.value)

    def end() -> None:
        raise SystemExit("the whole text")

    assert asyncio.run(ask()) == "SystemExit"


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
