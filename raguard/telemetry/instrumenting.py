"""How does a part of raguard report its results? Through a twin that does the same and reports what it did.

The core knows nothing of telemetry, and a part that is not instrumented pays nothing for it.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TypeVar

from raguard import ConfigError, Verifier, VerifyResult
from raguard.gate import Gate, Gated
from raguard.kinds import kind_of
from raguard.modes import tenant_named
from raguard.rails.adapters import GuardRail, JudgeRail, VerifyRail
from raguard.rails.rails import Rails
from raguard.rails.settling import RailsDecision, taken
from raguard.streaming import Finished, StreamEvent
from raguard.telemetry.telling import OnResult, Teller
from raguard.telemetry.told import (
    Told,
    told_of_decision,
    told_of_gated,
    told_of_guard,
    told_of_rails,
    told_of_reports,
    told_of_verdict,
)

__all__ = ["instrumented"]

Part = TypeVar("Part")
_IN_GATE: ContextVar[bool] = ContextVar("raguard_in_gate", default=False)


def instrumented(
    part: Part,
    *,
    on_result: OnResult | None = None,
    tracer_provider: Any = None,
    meter_provider: Any = None,
    logger_provider: Any = None,
) -> Part:
    """A twin of a part, of the same class, that reports each of its results; an instrumented part stays as it is.

    A part is a Verifier, a HallucinationGuard, a GroundingJudge, Rails, a GuardrailSuite or a Gate; the verifier of a
    gate and the rails of Rails are instrumented, too. Results go to OpenTelemetry, as far as the application has set it
    up (by the global providers unless others are given), and to ``on_result``, which is called with a ``Told`` in the
    thread of the call. Without OpenTelemetry's API and without ``on_result``, the part itself is returned. Raises
    ConfigError for anything else.

    >>> from raguard import Verifier
    >>> told = []
    >>> gate = instrumented(Gate(Verifier()), on_result=told.append)
    >>> gate.judge("When?", ["It closed on 4 May 2024."], "It closed on 4 May 2024.").text
    'It closed on 4 May 2024.'
    >>> [(one.rail, one.state) for one in told]
    [('verify', 'pass'), ('gate', 'pass')]
    """
    if on_result is not None and (not callable(on_result) or inspect.iscoroutinefunction(on_result)):
        raise ConfigError(f"on_result must be a plain function of a Told, not {type(on_result).__name__}")
    given = {"tracer": tracer_provider, "meter": meter_provider, "logger": logger_provider}
    for name, provider in given.items():
        if provider is not None and not callable(getattr(provider, f"get_{name}", None)):
            raise ConfigError(f"{name}_provider must be one of OpenTelemetry, not {type(provider).__name__}")
    teller = Teller(on_result, tracer_provider, meter_provider, logger_provider)
    kind = _kind(part)
    if kind is None:
        raise ConfigError(
            "part must be a Verifier, a HallucinationGuard, a GroundingJudge, Rails, a GuardrailSuite or a Gate, "
            f"not {kind_of(part)}"
        )
    return part if teller.api is None and on_result is None else _twin(part, teller)


class _Telling:
    """What all twins have."""

    _teller: Teller


class _TellingVerifier(_Telling):
    def verify(self, query: Any, retrieved_docs: Any, llm_response: Any, **options: Any) -> VerifyResult:
        with self._teller.call("verify") as call:
            result: VerifyResult = super().verify(query, retrieved_docs, llm_response, **options)  # type: ignore[misc]
            call.tell(lambda: told_of_verdict(result, checked=_is_checking(self)))
        return result

    def stream(self, query: Any, retrieved_docs: Any, **options: Any) -> Any:
        # its sentences are no answers: the end alone is told
        return _twin(_plain(self).stream(query, retrieved_docs, **options), self._teller, verifier=self)


class _TellingStream(_Telling):
    _verifier: Verifier

    def finish(self) -> list[StreamEvent]:
        with self._teller.call("stream") as call:
            events: list[StreamEvent] = super().finish()  # type: ignore[misc]
            call.tell(lambda: self._telling_of(events))
        return events

    def _telling_of(self, events: Sequence[StreamEvent]) -> Told:
        (end,) = (event for event in events if isinstance(event, Finished))
        checked = _is_checking(self._verifier)
        told = told_of_verdict(end.result, checked=checked, rail="stream")
        return replace(told, attributes={**told.attributes, "raguard.late_n": len(end.late)})


class _TellingGuard(_Telling):
    async def check(self, *case: Any, **options: Any) -> Any:
        # it has a span of its own
        with self._teller.call("claim_guard", spanned=False) as call:
            result, shown = await super().check(*case, **options)  # type: ignore[misc]
            call.tell(lambda: told_of_guard(result))
        return result, shown


class _TellingJudge(_Telling):
    def decide(self, *case: Any, **options: Any) -> Any:
        with self._teller.call("judge") as call:
            decision = super().decide(*case, **options)  # type: ignore[misc]
            call.tell(lambda: told_of_decision(decision, "judge", _categories(self)))
        return decision

    async def adecide(self, *case: Any, **options: Any) -> Any:
        with self._teller.call("judge") as call:
            decision = await super().adecide(*case, **options)  # type: ignore[misc]
            call.tell(lambda: told_of_decision(decision, "judge", _categories(self)))
        return decision


class _TellingRails(_Telling):
    def decide(self, *case: Any, **options: Any) -> RailsDecision:
        with self._teller.call("rails") as call:
            decision: RailsDecision = super().decide(*case, **options)  # type: ignore[misc]
            call.tell(lambda: told_of_rails(decision))
        return decision

    async def adecide(self, *case: Any, **options: Any) -> RailsDecision:
        with self._teller.call("rails") as call:
            decision: RailsDecision = await super().adecide(*case, **options)  # type: ignore[misc]
            call.tell(lambda: told_of_rails(decision))
        return decision


class _TellingSuite(_Telling):
    def check(self, text: object) -> Any:
        with self._teller.call("screens") as call:
            report = super().check(text)  # type: ignore[misc]
            call.tell(lambda: told_of_reports([report]))
        return report

    def check_documents(self, docs: object) -> Any:
        with self._teller.call("screens") as call:
            reports = super().check_documents(docs)  # type: ignore[misc]
            call.tell(lambda: told_of_reports(reports))
        return reports


class _TellingGate(_Telling):
    def judge(self, query: Any, docs: Any, answer: Any, *, tenant_id: str | None = "default", **options: Any) -> Gated:
        tenant_id = tenant_named(tenant_id)
        with self._teller.call("gate", attributes={"raguard.tenant_id": tenant_id}) as call:
            token = _IN_GATE.set(True)
            try:
                gated: Gated = super().judge(query, docs, answer, tenant_id=tenant_id, **options)  # type: ignore[misc]
            finally:
                _IN_GATE.reset(token)
            call.tell(lambda: told_of_gated(gated, checked=_is_checking(self.verifier)))  # type: ignore[attr-defined]
        return gated

    def settle(self, answer: Any, verdict: Any, tenant_id: str | None = "default") -> Gated:
        tenant_id = tenant_named(tenant_id)
        if _IN_GATE.get():
            return super().settle(answer, verdict, tenant_id)  # type: ignore[misc,no-any-return]
        with self._teller.call("gate", attributes={"raguard.tenant_id": tenant_id}) as call:
            gated: Gated = super().settle(answer, verdict, tenant_id)  # type: ignore[misc]
            call.tell(lambda: told_of_gated(gated, checked=_is_checking(self.verifier)))  # type: ignore[attr-defined]
        return gated


class _ToldRail:
    """A rail of somebody's own, which may be of any class: what it returns is told, and handed on as it is."""

    def __init__(self, rail: Any, name: str, teller: Teller) -> None:
        self._rail, self.name, self._teller = rail, name, teller

    def decide(self, *case: Any) -> Any:
        return self._asked(self._rail.decide, case)

    def adecide(self, *case: Any) -> Any:
        return self._asked(self._rail.adecide, case)

    def _asked(self, method: Callable[..., Any], case: Sequence[Any]) -> Any:
        if inspect.iscoroutinefunction(method):
            return self._later(method(*case))
        with self._teller.call(self.name) as call:
            returned = method(*case)
            if inspect.isawaitable(returned):
                call.drop()
                return self._later(returned)
            call.tell(lambda: told_of_decision(taken(returned, 0.0), self.name))
        return returned

    async def _later(self, promised: Awaitable[Any]) -> Any:
        with self._teller.call(self.name) as call:
            returned = await promised
            call.tell(lambda: told_of_decision(taken(returned, 0.0), self.name))
        return returned


