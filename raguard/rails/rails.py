"""How are several rails asked about one answer? The whole flow: cheap before dear, within a budget, a block ends it."""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

from raguard import ConfigError
from raguard.rails.adapters import JudgeRail, checked_name, checked_tenant
from raguard.rails.asking import Ask, ask_beside, ask_here, finished
from raguard.rails.decision import Decision, Docs
from raguard.rails.parts import Part, part_of
from raguard.rails.settling import RailsDecision, settled, taken

__all__ = ["Rails"]


class Rails:
    """Several rails as one: an answer passes only when every one of them passes it.

    ``parts`` are ``raguard.verify``, Verifiers, HallucinationGuards, GroundingJudges, and objects with ``name`` and
    ``decide(query, docs, answer)``, which may be async. They are asked in the order of their ``cost_ms`` (the time a
    rail usually takes; equals in the order given) until one blocks. ``budget_ms`` bounds the whole call: each rail gets
    the time that is left, is *unchecked* when it does not answer in time, and is not asked when no time is left.
    ``tenant_id`` is passed to claim guards and judges. Any number of threads and event loops can share one object if
    its parts can be shared. Raises ConfigError naming the part that cannot be used, also for two rails of one name.

    >>> from raguard import verify
    >>> from raguard.claims import HallucinationGuard
    >>> rails = Rails([HallucinationGuard(), verify])
    >>> rails.order
    ('verify', 'claim_guard')
    >>> decision = rails.decide("When?", ["It closed on 4 May 2024."], "It closed on 9 May 2024.")
    >>> decision.state, decision.reason, decision.not_asked
    ('block', 'verify blocks: 1 high warning: unsupported_date (date.unsupported)', ('claim_guard',))
    """

    def __init__(
        self,
        parts: Sequence[Any],
        *,
        budget_ms: float | None = None,
        tenant_id: str = "default",
        name: str = "rails",
    ) -> None:
        self.name = checked_name(name)
        self.tenant_id = checked_tenant(tenant_id)
        self.budget_ms = _checked_budget(budget_ms)
        if not isinstance(parts, (list, tuple)) or not parts:
            raise ConfigError(f"parts must be a list of at least one rail, not {_shown(parts)}")
        known = [part_of(part, place, self.tenant_id) for place, part in enumerate(parts)]
        twice = [name for name, count in Counter(part.name for part in known).items() if count > 1]
        if twice:
            raise ConfigError(f"two parts have the name {twice[0]!r}; give one another: VerifyRail(verifier, name=...)")
        self._parts: tuple[Part, ...] = tuple(sorted(known, key=lambda part: part.cost_ms))

    @property
    def order(self) -> tuple[str, ...]:
        """The names of the rails, in the order in which they are asked."""
        return tuple(part.name for part in self._parts)

    @property
    def cost_ms(self) -> float:
        """The time that all of them together usually take, in milliseconds."""
        return sum(part.cost_ms for part in self._parts)

    def within(self, budget_ms: float) -> Rails:
        """The same rails with a budget of at most ``budget_ms`` milliseconds; the shorter of the two budgets counts.

        >>> from raguard import verify
        >>> Rails([verify], budget_ms=50).within(80).budget_ms
        50.0
        """
        bounded = copy.copy(self)
        given = _checked_budget(budget_ms)
        bounded.budget_ms = min((budget for budget in (self.budget_ms, given) if budget is not None), default=None)
        return bounded

    def decide(self, query: str, docs: Docs, answer: str) -> RailsDecision:
        """The decision of all rails on one answer. Never raises: a rail that fails, hangs or errs is *unchecked*.

        Without a budget the rails are asked in the caller's thread. Only KeyboardInterrupt propagates.
        """
        return finished(self._decided(_Case(query, docs, answer), ask_here))

    async def adecide(self, query: str, docs: Docs, answer: str) -> RailsDecision:
        """``decide`` for an event loop: rails that are not async are asked in threads, so that the loop keeps running.

        An async rail is awaited in the caller's loop; code in it that never yields cannot be interrupted. Cancellation
        and KeyboardInterrupt propagate to the caller.
        """
        return await self._decided(_Case(query, docs, answer), ask_beside)

    async def _decided(self, case: _Case, ask: Ask) -> RailsDecision:
        started = perf_counter()
        asked: list[tuple[str, Decision]] = []
        for part in self._parts:
            left_ms = None if self.budget_ms is None else self.budget_ms - _ms_since(started)
            asked.append((part.name, await _asked(part, case, left_ms, ask)))
            if asked[-1][1].state == "block":
                break
        not_asked = [part.name for part in self._parts[len(asked) :]]
        return settled(asked, not_asked, _ms_since(started))


class _Case(NamedTuple):
    """What is asked about, as it came."""

    query: Any
    docs: Any
    answer: Any

    def fresh(self) -> tuple[Any, Any, Any]:
        """The arguments for one rail: whatever it does to its list of documents, the next rail gets them all."""
        return self.query, list(self.docs) if isinstance(self.docs, list) else self.docs, self.answer


async def _asked(part: Part, case: _Case, left_ms: float | None, ask: Ask) -> Decision:
    """What one rail says, or why it is unchecked."""
    if left_ms is not None and left_ms <= 0:
        return Decision("unchecked", "it was not asked: no time was left")
    started = perf_counter()
    seconds = None if left_ms is None else left_ms / 1000
    returned = await ask(part, lambda method: getattr(_within(part.rail, left_ms), method)(*case.fresh()), seconds)
    return taken(returned, _ms_since(started))


def _within(rail: Any, left_ms: float | None) -> Any:
    """The rail with what is left of the time, where it would else go on asking when nobody waits any more."""
    return rail if left_ms is None or not isinstance(rail, Rails | JudgeRail) else rail.within(left_ms)


def _ms_since(started: float) -> float:
    return 1000 * (perf_counter() - started)


def _checked_budget(budget_ms: Any) -> float | None:
    if budget_ms is None:
        return None
    if isinstance(budget_ms, bool) or not isinstance(budget_ms, (int, float)) or not 0 < budget_ms < math.inf:
        raise ConfigError(f"budget_ms must be a number of milliseconds above 0 or None, not {budget_ms!r:.40}")
    return float(budget_ms)


def _shown(parts: Any) -> str:
    return "an empty one" if isinstance(parts, (list, tuple)) else type(parts).__name__
