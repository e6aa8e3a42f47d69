"""Does an answer pass through the gateway as its mode lets it, to the official client, and never unchecked as clean?"""

from __future__ import annotations

import json
import logging
from typing import Any

import openai
import patient
import pytest
from chat_server import ChatServer, Reply, Request, completion
from gateways import (
    ASKED,
    BAD,
    CALL,
    DOCS,
    ENFORCE,
    GOOD,
    OFF,
    RAG,
    SHADOW,
    UNREADABLE,
    Gateway,
    chunks_of,
    delta,
    gateway,
    last,
    says,
    sse,
    text_of,
)
from served import served

from raguard import Config, Verifier, verify
from raguard.gate import disclosed
from raguard.service import ContextSettings, ServiceConfig, build_app
from raguard.service.gateway.asking import asked_of
from raguard.showing import NOTICE, REDACTED

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


# a request


@pytest.mark.parametrize("number", ["NaN", "1e999", "-Infinity"])
def test_a_number_that_json_cannot_hold_is_not_sent_on(scripted: Gateway, number: str) -> None:
    asked = len(scripted.upstream.requests)
    content = f'{{"messages": {json.dumps(ASKED)}, "temperature": {number}}}'
    head = {"Content-Type": "application/json"}
    told = patient.post(f"{scripted.url}/v1/chat/completions", content=content, headers=head)
    assert (told.status_code, told.json()["error"]["code"]) == (400, "invalid_json")
    assert len(scripted.upstream.requests) == asked


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
