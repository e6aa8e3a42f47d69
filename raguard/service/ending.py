"""How does a process end that is told to by a signal? As the caller says, for as long as it serves."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

__all__ = ["end", "on_signals"]


@contextmanager
def on_signals(handler: Callable[[int, Any], None], *numbers: int) -> Iterator[None]:
    """Handles the signals meanwhile, and leaves them to whoever had them before; only the main thread can."""
    before: dict[int, Any] = {}
    if current_thread() is main_thread():
        before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, handled in before.items():
            # None is a handler that was not set from Python, and cannot be set from it
            signal.signal(number, signal.SIG_DFL if handled is None else handled)


def end(number: int, frame: Any) -> None:
    """Ends the process with status 0 once uvicorn, which passes a signal on when it is done, has ended."""
    raise SystemExit(0)
