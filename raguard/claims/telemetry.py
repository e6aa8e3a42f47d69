"""What may be told of a check? Counts, settings and verdicts, never a word of answer, claim, question or evidence.

OpenTelemetry is told when its API is installed (``pip install 'raguard-verify[otel]'``) and the application has set
up a tracer; a callback serves those without it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from raguard import __version__
from raguard.claims.asking import Fault, read
from raguard.claims.config import GuardAction
from raguard.claims.verdicts import GuardResult, GuardVerdict

if TYPE_CHECKING:
    from opentelemetry.trace import Span

__all__ = ["EVENT", "SPAN", "GuardEvent", "OnEvent", "guard_span", "tell", "tell_span"]

SPAN = "guard.check"
EVENT = "guard.claim_blocked"

_log = logging.getLogger("raguard.claims")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardEvent:
    """A check in which claims fell short, in numbers.

    >>> event = GuardEvent(claims_n=2, blocked_n=1, unchecked_n=0, threshold=0.5, min_entailment=0.0,
    ...     verdict=GuardVerdict.FLAGGED, action=GuardAction.ANNOTATE, scorer="lexical")
    >>> event.blocked_n
    1
    """

    claims_n: int
    blocked_n: int
    unchecked_n: int
    threshold: float
    """From 0 to 1."""
    min_entailment: float | None
    """From 0 to 1; None when no claim was judged."""
    verdict: GuardVerdict
    action: GuardAction
    scorer: str
    """The scorer's name."""


OnEvent = Callable[[GuardEvent], object]


@contextmanager
def guard_span() -> Iterator[Span | None]:
    """The current span while a check runs; None without OpenTelemetry. What a check raises is not recorded in it.

    What a tracer or a processor of spans raises is logged by its type and goes no further.
    """
    opened = _quietly("the tracer", _opened)
    if opened is None:
        yield None
        return
    manager, span = opened
    try:
        yield span
    finally:
        _quietly("the tracer", lambda: manager.__exit__(None, None, None))


def _opened() -> tuple[Any, Span] | None:
    """A span that is current, with what ends it; None without OpenTelemetry."""
    tracing = _tracing()
    if tracing is None:
        return None
    tracer = tracing.get_tracer("raguard.claims", __version__)
    manager = tracer.start_as_current_span(SPAN, record_exception=False, set_status_on_exception=False)
    return manager, manager.__enter__()


def tell_span(span: Span | None, tenant_id: str, result: GuardResult, scorer: str, elapsed_ms: float) -> None:
    """Writes a check's numbers into its span; what has no number, such as the least of no entailments, is left out."""
    if span is not None:
        _quietly("the span", lambda: _write(span, tenant_id, result, scorer, elapsed_ms))


def _write(span: Span, tenant_id: str, result: GuardResult, scorer: str, elapsed_ms: float) -> None:
    if not span.is_recording():
        return
    numbers = asdict(_event(result, scorer)) | {"degraded": result.degraded, "elapsed_ms": elapsed_ms}
    span.set_attributes({"rag.tenant_id": tenant_id, **_attributes(numbers)})
    if result.blocked_n:
        span.add_event(EVENT, _attributes(asdict(_event(result, scorer))))


def tell(on_event: OnEvent | None, result: GuardResult, scorer: str) -> None:
    """Calls back when claims fell short; what the callback raises is logged by its type and goes no further."""
    if on_event is not None and result.blocked_n:
        _quietly("on_event", lambda: on_event(_event(result, scorer)))


def _quietly(who: str, call: Callable[[], Value]) -> Value | None:
    """What ``call`` returns, or None when it raises, which is logged by its type; telling ends no check."""
    told = read(call)
    if isinstance(told, Fault):
        _log.warning("%s %s", who, told.why)
        return None
    return told


def _event(result: GuardResult, scorer: str) -> GuardEvent:
    return GuardEvent(
        claims_n=result.claims_n,
        blocked_n=result.blocked_n,
        unchecked_n=result.unchecked_n,
        threshold=result.threshold,
        min_entailment=result.min_entailment,
        verdict=result.verdict,
        action=result.action,
        scorer=scorer,
    )


def _attributes(numbers: Mapping[str, Any]) -> dict[str, Any]:
    plain = {
        key: str(value) if isinstance(value, (GuardVerdict, GuardAction)) else value for key, value in numbers.items()
    }
    return {f"rag.guard.{key}": value for key, value in plain.items() if value is not None}


@cache
def _tracing() -> Any:
    """The API's module ``trace``, or None where it is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace
