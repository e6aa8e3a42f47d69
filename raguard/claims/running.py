"""How does code that is not async run what is, and have it back in time whatever is left hanging?"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

__all__ = ["run"]

_GRACE_S = 0.1
"""How long what is left behind may take to end when it is cancelled, in seconds."""

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """What ``work`` returns or raises; within a running event loop it waits for a thread with a loop of its own.

    ``asyncio.run`` waits for every task and thread that is left behind. Here tasks are cancelled and have 0.1 s to
    end, and threads, which nothing can end, go on by themselves; the interpreter waits for them when it ends.

    >>> run(asyncio.sleep(0, "done"))
    'done'
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, _run, work).result()


def _run(work: Coroutine[Any, Any, Result]) -> Result:
    loop = asyncio.new_event_loop()
    loop.set_default_executor(threads := ThreadPoolExecutor(thread_name_prefix="raguard"))
    try:
        return loop.run_until_complete(work)
    finally:
        try:
            loop.run_until_complete(_leave())
        finally:
            # what is said of tasks that never end would name them and what they raised
            loop.set_exception_handler(_say_nothing)
            threads.shutdown(wait=False, cancel_futures=True)
            loop.close()


async def _leave() -> None:
    """Cancels every other task of the loop and closes its generators, as far as they end in time."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_GRACE_S)
    await asyncio.wait({asyncio.ensure_future(asyncio.get_running_loop().shutdown_asyncgens())}, timeout=_GRACE_S)


def _say_nothing(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Takes the place of the loop's log."""
