"""How long did each stage of a run take, and what went wrong in it?"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

from raguard.claims.asking import Fault, read
from raguard.pipeline.outside import Outside

__all__ = ["Stages"]

Value = TypeVar("Value")


class Stages:
    """The stages of one run: their faults in sentences, and their times in milliseconds, in the order they ran.

    >>> import asyncio
    >>> stages = Stages(Outside(1.0))
    >>> asyncio.run(stages.ask("generate", "the provider", str, lambda: [].pop())), stages.errors
    (None, ['the provider raised IndexError'])
    """

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._started = perf_counter()
        self._times: dict[str, float] = {}
        self._failed: set[str] = set()
        self.errors: list[str] = []

    async def ask(
        self, stage: str, who: str, reading: Callable[[Any], Value | Fault], call: Callable[..., Any], *given: Any
    ) -> Value | None:
        """What ``reading`` makes of what a part returns.

        When the part fails or hangs, or ``reading`` raises or returns a Fault, the result is None and ``errors`` gets
        one more sentence. The times of a stage that is asked twice are added up.
        """
        began = perf_counter()
        returned = await self._outside.ask(call, *given)
        value = returned if isinstance(returned, Fault) else read(lambda: reading(returned))
        self._times[stage] = self._times.get(stage, 0.0) + 1000 * (perf_counter() - began)
        if isinstance(value, Fault):
            self._failed.add(stage)
            self.errors.append(f"{who} {value.why}")
            return None
        return value

    def failed(self, stage: str) -> bool:
        """Whether a stage was begun and has no result."""
        return stage in self._failed

    def took(self, stage: str) -> float:
        """The milliseconds of one stage that has run."""
        return self._times[stage]

    def times(self) -> dict[str, float]:
        """The milliseconds of each stage so far, and of all since the start."""
        return {**self._times, "total": 1000 * (perf_counter() - self._started)}
