"""Does an answer pass through the gateway as its mode lets it, to the official client, and never unchecked as clean?"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from time import sleep
from typing import Any

import httpx
import openai
import patient
import pytest
from chat_server import ChatServer, Raw, Reply, Request, completion, dripping, flooding, hanging
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from served import served

from raguard import Config, Verifier, verify
from raguard.claims import GuardConfig, HallucinationGuard, LexicalNLIScorer
from raguard.claims.actions import BLOCK_NOTICE
from raguard.gate import disclosed
from raguard.service import ContextSettings, ServiceConfig, build_app
from raguard.service.gateway.asking import asked_of
from raguard.service.gateway.events import data_of
from raguard.showing import NOTICE, REDACTED

DOCS = ["The audit closed on 4 May 2024. It was cold."]
GOOD, BAD = "The audit closed on 4 May 2024.", "The audit closed on 9 May 2024."
ASKED = [{"role": "user", "content": "When did the audit close?"}]
RAG = {"rag": {"documents": DOCS}}
OFF, SHADOW, ENFORCE = (Config(modes={"mode": mode}) for mode in ("off", "shadow", "enforce"))


def pieces(text: str) -> list[str]:
    """A token a word."""
    words = text.split(" ")
    return [word if place == 0 else f" {word}" for place, word in enumerate(words)]


def delta(reason: str | None = None, index: int = 0, **given: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": given, "finish_reason": reason}
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}


def chunks_of(text: str, index: int = 0, reason: str | None = "stop") -> list[dict[str, Any]]:
    told = [delta(None, index, role="assistant", content="")]
    told += [delta(None, index, content=piece) for piece in pieces(text)]
    return told if reason is None else [*told, delta(reason, index)]


def sse(*events: Any, done: bool = True, kind: str = "text/event-stream", wait: Event | None = None) -> Raw:
    """A stream of chunks (or of bytes as they are); with ``wait`` the rest follows when that is set."""

    def write(handler: Any, over: Event) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.end_headers()
        for place, event in enumerate(events):
            if wait is not None and place == len(events) - 1:
                wait.wait(30)
            line = event if isinstance(event, bytes) else f"data: {json.dumps(event)}\n\n".encode()
            handler.wfile.write(line)
            handler.wfile.flush()
        if done:
            handler.wfile.write(b"data: [DONE]\n\n")

    return Raw(write)


class Gateway:
    """A gateway before a scripted model, and the official client of it."""

    def __init__(self, url: str, upstream: ChatServer, app: Any) -> None:
        self.url, self.upstream, self.app = url, upstream, app
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key="sk-acme", max_retries=0)
        self.create: Any = self.client.chat.completions.create

    def ask(self, rag: Any = RAG, **options: Any) -> Any:
        return self.create(model="m", messages=options.pop("messages", ASKED), extra_body=rag, **options)

    def stream(self, rag: Any = RAG, **options: Any) -> list[Any]:
        with self.ask(rag, stream=True, **options) as chunks:
            return list(chunks)


@contextmanager
def gateway(
    reply: Callable[[Request], Reply], config: Config = ENFORCE, guard: Any = None, **service: Any
) -> Iterator[Gateway]:
    upstream_settings = service.pop("upstream", {})
    with ChatServer(reply) as upstream:
        settings_ = {"url": upstream.url, "timeout_s": 20, **upstream_settings}
        app = build_app(
            ServiceConfig(warm_up=False, config=config, upstream=settings_, **service), hallucination_guard=guard
        )
        with served(app) as url:
            made = Gateway(url, upstream, app)
            with made.client:
                yield made


def says(text: str, reason: str = "stop", **message: Any) -> Callable[[Request], Reply]:
    """A model that says the same whatever it is asked, whole or streamed."""

    def reply(request: Request) -> Reply:
        return (
            sse(*chunks_of(text, reason=reason)) if request.body.get("stream") else completion(text, reason, **message)
        )

    return reply


def text_of(chunks: list[Any]) -> str:
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


def last(chunks: list[Any]) -> Any:
    return next(chunk for chunk in reversed(chunks) if chunk.choices and chunk.choices[0].finish_reason)


# whole answers


def test_a_supported_answer_passes_unchanged() -> None:
    with gateway(says(GOOD)) as made:
        told = made.ask()
    assert (told.choices[0].message.content, told.choices[0].finish_reason) == (GOOD, "stop")
    assert told.rag["verify"] == disclosed(verify(ASKED[0]["content"], DOCS, GOOD))
    assert {key: told.rag[key] for key in ("mode", "status", "changed", "guard")} == {
        "mode": "enforce",
        "status": "checked",
        "changed": False,
        "guard": None,
    }


@pytest.mark.parametrize(
    ("on_review", "shown", "reason"),
    [
        ("annotate", "The audit closed on 9 May 2024 [unsupported]. It was cold.", "stop"),
        ("redact", f"{REDACTED} It was cold.", "content_filter"),
        ("block", NOTICE, "content_filter"),
    ],
)
def test_what_is_unsupported_is_shown_as_the_settings_say(on_review: Any, shown: str, reason: str) -> None:
    with gateway(says(f"{BAD} It was cold."), on_review=on_review) as made:
        told = made.ask()
    assert (told.choices[0].message.content, told.choices[0].finish_reason) == (shown, reason)
    assert (told.rag["changed"], told.rag["verify"]["action"]) == (True, "review")
    assert "9 May" not in json.dumps(told.rag)


def test_texts_are_told_where_the_policy_gives_them() -> None:
    with gateway(says(BAD), keyless={"texts": True}) as made:
        assert made.ask().rag["verify"] == verify(ASKED[0]["content"], DOCS, BAD).to_dict()


@pytest.mark.parametrize("config", [SHADOW, OFF])
@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_the_shadow_changes_no_text_header_or_reason(config: Config, on_review: Any) -> None:
    body = {"model": "m", "messages": ASKED, **RAG}
    with gateway(says(BAD), config, on_review=on_review) as made:
        response = patient.post(f"{made.url}/v1/chat/completions", json=body)
        told = response.json()
        rag = told.pop("rag")
        assert told == completion(BAD)
        assert sorted(response.headers) == ["content-length", "content-type", "date", "server"]
    if config is SHADOW:
        assert (rag["status"], rag["changed"], rag["verify"]["action"]) == ("shadow", False, "review")
    else:
        assert rag["status"] == "unchecked; the mode is off, or the answer is not in the sample"
        assert rag["verify"]["unchecked"] == ["everything"]


def test_the_header_says_what_was_checked() -> None:
    with gateway(says(GOOD)) as made:
        url = f"{made.url}/v1/chat/completions"
        checked = patient.post(url, json={"messages": ASKED, **RAG})
        unchecked = patient.post(url, json={"messages": ASKED})
    assert checked.headers["raguard-status"] == "checked"
    assert unchecked.headers["raguard-status"] == "unchecked; no documents were retrieved"
    assert "[not checked: " in unchecked.json()["choices"][0]["message"]["content"]


def test_a_tenant_has_its_own_mode_and_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "sk-acme")
    config = Config(modes={"mode": "shadow", "tenants": {"acme": {"mode": "enforce"}}})
    options: Any = {
        "keys": {"acme": {"env": "ACME_KEY", "may_name_tenant": True}},
        "tenants": {"acme": {"on_review": "block", "notice": "Ask Ann."}},
    }
    with gateway(says(BAD), config, **options) as made:
        assert made.ask().choices[0].message.content == BAD
        named = {"rag": {"documents": DOCS, "tenant_id": "acme"}}
        assert made.ask(named).choices[0].message.content == "Ask Ann."
        assert text_of(made.stream(named)) == "Ask Ann."
        with pytest.raises(openai.AuthenticationError):
            made.client.with_options(api_key="sk-acmee").chat.completions.create(model="m", messages=ASKED)  # type: ignore[arg-type]


def test_what_is_sent_on_is_what_came_without_rag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPSTREAM_KEY", "sk-upstream")
    with gateway(says(GOOD), upstream={"key_env": "UPSTREAM_KEY", "model": "small"}) as made:
        made.ask(temperature=0.1, seed=7)
        sent = made.upstream.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.body == {"model": "small", "messages": ASKED, "temperature": 0.1, "seed": 7}
    assert sent.headers["Authorization"] == "Bearer sk-upstream"
    assert "sk-acme" not in json.dumps(sent.headers)


def test_every_choice_is_judged() -> None:
    def reply(request: Request) -> Reply:
        told = completion(GOOD)
        told["choices"].append({"index": 1, "finish_reason": "stop", "message": {"role": "assistant", "content": BAD}})
        return told

    with gateway(reply, on_review="block") as made:
        told = made.ask(n=2)
    assert [(each.message.content, each.finish_reason) for each in told.choices] == [
        (GOOD, "stop"),
        (NOTICE, "content_filter"),
    ]
    assert told.rag["verify"]["action"] == "review"
    assert [rag["verify"]["action"] for rag in told.rag["choices"]] == ["proceed", "review"]


def test_a_choice_that_nobody_could_judge_is_told_before_a_clean_one() -> None:
    def reply(request: Request) -> Reply:
        told = completion(GOOD)
        told["choices"].append({**completion(None, tool_calls=[CALL])["choices"][0], "index": 1})
        return told

    with gateway(reply) as made:
        assert made.ask(n=2).rag["status"] == "unchecked; the answer holds no text"


CALL = {"id": "call-1", "type": "function", "function": {"name": "search", "arguments": '{"q": "audit"}'}}


def test_a_call_of_a_tool_passes_and_is_told_as_unread() -> None:
    with gateway(lambda request: completion(None, "tool_calls", tool_calls=[CALL]), on_review="block") as made:
        told = made.ask()
    assert told.choices[0].message.tool_calls[0].function.name == "search"
    assert told.choices[0].finish_reason == "tool_calls"
    assert (told.rag["status"], told.rag["unread"]) == ("unchecked; the answer holds no text", ["tool_calls"])


@pytest.mark.parametrize(
    ("on_review", "calls", "reason"), [("block", None, "content_filter"), ("redact", 1, "tool_calls")]
)
def test_a_blocked_answer_calls_no_tool(on_review: Any, calls: int | None, reason: str) -> None:
    with gateway(lambda request: completion(BAD, "tool_calls", tool_calls=[CALL]), on_review=on_review) as made:
        choice = made.ask().choices[0]
    assert choice.message.tool_calls is None if calls is None else len(choice.message.tool_calls) == calls
    assert choice.finish_reason == reason


def test_what_says_the_same_words_elsewhere_goes_with_them() -> None:
    def reply(request: Request) -> Reply:
        told = completion(BAD, reasoning_content=f"Let me think. {BAD}")
        told["choices"][0]["logprobs"] = {"content": [{"token": "9 May", "logprob": 0.0, "top_logprobs": []}]}
        return told

    with gateway(reply, on_review="redact") as made:
        response = patient.post(f"{made.url}/v1/chat/completions", json={"messages": ASKED, **RAG})
    assert "9 May" not in response.text
    assert response.json()["rag"]["unread"] == ["reasoning_content"]


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_of_an_answer_in_json_nothing_is_shown_elsewhere_either(on_review: Any) -> None:
    told = completion(json.dumps({"closed": "9 May 2024"}), reasoning=BAD, name=BAD) | {"verbose": BAD}
    told["choices"][0] |= {"text": BAD, "logprobs": {"content": [{"token": "9 May"}]}}
    with gateway(lambda request: told, on_review=on_review) as made:
        response = patient.post(f"{made.url}/v1/chat/completions", json={"messages": ASKED, **RAG})
    assert "9 May" not in response.text
    choice, rag = response.json()["choices"][0], response.json()["rag"]
    assert (choice["message"]["content"], choice["finish_reason"]) == (NOTICE, "content_filter")
    assert (rag["changed"], rag["unread"]) == (True, ["name", "reasoning", "text"])


def test_an_answer_in_json_that_is_supported_passes_with_all_beside_it() -> None:
    told = completion(json.dumps({"closed": "4 May 2024"}), reasoning="Let me look.")
    with gateway(lambda request: told) as made:
        shown = made.ask()
    assert (shown.choices[0].finish_reason, shown.choices[0].message.reasoning) == ("stop", "Let me look.")


def test_what_nobody_judges_is_named_wherever_it_stands() -> None:
    told = completion(GOOD, name="Bob", audio=None)
    told["choices"][0] |= {"text": BAD, "matched_stop": 0, "logprobs": None}
    with gateway(lambda request: told) as made:
        shown = made.ask()
    assert (shown.rag["unread"], shown.rag["status"]) == (["name", "text"], "checked")
    assert (shown.choices[0].text, shown.choices[0].message.name) == (BAD, "Bob")


@pytest.mark.parametrize("config", [SHADOW, ENFORCE])
def test_what_nobody_judges_of_a_stream_is_named(config: Config) -> None:
    story = chunks_of(GOOD)
    story[1]["choices"][0]["message"] = {"content": BAD}
    story[-1]["choices"][0] |= {"stop_reason": BAD, "content_filter_results": {}}
    with gateway(lambda request: sse(*story), config) as made:
        assert last(made.stream()).rag["unread"] == ["message", "stop_reason"]


PARTS = [{"type": "text", "text": BAD[:10]}, {"type": "text", "text": BAD[10:], "annotations": []}]


@pytest.mark.parametrize(
    ("config", "shown", "reason"), [(SHADOW, PARTS, "stop"), (ENFORCE, REDACTED, "content_filter")]
)
def test_parts_of_text_are_judged_as_one_text(config: Config, shown: Any, reason: str) -> None:
    with gateway(says(PARTS), config, on_review="redact") as made:  # type: ignore[arg-type]
        told = made.ask()
    choice = told.choices[0]
    assert (choice.message.content, choice.finish_reason) == (shown, reason)
    assert told.rag["verify"] == disclosed(verify(ASKED[0]["content"], DOCS, BAD))
    story = [delta(content=PARTS[:1]), delta(content=PARTS[1:]), delta("stop")]
    with gateway(lambda request: sse(*story), config, on_review="redact") as made:
        chunks = made.stream()
    assert [chunk.choices[0].delta.content for chunk in chunks] == (
        [PARTS[:1], PARTS[1:], None] if config is SHADOW else [REDACTED, None]
    )
    assert last(chunks).rag["verify"] == disclosed(verify(ASKED[0]["content"], DOCS, BAD))


UNREADABLE = "unchecked; the answer, or a part of it, cannot be read"


@pytest.mark.parametrize("config", [OFF, SHADOW])
@pytest.mark.parametrize(
    "choices",
    [
        [],
        [1],
        [{"index": 0, "message": None, "finish_reason": "stop"}],
        [{"index": 0, "message": {"role": "assistant", "content": [{"type": "image_url"}]}, "finish_reason": "stop"}],
        [{"index": 0, "message": {"role": "assistant", "content": GOOD}, "finish_reason": 5}],
    ],
)
def test_what_cannot_be_read_passes_unchecked_where_nothing_may_change(config: Config, choices: list[Any]) -> None:
    told = completion(GOOD) | {"choices": choices}
    with gateway(lambda request: told, config) as made:
        shown = patient.post(f"{made.url}/v1/chat/completions", json={"messages": ASKED, **RAG}).json()
    rag = shown.pop("rag")
    assert shown == told
    assert (rag["status"], rag["verify"]["unchecked"], rag["changed"]) == (UNREADABLE, ["everything"], False)


def test_a_choice_that_can_be_read_is_judged_beside_one_that_cannot() -> None:
    told = completion(BAD)
    told["choices"].append({"index": 1, "message": {"role": "assistant", "content": 5}})
    with gateway(lambda request: told, SHADOW) as made:
        shown = patient.post(f"{made.url}/v1/chat/completions", json={"messages": ASKED, **RAG}).json()
    assert [rag["status"] for rag in shown["rag"]["choices"]] == ["shadow", UNREADABLE]
    assert shown["rag"]["verify"]["action"] == "review"


def test_a_refusal_is_passed_and_told_as_unread() -> None:
    with gateway(lambda request: completion(None, "stop", refusal="I cannot help.")) as made:
        told = made.ask()
    assert (told.choices[0].message.refusal, told.rag["unread"]) == ("I cannot help.", ["refusal"])


def test_the_results_of_tools_are_evidence() -> None:
    messages = [
        *ASKED,
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call-1", "content": DOCS[0]},
    ]
    with gateway(says(GOOD), on_review="block") as made:
        assert made.ask({}, messages=messages).choices[0].message.content == GOOD
    with gateway(says(BAD), on_review="block") as made:
        assert made.ask({}, messages=messages).choices[0].message.content == NOTICE


def test_documents_come_from_the_messages_by_rule() -> None:
    system = f"Answer by the context. <context>{DOCS[0]} --- It rained.</context> Be brief."
    messages = [{"role": "system", "content": system}, *ASKED]
    rule = {"roles": ["system"], "begin": "<context>", "end": "</context>", "separator": "---"}
    with gateway(says(GOOD), documents=rule) as made:
        assert made.ask({}, messages=messages).rag["status"] == "checked"
        assert made.upstream.requests[0].body["messages"] == messages


# the claim guard

CLAIMS = "The audit closed on 4 May 2024. The moon is made of cheese."


PLANNED = "The audit closed on 4 May 2024, as planned."


def lexical(action: str) -> HallucinationGuard:
    return HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(action=action, threshold=0.6))


@pytest.mark.parametrize(
    ("action", "shown", "reason"),
    [
        ("annotate", CLAIMS, "stop"),
        ("redact", f"{GOOD} (unsupported claim removed)", "content_filter"),
        ("block", "This answer is withheld", "content_filter"),
    ],
)
def test_the_guard_cuts_claims_whole_and_streamed(action: str, shown: str, reason: str) -> None:
    quiet = Config(modes={"mode": "enforce", "types": {"unsupported_claim": "shadow"}})
    with gateway(says(CLAIMS), quiet, lexical(action)) as made:
        told, chunks = made.ask(), made.stream()
    for text, end in ((told.choices[0].message.content, told), (text_of(chunks), last(chunks))):
        assert text.startswith(shown)
        assert end.choices[0].finish_reason == reason
        assert end.rag["guard"]["blocked_n"] == 1
        assert "claim" not in end.rag["guard"]["claims"][0]


def test_the_guard_changes_nothing_in_the_shadow() -> None:
    with gateway(says(CLAIMS), SHADOW, lexical("block")) as made:
        told, chunks = made.ask(), made.stream()
    assert (told.choices[0].message.content, told.rag["guard"]["verdict"]) == (CLAIMS, "blocked")
    assert (text_of(chunks), last(chunks).rag["guard"]["verdict"]) == (CLAIMS, "blocked")


def test_the_settings_turn_the_guard_on() -> None:
    with gateway(says(CLAIMS), guard=None) as made:
        assert made.ask().rag["guard"] is None
    with ChatServer(says(CLAIMS)) as upstream:
        config = ServiceConfig(warm_up=False, guard=GuardConfig(enabled=True), upstream={"url": upstream.url})
        with served(build_app(config)) as url:
            told = patient.post(f"{url}/v1/chat/completions", json={"messages": ASKED, **RAG}).json()
    assert told["rag"]["guard"]["verdict"] == "flagged"


def test_what_either_would_cut_is_cut() -> None:
    answer = f"{BAD} {GOOD} The moon is made of cheese."
    with gateway(says(answer), Config(modes={"types": {"unsupported_claim": "shadow"}}), lexical("redact")) as made:
        told = made.ask()
    assert told.choices[0].message.content == f"{REDACTED} {GOOD} {REDACTED}"


@pytest.mark.parametrize("answers", [(GOOD, PLANNED), (PLANNED, GOOD)])
def test_of_several_choices_the_guard_says_which_needs_most_care(answers: tuple[str, str]) -> None:
    told = completion(GOOD)
    told["choices"] = [{**completion(text)["choices"][0], "index": place} for place, text in enumerate(answers)]
    guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(threshold=0.99))
    with gateway(lambda request: told, guard=guard) as made:
        rag = made.ask(n=2).rag
    assert [each["verify"]["action"] for each in rag["choices"]] == ["proceed", "proceed"]
    assert sorted(each["guard"]["blocked_n"] for each in rag["choices"]) == [0, 1]
    assert rag["guard"]["blocked_n"] == 1


class Broken:
    """A guard that gives no verdict: it raises what it is given, or returns it."""

    def __init__(self, given: Any = None, config: GuardConfig | None = None) -> None:
        self._given, self.config = given, config

    async def check(self, *arguments: Any) -> Any:
        if isinstance(self._given, BaseException):
            raise self._given
        return self._given


NO_VERDICTS = [
    (ValueError(BAD), "ValueError"),
    (SystemExit(BAD), "SystemExit"),
    (KeyboardInterrupt(BAD), "KeyboardInterrupt"),
    (asyncio.CancelledError(BAD), "CancelledError"),
    (None, "TypeError"),
    ((None, GOOD), "TypeError"),
    ((lexical("redact").check_sync(None, GOOD, DOCS)[0], None), "TypeError"),
]


@pytest.mark.parametrize(("given", "kind"), NO_VERDICTS)
def test_a_guard_that_fails_lets_nothing_through(given: Any, kind: str) -> None:
    with gateway(says(GOOD), guard=Broken(given)) as made:
        with pytest.raises(openai.InternalServerError, match=rf"The claim guard failed \({kind}\)"):
            made.ask()
        with pytest.raises(openai.APIError, match=rf"The claim guard failed \({kind}\)"):
            made.stream()


@pytest.mark.parametrize(("given", "kind"), NO_VERDICTS)
def test_a_guard_that_fails_changes_nothing_in_the_shadow(given: Any, kind: str) -> None:
    body = {"model": "m", "messages": ASKED, **RAG}
    with gateway(says(GOOD), SHADOW, Broken(given)) as made:
        told = httpx.post(f"{made.url}/v1/chat/completions", json=body).json()
        chunks = made.stream()
    rag = told.pop("rag")
    assert told == completion(GOOD)
    assert [chunk.to_dict() for chunk in chunks[:-1]] == chunks_of(GOOD)[:-1]
    assert last(chunks).rag == rag
    assert rag["status"] == f"unchecked; the claim guard failed ({kind}); no claim was judged"
    assert rag["guard"]["reason"] == f"No claim was judged. 1 claim was not checked: the claim guard failed ({kind})."
    assert (rag["guard"]["verdict"], rag["guard"]["degraded"]) == ("flagged", True)
    assert [claim["status"] for claim in rag["guard"]["claims"]] == ["unchecked"]
    assert (rag["changed"], rag["verify"]["action"]) == (False, "proceed")
    assert "9 May" not in json.dumps(rag)


class Slow(Broken):
    """A guard that gives a verdict only when it is let go."""

    def __init__(self, config: GuardConfig | None = None) -> None:
        super().__init__(config=config)
        self.go_on = Event()

    async def check(self, *arguments: Any) -> Any:
        self.go_on.wait(30)


LATE = "the claim guard took longer than 3 seconds"


def test_a_guard_that_is_late_changes_nothing_in_the_shadow() -> None:
    guard = Slow()
    with gateway(says(GOOD), SHADOW, guard, timeout_s=3) as made:
        whole, chunks = made.ask(), made.stream()
        guard.go_on.set()
    assert (whole.choices[0].message.content, text_of(chunks)) == (GOOD, GOOD)
    assert whole.rag == last(chunks).rag
    assert whole.rag["status"] == f"unchecked; {LATE}; no claim was judged"
    assert whole.rag["guard"]["reason"] == f"No claim was judged. 1 claim was not checked: {LATE}."


def test_a_guard_that_is_late_for_several_choices_changes_nothing_in_the_shadow() -> None:
    told, guard = completion(GOOD), Slow()
    told["choices"] = [{**told["choices"][0], "index": place} for place in range(3)]
    with gateway(lambda request: told, SHADOW, guard, timeout_s=3, upstream={"timeout_s": 3}) as made:
        whole = patient.post(f"{made.url}/v1/chat/completions", json={"model": "m", "messages": ASKED, "n": 3, **RAG})
        guard.go_on.set()
    body = whole.json()
    rag = body.pop("rag")
    assert (whole.status_code, body) == (200, told)
    why = f"unchecked; {LATE}; no claim was judged"
    assert [each["status"] for each in rag["choices"]] == [why] * 3
    assert [each["verify"]["action"] for each in rag["choices"]] == ["proceed"] * 3
    assert [each["guard"]["unchecked_n"] for each in rag["choices"]] == [1] * 3


def test_a_guard_is_late_before_the_request_is() -> None:
    guard = Slow()

    def dripped() -> Iterator[bytes]:
        body = json.dumps({"model": "m", "messages": ASKED, **RAG}).encode()
        yield body[:9]
        sleep(1.5)
        yield body[9:]

    with gateway(says(GOOD), SHADOW, guard, timeout_s=4, upstream={"timeout_s": 1}) as made:
        head = {"Content-Type": "application/json"}
        told = patient.post(f"{made.url}/v1/chat/completions", content=dripped(), headers=head)
        guard.go_on.set()
    assert (told.status_code, told.json()["choices"]) == (200, completion(GOOD)["choices"])
    assert told.json()["rag"]["status"] == (
        "unchecked; the claim guard took longer than 4 seconds; no claim was judged"
    )


def test_the_error_of_one_choice_ends_the_judging_of_all() -> None:
    told, guard = completion(GOOD), Slow()
    told["choices"].append({"index": 1})
    with gateway(lambda request: told, guard=guard) as made:
        with pytest.raises(openai.InternalServerError, match="a choice holds no message"):
            made.ask(n=2)
        guard.go_on.set()


def test_a_guard_that_is_late_ends_the_answer_where_it_may_cut() -> None:
    guard = Slow()
    with gateway(says(GOOD), ENFORCE, guard, timeout_s=3) as made:
        with pytest.raises(openai.InternalServerError, match="The claim guard took longer than 3 seconds"):
            made.ask()
        with pytest.raises(openai.APIError, match="The claim guard took longer than 3 seconds"):
            made.stream()
        guard.go_on.set()


@pytest.mark.parametrize(
    ("config", "shown", "verdict"),
    [
        (GuardConfig(action="block", on_unchecked="act"), BLOCK_NOTICE, "blocked"),
        (GuardConfig(action="block"), GOOD, "flagged"),
        (GuardConfig(action="redact"), GOOD, "flagged"),
    ],
)
def test_of_a_guard_that_is_late_its_config_says_what_follows(config: GuardConfig, shown: str, verdict: str) -> None:
    guard = Slow(config)
    with gateway(says(GOOD), guard=guard, timeout_s=3) as made:
        whole, chunks = made.ask(), made.stream()
        guard.go_on.set()
    assert (whole.choices[0].message.content, text_of(chunks)) == (shown, shown)
    assert whole.rag["guard"]["verdict"] == last(chunks).rag["guard"]["verdict"] == verdict
    assert whole.rag["status"] == last(chunks).rag["status"] == f"unchecked; {LATE}; no claim was judged"


@contextmanager
def no_thread_free(made: Gateway) -> Iterator[None]:
    """All threads of the service are taken by work that does not end."""
    work, go_on = made.app.state.parts.work, Event()
    for _ in range(work._pool._max_workers):
        work._pool.submit(go_on.wait, 30)
    try:
        yield
    finally:
        go_on.set()


@pytest.mark.parametrize("config", [SHADOW, OFF])
def test_what_is_judged_too_late_passes_unchecked_where_nothing_may_change(config: Config) -> None:
    with gateway(says(f"{BAD} It was cold."), config, timeout_s=1) as made, no_thread_free(made):
        whole, chunks = made.ask(), made.stream()
    assert (whole.choices[0].message.content, text_of(chunks)) == (f"{BAD} It was cold.",) * 2
    why = "the judging of the answer took longer than 1 seconds"
    for rag in (whole.rag, last(chunks).rag):
        assert (rag["status"], rag["verify"]["unchecked"], rag["changed"]) == (
            f"unchecked; {why}",
            ["everything"],
            False,
        )


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_what_is_judged_too_late_ends_with_an_error_where_it_may_change(on_review: Any) -> None:
    with gateway(says(f"{BAD} It was cold."), on_review=on_review, timeout_s=1) as made, no_thread_free(made):
        with pytest.raises(openai.InternalServerError, match="The judging of the answer took longer than 1 seconds"):
            made.ask()
        with pytest.raises(openai.APIError, match="The judging of the answer took longer than 1 seconds"):
            made.stream()


@pytest.mark.parametrize(
    ("config", "shown", "reason", "verdict"),
    [
        (GuardConfig(action="redact"), GOOD, "stop", "flagged"),
        (GuardConfig(action="block"), GOOD, "stop", "flagged"),
        (GuardConfig(action="redact", on_unchecked="act"), "(unsupported claim removed)", "content_filter", "blocked"),
        (GuardConfig(action="block", on_unchecked="act"), BLOCK_NOTICE, "content_filter", "blocked"),
        (GuardConfig(action="annotate", on_unchecked="act"), GOOD, "stop", "flagged"),
    ],
)
def test_of_a_guard_that_fails_its_config_says_what_follows(
    config: GuardConfig, shown: str, reason: str, verdict: str
) -> None:
    with gateway(says(GOOD), guard=Broken(config=config)) as made:
        whole, chunks = made.ask(), made.stream()
    assert (whole.choices[0].message.content, whole.choices[0].finish_reason) == (shown, reason)
    assert (text_of(chunks), last(chunks).choices[0].finish_reason) == (shown, reason)
    for rag in (whole.rag, last(chunks).rag):
        assert (rag["status"], rag["guard"]["verdict"], rag["guard"]["degraded"]) == (
            "unchecked; the claim guard failed (TypeError); no claim was judged",
            verdict,
            True,
        )


@pytest.mark.parametrize("config", [SHADOW, ENFORCE])
def test_what_a_failed_guard_leaves_unchecked_is_counted(config: Config) -> None:
    with gateway(says(GOOD), config, Broken(config=GuardConfig())) as made:
        made.ask()
        made.stream()
        page = patient.get(f"{made.url}/metrics").text
    counted = [
        line for line in page.splitlines() if line.startswith(("raguard_guard_verdicts_total", "raguard_claims_total"))
    ]
    assert counted == [
        'raguard_guard_verdicts_total{verdict="flagged"} 2.0',
        'raguard_claims_total{status="unchecked"} 2.0',
    ]


# streams


@pytest.mark.parametrize("config", [OFF, SHADOW, ENFORCE])
def test_a_stream_passes_as_it_came_where_nothing_is_held_back(config: Config) -> None:
    with gateway(says(f"{BAD} It was cold."), config) as made:
        chunks = made.stream()
    end = last(chunks)
    rag = end.rag
    assert [chunk.to_dict() for chunk in chunks[:-1]] == chunks_of(f"{BAD} It was cold.")[:-1]
    assert {key: value for key, value in end.to_dict().items() if key != "rag"} == delta("stop")
    if config is OFF:
        assert rag["verify"]["unchecked"] == ["everything"]
    else:
        assert rag["verify"] == disclosed(verify(ASKED[0]["content"], DOCS, f"{BAD} It was cold."))
    assert rag["changed"] is False


@pytest.mark.parametrize(
    ("on_review", "shown"),
    [("redact", f"It was cold. {REDACTED} It was cold."), ("block", f"It was cold.\n\n{NOTICE}")],
)
def test_a_stream_withholds_what_is_unsupported(on_review: Any, shown: str) -> None:
    with gateway(says(f"It was cold. {BAD} It was cold."), on_review=on_review) as made:
        chunks = made.stream()
    assert text_of(chunks) == shown
    end = last(chunks)
    assert (end.choices[0].finish_reason, end.rag["changed"], end.rag["status"]) == ("content_filter", True, "checked")
    assert chunks[0].choices[0].delta.role == "assistant"
    assert not [chunk for chunk in chunks[:-1] if hasattr(chunk, "rag")]


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_a_supported_stream_passes_with_its_reason(on_review: Any) -> None:
    with gateway(says(GOOD, "length"), on_review=on_review) as made:
        chunks = made.stream()
    assert (text_of(chunks), last(chunks).choices[0].finish_reason) == (GOOD, "length")


def test_a_sentence_is_released_before_the_next_one_is_written() -> None:
    wait, text = Event(), ""
    story = [*chunks_of(f"{GOOD} It", reason=None), delta("stop", content=" was cold.")]
    with (
        gateway(lambda request: sse(*story, wait=wait), on_review="block") as made,
        made.ask(stream=True) as chunks,
    ):
        while text != GOOD:
            text += next(chunks).choices[0].delta.content or ""
        wait.set()
        rest = list(chunks)
    assert text_of(rest) == " It was cold."
    assert last(rest).choices[0].finish_reason == "stop"


def test_the_async_client_reads_the_same() -> None:
    async def ask(url: str) -> tuple[Any, list[Any]]:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="-", max_retries=0) as client:
            create: Any = client.chat.completions.create
            told = await create(model="m", messages=ASKED, extra_body=RAG)
            stream = await create(model="m", messages=ASKED, extra_body=RAG, stream=True)
            return told, [chunk async for chunk in stream]

    with gateway(says(BAD), on_review="block") as made:
        told, chunks = asyncio.run(ask(made.url))
    assert told.choices[0].message.content == text_of(chunks) == NOTICE
    assert told.rag == last(chunks).rag


def test_streamed_choices_do_not_mix() -> None:
    first, second = chunks_of(GOOD), chunks_of(BAD, 1)
    both = [chunk for pair in zip(first, second, strict=True) for chunk in pair]
    with gateway(lambda request: sse(*both), on_review="block") as made:
        chunks = made.stream(n=2)
    told = {0: "", 1: ""}
    reasons = {}
    for chunk in chunks:
        choice = chunk.choices[0]
        told[choice.index] += choice.delta.content or ""
        if choice.finish_reason:
            reasons[choice.index] = (choice.finish_reason, chunk.rag["verify"]["action"])
    assert told == {0: GOOD, 1: NOTICE}
    assert reasons == {0: ("stop", "proceed"), 1: ("content_filter", "review")}


def calling(text: str) -> Callable[[Request], Reply]:
    call = {"index": 0, **CALL}
    return lambda request: sse(*chunks_of(text, reason=None), delta(tool_calls=[call]), delta("tool_calls"))


@pytest.mark.parametrize(
    ("text", "on_review", "calls", "reason"),
    [
        (GOOD, "annotate", 1, "tool_calls"),
        (GOOD, "block", 1, "tool_calls"),
        (BAD, "redact", 1, "tool_calls"),
        (BAD, "block", 0, "content_filter"),
    ],
)
def test_a_streamed_call_waits_for_the_verdict(text: str, on_review: Any, calls: int, reason: str) -> None:
    with gateway(calling(text), on_review=on_review) as made:
        chunks = made.stream()
    assert sum(len(chunk.choices[0].delta.tool_calls or []) for chunk in chunks) == calls
    assert (last(chunks).choices[0].finish_reason, last(chunks).rag["unread"]) == (reason, ["tool_calls"])


def test_streamed_reasoning_passes_only_where_nothing_is_held_back() -> None:
    story = [delta(reasoning_content=BAD), *chunks_of(GOOD)]
    for on_review, count in (("annotate", 1), ("block", 0)):
        with gateway(lambda request: sse(*story), on_review=on_review) as made:
            chunks = made.stream()
        assert sum(hasattr(chunk.choices[0].delta, "reasoning_content") for chunk in chunks) == count
        assert last(chunks).rag["unread"] == ["reasoning_content"]


def test_the_usage_comes_through() -> None:
    usage = {**delta(), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
    with gateway(lambda request: sse(*chunks_of(GOOD), usage), on_review="block") as made:
        chunks = made.stream(stream_options={"include_usage": True})
    assert chunks[-1].usage.total_tokens == 3


def test_the_usage_on_the_last_chunk_comes_through() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    story = [*chunks_of(GOOD, reason=None), {**delta("stop"), "usage": usage}]
    for on_review in ("annotate", "redact"):
        with gateway(lambda request: sse(*story), on_review=on_review) as made:
            chunks = made.stream()
        assert last(chunks).usage.total_tokens == 3


USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


@pytest.mark.parametrize("config", [OFF, SHADOW, ENFORCE])
@pytest.mark.parametrize("on_review", ["annotate", "redact"])
def test_the_usage_may_come_with_an_empty_delta_behind_the_end(config: Config, on_review: Any) -> None:
    behind = {**delta(role="assistant", content=""), "usage": USAGE}
    with gateway(lambda request: sse(*chunks_of(GOOD), behind), config, on_review=on_review) as made:
        chunks = made.stream()
    assert (text_of(chunks), last(chunks).choices[0].finish_reason) == (GOOD, "stop")
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage] == [3]
    assert chunks[-1].usage is not None


@pytest.mark.parametrize("on_review", ["annotate", "redact"])
def test_where_there_is_one_choice_its_index_and_delta_may_be_missing(on_review: Any) -> None:
    story = [{"choices": [{"delta": {"content": GOOD}}]}, {"choices": [{"delta": None, "finish_reason": "stop"}]}]
    with gateway(lambda request: sse(*story), on_review=on_review) as made:
        body = {"messages": ASKED, "stream": True, **RAG}
        lines = patient.post(f"{made.url}/v1/chat/completions", json=body).text.split("\n\n")
    chunks = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "".join((each or {}).get("content", "") for each in deltas) == GOOD
    assert (chunks[-1]["rag"]["status"], chunks[-1]["choices"][0]["finish_reason"]) == ("checked", "stop")
    assert lines[-2] == "data: [DONE]"


def test_where_there_are_several_choices_an_index_is_needed() -> None:
    story = [{"choices": [{"delta": {"content": GOOD}}]}, delta("stop")]
    with (
        gateway(lambda request: sse(*story), on_review="block") as made,
        pytest.raises(openai.APIError, match="it sent a chunk whose choice is none"),
    ):
        made.stream(n=2)


@pytest.mark.parametrize("config", [OFF, SHADOW])
@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (delta(content=5), "stop"),
        (delta(content=[{"type": "image_url"}]), "stop"),
        ({"choices": [{"index": 0, "delta": "more"}]}, "stop"),
        ({"choices": [{"index": "0", "delta": {}}]}, "stop"),
        ({"choices": [5]}, "stop"),
        ({"choices": None}, "stop"),
        (delta(["stop"]), "stop"),  # type: ignore[arg-type]
    ],
)
def test_a_chunk_that_cannot_be_read_passes_unchecked_where_nothing_may_change(
    config: Config, odd: Any, reason: str
) -> None:
    story = [*chunks_of(GOOD, reason=None), odd, delta(reason)]
    with gateway(lambda request: sse(*story), config) as made:
        body = {"messages": ASKED, "stream": True, **RAG}
        lines = patient.post(f"{made.url}/v1/chat/completions", json=body).text.split("\n\n")
    *passed, end = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    assert passed == story[:-1]
    assert (end["rag"]["status"], end["rag"]["verify"]["unchecked"]) == (UNREADABLE, ["everything"])
    assert lines[-2] == "data: [DONE]"


def test_what_comes_behind_the_end_passes_unchecked_where_nothing_may_change() -> None:
    with gateway(lambda request: sse(*chunks_of(GOOD), delta(content=BAD)), SHADOW) as made:
        chunks = made.stream()
    assert [chunk.rag["status"] for chunk in chunks if hasattr(chunk, "rag")] == ["shadow", UNREADABLE]
    assert text_of(chunks) == GOOD + BAD


@pytest.mark.parametrize("config", [SHADOW, ENFORCE])
def test_a_stream_ends_by_itself_only_when_all_choices_have(config: Config) -> None:
    for done in (False, True):
        with gateway(lambda request, done=done: sse(*chunks_of(GOOD), done=done), config) as made:
            if done:
                assert text_of(made.stream(n=2)) == GOOD
            else:
                with pytest.raises(openai.APIError, match="it broke off"):
                    made.stream(n=2)


@pytest.mark.parametrize("on_review", ["annotate", "redact"])
def test_the_usage_of_a_chunk_with_two_choices_is_told_once(on_review: Any) -> None:
    both = {**delta("stop", content=GOOD), "usage": USAGE}
    both["choices"] = [*both["choices"], *delta("stop", 1, content=GOOD)["choices"]]
    with gateway(lambda request: sse(both), on_review=on_review) as made:
        chunks = made.stream(n=2)
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage] == [3]
    assert sorted(choice.index for chunk in chunks for choice in chunk.choices if choice.finish_reason) == [0, 1]


def test_a_choice_without_a_reason_ends_with_the_stream() -> None:
    with gateway(lambda request: sse(*chunks_of(BAD, reason=None)), on_review="redact") as made:
        chunks = made.stream()
    assert (text_of(chunks), last(chunks).choices[0].finish_reason) == (REDACTED, "content_filter")


@pytest.mark.parametrize("config", [SHADOW, ENFORCE])
def test_no_reason_is_told_that_the_model_has_not_given(config: Config) -> None:
    with gateway(lambda request: sse(*chunks_of(GOOD, reason=None)), config) as made:
        chunks = made.stream()
    assert (text_of(chunks), chunks[-1].choices[0].finish_reason) == (GOOD, None)
    assert chunks[-1].rag["verify"]["action"] == "proceed"


@pytest.mark.parametrize("on_review", ["annotate", "redact"])
def test_an_empty_reason_ends_no_choice(on_review: Any) -> None:
    story = [delta("", content=f"{GOOD} "), delta("", content="It was cold."), delta("stop")]
    with gateway(lambda request: sse(*story), on_review=on_review) as made:
        chunks = made.stream()
    assert (text_of(chunks), last(chunks).choices[0].finish_reason) == (f"{GOOD} It was cold.", "stop")


def test_a_chunk_that_comes_in_small_pieces_is_read() -> None:
    line = b"data: " + json.dumps(delta(content=GOOD)).encode() + b"\n\n"
    with gateway(lambda request: sse(*(bytes([byte]) for byte in line), delta("stop"))) as made:
        assert text_of(made.stream()) == GOOD


def test_a_stream_may_end_without_done_when_its_choices_have() -> None:
    with gateway(lambda request: sse(*chunks_of(GOOD), done=False)) as made:
        assert text_of(made.stream()) == GOOD


def test_events_are_read_however_they_are_written() -> None:
    lines = b": hello\r\n\r\nevent: message\r\ndata:" + json.dumps(delta(content=GOOD)).encode() + b"\r\n\r\n"
    end = b"data: " + json.dumps(delta("stop")).encode()
    with gateway(lambda request: sse(lines, end, done=False)) as made:
        chunks = made.stream()
    assert (text_of(chunks), last(chunks).rag["status"]) == (GOOD, "checked")


@pytest.mark.parametrize("step", [1, 7, 10_000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_read_whatever_ends_their_lines(end: str, step: int) -> None:
    written = f'\ufeffdata: {{"a":{end}data: 1}}{end}{end}: hello{end}{end}data: [DONE]{end}{end}data:x'.encode()

    async def parts() -> Any:
        for place in range(0, len(written), step):
            yield written[place : place + step]

    async def read() -> list[bytes]:
        return [data async for data in data_of(parts())]

    assert asyncio.run(read()) == [b'{"a":\n1}', b"[DONE]", b"x"]


_WORDS = st.lists(
    st.sampled_from([*pieces(GOOD), *pieces(BAD), "\n", " It was cold.", " 1.", "é", " Dr. Lee"]), max_size=12
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=_WORDS)
def test_what_is_told_at_the_end_of_a_stream_is_the_verdict_on_the_whole(scripted: Gateway, words: list[str]) -> None:
    scripted.upstream.reply = lambda request: sse(*(delta(content=word) for word in words), delta("stop"))
    end = last(scripted.stream())
    answer = "".join(words)
    if answer:
        assert end.rag["verify"] == disclosed(verify(ASKED[0]["content"], DOCS, answer))
    else:
        assert end.rag["verify"]["unchecked"] == ["everything"]


@pytest.fixture(scope="module")
def scripted() -> Iterator[Gateway]:
    with gateway(says(GOOD), on_review="redact") as made:
        yield made


# what else may repeat the text


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_what_may_repeat_the_text_goes_where_the_text_goes(on_review: Any) -> None:
    told = completion(BAD) | {"verbose": BAD, "service_tier": "flex"}
    told["choices"][0] |= {"text": BAD, "stop_reason": BAD}
    with gateway(lambda request: told, on_review=on_review) as made:
        shown = made.ask()
    kept = {"text": BAD, "stop_reason": BAD} if on_review == "annotate" else {}
    assert shown.choices[0].model_extra == kept
    assert shown.model_extra.get("verbose") == (BAD if on_review == "annotate" else None)
    assert (shown.service_tier, shown.usage.total_tokens) == ("flex", 2)


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_what_may_repeat_the_text_of_a_stream_goes_where_the_text_goes(on_review: Any) -> None:
    story = [{**chunk, "verbose": BAD} for chunk in chunks_of(BAD)]
    end = {**delta(), "choices": [], "verbose": BAD, "usage": completion(BAD)["usage"]}
    with gateway(lambda request: sse(*story, end), on_review=on_review) as made:
        chunks = made.stream()
    assert {chunk.model_extra.get("verbose") for chunk in chunks} == {BAD if on_review == "annotate" else None}
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], 2)


# an upstream that fails


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


def test_an_upstream_that_is_not_there_is_an_error() -> None:
    config = ServiceConfig(warm_up=False, upstream={"url": "http://127.0.0.1:9/v1"})
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


@pytest.mark.parametrize("number", ["NaN", "1e999", "-Infinity"])
def test_a_number_that_json_cannot_hold_is_not_sent_on(scripted: Gateway, number: str) -> None:
    asked = len(scripted.upstream.requests)
    content = f'{{"messages": {json.dumps(ASKED)}, "temperature": {number}}}'
    head = {"Content-Type": "application/json"}
    told = patient.post(f"{scripted.url}/v1/chat/completions", content=content, headers=head)
    assert (told.status_code, told.json()["error"]["code"]) == (400, "invalid_json")
    assert len(scripted.upstream.requests) == asked


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


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"messages": []}, "messages: List should have at least 1 item"),
        ({"messages": "hello"}, "messages: Input should be a valid list"),
        ({}, "messages: Field required"),
        ({"messages": ASKED, "rag": {"docs": []}}, "rag.docs: Extra inputs are not permitted"),
        ({"messages": ASKED, "rag": {"documents": [1]}}, "rag.documents.0: Input should be a valid string"),
    ],
)
def test_a_request_that_is_none_is_told(scripted: Gateway, body: Any, told: str) -> None:
    response = patient.post(f"{scripted.url}/v1/chat/completions", json=body)
    assert response.status_code == 422
    assert response.json()["error"]["message"].startswith(told)


def test_nothing_of_the_texts_is_logged_or_counted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="raguard")
    caplog.set_level(logging.DEBUG, logger="httpx")
    with gateway(says(BAD), on_review="block") as made:
        made.ask()
        made.stream()
        page = patient.get(f"{made.url}/metrics").text
    assert 'raguard_gateway_answers_total{changed="true",mode="enforce"} 2.0' in page
    for word in ("audit", "closed", "May", "cold"):
        assert word not in page + caplog.text


# what is asked


@pytest.mark.parametrize(
    ("rule", "messages", "docs", "question", "history"),
    [
        (None, ASKED, [], ASKED[0]["content"], []),
        (ContextSettings(), [{"role": "system", "content": "a"}, *ASKED], ["a"], ASKED[0]["content"], []),
        (
            ContextSettings(roles=("tool",), separator="\n\n"),
            [*ASKED, {"role": "tool", "content": "a\n\nb\n\n"}],
            ["a", "b"],
            ASKED[0]["content"],
            [],
        ),
        (
            ContextSettings(roles=("user",), begin="<d>", end="</d>"),
            [{"role": "user", "content": "<d>a</d> <d> b </d> When? <d>c"}],
            ["a", "b"],
            "When? <d>c",
            [],
        ),
        (
            None,
            [
                {"role": "user", "content": [{"type": "text", "text": "One?"}, {"type": "image_url"}]},
                {"role": "assistant", "content": "1."},
                {"role": "bot", "content": "nothing"},
                {"role": "user", "content": "Two?"},
            ],
            [],
            "Two?",
            [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "1."}],
        ),
        (None, [{"role": "assistant", "content": "1."}], [], "", [{"role": "assistant", "content": "1."}]),
    ],
)
def test_question_documents_and_turns_are_found(
    rule: Any, messages: Any, docs: list[str], question: str, history: list[Any]
) -> None:
    asked = asked_of(messages, rule)
    assert (asked.docs, asked.question, asked.history) == (docs, question, history)


def test_many_documents_in_a_message_are_cut_apart() -> None:
    content = f"{'<d>a</d>' * 200_000}When?"
    asked = asked_of([{"role": "user", "content": content}], ContextSettings(roles=("user",), begin="<d>", end="</d>"))
    assert (asked.question, len(asked.docs), {*asked.docs}) == ("When?", 200_000, {"a"})


def test_named_documents_and_question_take_the_place_of_those_in_the_messages() -> None:
    messages = [{"role": "system", "content": "a"}, *ASKED]
    asked = asked_of(messages, ContextSettings(), docs=["b"], question="Why?")
    assert (asked.docs, asked.question) == (["b"], "Why?")


def test_the_verifier_of_the_app_judges() -> None:
    with ChatServer(says(GOOD)) as upstream:
        config = ServiceConfig(warm_up=False, upstream={"url": upstream.url})
        with served(build_app(config, verifier=Verifier(SHADOW))) as url:
            told = patient.post(f"{url}/v1/chat/completions", json={"messages": ASKED, **RAG}).json()
    assert told["rag"]["mode"] == "shadow"
