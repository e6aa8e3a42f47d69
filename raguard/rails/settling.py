"""What follows from what the rails say? A block settles it, unchecked is no pass, and a pass takes them all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from raguard.rails.decision import Decision, PartialDecision, State

__all__ = ["RailsDecision", "settled", "taken"]

Named = tuple[str, Decision]


@dataclass(frozen=True, slots=True)
class RailsDecision(PartialDecision):
    """What several rails together say: *pass* only when each has passed.

    ``categories``, ``model`` and ``raw`` are those of the rail that decided; ``latency_ms`` is that of the whole call.
    ``unchecked`` says in sentences, each beginning with the rail's name, which rails could not judge and why, and what
    the others left out.

    >>> from raguard import verify
    >>> from raguard.rails import Rails
    >>> told = Rails([verify]).decide("When?", ["It closed on 4 May 2024."], "It closed on 9 May 2024.")
    >>> told.state, told.rail, told.categories
    ('block', 'verify', ('unsupported_date',))
    """

    rail: str = ""
    """The rail that decided: the one that blocks, else the first unchecked one, else the last that was asked."""
    decisions: tuple[tuple[str, Decision], ...] = ()
    """Each rail's name and decision, in the order in which they were asked."""
    not_asked: tuple[str, ...] = ()
    """The rails after the one that blocked, which were not needed."""

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings, numbers and None, ready for ``json.dumps``; ``raw`` is what a model wrote.

        >>> from raguard import verify
        >>> from raguard.rails import Rails
        >>> told = Rails([verify]).decide("Since when?", ["Open since 4 May 2019."], "Since 4 May 2019.").to_dict()
        >>> told["state"], told["rail"], [one["name"] for one in told["decisions"]]
        ('pass', 'verify', ['verify'])
        """
        return _plain(self)


def settled(asked: Sequence[Named], not_asked: Sequence[str], latency_ms: float) -> RailsDecision:
    """The decision that follows from one or more rails, in the order asked; only the last of them may block.

    >>> late = Decision("unchecked", "it took too long")
    >>> settled([("verify", Decision("pass", "no high warning")), ("judge", late)], (), 80.0).reason
    'judge is unchecked: it took too long'
    """
    blocks = [named for named in asked if named[1].state == "block"]
    gaps = [named for named in asked if named[1].state == "unchecked"]
    name, decision = (blocks or gaps or [asked[-1]])[0]
    return RailsDecision(
        state=decision.state,
        reason=_reason(name, decision, len(asked), len(gaps)),
        categories=decision.categories,
        model=decision.model,
        latency_ms=latency_ms,
        raw=decision.raw,
        unchecked=tuple(f"{name}: {told}" for name, decision in asked for told in _unchecked(decision)),
        rail=name,
        decisions=tuple(asked),
        not_asked=tuple(not_asked),
    )


def taken(returned: Any, took_ms: float) -> Decision:
    """What a rail returned, as a decision of plain values; *unchecked* when it is not a usable Decision.

    A rail may return anything, even a Decision that was changed, or made without its validation. One without a latency
    gets ``took_ms``.

    >>> taken("pass", 1.0).reason
    'it returned str in place of a Decision'
    """
    if not issubclass(type(returned), Decision):
        return _unusable(f"it returned {type(returned).__name__} in place of a Decision", took_ms)
    try:
        return _copied(returned, took_ms)
    except KeyboardInterrupt:
        raise
    # a subclass may raise whatever it likes wherever it is read
    except BaseException:
        return _unusable("it returned a Decision that holds what cannot be used", took_ms)


def _reason(name: str, decision: Decision, asked: int, gaps: int) -> str:
    if decision.state == "block":
        return f"{name} blocks: {decision.reason}"
    if decision.state == "pass":
        return f"{name} passes: {decision.reason}" if asked == 1 else f"all {asked} rails pass"
    more = f" ({gaps - 1} more unchecked)" if gaps > 1 else ""
    return f"{name} is unchecked: {decision.reason}{more}"


def _unchecked(decision: Decision) -> list[str]:
    gaps = list(decision.unchecked) if isinstance(decision, PartialDecision) else []
    # the sentences of several rails say by themselves which of them is unchecked and why
    if decision.state == "unchecked" and not (isinstance(decision, RailsDecision) and gaps):
        gaps.insert(0, decision.reason)
    return gaps


def _unusable(why: str, took_ms: float) -> Decision:
    return Decision("unchecked", why, latency_ms=took_ms)


def _copied(decision: Decision, took_ms: float) -> Decision:
    plain = Decision(
        state=cast(State, _text(decision.state)),
        reason=_text(decision.reason),
        categories=_texts(decision.categories),
        model=None if decision.model is None else _text(decision.model),
        latency_ms=_milliseconds(decision.latency_ms) or took_ms,
        raw=None if decision.raw is None else _text(decision.raw),
    )
    if not isinstance(decision, PartialDecision):
        return plain
    said = {entry.name: getattr(plain, entry.name) for entry in fields(plain)}
    if not isinstance(decision, RailsDecision):
        return PartialDecision(**said, unchecked=_texts(decision.unchecked))
    return RailsDecision(
        **said,
        unchecked=_texts(decision.unchecked),
        rail=_text(decision.rail),
        decisions=tuple((_text(name), _copied(one, 0.0)) for name, one in decision.decisions),
        not_asked=_texts(decision.not_asked),
    )


def _text(value: Any) -> str:
    """A plain string; raises TypeError for what is none: a string of another class may say of itself what it likes."""
    return str.__str__(value)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, (list, tuple)):
        raise TypeError("texts must stand in a list or tuple")
    return tuple(map(_text, values))


def _milliseconds(value: Any) -> float:
    milliseconds = float(value)
    return milliseconds if math.isfinite(milliseconds) and milliseconds > 0 else 0.0


def _plain(decision: Decision) -> dict[str, Any]:
    told: dict[str, Any] = {
        "state": decision.state,
        "reason": decision.reason,
        "categories": list(decision.categories),
        "model": decision.model,
        "latency_ms": decision.latency_ms,
        "raw": decision.raw,
        "unchecked": list(decision.unchecked) if isinstance(decision, PartialDecision) else [],
    }
    if isinstance(decision, RailsDecision):
        told["rail"] = decision.rail
        told["decisions"] = [{"name": name, **_plain(one)} for name, one in decision.decisions]
        told["not_asked"] = list(decision.not_asked)
    return told
