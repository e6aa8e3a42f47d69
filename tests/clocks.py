"""How is a deadline tested so that a slow machine changes nothing? The test decides from when on time passes."""

from __future__ import annotations

import asyncio
import selectors
from threading import Event
from typing import Any

import pytest

__all__ = ["IdleLoop", "StandingLoop", "wait_from"]


class _Impatient(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Waits for nothing that is to come at a time: the time is come at once."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0 if timeout else timeout)
        if timeout and not ready:
            self.passed_s += timeout
        return ready


class IdleLoop(asyncio.SelectorEventLoop):
    """Its time passes while it has nothing to do, and then at once; not for work in threads, which it does not see."""

    def __init__(self) -> None:
        self._impatient = _Impatient()
        super().__init__(self._impatient)

    def time(self) -> float:
        return self._impatient.passed_s


class StandingLoop(asyncio.SelectorEventLoop):
    """Its time stands until ``begun`` is set, so that what must have begun has all the time for it."""

    def __init__(self, begun: Event) -> None:
        self._begun, self._stood = begun, 0.0
        super().__init__()
        self._stood = super().time()

    def time(self) -> float:
        return super().time() if self._begun.is_set() else self._stood


def wait_from(begun: Event, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ``module`` waits for, by ``concurrent.futures.wait``, has its time from when ``begun`` is set."""
    wait = module.wait

    def waiting(futures: Any, seconds: float) -> Any:
        assert begun.wait(60)
        return wait(futures, seconds)

    monkeypatch.setattr(module, "wait", waiting)
