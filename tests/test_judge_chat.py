"""Does the real openai client ask a server as it should, and is every fault told by its kind alone?"""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import socket
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from chat_server import (
    ChatServer,
    Raw,
    Request,
    completion,
    dripping,
    flooding,
    hanging,
    passing,
    refusal_of,
    verdict,
)
from clocks import wait_from

from raguard.judge import Chat, ChatError, GroundingJudge, JudgeConfigError, Provider, Reply, calls
from raguard.judge.calls import THREAD_NAME
from raguard.rails import Decision

PASSAGES = ["The rent is $900 a month."]
ANSWER = "The rent is $900."
DEADLINE_S = 30.0
"""How long a wait for an event may take at most; it ends as soon as the event comes."""
MESSAGES = [{"role": "user", "content": "Is it?"}]


def judge_at(server: ChatServer, **options: Any) -> GroundingJudge:
    provider = Provider(server.url, "sk-secret", models={"judge": "m"})
    return GroundingJudge(provider, **{"screen": None, **options})


def decided(reply: Callable[[Request], Any], **options: Any) -> tuple[str, str, list[Request]]:
    with ChatServer(reply) as server:
        decision = judge_at(server, **options).decide(ANSWER, PASSAGES)
        return decision.state, decision.reason, server.requests


def wait_for_threads() -> None:
    """Until every thread of a call has ended."""
    for thread in threading.enumerate():
        if thread.name == THREAD_NAME:
            thread.join(DEADLINE_S)
            assert not thread.is_alive()


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's own limit is no nearer when whoever waits for it is late."""
    monkeypatch.setattr("raguard.judge.chat._GRACE_S", DEADLINE_S)


def test_a_request_is_in_the_form_of_the_protocol() -> None:
    state, reason, (request,) = decided(passing)
    assert (state, reason) == ("pass", "All is stated.")
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == "Bearer sk-secret"
    assert request.headers["Accept-Encoding"] == "identity"
    body = dict(request.body)
    assert [message["role"] for message in body.pop("messages")] == ["system", "user"]
    form = body.pop("response_format")
    assert body == {"model": "m", "max_tokens": 1200, "temperature": 0.0}
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["properties"]["verdict"]["enum"] == ["pass", "block"]
    assert set(form["json_schema"]["schema"]["required"]) == set(json.loads(passing(request)))


def test_options_go_along_with_the_request() -> None:
    options: Any = {
        "temperature": None,
        "json_schema": False,
        "headers": {"X-Team": "rag", "authorization": "Basic abc"},
        "extra_body": {"chat_template_kwargs": {"enable_thinking": False}},
        "max_tokens": 64,
    }
    _, _, (request,) = decided(passing, **options)
    assert {key: value for key, value in request.body.items() if key != "messages"} == {
        "model": "m",
        "max_tokens": 64,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert request.headers["X-Team"] == "rag"
    assert next(value for name, value in request.headers.items() if name.lower() == "authorization") == "Basic abc"


def test_no_key_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "secret-of-env")
    with ChatServer(passing) as server:
        judge = GroundingJudge(Provider(server.url, models={"judge": "m"}), screen=None)
        assert judge.decide(ANSWER, PASSAGES).state == "pass"
        assert "Authorization" not in server.requests[0].headers
        assert "secret-of-env" not in str(server.requests[0].headers)


def test_a_proxy_of_the_environment_does_not_catch_this_machine(
    monkeypatch: pytest.MonkeyPatch, dead_port: int
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{dead_port}")
    assert decided(passing)[0] == "pass"


def test_another_machine_is_asked_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(passing) as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        judge = GroundingJudge(Provider("http://judge.invalid/v1", models={"judge": "m"}), screen=None)
        assert judge.decide(ANSWER, PASSAGES).state == "pass"
        assert proxy.requests[0].path == "http://judge.invalid/v1/chat/completions"


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("refused", "sent"),
    [
        (["response_format"], {"model", "messages", "max_tokens", "temperature"}),
        (["temperature"], {"model", "messages", "max_tokens", "response_format"}),
        (["max_tokens"], {"model", "messages", "max_completion_tokens", "temperature", "response_format"}),
        (["temperature", "max_tokens", "response_format"], {"model", "messages", "max_completion_tokens"}),
    ],
)
def test_what_an_endpoint_refuses_by_name_is_left_out_and_that_is_remembered(
    refused: list[str], sent: set[str], status: int
) -> None:
    with ChatServer(refusal_of(*refused, status=status)) as server:
        judge = judge_at(server)
        assert judge.decide(ANSWER, PASSAGES).state == "pass"
        tried = len(server.requests)
        assert judge.decide(ANSWER, PASSAGES).state == "pass"
        assert len(server.requests) == tried + 1
        assert set(server.requests[-1].body) == sent