_KINDS: dict[tuple[str, str], type[_Telling]] = {
    ("raguard.verifier", "Verifier"): _TellingVerifier,
    ("raguard.claims.guard", "HallucinationGuard"): _TellingGuard,
    ("raguard.judge.grounding", "GroundingJudge"): _TellingJudge,
    ("raguard.rails.rails", "Rails"): _TellingRails,
    ("raguard.screens.suite", "GuardrailSuite"): _TellingSuite,
    ("raguard.gate", "Gate"): _TellingGate,
    ("raguard.streaming.answer_stream", "AnswerStream"): _TellingStream,
}
"""By module and name, so that no part is imported that nobody has."""


def _kind(part: object) -> type[_Telling] | None:
    known = (_KINDS.get((base.__module__, base.__qualname__)) for base in type(part).__mro__)
    return next((kind for kind in known if kind is not None), None)


def _twin(part: Any, teller: Teller, *, verifier: Any = None) -> Any:
    """The part as one that tells, with the parts that it asks."""
    kind = _kind(part)
    if kind is None or isinstance(part, _Telling):
        return part
    twin = copy.copy(part)
    plain: type = type(part)
    twin.__class__ = _class(kind, plain)
    twin._teller = teller
    if isinstance(part, Gate):
        twin.verifier = _twin(part.verifier, teller)
    elif isinstance(part, Rails):
        twin._parts = tuple(replace(each, rail=_rail(each.rail, each.name, teller)) for each in part._parts)
    elif verifier is not None:
        twin._verifier = verifier
    return twin


