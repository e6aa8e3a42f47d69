"""How does a Verifier, a claim guard or a judge become a rail? By what its result says, in counts and types only."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from raguard import ConfigError, Verifier, VerifyResult, Warning, verify
from raguard.kinds import has_methods, kind_of
from raguard.rails.decision import Decision, Docs, PartialDecision

if TYPE_CHECKING:
    from raguard.claims import GuardResult, HallucinationGuard

__all__ = [
    "GuardRail",
    "JudgeRail",
    "VerifyRail",
    "checked_name",
    "checked_tenant",
    "counted",
    "decision_of_guard",
    "decision_of_result",
]

_ERRORS = ("input_error", "check_error")
"""The types of warnings that are about what could not be checked, and not about the answer."""


class VerifyRail:
    """``verify`` or a Verifier as a rail: it blocks when there is a high warning about the answer.

    An answer is unchecked when it could not be checked (``input_error``, ``check_error``) or nothing of it was, as with
    ``Config(no_documents="skip")``. ``cost_ms`` is the time it usually takes. Raises ConfigError for anything else.

    >>> rail = VerifyRail()
    >>> rail.decide("When?", ["It closed on 4 May 2024."], "It closed on 9 May 2024.").reason
    '1 high warning: unsupported_date (date.unsupported)'
    >>> rail.decide("When?", [], "It closed on 9 May 2024.").state
    'unchecked'
    """

    def __init__(
        self,
        verifier: Verifier | Callable[..., VerifyResult] = verify,
        *,
        name: str = "verify",
        cost_ms: float = 5.0,
    ) -> None:
        if verifier is not verify and not isinstance(verifier, Verifier):
            raise ConfigError(f"verifier must be raguard.verify or a Verifier, not {kind_of(verifier)}")
        self.verifier = verifier
        self.name = checked_name(name)
        self.cost_ms = cost_ms

    def decide(self, query: str, docs: Docs, answer: str) -> PartialDecision:
        """The decision; its ``unchecked`` names the result's errors and what the result calls unchecked."""
        started = perf_counter()
        own = self.verifier if isinstance(self.verifier, Verifier) else None
        result = (verify if own is None else own.verify)(query, docs, answer)
        decision = decision_of_result(result, checked=own is None or len(own.checks) > 0)
        return replace(decision, latency_ms=1000 * (perf_counter() - started))


class GuardRail:
    """A HallucinationGuard as a rail: it blocks when a claim is unsupported, whatever the guard's action is.

    What the guard's config treats as unsupported counts as well (``on_unchecked="act"``). The answer is unchecked when
    the check is degraded or no claim was judged. ``tenant_id`` says whose threshold applies. Raises ConfigError for
    anything else.

    >>> from raguard.claims import HallucinationGuard
    >>> rail = GuardRail(HallucinationGuard())
    >>> decision = rail.decide("What is it?", ["The rent is $900 a month."], "There is a heated pool on the roof.")
    >>> decision.state, decision.reason
    ('block', '1 of 1 judged claim is unsupported at a threshold of 0.5')
    """

    def __init__(
        self,
        guard: HallucinationGuard,
        *,
        tenant_id: str = "default",
        name: str = "claim_guard",
        cost_ms: float = 20.0,
    ) -> None:
        if not has_methods(guard, "check_sync"):
            raise ConfigError(f"guard must be a HallucinationGuard, not {kind_of(guard)}")
        from raguard.claims.context import Context  # whoever has a guard has it loaded

        self.guard = guard
        self.name = checked_name(name)
        self.cost_ms = cost_ms
        self._context = Context(tenant_id=checked_tenant(tenant_id))

    def decide(self, query: str, docs: Docs, answer: str) -> PartialDecision:
        """The decision; its ``unchecked`` names the claims that were not judged."""
        started = perf_counter()
        result, _ = self.guard.check_sync(self._context, answer, docs, question=query)
        return replace(decision_of_guard(result), latency_ms=1000 * (perf_counter() - started))


class JudgeRail:
    """A GroundingJudge as a rail, or anything that has ``decide(answer, passages, question, *, tenant_id)``.

    ``tenant_id`` says for which tenant texts would be sent out; ``name`` is the judge's own unless another is given.
    Raises ConfigError for anything without ``decide`` and its async twin ``adecide``.

    >>> class Short:
    ...     name = "short"
    ...     def decide(self, answer, passages, question=None, *, tenant_id="default"):
    ...         return Decision("pass" if len(answer) < 200 else "block", f"{len(answer)} characters for {tenant_id}")
    ...     async def adecide(self, answer, passages, question=None, *, tenant_id="default"):
    ...         return self.decide(answer, passages, question, tenant_id=tenant_id)
    >>> JudgeRail(Short(), tenant_id="acme").decide("When?", ["On 4 May."], "On 4 May.").reason
    '9 characters for acme'
    """

    def __init__(
        self,
        judge: Any,
        *,
        tenant_id: str = "default",
        name: str | None = None,
        cost_ms: float = 2_000.0,
    ) -> None:
        if not has_methods(judge, "decide", "adecide"):
            raise ConfigError(f"judge must have decide and adecide as a GroundingJudge has, not {kind_of(judge)}")
        self.judge = judge
        self.name = checked_name(getattr(judge, "name", None) if name is None else name)
        self.cost_ms = cost_ms
        self.tenant_id = checked_tenant(tenant_id)

    def within(self, budget_ms: float) -> JudgeRail:
        """The same rail with a judge that ends its request after ``budget_ms`` milliseconds.

        A judge without ``within(seconds)`` is not stopped.
        """
        within = getattr(self.judge, "within", None)
        if not callable(within):
            return self
        bounded = copy.copy(self)
        bounded.judge = within(budget_ms / 1000)
        return bounded

    def decide(self, query: str, docs: Docs, answer: str) -> Decision:
        """What the judge says of the answer, given its documents."""
        decision: Decision = self.judge.decide(answer, docs, query, tenant_id=self.tenant_id)
        return decision

    async def adecide(self, query: str, docs: Docs, answer: str) -> Decision:
        """``decide`` by the judge's async twin."""
        decision: Decision = await self.judge.adecide(answer, docs, query, tenant_id=self.tenant_id)
        return decision


