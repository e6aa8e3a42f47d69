"""How much is done at the same time? A few threads judge; when all places are taken, callers are told to come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from raguard.service.problems import ProblemError

__all__ = ["PartError", "Work", "raised"]

_RETRY_AFTER_S = 1

Value = TypeVar("Value")


class PartError(Exception):
    """A part raised what would end a process, a task or a generator in place of its call; ``args`` name its type."""


def raised(error: BaseException) -> str:
    """The type of what a part raised, and never its message.

    >>> raised(ValueError("the whole text")), raised(PartError("SystemExit"))
    ('ValueError', 'SystemExit')
    """
    return str(error.args[0]) if isinstance(error, PartError) else type(error).__name__


class Work:
    """Judging in ``threads`` threads, for at most ``most`` requests; for one event loop.

    A thread cannot be ended: work whose request is gone keeps its place until it is done, so that overload never builds
    up unnoticed.
    """

    def __init__(self, threads: int, most: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="raguard-service")
        self._most = most
        self._inside = self._left_behind = 0

    @property
    def busy(self) -> int:
        """How many places are taken."""
        return self._inside + self._left_behind

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place for one request; raises ProblemError 429 when there is none."""
        if self.busy >= self._most:
            raise ProblemError(
                429,
                "overloaded",
                "The service has more requests than it can work on; try again later.",
                headers={"Retry-After": str(_RETRY_AFTER_S)},
            )
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def run(self, call: Callable[..., Value], *arguments: Any, **options: Any) -> Value:
        """What ``call`` returns or raises in a thread; who is cancelled meanwhile does not wait for it.

        What would end more than the call is a PartError: the part's SystemExit is not the service's, its CancelledError
        not the request's, and of a StopIteration a future is never done.
        """
        held: list[Callable[[], Value]] = [partial(copy_context().run, _kept, partial(call, *arguments, **options))]
        future = self._pool.submit(lambda: held.pop()())
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if future.cancel():
                # it stays in the line until a thread is free, its texts do not
                held.clear()
            else:
                # it runs, or has just ended
                self._left_behind += 1
                loop = asyncio.get_running_loop()
                future.add_done_callback(lambda done: self._tell(loop, done))
            raise

    def close(self) -> None:
        """Accepts no more work; what is running ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _tell(self, loop: asyncio.AbstractEventLoop, done: Future[Any]) -> None:
        # a loop that is closed counts nothing any more
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._ended)

    def _ended(self) -> None:
        self._left_behind -= 1


def _kept(call: Callable[[], Value]) -> Value:
    """What ``call`` returns or raises, as an error of this call alone."""
    try:
        return call()
    except (StopIteration, CancelledError) as error:
        raise PartError(type(error).__name__) from None
    except Exception:
        raise
    except BaseException as error:
        raise PartError(type(error).__name__) from None
