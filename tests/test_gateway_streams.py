"""Does a streamed answer pass through the gateway sentence by sentence, and end with the verdict on the whole?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from threading import Event
from typing import Any

import openai
import patient
import pytest
from chat_server import Reply, Request
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
    pieces,
    says,
    sse,
    text_of,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raguard import Config, verify
from raguard.gate import disclosed
from raguard.service.gateway.events import data_of
from raguard.showing import NOTICE, REDACTED


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
