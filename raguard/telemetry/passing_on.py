"""How does a trace go on over threads and HTTP? By W3C Trace Context: ids alone, and no baggage, which may hold text.

Threads need nothing: every thread of raguard runs in a copy of its caller's context.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from raguard.telemetry.telling import RESPONSE_ID, tell_quietly

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Traced", "continued", "evaluating", "outgoing"]
_METHODS = frozenset({"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"})


@contextmanager
def continued(headers: Mapping[str, str]) -> Iterator[None]:
    """Within, spans are children of the one that ``traceparent`` in the headers of a request names, if one does.

    >>> incoming = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    >>> with continued(incoming):
    ...     outgoing()["traceparent"]
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    """
    opened = tell_quietly(lambda: _attached(headers))
    try:
        yield
    finally:
        if opened is not None:
            context, token = opened
            tell_quietly(lambda: context.detach(token))


def outgoing(headers: Mapping[str, str] | None = None) -> dict[str, str]:
    """The headers of a request to somebody else, with the current span's ``traceparent`` and ``tracestate``.

    Without OpenTelemetry, and where no span is current, they are as they were.

    >>> outgoing({"Accept": "application/json"})
    {'Accept': 'application/json'}
    """
    told = dict(headers or {})
    tell_quietly(lambda: _inject(told))
    return told


@contextmanager
def evaluating(response_id: str) -> Iterator[None]:
    """Within, evaluation events carry the id that the provider gave the completion (``gen_ai.response.id``).

    >>> with evaluating("chatcmpl-123"):
    ...     RESPONSE_ID.get()
    'chatcmpl-123'
    """
    token = RESPONSE_ID.set(response_id)
    try:
        yield
    finally:
        RESPONSE_ID.reset(token)


class Traced:
    """ASGI middleware: each HTTP request is a server span, which goes on a trace that its headers name.

    Its attributes are method, route and status, never a path or a query, which may hold text. It never changes what
    the app answers; without OpenTelemetry it does nothing.

    >>> async def app(scope, receive, send): ...
    >>> Traced(app).app is app
    True
    """

    def __init__(self, app: ASGIApp, *, tracer_provider: Any = None) -> None:
        self.app = app
        self._tracer = tell_quietly(lambda: _tracer(tracer_provider))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or what else ASGI asks."""
        if scope["type"] != "http" or self._tracer is None:
            await self.app(scope, receive, send)
            return
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with continued({key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}):
            opened = tell_quietly(lambda: _server_span(self._tracer, scope["method"]))
            failed: str | None = None
            try:
                await self.app(scope, receive, watched)
            except BaseException as error:
                failed = type(error).__name__
                raise
            finally:
                if opened is not None:
                    tell_quietly(lambda: _end(opened, scope, status, failed))


def _attached(headers: Mapping[str, str]) -> tuple[Any, Any] | None:
    try:
        from opentelemetry import context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    except ImportError:
        return None
    lower = {key.lower(): value for key, value in headers.items()}
    return context, context.attach(TraceContextTextMapPropagator().extract(lower))


def _inject(headers: dict[str, str]) -> None:
    try:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    except ImportError:
        return
    TraceContextTextMapPropagator().inject(headers)


def _tracer(provider: Any) -> Any:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    from raguard import __version__

    return trace.get_tracer("raguard", __version__, tracer_provider=provider)


def _server_span(tracer: Any, method: str) -> tuple[Any, Any, Any]:
    from opentelemetry import context, trace

    known = _known(method)
    span = tracer.start_span(known, kind=trace.SpanKind.SERVER, attributes={"http.request.method": known})
    return span, context, context.attach(trace.set_span_in_context(span))


def _end(opened: tuple[Any, Any, Any], scope: Scope, status: int, failed: str | None) -> None:
    span, context, token = opened
    route = getattr(scope.get("route"), "path", None)
    if route is not None:
        span.update_name(f"{_known(scope['method'])} {route}")
        span.set_attribute("http.route", route)
    if status:
        span.set_attribute("http.response.status_code", status)
    if failed is not None or status >= 500:
        from opentelemetry.trace import StatusCode

        span.set_attribute("error.type", failed or str(status))
        span.set_status(StatusCode.ERROR)
    span.end()
    context.detach(token)


def _known(method: str) -> str:
    """The method, or that it is another: anybody can make one up."""
    return method if method in _METHODS else "_OTHER"
