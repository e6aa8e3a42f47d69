"""Which rail is meant by what was given, what is it called, and what does it usually take?"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, Literal

from raguard import ConfigError, Verifier, verify
from raguard.rails.adapters import GuardRail, JudgeRail, VerifyRail, checked_name

__all__ = ["Part", "part_of"]

_COST_MS = 100.0
"""What a rail is taken to cost that does not say so: more than the claim guard, less than a judge."""
_DUE = "raguard.verify, a Verifier, a HallucinationGuard, a GroundingJudge, or an object with name and decide"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One rail of several: what it is called and costs (milliseconds), and which of its methods can be awaited."""

    rail: Any
    name: str
    cost_ms: float
    awaited: Literal["adecide", "decide"] | None
    late: list[Thread] = field(default_factory=list)
    """The threads in which it still works for answers that nobody waits for any more."""


def part_of(given: Any, place: int, tenant_id: str) -> Part:
    """The rail that ``given`` is or stands for; ConfigError naming its place when it is none.

    >>> from raguard import verify
    >>> part_of(verify, 0, "default").name
    'verify'
    >>> part_of("verify", 0, "default")
    Traceback (most recent call last):
        ...
    raguard.errors.ConfigError: parts[0] is str: it must be raguard.verify, a Verifier, a HallucinationGuard, \
a GroundingJudge, or an object with name and decide
    """
    where = f"parts[{place}]"
    if isinstance(given, type):
        raise ConfigError(f"{where} is the class {given.__name__}: give an instance of it")
    where = f"{where} is {type(given).__name__}"
    rail = _rail(given, tenant_id)
    decide = _read(rail, "decide", where)
    if not callable(decide):
        raise ConfigError(f"{where}: it must be {_DUE}")
    if _takes_the_answer_first(decide):
        raise ConfigError(f"{where}: its decide takes the answer first, as a judge does: give JudgeRail of it")
    name = _read(rail, "name", where)
    try:
        checked_name(name)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    awaited: Literal["adecide", "decide"] | None = "decide" if inspect.iscoroutinefunction(decide) else None
    if callable(_read(rail, "adecide", where)):
        awaited = "adecide"
    return Part(rail, name, _cost(_read(rail, "cost_ms", where), where), awaited)


def _rail(given: Any, tenant_id: str) -> Any:
    if given is verify or isinstance(given, Verifier):
        return VerifyRail(given)
    if _is(given, "raguard.claims", "HallucinationGuard"):
        return GuardRail(given, tenant_id=tenant_id)
    if _is(given, "raguard.judge", "GroundingJudge"):
        return JudgeRail(given, tenant_id=tenant_id)
    return given


def _is(given: Any, room: str, name: str) -> bool:
    """Whether it is of that class of that room, which is not imported for it: whoever has an object has its class."""
    return any(base.__name__ == name and f"{base.__module__}.".startswith(f"{room}.") for base in type(given).__mro__)


def _read(rail: Any, attribute: str, where: str) -> Any:
    try:
        return getattr(rail, attribute, None)
    except Exception as error:
        raise ConfigError(f"{where}: its {attribute} cannot be read ({type(error).__name__})") from error


def _takes_the_answer_first(decide: Callable[..., Any]) -> bool:
    try:
        return next(iter(inspect.signature(decide).parameters), "") == "answer"
    except (TypeError, ValueError):
        return False


def _cost(cost_ms: Any, where: str) -> float:
    if cost_ms is None:
        return _COST_MS
    if isinstance(cost_ms, bool) or not isinstance(cost_ms, (int, float)) or not 0 <= cost_ms < math.inf:
        raise ConfigError(f"{where}: cost_ms must be a number of milliseconds of at least 0, not {cost_ms!r:.40}")
    return float(cost_ms)
