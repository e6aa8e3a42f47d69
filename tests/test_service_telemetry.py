"""Are the results of a service told to OpenTelemetry, in the trace of who asks, and without a word of what is asked?"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import patient
import pytest
from chat_server import ChatServer, completion
from opentelemetry import _logs, metrics, trace
from served import served
from test_telemetry import DOCS, FALSE, ORDER, PARENT, QUERY, Exports, leaked

from raguard import Config
from raguard.service import ServiceConfig, build_app

TEXTS = [document if isinstance(document, str) else document.text for document in DOCS]
CASE = {"query": QUERY, "docs": TEXTS, "response": FALSE}
CHAT = {"model": "m", "messages": [{"role": "user", "content": QUERY}], "rag": {"documents": TEXTS}}


@pytest.fixture
def exports(monkeypatch: pytest.MonkeyPatch) -> Iterator[Exports]:
    """What the global providers would send away."""
    told = Exports()
    monkeypatch.setattr(trace, "get_tracer", lambda name, version, **_: told.tracers.get_tracer(name, version))
    monkeypatch.setattr(metrics, "get_meter", lambda name, version, **_: told.meters.get_meter(name, version))
    monkeypatch.setattr(_logs, "get_logger", lambda name, version, **_: told.logs.get_logger(name, version))
    yield told
    told.close()


def config(**settings: Any) -> ServiceConfig:
    return ServiceConfig(config=Config(modes={"mode": "shadow"}), warm_up=False, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "body", "spans"),
    [
        ("/v1/verify", CASE, ["raguard.verify"]),
        ("/v1/guard", {"answer": FALSE, "evidence": TEXTS, "question": QUERY}, ["guard.check"]),
        ("/v1/screen", {"text": ORDER, "docs": TEXTS}, ["raguard.screens", "raguard.screens"]),
        ("/playground/verify", CASE, ["raguard.verify"]),
    ],
)
def test_what_is_asked_over_http_is_told_in_the_trace_of_who_asks(
    path: str, body: dict[str, Any], spans: list[str], exports: Exports, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), served(build_app(config(playground=True))) as service:
        assert patient.post(f"{service}{path}", json=body, headers={"traceparent": PARENT}).status_code == 200
    told = exports.spans_told.get_finished_spans()
    assert [span.name for span in told] == [*spans, f"POST {path}"]
    assert {f"{span.context.trace_id:032x}" for span in told if span.context} == {PARENT[3:35]}
    assert all(span.parent is not None for span in told)
    assert leaked(f"{exports.text()}\n{caplog.text}") == []


def test_a_completion_is_told_with_its_id_and_its_upstream_is_in_the_same_trace(exports: Exports) -> None:
    with ChatServer(lambda request: completion(FALSE, "stop") | {"id": "chatcmpl-9"}) as upstream:
        app = build_app(config(upstream={"url": upstream.url}))
        with served(app) as gateway:
            answer = patient.post(
                f"{gateway}/v1/chat/completions", json=CHAT, headers={"traceparent": PARENT, "baggage": "a=quokkas"}
            )
        assert answer.json()["choices"][0]["message"]["content"] == FALSE
        (request,) = upstream.requests
    spans = exports.spans()
    assert [*spans] == ["raguard.verify", "raguard.gate", "POST /v1/chat/completions"]
    (server,) = (span.context for span in spans.values() if span.kind is trace.SpanKind.SERVER)
    assert server is not None
    headers = {name.lower(): value for name, value in request.headers.items()}
    assert headers["traceparent"] == f"{PARENT[:36]}{server.span_id:016x}-01"
    assert "baggage" not in headers
    events = exports.events()
    assert [event["gen_ai.response.id"] for _, event in events] == ["chatcmpl-9"] * 2
    assert {span_id for span_id, _ in events} == {server.span_id}
    assert leaked(exports.text()) == []


def test_without_a_provider_nothing_changes() -> None:
    with served(build_app(config())) as service:
        told = patient.post(f"{service}/v1/verify", json=CASE, headers={"traceparent": PARENT})
    assert told.json()["action"] == "review"
    assert "traceparent" not in told.headers
