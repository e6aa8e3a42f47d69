"""How is a model asked within bounds of time, threads and memory? Each call in a thread that can be told to end.

A call that is late is left: what it registered to be cut (a socket, an event loop) is cut, so that its thread ends
soon after. Code that hangs and cannot be cut keeps its thread; as a pool has only so many, calls beyond wait in line
and are late themselves, rather than that threads grow without end.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

__all__ = ["THREAD_NAME", "Call", "Pool", "awaited", "wait_for", "wait_for_async"]

THREAD_NAME = "raguard-judge"
"""What the threads of all calls are named, so that loggers can tell them."""

Value = TypeVar("Value")


class Call:
    """One call under way: how much of its time is left, and what is cut when nobody waits for it any more."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._lock = Lock()
        self._cut: Callable[[], object] | None = None
        self.is_left = False

    def left_s(self) -> float:
        """The seconds that are left, 0 when it is late."""
        return max(0.0, self._deadline - time.monotonic())

    def on_leave(self, cut: Callable[[], object] | None) -> None:
        """What leaving the call does from now on, in place of what it did; done at once when it is left already."""
        with self._lock:
            self._cut = cut
            if not self.is_left:
                return
        if cut is not None:
            cut()

    def leave(self) -> None:
        """Nobody waits any more: ends what can be ended; never raises."""
        with self._lock:
            self.is_left = True
            cut = self._cut
        if cut is not None:
            with suppress(Exception):
                cut()


class Pool(Generic[Value]):
    """Runs calls in daemon threads, at most ``size`` of them at once; the others wait in line."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._waiting: deque[tuple[Future[Value], Callable[[], Value]]] = deque()
        self._threads = 0

    def start(self, work: Callable[[], Value]) -> Future[Value]:
        """A future of what ``work`` returns or raises, in the context of the caller; cancelled before its turn, it is
        never run.
        """
        future: Future[Value] = Future()
        context = copy_context()
        with self._lock:
            self._waiting.append((future, lambda: context.run(work)))
            if self._threads >= self._size:
                # where every thread hangs, nobody else would take out what is no longer waited for
                self._waiting = deque(job for job in self._waiting if not job[0].cancelled())
                return future
            self._threads += 1
        Thread(target=self._run, name=THREAD_NAME, daemon=True).start()
        return future

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                future, work = self._waiting.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                value = work()
            # whatever somebody else's code raises ends this call alone
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(value)
            del future, work


def wait_for(future: Future[Any], call: Call) -> bool:
    """Whether a future is done within the time of its call, which is left otherwise."""
    try:
        wait([future], call.left_s())
    finally:
        is_done = _settled(future, call)
    return is_done


async def wait_for_async(future: Future[Any], call: Call) -> bool:
    """The same for an event loop; being cancelled leaves the call too."""
    inner = asyncio.wrap_future(future)
    try:
        await asyncio.wait({inner}, timeout=call.left_s())
    finally:
        is_done = _settled(future, call)
        # a loop that is closed by then is told of nothing
        inner.cancel()
    return is_done


def _settled(future: Future[Any], call: Call) -> bool:
    is_done = future.done()
    if not is_done:
        future.cancel()
        call.leave()
    return is_done


def awaited(returned: Any, call: Call) -> Any:
    """What a callable returned, awaited in an event loop of its own where it can be; leaving the call cancels it."""
    if not inspect.isawaitable(returned):
        return returned
    waiting: Awaitable[Any] = returned

    async def finish() -> Any:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(waiting)
        call.on_leave(lambda: loop.call_soon_threadsafe(task.cancel))
        try:
            return await task
        finally:
            call.on_leave(None)

    return asyncio.run(finish())
