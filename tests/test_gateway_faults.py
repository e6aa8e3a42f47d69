"""Is an upstream that fails, or a reader that goes, a proper end of what the gateway was asked?"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from typing import Any

import httpx
import openai
import patient
import pytest
from chat_server import ChatServer, Raw, Reply, Request, completion, dripping, flooding, hanging
from gateways import (
    ASKED,
    GOOD,
    OFF,
    RAG,
    SHADOW,
    chunks_of,
    delta,
    gateway,
    says,
    sse,
)
from served import served

from raguard import Verifier
from raguard.service import ServiceConfig, build_app


def status(code: int, message: str = "no") -> Callable[[Request], Reply]:
    return lambda request: {"status": code, "error": {"message": message}}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("reply", "code", "told"),
    [
        (status(400, "Too many tokens."), 400, "The upstream answered with status 400: Too many tokens."),
        (status(429), 429, "The upstream answered with status 429: no."),
        (status(401, "key sk-upstream"), 502, "The upstream answered with status 401."),
        (status(500, "secret"), 502, "The upstream answered with status 500."),
        (lambda request: 302, 502, "The upstream answered with status 302."),
        (hanging, 504, "The upstream did not answer within 0.3 seconds."),
    ],
)
def test_an_upstream_that_refuses_is_an_error(reply: Any, code: int, told: str, stream: bool) -> None:
    timeout_s = 0.3 if reply is hanging else 20
    with gateway(reply, upstream={"timeout_s": timeout_s}) as made, pytest.raises(openai.APIStatusError) as caught:
        made.ask(stream=stream)
    assert (caught.value.status_code, caught.value.body["message"]) == (code, told)  # type: ignore[index]


def test_an_upstream_that_is_not_there_is_an_error(dead_port: int) -> None:
    config = ServiceConfig(warm_up=False, upstream={"url": f"http://127.0.0.1:{dead_port}/v1"})
    with served(build_app(config)) as url:
        response = patient.post(f"{url}/v1/chat/completions", json={"messages": ASKED})
    assert (response.status_code, response.json()["error"]["code"]) == (502, "upstream_broken")


def test_the_models_of_the_upstream_are_listed() -> None:
    listed = {"object": "list", "data": [{"id": "small", "object": "model", "created": 1, "owned_by": "us"}]}

    class Models(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = json.dumps(listed if self.path == "/v1/models" else []).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            """Nothing is printed."""

    with HTTPServer(("127.0.0.1", 0), Models) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            for path, told in (("v1", ["small"]), ("v2", None)):
                upstream = {"url": f"http://127.0.0.1:{server.server_address[1]}/{path}"}
                with served(build_app(ServiceConfig(warm_up=False, upstream=upstream))) as url:
                    client = openai.OpenAI(base_url=f"{url}/v1", api_key="-", max_retries=0)
                    with client:
                        if told is not None:
                            assert [model.id for model in client.models.list()] == told
                        else:
                            with pytest.raises(openai.InternalServerError, match="no JSON object"):
                                client.models.list()
        finally:
            server.shutdown()
            thread.join()


def test_no_upstream_is_told() -> None:
    with served(build_app(ServiceConfig(warm_up=False))) as url:
        response = patient.post(f"{url}/v1/chat/completions", json={"messages": ASKED})
    assert (response.status_code, response.json()["error"]["code"]) == (501, "not_configured")


@pytest.mark.parametrize(
    "reply",
    [
        lambda request: b"hello",
        lambda request: b"[" * 100_000,
        lambda request: b"[]",
        lambda request: {"choices": []},
        lambda request: {"choices": [1]},
        lambda request: {"choices": [{"message": None}]},
        lambda request: {"choices": [{"message": {"content": 5}}]},
        lambda request: {"choices": [{"message": {"content": [{"type": "image_url"}]}}]},
        lambda request: completion(GOOD, finish_reason=["stop"]),  # type: ignore[arg-type]
        lambda request: {**completion(GOOD), "usage": {"total_tokens": float("nan")}},
        lambda request: json.dumps(completion(GOOD)).replace('"created": 1', '"created": 1e999').encode(),
        flooding,
    ],
)
def test_an_answer_that_is_no_completion_is_an_error(reply: Any) -> None:
    with (
        gateway(reply, upstream={"max_bytes": 1_000_000}) as made,
        pytest.raises(openai.InternalServerError, match="The upstream's answer cannot be used"),
    ):
        made.ask()


def test_an_error_beside_an_answer_is_an_error() -> None:
    with (
        gateway(lambda request: {**completion(GOOD), "error": {"message": "out of memory"}}) as made,
        pytest.raises(openai.InternalServerError, match="The upstream failed while it answered: out of memory"),
    ):
        made.ask()


def test_what_found_a_kept_connection_ended_is_an_error_and_not_asked_twice() -> None:
    replies = iter([completion(GOOD), Raw(lambda handler, over: None)])
    with gateway(lambda request: next(replies)) as made:
        assert made.ask().choices[0].message.content == GOOD
        with pytest.raises(openai.InternalServerError, match=r"broke off \(RemoteProtocolError\)"):
            made.ask()
        assert len(made.upstream.requests) == 2


def test_an_answer_that_drips_is_late() -> None:
    with (
        gateway(dripping, upstream={"timeout_s": 0.3}) as made,
        pytest.raises(openai.InternalServerError, match=r"did not answer within 0\.3 seconds"),
    ):
        made.ask()


BEGUN = chunks_of(f"{GOOD} It", reason=None)


@pytest.mark.parametrize("on_review", ["annotate", "block"])
@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ([b"data: {nonsense\n\n"], "it sent a chunk that is no JSON"),
        ([b"data: []\n\n"], "it sent a chunk that is none"),
        ([{"choices": [{"index": "0", "delta": {}}]}], "it sent a chunk whose choice is none"),
        ([{"choices": [{"index": 0, "delta": "more"}]}], "it sent a chunk whose choice is none"),
        ([delta(content=[{"type": "thinking", "text": "May"}])], "it sent a content that is no text"),
        ([delta(content=5)], "it sent a content that is no text"),
        ([delta(index=-1)], "it sent a chunk whose choice is none"),
        ([delta(index=128)], "it sent a chunk whose choice is none"),
        ([delta(["stop"])], "it sent a finish_reason that is no text"),  # type: ignore[arg-type]
        ([b'data: {"choices": [], "usage": NaN}\n\n'], "it sent a chunk that is no JSON"),
        ([b'data: {"choices": [], "usage": 1e999}\n\n'], "it sent a chunk that is no JSON"),
        ([delta("stop"), delta(content="more")], "it went on behind the end of a choice"),
        ([], "it broke off"),
        ([{"error": {"message": "out of memory"}}], "The upstream failed while it answered: out of memory."),
    ],
)
def test_a_stream_that_breaks_is_an_error_and_no_end(on_review: Any, rest: list[Any], told: str) -> None:
    chunks: list[Any] = []
    with (
        gateway(lambda request: sse(*BEGUN, *rest, done=False), on_review=on_review) as made,
        made.ask(stream=True) as stream,
        pytest.raises(openai.APIError, match=told),
    ):
        chunks.extend(stream)
    assert [chunk for chunk in chunks if hasattr(chunk, "rag")] == [] or told.startswith("it went on")


@pytest.mark.parametrize("on_review", ["annotate", "block"])
def test_a_stream_whose_judging_fails_is_an_error_that_holds_no_text(
    on_review: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Verifier, *arguments: Any, **options: Any) -> Any:
        raise KeyError("zebra")

    with gateway(says(GOOD), on_review=on_review) as made:
        monkeypatch.setattr(Verifier, "verify", fail)
        chunks: list[Any] = []
        with made.ask(stream=True) as stream, pytest.raises(openai.APIError, match=r"The stream failed \(KeyError\)"):
            chunks.extend(stream)
    assert [chunk for chunk in chunks if hasattr(chunk, "rag")] == []
    assert "a stream failed with KeyError" in caplog.text
    assert "zebra" not in caplog.text


def test_a_stream_that_stops_in_the_middle_is_late() -> None:
    wait = Event()
    # what comes before has as long
    with gateway(lambda request: sse(*BEGUN, delta("stop"), wait=wait), upstream={"timeout_s": 2}) as made:
        with (
            made.ask(stream=True) as stream,
            pytest.raises(openai.APIError, match=r"did not answer within 2 seconds"),
        ):
            list(stream)
        wait.set()


def test_a_stream_of_comments_alone_is_late() -> None:
    def commented(request: Request) -> Raw:
        def write(handler: Any, over: Event) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.end_headers()
            while not over.wait(0.02):
                handler.wfile.write(b": still here\n\n")

        return Raw(write)

    with (
        gateway(commented, upstream={"timeout_s": 2}) as made,
        made.ask(stream=True) as stream,
        pytest.raises(openai.APIError, match=r"did not answer within 2 seconds"),
    ):
        list(stream)


def test_a_stream_without_a_choice_is_an_error() -> None:
    with (
        gateway(lambda request: sse()) as made,
        made.ask(stream=True) as stream,
        pytest.raises(openai.APIError, match="it holds no choice"),
    ):
        list(stream)


def test_an_upstream_that_does_not_stream_is_an_error() -> None:
    with (
        gateway(lambda request: completion(GOOD)) as made,
        pytest.raises(openai.InternalServerError, match="it was asked for a stream and answered with something"),
    ):
        made.ask(stream=True)


def test_a_stream_is_bounded() -> None:
    def endless(request: Request) -> Raw:
        return sse(*chunks_of("word " * 2_000))

    with (
        gateway(endless, upstream={"max_bytes": 10_000}) as made,
        made.ask(stream=True) as stream,
        pytest.raises(openai.APIError, match="more than 10,000 bytes"),
    ):
        list(stream)


def endless(request: Request) -> Raw:
    def write(handler: Any, over: Event) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        while not over.is_set():
            handler.wfile.write(f"data: {json.dumps(delta(content='word '))}\n\n".encode())

    return Raw(write)


def test_a_reader_that_takes_nothing_keeps_no_place() -> None:
    content = json.dumps({"messages": ASKED, "stream": True}).encode()
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(content)}\r\n\r\n"
    with gateway(endless, OFF, upstream={"max_bytes": 10**9}, timeout_s=0.5) as made:
        host, port = made.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as reader:
            reader.sendall(head.encode() + content)
            assert made.upstream.gone.wait(60)
            while made.app.state.parts.work.busy:
                Event().wait(0.01)


def test_the_upstream_is_left_when_nobody_reads_a_line() -> None:
    content = json.dumps({"messages": ASKED, "stream": True}).encode()

    async def ask(app: Any) -> None:
        bodies = iter([{"type": "http.request", "body": content, "more_body": False}])

        async def receive() -> Any:
            return next(bodies, None) or await asyncio.Event().wait()

        async def send(message: Any) -> None:
            raise OSError("the reader has gone")

        headers = [(b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": headers}
        scope |= {"raw_path": b"/v1/chat/completions", "query_string": b"", "http_version": "1.1", "scheme": "http"}
        with suppress(OSError):
            await app(scope, receive, send)
        # the loop lives on, as that of a server does
        assert await asyncio.to_thread(upstream.gone.wait, 30)

    with ChatServer(endless) as upstream:
        asyncio.run(ask(build_app(ServiceConfig(warm_up=False, upstream={"url": upstream.url}))))


def test_a_sentence_is_judged_in_a_thread_of_the_service_and_keeps_its_place_when_the_reader_goes() -> None:
    begun, go_on = Event(), Event()

    def waiting(case: Any) -> list[Any]:
        begun.set()
        go_on.wait(30)
        return []

    with ChatServer(says(f"{GOOD} It was cold.")) as upstream:
        settings_ = ServiceConfig(
            warm_up=False, config=SHADOW, threads=1, max_requests=1, upstream={"url": upstream.url, "timeout_s": 20}
        )
        app = build_app(settings_, verifier=Verifier(SHADOW, checks=[waiting]))
        work = app.state.parts.work
        with served(app) as url, httpx.Client(timeout=30) as http:
            body = {"messages": ASKED, "stream": True, **RAG}
            with http.stream("POST", f"{url}/v1/chat/completions", json=body):
                assert begun.wait(30)
            http.close()
            # the work is left behind a moment before its request gives its own place back
            while work._inside or not work._left_behind:
                Event().wait(0.01)
            assert work.busy == 1
            refused = patient.post(f"{url}/v1/chat/completions", json=body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (429, "overloaded")
            go_on.set()
            while work.busy:
                Event().wait(0.01)
            assert "[DONE]" in patient.post(f"{url}/v1/chat/completions", json=body).text


def test_when_the_reader_goes_the_upstream_is_left() -> None:
    with gateway(endless) as made:
        with made.ask(stream=True) as stream:
            next(stream)
        assert made.upstream.gone.wait(30)
        while made.app.state.parts.work.busy:
            Event().wait(0.01)
