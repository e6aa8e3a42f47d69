"""Does LiteLLM show what the documents support, by the guardrail in its proxy and client and over HTTP?

``test_integrations_litellm.py`` runs this in an environment of its own: the real proxy and the official client stand
before a model that the test serves.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from fastapi import FastAPI, Header, HTTPException
from served import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from raguard import Config, ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.generic_guardrail import guardrail_router
from raguard.integrations.litellm import RaguardGuardrail
from raguard.modes import Modes
from raguard.showing import NOTICE

KEY = f"sk-{secrets.token_hex(32)}"
DOCUMENT = "The lease began on 4 May 2024. The rent is $900 a month."
RIGHT = "The lease began on 4 May 2024."
WRONG = "The rent is $900. It began on 9 May 2024. Bye."
REDACTED = "The rent is $900. (unsupported text removed) Bye."
QUESTION = {"type": "query", "text": "When did it begin?"}
"""What the user says may be echoed, so the question is marked; the user's text is what the model is to say."""
BLOCKS = [QUESTION, {"type": "grounding_source", "text": DOCUMENT, "id": "lease#1"}]
PLAIN = [QUESTION, {"type": "text", "text": "Be kind."}]
ASKED: list[dict[str, Any]] = []
"""What the model was asked."""


async def model(request: Request) -> Response:
    """Says what the user's message says that it shall."""
    body = await request.json()
    ASKED.append(body)
    content = body["messages"][-1]["content"]
    answer = content if isinstance(content, str) else content[-1]["text"]
    plain = {"id": "c1", "created": 1, "model": "fake"}
    if not body.get("stream"):
        message = {"role": "assistant", "content": answer}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        return JSONResponse({**plain, "object": "chat.completion", "choices": choices})

    async def events() -> AsyncIterator[str]:
        words = [f"{word} " for word in answer.split(" ")]
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": word} for word in words)]
        for delta in deltas:
            choices = [{"index": 0, "delta": delta, "finish_reason": None}]
            yield f"data: {json.dumps({**plain, 'object': 'chat.completion.chunk', 'choices': choices})}\n\n"
        choices = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
        yield f"data: {json.dumps({**plain, 'object': 'chat.completion.chunk', 'choices': choices})}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


HEARD: list[Gated] = []


