"""How is other people's code asked, so that its faults stay small? Nothing it does ends the check.

It may raise, hang, or return what it should not. It runs in a task of its own, which is abandoned when its time is up;
only code that never awaits cannot be abandoned. A fault is reported by its type, not by its message, which may hold
text of the answer; the exception is UnscorableError, which only raguard's own scorers raise and which holds no text.
"""

from __future__ import annotations

import asyncio
import inspect
from asyncio import get_running_loop
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from raguard import RaguardError
from raguard.claims.scoring import NLIScore

__all__ = ["Fault", "RefusedError", "Scores", "UnscorableError", "ask", "ask_scores", "read"]

_AT_ONCE = 8
"""How many claims are asked about at the same time when their batch has failed."""

Item = TypeVar("Item")
Value = TypeVar("Value")
Scores = list[NLIScore]
AskForScores = Callable[[Sequence[Item]], Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why something has no result, as the end of a sentence that begins with what failed."""

    why: str
    is_final: bool = field(default=False, repr=False)
    """Whether it is pointless to ask again about less."""


class UnscorableError(RaguardError):
    """Why one of raguard's own scorers cannot score; the message holds no text and appears in the result."""


class RefusedError(UnscorableError):
    """Why it can score none of the claims, however they are asked: asked one by one, it would see even less."""


def read(reading: Callable[[], Value]) -> Value | Fault:
    """What reading a foreign object returns, or a Fault when it raises; only KeyboardInterrupt propagates.

    >>> read(lambda: [].pop())
    Fault(why='raised IndexError')
    """
    try:
        return reading()
    except KeyboardInterrupt:
        raise
    # SystemExit would end the event loop, and extensions raise what is not an Exception
    except BaseException as error:
        return Fault(f"raised {type(error).__name__}")


async def ask(call: Callable[[], Any], seconds: float) -> Any:
    """What ``call()`` returns, awaited if need be, or a Fault; cancellation and KeyboardInterrupt propagate.

    >>> async def slow():
    ...     await asyncio.sleep(60)
    >>> asyncio.run(ask(slow, 0.01))
    Fault(why='took too long')
    """
    task = asyncio.ensure_future(_run(call))
    try:
        done, _ = await asyncio.wait({task}, timeout=max(seconds, 0))
        if not done:
            return Fault("took too long")
        # whoever cancels the check ends the wait for the task: here it was cancelled from inside
        return Fault("was cancelled") if task.cancelled() else task.result()
    finally:
        task.cancel()


async def _run(call: Callable[[], Any]) -> Any:
    try:
        value = call()
        return await value if inspect.isawaitable(value) else value
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if type(error) in (UnscorableError, RefusedError):
            return Fault(f"said: {error}", is_final=type(error) is RefusedError)
        return Fault(f"raised {type(error).__name__}")


async def ask_scores(
    call: AskForScores[Item], groups: Sequence[Sequence[Item]], seconds: float, *, together: bool = True
) -> list[Scores | Fault]:
    """The scores of each group's items, or why the group has none.

    All are asked for together in the first half of the time. Groups that still lack a score are then asked for one by
    one, several at a time, in the time that is left, so that one that fails or hangs does not affect the others.
    """
    deadline = get_running_loop().time() + seconds
    scores: list[Scores | Fault] = [Fault("was not asked") for _ in groups]
    if together:
        items = [item for group in groups for item in group]
        found = iter(_outcomes(await ask(lambda: call(items), seconds / 2), len(items)))
        scores = [_of_group([next(found) for _ in group]) for group in groups]
    free = asyncio.Semaphore(_AT_ONCE)

    async def alone(group: Sequence[Item]) -> Scores | Fault:
        async with free:
            left = deadline - get_running_loop().time()
            if left <= 0:
                return Fault("took too long")
            return _of_group(_outcomes(await ask(lambda: call(group), left), len(group)))

    missing = [place for place, found in enumerate(scores) if isinstance(found, Fault) and not found.is_final]
    for place, of_group in zip(missing, await _all(alone(groups[place]) for place in missing), strict=True):
        scores[place] = of_group
    return scores


async def _all(waiting: Iterable[Any]) -> list[Any]:
    """The results in order; when this is cancelled, or one of them raises, the others are cancelled too."""
    tasks = [asyncio.ensure_future(one) for one in waiting]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


def _of_group(outcomes: list[NLIScore | Fault]) -> Scores | Fault:
    faults = [outcome for outcome in outcomes if isinstance(outcome, Fault)]
    return faults[0] if faults else [outcome for outcome in outcomes if isinstance(outcome, NLIScore)]


def _outcomes(returned: Any, count: int) -> list[NLIScore | Fault]:
    """What was returned for each of ``count`` items."""
    found = read(lambda: _listed(returned, count))
    return [found] * count if isinstance(found, Fault) else found


def _listed(returned: Any, count: int) -> list[NLIScore | Fault] | Fault:
    if isinstance(returned, Fault):
        return returned
    if not isinstance(returned, (list, tuple)):
        return Fault(f"returned {type(returned).__name__} in place of a list of scores")
    # a subclass may say of itself what it likes
    entries = list(returned)
    if len(entries) != count:
        return Fault(f"returned {len(entries)} scores for {count}")
    return [_outcome(entry) for entry in entries]


def _outcome(entry: Any) -> NLIScore | Fault:
    if not issubclass(type(entry), NLIScore):
        return Fault(f"returned {type(entry).__name__} in place of a score")
    score = read(lambda: _rebuilt(entry))
    if isinstance(score, Fault):
        return Fault("returned a score outside of its range")
    return Fault(f"said: {score.unchecked}", is_final=True) if score.unchecked else score


def _rebuilt(entry: NLIScore) -> NLIScore:
    """The same score, checked, for it may have been changed or made without a check, and of plain values alone."""
    score = NLIScore(entry.label, entry.entailment, entry.contradiction, entry.reasons, entry.evidence, entry.unchecked)
    reasons, evidence = map(str.__str__, score.reasons), map(int.__int__, score.evidence)
    unchecked = str.__str__(score.unchecked)
    return replace(score, reasons=tuple(reasons), evidence=tuple(evidence), unchecked=unchecked)
