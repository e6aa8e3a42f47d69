"""How is a model asked within limits of time, threads and memory? Each call runs in a thread that can be told to end.

A call that is late is abandoned: what it registered to be cut (a socket, a task) is cut, so that its thread ends soon
after. Code that hangs and cannot be cut keeps its thread. Since a pool has only so many threads, further calls then
wait in line and become late themselves, instead of starting threads without end.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import Any, Generic, TypeVar
from weakref import finalize

__all__ = ["THREAD_NAME", "Call", "Loop", "Pool", "wait_for", "wait_for_async"]

THREAD_NAME = "raguard-judge"
"""With what the names of all threads of calls begin, so that loggers can tell them."""

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
        """Sets what leaving the call does from now on; it is done at once if the call has been left already."""
        with self._lock:
            self._cut = cut
            if not self.is_left:
                return
        if cut is not None:
            cut()

    def leave(self) -> None:
        """Abandons the call: ends what can be ended; never raises."""
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
        self._waiting: OrderedDict[Future[Value], Callable[[], Value]] = OrderedDict()
        self._threads = 0

    def start(self, work: Callable[[], Value]) -> Future[Value]:
        """A future of what ``work`` returns or raises, in the context of the caller; cancelled before its turn, it is
        never run. Raises RuntimeError where no thread can be started.
        """
        future: Future[Value] = Future()
        context = copy_context()
        with self._lock:
            self._waiting[future] = lambda: context.run(work)
            is_full = self._threads >= self._size
            self._threads += not is_full
        # where every thread hangs, nobody else would take out what is no longer waited for
        future.add_done_callback(self._take)
        if not is_full:
            try:
                Thread(target=self._run, name=THREAD_NAME, daemon=True).start()
            except RuntimeError:
                with self._lock:
                    self._threads -= 1
                # else another thread has begun with it
                if self._take(future) is not None:
                    raise
        return future

    def _take(self, future: Future[Value]) -> Callable[[], Value] | None:
        """What was to be done for ``future``, out of the line; None when it has been taken already."""
        with self._lock:
            return self._waiting.pop(future, None)

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads -= 1
                    return
                future, work = self._waiting.popitem(last=False)
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
    """``wait_for`` for an event loop; cancelling it leaves the call, too."""
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


class Loop:
    """An event loop in a thread of its own, begun when it is first needed; it ends with its owner.

    It is one for all calls of a judge: an async client keeps connections that belong to the loop in which they were
    made, so that one used in a new loop each time would fail.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def awaited(self, returned: Any, call: Call) -> Any:
        """What a callable returned, awaited in the loop where it can be; leaving the call cancels it."""
        if not inspect.isawaitable(returned):
            return returned
        value, error = asyncio.run_coroutine_threadsafe(_outcome(returned, call), self._running()).result()
        if error is not None:
            raise error
        return value

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            # after a fork the loop stands there without its thread
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                begun: Future[asyncio.AbstractEventLoop] = Future()
                thread = Thread(target=_serve, args=(begun,), name=f"{THREAD_NAME}-loop", daemon=True)
                thread.start()
                self._loop, self._thread = begun.result(), thread
                finalize(self, _stop, self._loop).atexit = False
            return self._loop


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    # one that is closed already raises RuntimeError
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(loop.stop)


def _serve(begun: Future[asyncio.AbstractEventLoop]) -> None:
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        begun.set_result(loop)
        loop.run_forever()


async def _outcome(waiting: Awaitable[Any], call: Call) -> tuple[Any, BaseException | None]:
    """What is awaited, or what it raised: SystemExit and KeyboardInterrupt would end the loop."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if call.is_left or task is None:
        if inspect.iscoroutine(waiting):
            waiting.close()
        return None, asyncio.CancelledError()
    call.on_leave(lambda: loop.call_soon_threadsafe(task.cancel))
    try:
        return await waiting, None
    except BaseException as error:
        return None, error
    finally:
        call.on_leave(None)