def service() -> FastAPI:
    """Answers the generic guardrail API, for each way of showing under a path of its own."""

    def tenant(x_api_key: str = Header()) -> str:
        if x_api_key not in ("shadowed", "enforced"):
            raise HTTPException(401)
        return x_api_key

    app = FastAPI()
    config = Config(modes=Modes(tenants={"shadowed": {"mode": "shadow"}}))  # type: ignore[dict-item]
    for on_review in ("annotate", "redact", "block"):
        gate = Gate(config=config, on_review=on_review)  # type: ignore[arg-type]
        app.include_router(guardrail_router(gate, tenant=tenant, on_result=HEARD.append), prefix=f"/{on_review}")
    return app


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("proxy")
    upstream = Starlette(routes=[Route("/v1/chat/completions", model, methods=["POST"])])
    (folder / "shadow.toml").write_text('[modes]\nmode = "shadow"\n', encoding="utf-8")
    with served(upstream) as model_url, served(service()) as guard_url:
        ours = {"guardrail": "raguard.integrations.litellm.RaguardGuardrail", "mode": "post_call"}
        generic = {"guardrail": "generic_guardrail_api", "mode": ["pre_call", "post_call"], "api_key": "enforced"}
        generic |= {"streaming_end_of_stream_only": True, "streaming_buffer_until_moderated": True}
        guardrails = {
            "shadow": {**ours, "on_review": "block", "config_file": str(folder / "shadow.toml")},
            **{on_review: {**ours, "on_review": on_review} for on_review in ("annotate", "redact", "block")},
            **{
                f"generic-{on_review}": {**generic, "api_base": f"{guard_url}/{on_review}"}
                for on_review in ("annotate", "redact", "block")
            },
            "generic-shadow": {**generic, "api_base": f"{guard_url}/block", "api_key": "shadowed"},
        }
        settings = {
            "model_list": [
                {
                    "model_name": "m",
                    "litellm_params": {"model": "openai/fake", "api_key": "none", "api_base": f"{model_url}/v1"},
                }
            ],
            "guardrails": [{"guardrail_name": name, "litellm_params": params} for name, params in guardrails.items()],
        }
        (folder / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
        os.environ |= {"LITELLM_MASTER_KEY": KEY, "CONFIG_FILE_PATH": str(folder / "config.yaml")}
        from litellm.proxy.proxy_server import app

        with served(app) as url:
            yield url


def client(proxy: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{proxy}/v1", api_key=KEY, max_retries=0)


def ask(proxy: str, guardrail: str, say: str, *, system: Any = BLOCKS, **more: Any) -> Any:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": say}]
    extra = {"guardrails": [guardrail], **more.pop("extra", {})}
    return client(proxy).chat.completions.create(model="m", messages=messages, extra_body=extra, **more)  # type: ignore[arg-type]


def said(proxy: str, guardrail: str, say: str, **more: Any) -> tuple[str, str]:
    choice = ask(proxy, guardrail, say, **more).choices[0]
    return choice.message.content, choice.finish_reason


def streamed(proxy: str, guardrail: str, say: str, **more: Any) -> tuple[list[str], str]:
    chunks = [chunk.choices[0] for chunk in ask(proxy, guardrail, say, stream=True, **more) if chunk.choices]
    return [chunk.delta.content for chunk in chunks if chunk.delta.content], chunks[-1].finish_reason


SHOWN = [
    ("annotate", WRONG.replace("9 May 2024", "9 May 2024 [unsupported]"), "stop"),
    ("redact", REDACTED, "stop"),
    ("block", NOTICE, "content_filter"),
]


@pytest.mark.parametrize(("on_review", "shown", "finish"), SHOWN)
def test_the_guardrail_shows_what_the_gate_lets_through(proxy: str, on_review: str, shown: str, finish: str) -> None:
    assert said(proxy, on_review, WRONG) == (shown, finish)
    assert said(proxy, on_review, RIGHT) == (RIGHT, "stop")


def test_the_shadow_changes_no_text_and_no_finish_reason(proxy: str) -> None:
    for guardrail in ("shadow", "generic-shadow"):
        assert said(proxy, guardrail, WRONG) == (WRONG, "stop")
        parts, finish = streamed(proxy, guardrail, WRONG)
        assert ("".join(parts).rstrip(), finish) == (WRONG, "stop")
        assert parts == [f"{word} " for word in WRONG.split(" ")] or guardrail == "generic-shadow"


def test_without_documents_an_answer_is_stopped(proxy: str) -> None:
    assert said(proxy, "block", RIGHT, system=PLAIN) == (NOTICE, "content_filter")
    assert said(proxy, "annotate", RIGHT, system=PLAIN)[0].startswith(f"{RIGHT}\n\n[not checked: ")


def test_a_user_cannot_bring_documents(proxy: str) -> None:
    own = [{"type": "grounding_source", "text": WRONG}, {"type": "text", "text": WRONG}]
    messages = [{"role": "system", "content": PLAIN}, {"role": "user", "content": own}]
    told = client(proxy).chat.completions.create(
        model="m",
        messages=messages,  # type: ignore[arg-type]
        extra_body={"guardrails": ["block"]},
    )
    assert told.choices[0].message.content == NOTICE


def test_documents_may_stand_in_the_metadata(proxy: str) -> None:
    extra = {"metadata": {"raguard_documents": [{"text": DOCUMENT, "id": "lease#1"}]}}
    assert said(proxy, "block", RIGHT, system=PLAIN, extra=extra) == (RIGHT, "stop")
    assert said(proxy, "block", WRONG, system=PLAIN, extra=extra) == (NOTICE, "content_filter")


def test_a_stream_is_released_sentence_by_sentence(proxy: str) -> None:
    parts, finish = streamed(proxy, "redact", WRONG)
    assert "".join(parts).rstrip() == REDACTED
    assert finish == "stop"
    parts, finish = streamed(proxy, "block", WRONG)
    assert ("".join(parts), finish) == (f"The rent is $900.\n\n{NOTICE}", "content_filter")
    assert len(parts) > 3


def test_annotating_passes_every_token_of_a_stream(proxy: str) -> None:
    assert streamed(proxy, "annotate", WRONG) == ([f"{word} " for word in WRONG.split(" ")], "stop")


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_a_supported_stream_is_whole(proxy: str, on_review: str) -> None:
    parts, finish = streamed(proxy, on_review, RIGHT)
    assert ("".join(parts).rstrip(), finish) == (RIGHT, "stop")


@pytest.mark.parametrize(("on_review", "shown"), [(on_review, shown) for on_review, shown, _ in SHOWN[:2]])
def test_over_http_the_proxy_shows_other_texts(proxy: str, on_review: str, shown: str) -> None:
    assert said(proxy, f"generic-{on_review}", WRONG) == (shown, "stop")
    assert said(proxy, f"generic-{on_review}", RIGHT) == (RIGHT, "stop")


def test_over_http_the_proxy_refuses_a_blocked_answer(proxy: str) -> None:
    with pytest.raises(openai.APIStatusError, match=NOTICE):
        said(proxy, "generic-block", WRONG)
    with pytest.raises(openai.APIStatusError, match=NOTICE):
        said(proxy, "generic-block", RIGHT, system=PLAIN)
    assert said(proxy, "generic-block", RIGHT) == (RIGHT, "stop")


def test_over_http_a_blocked_stream_is_an_error_before_its_text(proxy: str) -> None:
    seen: list[str] = []

    def read() -> None:
        for chunk in ask(proxy, "generic-block", WRONG, stream=True):
            seen.extend(choice.delta.content or "" for choice in chunk.choices)

    with pytest.raises(openai.APIError, match=NOTICE):
        read()
    assert "9 May" not in "".join(seen)


def test_over_http_the_model_is_asked_in_plain_text(proxy: str) -> None:
    said(proxy, "generic-block", RIGHT)
    assert [(block["type"], block["text"]) for block in ASKED[-1]["messages"][0]["content"]] == [
        ("text", QUESTION["text"]),
        ("text", DOCUMENT),
    ]


def test_over_http_the_service_knows_its_tenants_and_tells_its_listener(proxy: str) -> None:
    HEARD.clear()
    said(proxy, "generic-shadow", WRONG)
    assert [(gated.mode, gated.verdict.action, gated.verdict.warnings[0].evidence.doc_id) for gated in HEARD] == [  # type: ignore[union-attr]
        ("shadow", "review", "lease#1")
    ]


def test_the_client_runs_the_guardrail_too() -> None:
    """In an application with no proxy, for what is not streamed."""
    import litellm

    heard: list[Gated] = []
    guardrail = RaguardGuardrail(
        "own",
        gate=Gate(on_review="redact"),
        default_on=True,
        on_result=heard.append,
        find_documents=lambda data: [DOCUMENT],
    )
    litellm.callbacks = [guardrail]
    messages = [{"role": "system", "content": PLAIN}, {"role": "user", "content": WRONG}]
    with served(Starlette(routes=[Route("/v1/chat/completions", model, methods=["POST"])])) as url:
        options = {"api_key": "none", "api_base": f"{url}/v1", "guardrails": ["own"]}
        try:
            told = asyncio.run(litellm.acompletion(model="openai/fake", messages=messages, **options))
        finally:
            litellm.callbacks = []
    assert told.choices[0].message.content == REDACTED
    assert [gated.text for gated in heard] == [REDACTED]


def chunks(*pieces: tuple[int, str, str | None]) -> Any:
    """A stream of chunks, each of one choice with a text and why it ends."""
    from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices

    async def written() -> AsyncIterator[Any]:
        for index, text, finish in pieces:
            choice = StreamingChoices(index=index, delta=Delta(content=text), finish_reason=finish)
            yield ModelResponseStream(choices=[choice])

    return written()


def through(guardrail: RaguardGuardrail, response: Any, data: dict[str, Any] | None = None) -> list[Any]:
    async def consumed() -> list[Any]:
        given = {"metadata": {"raguard_documents": [DOCUMENT]}} if data is None else data
        return [chunk async for chunk in guardrail.async_post_call_streaming_iterator_hook(None, response, given)]

    return asyncio.run(consumed())


def test_choices_of_one_stream_are_judged_each_by_itself() -> None:
    stream = chunks(
        (0, "The rent is $900.", None), (1, "The rent is $950. ", None), (0, " Bye.", "stop"), (1, "", "stop")
    )
    out = [
        choice for chunk in through(RaguardGuardrail(gate=Gate(on_review="block")), stream) for choice in chunk.choices
    ]
    texts = {index: "".join(each.delta.content or "" for each in out if each.index == index) for index in (0, 1)}
    assert texts == {0: "The rent is $900. Bye.", 1: NOTICE}
    assert [(each.index, each.finish_reason) for each in out if each.finish_reason] == [
        (0, "stop"),
        (1, "content_filter"),
    ]


def test_chunks_of_another_kind_pass_or_are_refused() -> None:
    from litellm.exceptions import GuardrailRaisedException

    async def other() -> AsyncIterator[Any]:
        yield b"data: one"
        yield b"data: two"

    data: dict[str, Any] = {"metadata": {}}
    assert through(RaguardGuardrail(), other(), data) == [b"data: one", b"data: two"]
    assert len(data["metadata"]["standard_logging_guardrail_information"]) == 1
    shadow = RaguardGuardrail(gate=Gate(config=Config(modes=Modes(mode="shadow")), on_review="block"))
    assert through(shadow, other(), data) == [b"data: one", b"data: two"]
    assert len(data["metadata"]["standard_logging_guardrail_information"]) == 2
    with pytest.raises(GuardrailRaisedException, match=NOTICE):
        through(RaguardGuardrail(gate=Gate(on_review="redact")), other(), data)


def test_counts_stand_in_the_log_entry_and_no_text() -> None:
    data: dict[str, Any] = {"metadata": {"raguard_documents": [DOCUMENT]}}
    through(RaguardGuardrail(gate=Gate(on_review="redact")), chunks((0, "It is $950.", "stop")), data)
    (entry,) = data["metadata"]["standard_logging_guardrail_information"]
    assert (entry["guardrail_name"], entry["guardrail_status"]) == ("raguard", "guardrail_intervened")
    assert entry["guardrail_response"] == {
        "status": "checked",
        "action": "review",
        "summary": {"high": 1, "medium": 0, "low": 0},
    }


CALL = {"id": "t", "type": "function", "function": {"name": "f", "arguments": '{"rent": "$950"}'}}
BESIDE = {
    "reasoning_content": "They pay $950.",
    "thinking_blocks": [{"type": "thinking", "thinking": "They pay $950.", "signature": "s"}],
    "provider_specific_fields": {"quoted": "$950"},
    "tool_calls": [CALL],
}
"""What repeats the text beside it."""
NAMES = sorted(BESIDE)
LOGPROBS = {"content": [{"token": "$950", "logprob": -0.1, "top_logprobs": []}]}
RENT = "The rent is $950."


def completion(content: Any, **beside: Any) -> Any:
    from litellm.types.utils import ModelResponse

    message = {"role": "assistant", "content": content, **beside}
    choices = [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": LOGPROBS}]
    return ModelResponse(id="c1", model="m", choices=choices, usage={"total_tokens": 7}, quoted="$950")


def judged(guardrail: RaguardGuardrail, response: Any) -> tuple[Any, dict[str, Any]]:
    """What the client gets, and what the log entry says."""
    data: dict[str, Any] = {"metadata": {"raguard_documents": [DOCUMENT]}}
    told = asyncio.run(guardrail.async_post_call_success_hook(data, None, response))
    (entry,) = data["metadata"]["standard_logging_guardrail_information"]
    return told, entry["guardrail_response"]


@pytest.mark.parametrize(
    ("on_review", "shown", "reason"),
    [("redact", "(unsupported text removed)", "stop"), ("block", NOTICE, "content_filter")],
)
def test_what_repeats_removed_text_goes_with_it(on_review: Any, shown: str, reason: str) -> None:
    told, entry = judged(RaguardGuardrail(gate=Gate(on_review=on_review)), completion(RENT, **BESIDE))
    (choice,) = told.choices
    assert (choice.message.content, choice.finish_reason, choice.index) == (shown, reason, 0)
    calls = choice.message.tool_calls
    assert (None if calls is None else [call.id for call in calls]) == (["t"] if on_review == "redact" else None)
    choice.message.tool_calls = None
    assert "$950" not in told.model_dump_json()
    assert (told.id, told.usage.total_tokens) == ("c1", 7)
    assert entry["unread"] == NAMES


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_beside_text_that_stays_all_stays(on_review: Any) -> None:
    before = completion(RIGHT, **BESIDE).model_dump()
    told, entry = judged(RaguardGuardrail(gate=Gate(on_review=on_review)), completion(RIGHT, **BESIDE))
    assert {**told.model_dump(), "created": 0} == {**before, "created": 0}
    assert (entry["status"], entry["unread"]) == ("checked", NAMES)


@pytest.mark.parametrize(
    ("beside", "unread"), [({"refusal": RENT}, ["refusal"]), ({"tool_calls": [CALL]}, ["tool_calls"]), ({}, [])]
)
@pytest.mark.parametrize("content", [None, ""])
def test_an_answer_without_text_is_logged_as_unchecked(content: Any, beside: dict[str, Any], unread: list[str]) -> None:
    named = {"unread": unread} if unread else {}
    shadow = Gate(config=Config(modes=Modes(mode="shadow")))
    for gate in (Gate(on_review="block"), Gate(), shadow):
        told, entry = judged(RaguardGuardrail(gate=gate), completion(content, **beside))
        assert entry == {"status": "unchecked; the answer holds no text", **named}
        assert told.choices[0].message.content == content
        data: dict[str, Any] = {"metadata": {"raguard_documents": [DOCUMENT]}}
        through(RaguardGuardrail(gate=gate), stream({"role": "assistant", "content": content}, beside), data)
        (entry,) = data["metadata"]["standard_logging_guardrail_information"]
        assert entry["guardrail_response"] == {"status": "unchecked; the answer holds no text", **named}


def stream(*deltas: dict[str, Any], reason: str = "stop") -> Any:
    """A stream whose chunks have these deltas, and more that repeats text."""
    from litellm.types.utils import ModelResponseStream

    async def written() -> AsyncIterator[Any]:
        for delta in [*deltas, {}]:
            choice = {"index": 0, "delta": delta, "finish_reason": None if delta else reason, "logprobs": LOGPROBS}
            yield ModelResponseStream(id="c1", model="m", choices=[choice], quoted="$950")

    return written()


@pytest.mark.parametrize("on_review", ["redact", "block"])
def test_a_stream_that_waits_holds_nothing_beside_its_text(on_review: Any) -> None:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, BESIDE, {"content": RENT}]
    data: dict[str, Any] = {"metadata": {"raguard_documents": [DOCUMENT]}}
    out = through(RaguardGuardrail(gate=Gate(on_review=on_review)), stream(*deltas), data)
    calls = [chunk.choices[0].delta.tool_calls for chunk in out if chunk.choices[0].delta.tool_calls]
    assert [[call.id for call in each] for each in calls] == ([["t"]] if on_review == "redact" else [])
    assert "$950" not in "".join(chunk.model_dump_json() for chunk in out if not chunk.choices[0].delta.tool_calls)
    shown = "".join(chunk.choices[0].delta.content or "" for chunk in out)
    assert shown == (NOTICE if on_review == "block" else "(unsupported text removed)")
    assert out[-1].choices[0].finish_reason == ("content_filter" if on_review == "block" else "stop")
    (entry,) = data["metadata"]["standard_logging_guardrail_information"]
    assert entry["guardrail_response"]["unread"] == NAMES


def test_a_stream_whose_text_stays_keeps_its_calls_and_a_stream_that_waits_for_nothing_keeps_all() -> None:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, BESIDE, {"content": RIGHT}]
    blocking = through(RaguardGuardrail(gate=Gate(on_review="block")), stream(*deltas, reason="tool_calls"))
    called = [chunk.choices[0].delta.tool_calls[0].id for chunk in blocking if chunk.choices[0].delta.tool_calls]
    assert (called, blocking[-1].choices[0].finish_reason) == (["t"], "tool_calls")
    annotating = through(RaguardGuardrail(), stream(*deltas))
    assert annotating[1].choices[0].delta.reasoning_content == BESIDE["reasoning_content"]
    assert len(annotating) == 4


def test_content_that_is_no_text_passes_or_is_refused() -> None:
    from litellm.exceptions import GuardrailRaisedException

    other: Any = [{"type": "text", "text": RENT}]
    told = {"status": "unchecked; the answer is no text"}
    shadow = RaguardGuardrail(gate=Gate(config=Config(modes=Modes(mode="shadow")), on_review="block"))
    for guardrail in (RaguardGuardrail(), shadow):
        response = completion("")
        response.choices[0].message.content = other
        assert judged(guardrail, response)[1] == told
        data: dict[str, Any] = {"metadata": {"raguard_documents": [DOCUMENT]}}
        out = through(guardrail, stream({"content": RIGHT}, {"content": other}), data)
        assert [chunk.choices[0].delta.content for chunk in out] == [RIGHT, other, None]
        entries = data["metadata"]["standard_logging_guardrail_information"]
        assert told in [entry["guardrail_response"] for entry in entries]
    blocking = RaguardGuardrail(gate=Gate(on_review="block"))
    response = completion("")
    response.choices[0].message.content = other
    with pytest.raises(GuardrailRaisedException, match=NOTICE):
        judged(blocking, response)
    with pytest.raises(GuardrailRaisedException, match=NOTICE):
        through(blocking, stream({"content": RIGHT}, {"content": other}))


def test_a_subclass_keeps_the_hooks_as_its_own() -> None:
    class Ours(RaguardGuardrail):
        pass

    assert {"async_post_call_success_hook", "async_post_call_streaming_iterator_hook"} <= {*vars(Ours)}


def test_the_tenant_comes_from_the_key() -> None:
    gate = Gate(config=Config(modes=Modes(mode="shadow", tenants={"acme": Modes()})), on_review="redact")
    guardrail = RaguardGuardrail(gate=gate, tenant=lambda key: key or "default")
    data = {"metadata": {"raguard_documents": [DOCUMENT]}}

    async def shown(key: str | None) -> str:
        parts = guardrail.async_post_call_streaming_iterator_hook(key, chunks((0, "It is $950.", "stop")), data)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in parts])

    assert [asyncio.run(shown(key)) for key in (None, "acme")] == ["It is $950.", "(unsupported text removed)"]