def test_a_json_object_is_asked_for_where_a_schema_is_refused() -> None:
    def reply(request: Request) -> Any:
        if request.body["response_format"]["type"] == "json_schema":
            return {"status": 400, "error": {"message": "This response_format type is unavailable now"}}
        return passing(request)

    state, _, requests = decided(reply)
    assert state == "pass"
    assert [request.body["response_format"]["type"] for request in requests] == ["json_schema", "json_object"]


@pytest.mark.parametrize(
    "error",
    [
        # as OpenAI, vLLM, llama.cpp and FastAPI's validation word it
        {"error": {"message": "Unsupported", "param": "response_format.type", "code": "unsupported_parameter"}},
        {"object": "error", "message": "guided_json is not supported", "type": "BadRequestError", "code": 400},
        {"error": {"code": 400, "message": 'Either "json_schema" or "grammar" can be given', "type": "invalid"}},
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs"}]},
    ],
)
def test_the_refusals_of_known_servers_are_understood(error: dict[str, Any]) -> None:
    def reply(request: Request) -> Any:
        return {**error, "status": 400} if "response_format" in request.body else passing(request)

    assert decided(reply)[0] == "pass"


@pytest.mark.parametrize(
    "error",
    [
        {"object": "error", "message": "System role not supported", "type": "BadRequestError", "code": 400},
        {"error": {"message": "Unsupported value", "param": "messages[0].role", "code": "unsupported_value"}},
    ],
)
def test_a_model_without_a_system_role_gets_all_in_one_message(error: dict[str, Any]) -> None:
    def reply(request: Request) -> Any:
        roles = [message["role"] for message in request.body["messages"]]
        return {**error, "status": 400} if "system" in roles else passing(request)

    state, _, requests = decided(reply)
    assert (state, len(requests)) == ("pass", 2)
    assert [message["role"] for message in requests[1].body["messages"]] == ["user"]
    assert requests[1].text == requests[0].text.replace("\n<passage", "\n\n<passage", 1)


def test_a_refusal_that_names_nothing_to_leave_out_is_told_and_asked_once() -> None:
    def reply(request: Request) -> Any:
        return {"status": 400, "error": {"message": "max_tokens is fine", "param": "messages"}}

    state, reason, requests = decided(reply)
    assert (state, reason, len(requests)) == ("unchecked", "the endpoint answered with status 400", 1)


def test_a_budget_that_is_too_large_under_both_names_is_told_and_not_remembered() -> None:
    state, reason, requests = decided(refusal_of("max_tokens", "max_completion_tokens"))
    assert (state, reason, len(requests)) == ("unchecked", "the endpoint answered with status 400", 2)
    with ChatServer(refusal_of("max_tokens", "max_completion_tokens")) as server:
        judge = judge_at(server)
        judge.decide(ANSWER, PASSAGES)
        server.reply = passing
        judge.decide(ANSWER, PASSAGES)
        assert "max_tokens" in server.requests[-1].body


@pytest.mark.parametrize("status", [301, 401, 403, 404, 408, 409, 429, 500, 502, 503])
def test_a_status_is_told_after_one_request(status: int) -> None:
    state, reason, requests = decided(lambda request: {"status": status, "error": {"message": f"no {ANSWER}"}})
    assert (state, reason, len(requests)) == ("unchecked", f"the endpoint answered with status {status}", 1)


def test_a_redirect_is_not_followed() -> None:
    with ChatServer(passing) as other, ChatServer(lambda request: {"status": 307}) as server:
        server.location = f"{other.url}/chat/completions"
        assert judge_at(server).decide(ANSWER, PASSAGES).reason == "the endpoint answered with status 307"
        assert other.requests == []


def _closing(request: Request) -> Raw:
    return Raw(lambda handler, over: None)


def _truncated(request: Request) -> Raw:
    def write(handler: BaseHTTPRequestHandler, over: Event) -> None:
        body = json.dumps(completion(passing(request))).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:-20])

    return Raw(write)


def _zipped(request: Request) -> Raw:
    def write(handler: BaseHTTPRequestHandler, over: Event) -> None:
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", "20")
        handler.end_headers()
        handler.wfile.write(b"\x1f\x8b" + b"\0" * 18)

    return Raw(write)


