"""Who is told of a result? A callback, and what the application has set up of OpenTelemetry: spans, metrics, events.

Whatever telling raises is logged by its type and goes no further: a verdict does not depend on who listens.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from time import perf_counter
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

from raguard import __version__
from raguard.claims.asking import Fault, read
from raguard.telemetry.told import Told, failed

__all__ = ["EVENT", "RESPONSE_ID", "Call", "OnResult", "Teller", "tell_quietly"]

EVENT = "gen_ai.evaluation.result"
"""https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md"""
RESPONSE_ID: ContextVar[str | None] = ContextVar("raguard_response_id", default=None)
"""The id of the completion that is judged, as its provider gave it."""

OnResult: TypeAlias = Callable[[Told], object]

_SCOPE = "raguard"
_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_COUNTERS = {
    "raguard.results": ("{result}", "Results of the rails by state."),
    "raguard.warnings": ("{warning}", "Warnings by type, rule and severity."),
    "raguard.claims": ("{claim}", "Claims that were judged, by status."),
    "raguard.findings": ("{finding}", "Findings of the screens by rule and severity."),
    "raguard.answers": ("{answer}", "Answers that came through a gate, by mode and whether they were changed."),
}
_OUTER: ContextVar[Any] = ContextVar("raguard_outer_context", default=None)
"""The context of OpenTelemetry in which the outermost rail was asked."""

_log = logging.getLogger("raguard.telemetry")
Value = TypeVar("Value")


def tell_quietly(work: Callable[[], Value]) -> Value | None:
    """What ``work`` returns, or None when it raises; only KeyboardInterrupt goes on.

    >>> tell_quietly(lambda: 2 * 21)
    42
    """
    told = read(work)
    if isinstance(told, Fault):
        _log.warning("telling %s", told.why)
        return None
    return told


class Teller:
    """Tells results on; providers that are not given are the global ones, whenever the application sets them up."""

    def __init__(
        self,
        on_result: OnResult | None = None,
        tracer_provider: Any = None,
        meter_provider: Any = None,
        logger_provider: Any = None,
    ) -> None:
        self.on_result = on_result
        self.api = _api()
        if self.api is None:
            return
        self.trace, self.metrics, logs, self.context = self.api
        self._meters = meter_provider
        self.severity = logs.SeverityNumber.INFO
        self.tracer = self.trace.get_tracer(_SCOPE, __version__, tracer_provider=tracer_provider)
        meter = self.metrics.get_meter(_SCOPE, __version__, meter_provider=meter_provider)
        self.counters = {
            name: meter.create_counter(name, unit=unit, description=description)
            for name, (unit, description) in _COUNTERS.items()
        }
        self.duration = meter.create_histogram(
            "raguard.duration",
            unit="s",
            description="How long a rail took.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self.logger = logs.get_logger(_SCOPE, __version__, logger_provider=logger_provider)

    def call(self, rail: str, *, spanned: bool = True, attributes: Mapping[str, Any] | None = None) -> Call:
        """One call of a rail, which is a span unless the rail makes its own."""
        return Call(self, rail, spanned=spanned, attributes=attributes or {})

    def listens(self, span: Any) -> bool:
        """Whether anybody is told anything."""
        if self.on_result is not None:
            return True
        return self.api is not None and bool(tell_quietly(lambda: self._is_heard(span)))

    def _is_heard(self, span: Any) -> bool:
        if (span is not None and span.is_recording()) or self._is_enabled():
            return True
        # those that the API brings itself do nothing
        provider = type(self.metrics.get_meter_provider() if self._meters is None else self._meters)
        return not provider.__module__.startswith("opentelemetry.metrics")

    def _is_enabled(self) -> bool:
        # OpenTelemetry 1.40 and before cannot be asked
        asked = getattr(self.logger, "enabled", None)
        return asked is None or bool(asked(severity_number=self.severity, event_name=EVENT))

    def tell(self, told: Told, span: Any, outer: Any) -> None:
        """Tells one result: into the span, to the instruments, as an event, and to the callback."""
        if self.api is not None:
            tell_quietly(lambda: self._write(told, span))
            tell_quietly(lambda: self._count(told))
            tell_quietly(lambda: self._emit(told, outer))
        on_result = self.on_result
        if on_result is not None:
            tell_quietly(lambda: on_result(told))

    def _write(self, told: Told, span: Any) -> None:
        if span is not None and span.is_recording():
            score = {} if told.score is None else {"raguard.score": told.score}
            elapsed = {"raguard.elapsed_ms": told.elapsed_ms} if told.elapsed_ms else {}
            span.set_attributes({"raguard.state": told.state, **score, **told.attributes, **elapsed})

    def _count(self, told: Told) -> None:
        rail = {"raguard.rail": told.rail}
        self.counters["raguard.results"].add(1, {**rail, "raguard.state": told.state})
        for name, by, count in told.counts:
            self.counters[name].add(count, {**rail, **by})
        if told.elapsed_ms:
            self.duration.record(told.elapsed_ms / 1000, rail)

    def _emit(self, told: Told, outer: Any) -> None:
        if not self._is_enabled():
            return
        attributes: dict[str, Any] = {
            "gen_ai.evaluation.name": f"{_SCOPE}.{told.rail}",
            "gen_ai.evaluation.score.label": told.state,
            "gen_ai.evaluation.score.value": told.score,
            "gen_ai.evaluation.explanation": told.reason,
            "gen_ai.response.id": RESPONSE_ID.get(),
            "error.type": "unchecked" if told.state == "unchecked" else None,
        }
        self.logger.emit(
            event_name=EVENT,
            severity_number=self.severity,
            context=outer,
            attributes={key: value for key, value in attributes.items() if value is not None},
        )


class Call:
    """One call of a rail, as a context manager: its span is the current one meanwhile.

    An event belongs to the operation that is evaluated: to the span that was current when the outermost rail was asked,
    and where there was none to the span of the call.
    """

    def __init__(self, teller: Teller, rail: str, *, spanned: bool, attributes: Mapping[str, Any]) -> None:
        self._teller, self._rail, self._spanned, self._attributes = teller, rail, spanned, attributes
        self._told: Callable[[], Told] | None = None
        self._span: Any = None
        self._token: Any = None
        self._outer_token: Any = None
        self._outer: Any = None

    def __enter__(self) -> Self:
        if self._teller.api is not None:
            tell_quietly(self._open)
        self._started = perf_counter()
        return self

    def tell(self, told: Callable[[], Told]) -> None:
        """What came of the call; it is worked out and told when the call ends, if anybody listens."""
        self._told = told

    def drop(self) -> None:
        """Nothing came of the call, and nothing is told of it."""
        self._span = None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        elapsed_ms = 1000 * (perf_counter() - self._started)
        if kind is not None:
            why = kind.__name__
            self._told = lambda: failed(self._rail, {"error.type": why})
        try:
            told = self._told and self._teller.listens(self._span) and tell_quietly(self._told)
            if told:
                attributes = {**self._attributes, **told.attributes}
                self._teller.tell(replace(told, attributes=attributes, elapsed_ms=elapsed_ms), self._span, self._outer)
        finally:
            if self._teller.api is not None:
                tell_quietly(self._close)

    def _open(self) -> None:
        trace, context = self._teller.trace, self._teller.context
        outer, current = _OUTER.get(), context.get_current()
        if self._spanned:
            self._span = self._teller.tracer.start_span(f"{_SCOPE}.{self._rail}")
            within = trace.set_span_in_context(self._span)
            self._token = context.attach(within)
        else:
            within = current
        if outer is None:
            is_evaluated = trace.get_current_span(current).get_span_context().is_valid
            outer = current if is_evaluated else within
            self._outer_token = _OUTER.set(outer)
        self._outer = outer

    def _close(self) -> None:
        if self._span is not None:
            self._span.end()
        if self._token is not None:
            self._teller.context.detach(self._token)
        if self._outer_token is not None:
            _OUTER.reset(self._outer_token)


@cache
def _api() -> Any:
    """The modules of OpenTelemetry's API, or None where it is not installed."""
    try:
        from opentelemetry import _logs, context, metrics, trace
    except ImportError:
        return None
    return trace, metrics, _logs, context