def _rail(rail: Any, name: str, teller: Teller) -> Any:
    """One of several rails as one that tells."""
    if isinstance(rail, VerifyRail):
        # raguard.verify asks a Verifier of the default config
        own = rail.verifier if isinstance(rail.verifier, Verifier) else Verifier()
        return _with(rail, verifier=_twin(own, teller))
    if isinstance(rail, GuardRail):
        return _with(rail, guard=_twin(rail.guard, teller))
    if isinstance(rail, JudgeRail) and _kind(rail.judge) is not None:
        return _with(rail, judge=_twin(rail.judge, teller))
    return _twin(rail, teller) if _kind(rail) is not None else _ToldRail(rail, name, teller)


def _with(part: Any, **attributes: Any) -> Any:
    changed = copy.copy(part)
    for name, value in attributes.items():
        setattr(changed, name, value)
    return changed


_CLASSES: dict[tuple[type, type], type] = {}


def _class(kind: type, plain: type) -> type:
    """The class of a twin: it tells of what its other parent does."""
    known = _CLASSES.get((kind, plain))
    if known is None:
        own = {"__module__": plain.__module__, "__doc__": plain.__doc__}
        known = _CLASSES[kind, plain] = type(plain.__name__, (kind, plain), own)
    return known


def _plain(twin: Any) -> Any:
    """What a twin is the twin of."""
    part = copy.copy(twin)
    part.__class__ = type(twin).__bases__[1]
    return part


def _is_checking(verifier: Any) -> bool:
    return len(verifier.checks) > 0


def _categories(judge: Any) -> Sequence[str]:
    names: Sequence[str] = judge._parts.policy.names
    return names
