"""How is one rail asked, so that neither its faults nor its hanging get out? By code that waits, or that is async.

``ask_here`` and ``ask_beside`` have the same signature, so that the flow is written once: the first never yields to an
event loop, and so needs none. A fault is reported by its type, not by its message, which may hold text.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import TIMEOUT_MAX, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from raguard.rails.decision import Decision
from raguard.rails.parts import Part

if TYPE_CHECKING:
    from asyncio import Future

__all__ = ["Ask", "ask_beside", "ask_here", "finished"]

_MOST_LATE = 32
"""How many threads a rail may leave behind: one that hangs for good must not cost a thread per call."""

Result = TypeVar("Result")
Call = Callable[[str], Any]
"""Calls the rail's method of that name."""
Ask = Callable[[Part, Call, float | None], Coroutine[Any, Any, Any]]
"""Asks a rail by ``Call`` for at most so many seconds (None: no bound); returns what it returned, or why it did not."""


async def ask_here(part: Part, call: Call, seconds: float | None) -> Any:
    """What the rail returns, or that it is unchecked; never yields to an event loop.

    Without a bound the rail is asked in this very thread; otherwise in one that is abandoned when the time is up.
    """
    if seconds is None:
        return _outcome(lambda: _awaited(call("decide"), math.inf))
    if busy := _busy(part):
        return busy
    answers: SimpleQueue[Any] = SimpleQueue()
    until = perf_counter() + seconds
    thread = _start(lambda: _awaited(call("decide"), until), answers.put)
    if isinstance(thread, Decision):
        return thread
    try:
        return _reraised(answers.get(timeout=min(seconds, TIMEOUT_MAX)))
    except Empty:
        part.late.append(thread)
        return _unchecked("took too long")


async def ask_beside(part: Part, call: Call, seconds: float | None) -> Any:
    """The same for an event loop, which keeps running: what cannot be awaited is asked in a thread."""
    from raguard.claims.asking import Fault, ask  # asyncio is for those who await

    method = part.awaited
    if method is None and (busy := _busy(part)):
        return busy
    asked: Callable[[], Any] = (lambda: call(method)) if method else (lambda: _from_thread(part, call))
    outcome = await ask(asked, TIMEOUT_MAX if seconds is None else min(seconds, TIMEOUT_MAX))
    return _unchecked(outcome.why) if isinstance(outcome, Fault) else outcome


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """What ``work`` returns, which must never yield to an event loop; RuntimeError when it does.

    >>> async def answer():
    ...     return 42
    >>> finished(answer())
    42
    """
    try:
        work.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    work.close()
    raise RuntimeError("what is asked without an event loop must not give way to one")


def _busy(part: Part) -> Decision | None:
    """That a rail is unchecked which still works for too many earlier answers."""
    part.late[:] = [thread for thread in part.late if thread.is_alive()]
    if len(part.late) < _MOST_LATE:
        return None
    return _unchecked(f"was not asked: {len(part.late)} earlier answers still keep it busy")


def _start(call: Callable[[], Any], done: Callable[[Any], None]) -> Thread | Decision:
    """A thread that hands what ``call`` returns to ``done``, and that the interpreter does not wait for at its end."""

    def work() -> None:
        try:
            outcome = _outcome(call)
        except KeyboardInterrupt as stop:
            outcome = stop
        done(outcome)

    thread = Thread(target=copy_context().run, args=(work,), name="raguard-rail", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return _unchecked("was not asked: no thread can be started")
    return thread


async def _from_thread(part: Part, call: Call) -> Any:
    """What the rail returns from a thread, awaited here where it can be; the thread is left when nobody waits."""
    import asyncio

    loop = asyncio.get_running_loop()
    answer: Future[Any] = loop.create_future()

    def done(outcome: Any) -> None:
        try:
            loop.call_soon_threadsafe(_resolve, answer, outcome)
        except RuntimeError:
            # a loop that has ended waits for nothing
            _drop(outcome)

    thread = _start(lambda: call("decide"), done)
    if isinstance(thread, Decision):
        return thread
    try:
        outcome = _reraised(await answer)
    except asyncio.CancelledError:
        part.late.append(thread)
        raise
    return await outcome if inspect.isawaitable(outcome) else outcome


def _resolve(answer: Future[Any], outcome: Any) -> None:
    if not answer.done():
        answer.set_result(outcome)
    else:
        _drop(outcome)


def _outcome(call: Callable[[], Any]) -> Any:
    """What ``call`` returns, or that the rail is unchecked by what it raised; only KeyboardInterrupt goes on."""
    try:
        return call()
    except KeyboardInterrupt:
        raise
    # SystemExit would end the program, and extensions raise what is not an Exception
    except BaseException as error:
        return _unchecked(f"raised {type(error).__name__}")


def _awaited(returned: Any, until: float) -> Any:
    """What a rail returned to code that is not async, awaited where it can be, in a loop of its own until that time."""
    if not inspect.isawaitable(returned):
        return returned
    seconds = until - perf_counter()
    if seconds <= 0:
        _drop(returned)
        return _unchecked("took too long")
    from raguard.claims.asking import Fault, ask
    from raguard.claims.running import run

    awaitable: Awaitable[Any] = returned
    outcome = run(ask(lambda: awaitable, min(seconds, TIMEOUT_MAX)))
    return _unchecked(outcome.why) if isinstance(outcome, Fault) else outcome


def _drop(outcome: Any) -> None:
    """Says of a coroutine that nobody will await it."""
    if inspect.iscoroutine(outcome):
        outcome.close()


def _reraised(outcome: Any) -> Any:
    if isinstance(outcome, KeyboardInterrupt):
        raise outcome
    return outcome


def _unchecked(why: str) -> Decision:
    return Decision("unchecked", f"it {why}")