def _not_http(request: Request) -> Raw:
    return Raw(lambda handler, over: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n") and None)


def _together(*contents: str) -> dict[str, Any]:
    """A completion of several choices, though one was asked for."""
    return {**completion(""), "choices": [choice for content in contents for choice in completion(content)["choices"]]}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (_closing, "the endpoint broke off its answer (RemoteProtocolError)"),
        (_truncated, "the endpoint broke off its answer (RemoteProtocolError)"),
        (_not_http, "the endpoint broke off its answer (RemoteProtocolError)"),
        (_zipped, "the endpoint answered with a Content-Encoding, though it was asked for none"),
        (flooding, "the endpoint answered with more than 1,048,576 bytes"),
        (lambda request: b"", "the endpoint answered with something that is no JSON"),
        (lambda request: b"<html>no</html>", "the endpoint answered with something that is no JSON"),
        (lambda request: b'{"choices": [', "the endpoint answered with something that is no JSON"),
        (lambda request: b"\xff\xfe\x00", "the endpoint answered with something that is no JSON"),
        (lambda request: b"[" * 100_000, "the endpoint answered with something that is no JSON"),
        (lambda request: b"null", "the endpoint answered without a reply"),
        (lambda request: b"[]", "the endpoint answered without a reply"),
        (lambda request: {"choices": []}, "the endpoint answered without a reply"),
        (lambda request: {"choices": None}, "the endpoint answered without a reply"),
        (lambda request: {"choices": [{"message": None}]}, "the endpoint answered without a reply"),
        (
            lambda request: _together(passing(request), verdict(request, "block", "No.")),
            "the endpoint answered with more than one reply",
        ),
        (
            lambda request: _together(verdict(request, "block", "No."), passing(request)),
            "the endpoint answered with more than one reply",
        ),
        (lambda request: {"error": {"message": "overloaded"}}, "the endpoint answered without a reply"),
        (lambda request: completion(None), "the reply is empty"),
        (lambda request: completion(None, refusal="I cannot."), "the model refused to judge"),
        (lambda request: completion(None, reasoning_content=passing(request)), "the reply is empty"),
        (lambda request: completion("", reasoning=passing(request)), "the reply is empty"),
        (lambda request: completion(passing(request), "length"), "the reply was cut off by the token budget"),
        (
            lambda request: completion(passing(request), "content_filter"),
            "the endpoint's content filter withheld the reply",
        ),
        (lambda request: completion(passing(request)[:-3]), "the reply holds broken JSON"),
    ],
)
def test_what_gives_no_verdict_is_unchecked_with_its_reason(reply: Callable[[Request], Any], reason: str) -> None:
    assert decided(reply)[:2] == ("unchecked", reason)


def test_reasoning_apart_from_the_content_is_no_part_of_the_reply() -> None:
    def reply(request: Request) -> dict[str, Any]:
        return completion(verdict(request, "block", "No."), reasoning_content=passing(request))

    assert decided(reply)[:2] == ("block", "No.")


def test_a_dead_port_is_told(dead_port: int) -> None:
    provider = Provider(f"http://127.0.0.1:{dead_port}/v1", models={"judge": "m"})
    decision = GroundingJudge(provider, screen=None).decide(ANSWER, PASSAGES)
    assert (decision.state, decision.reason) == ("unchecked", "the endpoint could not be reached")


def test_a_host_that_cannot_be_is_told_by_its_kind() -> None:
    provider = Provider("http://a..b/v1", models={"judge": "m"})
    decision = GroundingJudge(provider, screen=None).decide(ANSWER, PASSAGES)
    assert decision.state == "unchecked"
    assert decision.reason.startswith("the endpoint could not be ")
    assert ANSWER not in decision.reason


def test_a_plain_server_asked_for_https_is_told() -> None:
    with ChatServer(passing) as server:
        provider = Provider(server.url.replace("http://", "https://"), models={"judge": "m"})
        decision = GroundingJudge(provider, screen=None).decide(ANSWER, PASSAGES)
    assert (decision.state, decision.reason) == ("unchecked", "the endpoint could not be reached")


def _flooding_error(request: Request) -> Raw:
    def write(handler: BaseHTTPRequestHandler, over: Event) -> None:
        handler.send_response(500)
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        while not over.is_set():
            handler.wfile.write(b" " * 65_536)

    return Raw(write)