def checked_name(name: Any) -> str:
    """The name of a rail; ConfigError when it is not a string or is blank."""
    if not isinstance(name, str) or not name.strip():
        raise ConfigError(f"name must be a string that is not blank, not {kind_of(name)}")
    return name


def checked_tenant(tenant_id: Any) -> str:
    """A tenant's id; ConfigError when it is not a string or is empty."""
    if not isinstance(tenant_id, str) or not tenant_id:
        raise ConfigError(f"tenant_id must be a string that is not empty, not {kind_of(tenant_id)}")
    return tenant_id


def decision_of_result(result: VerifyResult, *, checked: bool) -> PartialDecision:
    """What a result says, where ``checked`` tells whether any check runs."""
    high = [warning for warning in result.warnings if warning.severity == "high" and warning.type not in _ERRORS]
    errors = [warning for warning in result.warnings if warning.type in _ERRORS]
    # an error's words name arguments, limits, types and checks; of what no rail gives, lang and history, they may quote
    faults = [warning.suggestion.rstrip(".") for warning in errors]
    gaps = [f"{gap.what}: {gap.why}" for gap in result.unchecked]
    nothing = [gap.why for gap in result.unchecked if gap.what == "everything"] or (
        [] if checked else ["no check runs"]
    )
    if high:
        return PartialDecision("block", counted(high, "high warning"), _types(high), unchecked=(*faults, *gaps))
    if errors:
        return PartialDecision("unchecked", faults[0], _types(errors), unchecked=(*faults[1:], *gaps))
    if nothing:
        return PartialDecision("unchecked", f"nothing was checked: {nothing[0]}", unchecked=tuple(gaps))
    return PartialDecision("pass", "no high warning", unchecked=tuple(gaps))


def _types(warnings: Sequence[Warning]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(warning.type for warning in warnings))


def counted(warnings: Sequence[Warning], noun: str) -> str:
    """How many warnings there are, called by ``noun``, of which types and rules; nothing that they say.

    >>> counted([Warning("high", "input_error", "", "lang must be …", 0, 0, "input.error")], "error")
    '1 error: input_error (input.error)'
    """
    types = ", ".join(_types(warnings))
    rules = ", ".join(dict.fromkeys(warning.rule for warning in warnings))
    return f"{len(warnings)} {noun}{'s' if len(warnings) > 1 else ''}: {types} ({rules})"


def decision_of_guard(result: GuardResult) -> PartialDecision:
    """What a guard's result says; its prose counts and names types, and holds no text."""
    judged = [claim for claim in result.claims if claim.status != "unchecked"]
    flagged = sum(not claim.supported for claim in judged)
    prose = result.reason.rstrip(".")
    unchecked = (prose,) if result.degraded else _left_out(result)
    if result.blocked_n:
        categories = ("unsupported_claim",) * (flagged > 0) + ("unchecked_claim",) * (result.blocked_n > flagged)
        reason = _unsupported(flagged, len(judged), result)
        return PartialDecision("block", reason, categories, unchecked=unchecked)
    if result.degraded or not judged:
        return PartialDecision("unchecked", prose)
    supported = f"all {len(judged)} judged claims are" if len(judged) > 1 else "the one judged claim is"
    return PartialDecision("pass", f"{supported} supported", unchecked=unchecked)


def _unsupported(flagged: int, judged: int, result: GuardResult) -> str:
    left_out = result.blocked_n - flagged
    unjudged = f"{left_out} claim{_was(left_out)} not checked, which counts as unsupported"
    if not flagged:
        return unjudged
    claims = "judged claim is" if judged == 1 else f"judged claims {'is' if flagged == 1 else 'are'}"
    told = f"{flagged} of {judged} {claims} unsupported at a threshold of {result.threshold:g}"
    return f"{told}, and {unjudged}" if left_out else told


def _left_out(result: GuardResult) -> tuple[str, ...]:
    """What nobody judged in a check that is not degraded: claims that are too short, words that stand in no claim."""
    whys = Counter(why for claim in result.claims if claim.status == "unchecked" for why in claim.reasons)
    claims = tuple(f"{count} claim{_was(count)} not checked: {why}" for why, count in whys.items())
    words = result.words_left_out
    return (*claims, f"{words} word{_was(words)} not checked: in no claim") if words else claims


def _was(count: int) -> str:
    return " was" if count == 1 else "s were"