def test_a_tenant_whose_id_is_no_string_gets_no_answer() -> None:
    gate = Gate(config=Config(modes=Modes(mode="off", tenants={"42": Modes()})), on_review="redact")
    guardrail = RaguardGuardrail(gate=gate, tenant=lambda key: key)

    async def shown(key: Any) -> str:
        data = {"metadata": {"raguard_documents": [DOCUMENT]}}
        parts = guardrail.async_post_call_streaming_iterator_hook(key, chunks((0, "It is $950.", "stop")), data)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in parts])

    with pytest.raises(TypeError, match=r"^the id of a tenant must be a string .*, not int$"):
        asyncio.run(shown(42))
    assert [asyncio.run(shown(key)) for key in (None, "42")] == ["It is $950.", "(unsupported text removed)"]


def test_importing_it_asks_no_network_and_leaves_the_environment_alone() -> None:
    code = (
        "import os, socket\n"
        "os.environ.pop('LITELLM_LOCAL_MODEL_COST_MAP', None)\n"
        "def refuse(*args): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "import raguard.integrations.litellm\n"
        "from litellm.litellm_core_utils.get_model_cost_map import get_model_cost_map_source_info as told\n"
        "print(told()['source'], told()['fallback_reason'], 'LITELLM_LOCAL_MODEL_COST_MAP' in os.environ)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["local", "None", "False"]


def test_what_is_no_chat_completion_passes_or_is_refused() -> None:
    from litellm.exceptions import GuardrailRaisedException
    from litellm.types.utils import EmbeddingResponse

    other = EmbeddingResponse()

    data: dict[str, Any] = {"metadata": {}}

    def hook(guardrail: RaguardGuardrail) -> Any:
        return asyncio.run(guardrail.async_post_call_success_hook(data, None, other))

    assert hook(RaguardGuardrail()) is other
    (entry,) = data["metadata"]["standard_logging_guardrail_information"]
    assert entry["guardrail_response"] == {"status": "unchecked; it is no chat completion"}
    assert hook(RaguardGuardrail(gate=Gate(on_review="block"), on_unchecked="pass")) is other
    shadow = Gate(config=Config(modes=Modes(mode="shadow")), on_review="block")
    assert hook(RaguardGuardrail(gate=shadow)) is other
    with pytest.raises(GuardrailRaisedException, match=NOTICE):
        hook(RaguardGuardrail(gate=Gate(on_review="block")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gate": "g"}, "gate must be a Gate, not str"),
        ({"gate": Gate(), "config_file": "raguard.toml"}, "config_file must be left out when gate is given"),
        ({"on_unchecked": "drop"}, "on_unchecked must be one of pass, block, not 'drop'"),
        ({"on_review": "drop"}, "on_review must be one of annotate, redact, block, not 'drop'"),
        ({"config_file": "no/such.toml"}, "no/such.toml: cannot be read"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RaguardGuardrail(**options)
    assert message in str(caught.value)