def test_the_body_of_an_error_is_bounded_too() -> None:
    tracemalloc.start()
    try:
        state, reason, _ = decided(_flooding_error)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (state, reason) == ("unchecked", "the endpoint answered with more than 1,048,576 bytes")
    assert most < 100 * 2**20


def _dripping_head(request: Request) -> Raw:
    def write(handler: BaseHTTPRequestHandler, over: Event) -> None:
        for character in b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 1_000_000:
            if over.wait(0.01):
                return
            handler.wfile.write(bytes([character]))

    return Raw(write)


@pytest.mark.parametrize("reply", [hanging, dripping, _dripping_head])
def test_a_chat_alone_keeps_its_time_and_shuts_the_socket(reply: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(reply) as server:
        wait_from(server.asked, calls, monkeypatch)
        chat = Chat(Provider(server.url, models={"judge": "m"}), timeout_s=0.5)
        with pytest.raises(ChatError, match=r"^the endpoint (took longer than 0\.5 s|did not answer in time)$"):
            chat(MESSAGES)
        assert server.gone.wait(DEADLINE_S)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this machine's own, made by openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    made = [
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        str(folder / "key.pem"),
        "-out",
        str(folder / "certificate.pem"),
    ]
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", *made, *named], check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "certificate.pem").read_bytes())
    return both


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize("reply", [passing, dripping, hanging])
def test_over_tls_a_reply_is_read_and_a_late_one_is_shut(
    reply: Any, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with ChatServer(reply, certificate=certificate) as server:
        wait_from(server.asked, calls, monkeypatch)
        decision = judge_at(server, timeout_s=DEADLINE_S if reply is passing else 1.0).decide(ANSWER, PASSAGES)
        if reply is passing:
            assert (decision.state, decision.reason) == ("pass", "All is stated.")
        else:
            assert (decision.state, decision.reason) == ("unchecked", "the judge took longer than 1 s")
            assert server.gone.wait(DEADLINE_S)


def _all_at_once(judge: GroundingJudge, count: int) -> set[tuple[str, str]]:
    async def main() -> list[Decision]:
        return list(await asyncio.gather(*(judge.adecide(ANSWER, PASSAGES) for _ in range(count))))

    decisions = asyncio.run(main())
    assert len(decisions) == count
    assert max(decision.latency_ms for decision in decisions) < 1000 * DEADLINE_S
    return {(decision.state, decision.reason) for decision in decisions}


LATE = ("unchecked", "the judge took longer than 0.3 s")
TOO_LATE = {LATE, ("unchecked", "the endpoint was not asked in time")}
"""What those are told that waited in line for one of the judge's threads."""


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_name_that_no_resolver_answers_is_unchecked_in_time(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    over = Event()

    def resolve(*arguments: Any, **options: Any) -> Any:
        over.wait(DEADLINE_S)
        raise socket.gaierror("no answer")

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        for variable in (name, name.lower()):
            monkeypatch.delenv(variable, raising=False)
    judge = GroundingJudge(Provider(f"{scheme}://judge.invalid/v1", models={"judge": "m"}), screen=None, timeout_s=0.3)
    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", resolve)
        try:
            decision = judge.decide(ANSWER, PASSAGES)
            assert (decision.state, decision.reason) == LATE
            assert _all_at_once(judge, 50) <= TOO_LATE
        finally:
            over.set()
            wait_for_threads()


def test_a_handshake_that_never_comes_is_unchecked_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # a handshake cannot be cut
    monkeypatch.setattr("raguard.judge.chat._GRACE_S", 5.0)
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        provider = Provider(f"https://localhost:{server.getsockname()[1]}/v1", models={"judge": "m"})
        judge = GroundingJudge(provider, screen=None, timeout_s=0.3)
        decision = judge.decide(ANSWER, PASSAGES)
        assert (decision.state, decision.reason) == LATE
        assert _all_at_once(judge, 50) <= TOO_LATE
        wait_for_threads()


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize("reply", [hanging, dripping])
def test_fifty_answers_at_once_are_unchecked_in_time_by_a_server_that_never_ends(reply: Any) -> None:
    with ChatServer(reply) as server:
        assert _all_at_once(judge_at(server, timeout_s=0.3), 50) <= TOO_LATE
        wait_for_threads()


def test_fifty_answers_at_once_are_judged_by_a_server_that_answers() -> None:
    with ChatServer(passing) as server:
        assert _all_at_once(judge_at(server, timeout_s=DEADLINE_S), 50) == {("pass", "All is stated.")}
        assert len(server.requests) == 50


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(certificate: Path) -> None:
    with ChatServer(passing, certificate=certificate) as server:
        assert judge_at(server).decide(ANSWER, PASSAGES).reason == "the endpoint could not be reached"
        assert server.requests == []


def test_a_chat_alone_gives_the_reply_and_raises_what_went_wrong() -> None:
    with ChatServer(lambda request: completion("Yes.", "length")) as server:
        chat = Chat(Provider(server.url, models={"judge": "m"}), "other")
        assert chat(MESSAGES) == Reply("Yes.", "length")
        assert server.requests[0].body["model"] == "other"
        assert "response_format" not in server.requests[0].body
        server.reply = lambda request: 503
        with pytest.raises(ChatError, match=r"^the endpoint answered with status 503$") as raised:
            chat(MESSAGES)
    assert raised.value.__cause__ is None


def test_no_text_and_no_key_reaches_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "openai._base_client", "httpx", "httpx2", "httpcore", "httpcore2"):
        caplog.set_level(logging.DEBUG, name)
    assert decided(passing)[0] == "pass"
    decided(lambda request: {"status": 500, "error": {"message": ANSWER}})
    decided(lambda request: b"broken")
    logged = "\n".join(f"{record.getMessage()} {record.exc_info}" for record in caplog.records)
    assert logged
    for secret in (ANSWER, PASSAGES[0], "sk-secret"):
        assert secret not in logged


def test_the_logs_of_others_stay_as_they_are(caplog: pytest.LogCaptureFixture) -> None:
    Chat(Provider("http://127.0.0.1:1/v1", models={"judge": "m"}))
    caplog.set_level(logging.DEBUG, "openai._base_client")
    logging.getLogger("openai._base_client").debug("of the application")
    assert "of the application" in caplog.text


def test_without_openai_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(JudgeConfigError, match=r"^Chat needs openai: pip install 'raguard-verify\[judge\]'$"):
        Chat(Provider("http://127.0.0.1:1/v1", models={"judge": "m"}))


def test_a_provider_is_frozen_plain_and_never_shows_its_key() -> None:
    models = {"judge": "m"}
    provider = Provider("http://localhost:1/v1", "sk-secret", models=models)
    models["judge"] = "other"
    assert provider.models == {"judge": "m"}
    assert "sk-secret" not in f"{provider} {provider!r} {GroundingJudge(provider, screen=None)!r}"
    with pytest.raises(AttributeError):
        provider.api_key = "other"  # type: ignore[misc]
    assert provider == Provider("http://localhost:1/v1", "sk-secret", models={"judge": "m"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ftp://a",), "base_url must begin with http:// or https://, not 'ftp://'"),
        (("localhost:8080",), "base_url must begin with http:// or https://, not 'localhost://'"),
        (("http://",), "base_url must name a host, as in http://localhost:11434/v1"),
        (("http://a b",), "base_url must be a string without spaces, as in http://localhost:11434/v1"),
        ((None,), "base_url must be a string without spaces, as in http://localhost:11434/v1"),
        (("http://a:99999",), "base_url is no address; write it as in http://localhost:11434/v1"),
        (("http://[::1",), "base_url is no address; write it as in http://localhost:11434/v1"),
        (("http://me:pw@a",), "base_url must hold no user, query or fragment; a key is given as api_key"),
        (("http://a?key=1",), "base_url must hold no user, query or fragment; a key is given as api_key"),
        (
            ("http://a", "sk\n"),
            "api_key must be a string of printable ASCII characters, without a space at its ends, or None",
        ),
        (
            ("http://a", 7),
            "api_key must be a string of printable ASCII characters, without a space at its ends, or None",
        ),
        (("http://a", None, ["m"]), 'models must name a model for each part, as in {"judge": "gpt-4.1-mini"}'),
        (("http://a", None, {"judge": ""}), 'models must name a model for each part, as in {"judge": "gpt-4.1-mini"}'),
    ],
)
def test_a_bad_provider_is_a_clear_error(arguments: Any, message: str) -> None:
    with pytest.raises(JudgeConfigError) as raised:
        Provider(*arguments)
    assert str(raised.value) == message


def test_a_hundred_late_requests_leave_no_thread_behind() -> None:
    with ChatServer(hanging) as server:
        judge = judge_at(server, timeout_s=0.02)
        for _ in range(100):
            assert judge.decide(ANSWER, PASSAGES).state == "unchecked"
        wait_for_threads()
