"""How is a part that may be anything asked, so that its fault or hang ends nothing but its own stage?

What can be awaited is awaited in the caller's event loop; anything else runs in a thread of its own that the
interpreter does not wait for at its end, and that is left behind when its time is up.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread
from time import monotonic
from typing import Any

from raguard import RaguardError
from raguard.claims.asking import Fault, read

__all__ = ["Outside"]

_MOST_LATE = 32
"""How many threads may be left behind: a part that hangs for good must not cost a thread per call."""


class Outside:
    """Asks parts for at most ``seconds`` each, and keeps count of the threads that it left behind."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._begun: list[tuple[Thread, float]] = []
        """The threads that have not ended, and when each of them is late."""

    async def ask(self, call: Callable[..., Any], *given: Any) -> Any:
        """What ``call(*given)`` returns, awaited where it can be, or a Fault; cancellation propagates to the caller.

        A RaguardError is reported by its message, which holds no text; anything else that is raised, by its type.

        >>> asyncio.run(Outside(1.0).ask(int, "five"))
        Fault(why='raised ValueError')
        """
        if self._is_busy():
            return Fault(f"could not be asked: {_MOST_LATE} earlier calls still keep it busy")
        kind: Any = type(call)
        is_async = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(kind.__call__)
        late = monotonic() + self._seconds
        work = _awaited(call, given) if is_async else self._in_thread(call, given, late)
        task = asyncio.ensure_future(work)
        try:
            done, _ = await asyncio.wait({task}, timeout=self._seconds)
            if not done:
                return Fault(f"took longer than {self._seconds:g} s")
            return Fault("was cancelled") if task.cancelled() else task.result()
        finally:
            task.cancel()

    async def _in_thread(self, call: Callable[..., Any], given: tuple[Any, ...], late: float) -> Any:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()

        def work() -> None:
            outcome = _outcome(call, given)
            # a loop that has ended waits for nothing
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(_resolve, answer, outcome)

        thread = Thread(target=copy_context().run, args=(work,), name="raguard-pipeline", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            return Fault("could not be asked: no thread can be started")
        with self._lock:
            self._begun.append((thread, late))
        outcome = await answer
        return await _awaited(lambda: outcome, ()) if inspect.isawaitable(outcome) else outcome

    def _is_busy(self) -> bool:
        with self._lock:
            self._begun = [(thread, late) for thread, late in self._begun if thread.is_alive()]
            return sum(late <= monotonic() for _, late in self._begun) >= _MOST_LATE


async def _awaited(call: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    try:
        return await call(*given)
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:
        return _fault(error)


def _outcome(call: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    try:
        return call(*given)
    # SystemExit ends the thread and not the program, and nobody would resolve the answer
    except BaseException as error:
        return _fault(error)


def _fault(error: BaseException) -> Fault:
    kind = Fault(f"raised {type(error).__name__}")
    if not isinstance(error, RaguardError):
        return kind
    # a class of its own may raise where it is to say something
    told = read(lambda: Fault(f"failed: {error}"))
    return kind if told.why.startswith("raised ") else told


def _resolve(answer: asyncio.Future[Any], outcome: Any) -> None:
    if not answer.done():
        answer.set_result(outcome)
    elif inspect.iscoroutine(outcome):
        outcome.close()
