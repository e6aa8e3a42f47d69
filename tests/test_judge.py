"""Does the judge decide by its model, leave unchecked what has no verdict, and keep within its bounds?"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from chat_server import ChatServer, Request, blocking, completion, dripping, hanging, passing, verdict
from clocks import wait_from
from openai import AsyncOpenAI

from raguard import ConfigError, Document, RaguardError
from raguard.judge import (
    Chat,
    ChatError,
    GroundingJudge,
    JudgeConfigError,
    Material,
    Policy,
    Prompt,
    Provider,
    Reply,
    Unread,
    Verdict,
    calls,
    grounding_prompt,
)
from raguard.judge.calls import THREAD_NAME
from raguard.rails import Decision, Rails

PASSAGES = ["The rent is $900 a month.", "Pets are not allowed."]
ANSWER = "The rent is $900."
DEADLINE_S = 30.0
"""How long a wait for an event may take at most; it ends as soon as the event comes."""


def scripted(reply: Callable[[Request], Any]) -> Callable[[Any], Any]:
    """A chat without a server."""
    return lambda messages: reply(Request("", {}, {"messages": messages}))


def judge_of(reply: Callable[[Request], Any], **options: Any) -> GroundingJudge:
    return GroundingJudge(chat=scripted(reply), **{"screen": None, **options})


def outcome(decision: Decision) -> tuple[str, str]:
    return decision.state, decision.reason


def threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == THREAD_NAME}


def wait_for_threads() -> None:
    """Until every thread of a call has ended."""
    for thread in threads():
        thread.join(DEADLINE_S)
        assert not thread.is_alive()


def test_a_pass_and_a_block_are_told_with_who_judged_and_what_was_written() -> None:
    passed = judge_of(passing, model="m").decide(ANSWER, PASSAGES, "What is the rent?")
    assert outcome(passed) == ("pass", "All is stated.")
    assert (passed.categories, passed.model, json.loads(passed.raw or "")["verdict"]) == ((), "m", "pass")
    assert passed.latency_ms > 0
    blocked = judge_of(blocking).decide(ANSWER, PASSAGES)
    assert (blocked.state, blocked.reason, blocked.categories, blocked.model) == (
        "block",
        "Not stated.",
        ("not_in_passages",),
        None,
    )


def test_a_verdict_without_a_reason_gets_one() -> None:
    judge = judge_of(lambda request: verdict(request, "block", ""))
    assert judge.decide(ANSWER, PASSAGES).reason == "the passages do not support the answer"
    judge = judge_of(lambda request: verdict(request, "pass", " "))
    assert judge.decide(ANSWER, PASSAGES).reason == "the passages support the answer"


def test_the_judge_says_what_kind_of_rail_it_is() -> None:
    judge = judge_of(passing)
    assert (judge.name, judge.sides, judge.offline) == ("grounding", ("output",), False)
    assert judge.cache_key(ANSWER, PASSAGES) is None
    assert "passages" in (GroundingJudge.cache_key.__doc__ or "")
    assert judge_of(passing, name="second").name == "second"


def test_async_and_sync_decide_alike() -> None:
    async def both() -> list[Decision]:
        return list(await asyncio.gather(*(judge_of(reply).adecide(ANSWER, PASSAGES) for reply in (passing, blocking))))

    assert [decision.state for decision in asyncio.run(both())] == ["pass", "block"]
    assert asyncio.run(judge_of(passing).adecide(ANSWER, [])).reason == "there are no passages to judge by"


def test_an_event_loop_goes_on_while_the_judge_waits() -> None:
    async def main() -> str:
        went_on = Event()

        def chat(messages: Any) -> str:
            assert went_on.wait(DEADLINE_S)
            return scripted(passing)(messages)

        waiting = asyncio.ensure_future(GroundingJudge(chat=chat, screen=None).adecide(ANSWER, PASSAGES))
        await asyncio.sleep(0)
        went_on.set()
        return (await waiting).state

    assert asyncio.run(main()) == "pass"


def test_documents_strings_and_mappings_are_passages_and_nothing_but_their_text_is_sent() -> None:
    seen: list[Request] = []

    def reply(request: Request) -> str:
        seen.append(request)
        return passing(request)

    passages = [Document("One.", id="secret-id", metadata={"owner": "secret"}), "Two.", {"text": "Three."}, " "]
    assert judge_of(reply).decide(ANSWER, passages).state == "pass"  # type: ignore[arg-type]
    assert seen[0].passages == ["One.", "Two.", "Three."]
    assert seen[0].answer == ANSWER
    assert "secret" not in seen[0].text


@pytest.mark.parametrize(
    ("answer", "passages", "question", "reason"),
    [
        (ANSWER, [], None, "there are no passages to judge by"),
        (ANSWER, ["", " \n", Document(" ")], None, "there are no passages to judge by"),
        ("", PASSAGES, None, "the answer is empty"),
        (" \n", PASSAGES, None, "the answer is empty"),
        ("\u200b\u3000\x00\ud800", PASSAGES, None, "the answer is empty"),
        (ANSWER, ["\u200b", "\ufeff \x1b"], None, "there are no passages to judge by"),
        (None, PASSAGES, None, "the answer must be a string, not NoneType"),
        (b"x", PASSAGES, None, "the answer must be a string, not bytes"),
        (ANSWER, "The rent is $900.", None, "the passages must be a list of strings or Documents, not str"),
        (ANSWER, None, None, "the passages must be a list of strings or Documents, not NoneType"),
        (ANSWER, ["a", None], None, "passage 2 must be a string or a Document, not NoneType"),
        (ANSWER, [Document(7)], None, "passage 1 must be a string or a Document, not Document"),  # type: ignore[arg-type]
        (ANSWER, [{"id": "x"}], None, "passage 1 must be a string or a Document, not dict"),
        (ANSWER, PASSAGES, 7, "the question must be a string or None, not int"),
        (ANSWER, ["x" * 984], None, "the texts have 1,001 characters, and max_chars is 1,000"),
    ],
)
def test_what_cannot_be_judged_is_unchecked_without_a_call(
    answer: Any, passages: Any, question: Any, reason: str
) -> None:
    def chat(messages: Any) -> str:
        raise AssertionError("nothing may be sent")

    judge = GroundingJudge(chat=chat, screen=None, max_chars=1000)
    assert outcome(judge.decide(answer, passages, question)) == ("unchecked", reason)


def test_what_is_seen_is_not_blank_whatever_stands_around_it() -> None:
    assert judge_of(passing).decide("\u200b\u2013\x00", ["\ufeff合"], "\u200b").state == "pass"


def test_texts_of_just_the_limit_are_judged() -> None:
    assert judge_of(passing, max_chars=1000).decide(ANSWER, ["x" * 983]).state == "pass"


@pytest.mark.parametrize("error", [RuntimeError("the rent is secret"), SystemExit(3), BaseException()])
def test_a_sequence_that_raises_is_unchecked(error: BaseException) -> None:
    class Broken(list[str]):
        def __iter__(self) -> Any:
            raise error

    expected = ("unchecked", f"the passages raised {type(error).__name__}")
    assert outcome(judge_of(passing).decide(ANSWER, Broken(["a"]))) == expected


def test_an_interrupt_while_the_passages_are_read_goes_on_to_the_caller() -> None:
    class Stops(list[str]):
        def __iter__(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_of(passing).decide(ANSWER, Stops(["a"]))


def test_only_the_texts_of_named_tenants_are_sent() -> None:
    sent: list[Request] = []

    def reply(request: Request) -> str:
        sent.append(request)
        return passing(request)

    judge = judge_of(reply, tenants=["acme"])
    refused = ("unchecked", "the judge may send out no text of this tenant")
    assert outcome(judge.decide(ANSWER, PASSAGES)) == refused
    assert outcome(judge.decide(ANSWER, PASSAGES, tenant_id="bank")) == refused
    assert outcome(judge.decide(ANSWER, PASSAGES, tenant_id=None)) == refused  # type: ignore[arg-type]
    assert outcome(asyncio.run(judge.adecide(ANSWER, PASSAGES, tenant_id="bank"))) == refused
    assert outcome(judge_of(reply, tenants=()).decide(ANSWER, PASSAGES)) == refused
    assert sent == []
    assert judge.decide(ANSWER, PASSAGES, tenant_id="acme").state == "pass"


def test_lone_surrogates_are_sent_as_question_marks() -> None:
    with ChatServer(passing) as server:
        judge = GroundingJudge(Provider(server.url, models={"judge": "m"}), screen=None)
        assert judge.decide("a \ud800 b", ["c \udfff d", "é 合"], "\ud800?").state == "pass"
        assert (server.requests[0].answer, server.requests[0].passages) == ("a ? b", ["c ? d", "é 合"])


@pytest.mark.parametrize(
    "reply",
    [
        lambda request: Reply(passing(request), "stop"),
        lambda request: completion(passing(request)),
        lambda request: {"content": passing(request), "finish_reason": "stop"},
    ],
)
def test_any_callable_that_gives_a_reply_is_a_chat(reply: Callable[[Request], Any]) -> None:
    assert judge_of(reply).decide(ANSWER, PASSAGES).state == "pass"


def test_an_async_callable_is_a_chat_in_both_worlds() -> None:
    async def chat(messages: Any) -> str:
        await asyncio.sleep(0)
        return str(scripted(passing)(messages))

    judge = GroundingJudge(chat=chat, screen=None)
    assert judge.decide(ANSWER, PASSAGES).state == "pass"
    assert asyncio.run(judge.adecide(ANSWER, PASSAGES)).state == "pass"


def test_an_async_client_that_keeps_its_connections_is_asked_again_and_again() -> None:
    with ChatServer(passing) as server:
        client = AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0)

        async def chat(messages: Any) -> Any:
            return await client.chat.completions.create(model="m", messages=messages)

        async def main() -> list[Decision]:
            return list(await asyncio.gather(*(judge.adecide(ANSWER, PASSAGES) for _ in range(8))))

        judge = GroundingJudge(chat=chat, screen=None)
        decisions = [judge.decide(ANSWER, PASSAGES), judge.decide(ANSWER, PASSAGES), *asyncio.run(main())]
        decisions.append(judge.decide(ANSWER, PASSAGES))
        assert [outcome(decision) for decision in decisions] == [("pass", "All is stated.")] * 11
        loop = judge._parts.loop
        call = calls.Call(DEADLINE_S)
        loop.awaited(client.close(), call)


def test_the_loop_of_async_chats_ends_with_its_judge() -> None:
    async def chat(messages: Any) -> str:
        return str(scripted(passing)(messages))

    judge = GroundingJudge(chat=chat, screen=None)
    assert judge.decide(ANSWER, PASSAGES).state == "pass"
    thread = judge._parts.loop._thread
    assert thread is not None
    assert thread.is_alive()
    # the thread of the call knows its judge a moment longer
    wait_for_threads()
    del judge
    gc.collect()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()


def test_a_loop_whose_thread_is_gone_as_after_a_fork_is_begun_anew() -> None:
    async def chat(messages: Any) -> str:
        return str(scripted(passing)(messages))

    judge = GroundingJudge(chat=chat, screen=None)
    for _ in range(2):
        assert judge.decide(ANSWER, PASSAGES).state == "pass"
        loop, thread = judge._parts.loop._loop, judge._parts.loop._thread
        assert loop is not None
        assert thread is not None
        loop.call_soon_threadsafe(loop.stop)
        thread.join(DEADLINE_S)


def test_an_async_chat_that_blocks_its_loop_is_left_in_time() -> None:
    over = Event()

    async def chat(messages: Any) -> str:
        over.wait()
        return ""

    judge = GroundingJudge(chat=chat, screen=None, timeout_s=0.05)
    try:
        for _ in range(40):
            assert judge.decide(ANSWER, PASSAGES).reason == "the judge took longer than 0.05 s"
    finally:
        over.set()


class _OwnError(Exception):
    pass


@pytest.mark.parametrize(
    "error", [_OwnError("the rent is secret"), SystemExit(3), TimeoutError(), asyncio.CancelledError()]
)
def test_a_chat_that_raises_is_told_by_its_type_alone(error: BaseException) -> None:
    def chat(messages: Any) -> str:
        raise error

    async def late(messages: Any) -> str:
        raise error

    expected = ("unchecked", f"the chat raised {type(error).__name__}")
    assert outcome(GroundingJudge(chat=chat, screen=None).decide(ANSWER, PASSAGES)) == expected
    judge = GroundingJudge(chat=late, screen=None)
    assert [outcome(judge.decide(ANSWER, PASSAGES)) for _ in range(2)] == [expected] * 2


@pytest.mark.parametrize("returned", [None, 42, b"pass", [], {"error": 1}])
def test_what_is_no_reply_is_unchecked(returned: Any) -> None:
    decision = GroundingJudge(chat=lambda messages: returned, screen=None).decide(ANSWER, PASSAGES)
    assert outcome(decision) == ("unchecked", f"the chat returned {type(returned).__name__}, which is no reply")


def test_an_unread_reply_is_unchecked_with_its_reason_and_kept() -> None:
    decision = judge_of(lambda request: Reply(passing(request), "length")).decide(ANSWER, PASSAGES)
    assert outcome(decision) == ("unchecked", "the reply was cut off by the token budget")
    assert decision.raw is not None
    assert decision.raw.startswith('{"id"')


def test_prompt_parser_and_policy_can_be_replaced() -> None:
    def prompt(material: Material, policy: Policy) -> Prompt:
        return Prompt([{"role": "user", "content": f"{policy.rules}|{material.answer}"}], "")

    def parser(reply: Reply, prompt: Prompt, policy: Policy) -> Verdict | Unread:
        return Verdict("block", reply.content, policy.names)

    policy = Policy("No prices.", {"price": "An amount of money."})
    judge = GroundingJudge(
        chat=lambda messages: messages[0]["content"], policy=policy, prompt=prompt, parser=parser, screen=None
    )
    decision = judge.decide(ANSWER, PASSAGES)
    assert (decision.state, decision.reason, decision.categories) == ("block", f"No prices.|{ANSWER}", ("price",))


def _raises(*_: Any) -> Any:
    raise _OwnError("the rent is secret")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"prompt": _raises}, "the prompt raised _OwnError"),
        ({"prompt": lambda material, policy: "text"}, "the prompt is a str in place of a Prompt"),
        ({"parser": _raises}, "the parser raised _OwnError"),
        ({"parser": lambda *_: None}, "the parser returned a NoneType that is no Verdict"),
        ({"parser": lambda *_: Verdict("unchecked", "")}, "the parser returned a Verdict that is no Verdict"),
        ({"screen": _raises}, "the screen raised _OwnError"),
        ({"screen": lambda text: [(0, 10_000)]}, "the screen raised ValueError"),
        ({"screen": lambda text: [(True, 2)]}, "the screen raised ValueError"),
        ({"screen": lambda text: None}, "the screen raised TypeError"),
    ],
)
def test_a_replaced_part_that_fails_is_unchecked(options: Any, reason: str) -> None:
    assert outcome(judge_of(passing, **options).decide(ANSWER, PASSAGES)) == ("unchecked", reason)


def test_a_chat_that_hangs_is_left_in_time_and_calls_beyond_all_threads_wait_in_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, over = Event(), Event()

    def chat(messages: Any) -> str:
        begun.set()
        over.wait()
        return str(scripted(passing)(messages))

    judge = GroundingJudge(chat=chat, screen=None, timeout_s=0.05)
    late = ("unchecked", "the judge took longer than 0.05 s")
    wait_for_threads()
    wait_from(begun, calls, monkeypatch)
    try:
        for number in range(40):
            # those beyond the threads never begin
            if number < 32:
                begun.clear()
            assert outcome(judge.decide(ANSWER, PASSAGES)) == late
        assert len(threads()) == 32
        assert len(judge._pool._waiting) == 0
    finally:
        over.set()
    wait_for_threads()
    assert threads() == set()


def test_no_thread_to_be_had_leaves_the_answer_unchecked_and_the_judge_as_good_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    judge = judge_of(passing)
    chat = Chat(PROVIDER)
    with monkeypatch.context() as patched:
        patched.setattr(calls.Thread, "start", refuse)
        for _ in range(40):
            decision = judge.decide(ANSWER, PASSAGES)
            assert outcome(decision) == ("unchecked", "the model was not asked: no thread can be started")
        with pytest.raises(ChatError, match=r"^the endpoint was not asked: no thread can be started$"):
            chat([])
    assert (len(judge._pool._waiting), judge._pool._threads) == (0, 0)
    assert judge.decide(ANSWER, PASSAGES).state == "pass"


def test_a_call_that_cannot_have_a_thread_is_done_by_one_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pool: calls.Pool[str] = calls.Pool(2)
    begun, go_on = Event(), Event()
    first = pool.start(lambda: "first" if begun.set() or go_on.wait(DEADLINE_S) else "late")
    assert begun.wait(DEADLINE_S)

    def refuse(thread: threading.Thread) -> None:
        go_on.set()
        first.result(DEADLINE_S)
        # the thread that runs takes what waits before it ends
        while pool._waiting:
            begun.wait(0)
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(calls.Thread, "start", refuse)
    assert pool.start(lambda: "second").result(DEADLINE_S) == "second"
    assert first.result() == "first"


def test_what_is_cancelled_before_its_turn_is_out_of_the_line_at_once() -> None:
    pool: calls.Pool[str] = calls.Pool(1)
    begun, go_on = Event(), Event()
    first = pool.start(lambda: "first" if begun.set() or go_on.wait(DEADLINE_S) else "late")
    assert begun.wait(DEADLINE_S)
    second, third = pool.start(lambda: "second"), pool.start(lambda: "third")
    assert len(pool._waiting) == 2
    assert second.cancel()
    assert len(pool._waiting) == 1
    go_on.set()
    assert [first.result(DEADLINE_S), third.result(DEADLINE_S)] == ["first", "third"]


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_an_async_chat_that_is_late_or_not_waited_for_is_cancelled(
    is_cancelled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = Event(), Event()

    async def chat(messages: Any) -> str:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        return ""

    async def cancelled() -> None:
        task = asyncio.ensure_future(GroundingJudge(chat=chat, screen=None).adecide(ANSWER, PASSAGES))
        await asyncio.to_thread(begun.wait, DEADLINE_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    if is_cancelled:
        asyncio.run(cancelled())
    else:
        wait_from(begun, calls, monkeypatch)
        judge = GroundingJudge(chat=chat, screen=None, timeout_s=0.2)
        assert judge.decide(ANSWER, PASSAGES).reason == "the judge took longer than 0.2 s"
    assert ended.wait(DEADLINE_S)


@pytest.mark.parametrize("reply", [hanging, dripping])
def test_a_server_that_never_ends_is_unchecked_in_time_and_its_thread_ends(
    reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(reply) as server:
        wait_from(server.asked, calls, monkeypatch)
        monkeypatch.setattr("raguard.judge.chat._GRACE_S", DEADLINE_S)
        judge = GroundingJudge(Provider(server.url, models={"judge": "m"}), screen=None, timeout_s=0.5)
        decision = judge.decide(ANSWER, PASSAGES)
        assert outcome(decision) == ("unchecked", "the judge took longer than 0.5 s")
        assert decision.latency_ms < 1000 * DEADLINE_S
        assert server.gone.wait(DEADLINE_S)
        wait_for_threads()
        assert threads() == set()


def test_a_judge_among_rails_ends_its_request_with_their_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(hanging) as server:
        wait_from(server.asked, calls, monkeypatch)
        judge = GroundingJudge(Provider(server.url, models={"judge": "m"}), screen=None, timeout_s=3600)
        decision = Rails([judge], budget_ms=300).decide("What is the rent?", PASSAGES, ANSWER)
        assert (decision.state, decision.rail) == ("unchecked", "grounding")
        assert server.gone.wait(DEADLINE_S)
        assert judge.timeout_s == 3600


def test_a_judge_within_a_bound_keeps_to_the_shorter_one_and_is_the_same_else() -> None:
    judge = judge_of(passing, timeout_s=20, tenants=["acme"])
    assert [judge.within(seconds).timeout_s for seconds in (5, 60, 1e300)] == [5, 20, 20]
    assert judge.within(5).decide(ANSWER, PASSAGES, tenant_id="acme").state == "pass"
    for seconds in (0, -1, float("nan")):
        with pytest.raises(JudgeConfigError, match=r"^seconds must be a number of seconds above 0"):
            judge.within(seconds)


def test_cancelling_an_async_decision_ends_the_request() -> None:
    async def main(judge: GroundingJudge, server: ChatServer) -> None:
        task = asyncio.ensure_future(judge.adecide(ANSWER, PASSAGES))
        while not server.requests:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ChatServer(dripping) as server:
        judge = GroundingJudge(Provider(server.url, models={"judge": "m"}), screen=None)
        asyncio.run(main(judge, server))
        assert server.gone.wait(DEADLINE_S)


def test_importing_the_judge_loads_nothing_that_it_may_not_need() -> None:
    code = "import sys; from raguard.judge import GroundingJudge; GroundingJudge(chat=print); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "raguard.judge.grounding" in loaded
    kept_out = {"openai", "httpx", "httpx2", "spacy", "numpy", "raguard.screens", "raguard.verifier"}
    assert kept_out.isdisjoint(loaded)


def test_many_threads_share_one_judge() -> None:
    with ChatServer(lambda request: verdict(request, "pass", request.answer)) as server:
        judge = GroundingJudge(Provider(server.url, models={"judge": "m"}), screen=None)

        async def main() -> list[Decision]:
            return list(await asyncio.gather(*(judge.adecide(f"Answer {n}.", PASSAGES) for n in range(40))))

        assert [decision.reason for decision in asyncio.run(main())] == [f"Answer {n}." for n in range(40)]


def test_without_provider_or_chat_the_error_is_one_sentence_under_every_name() -> None:
    for kind in (ValueError, ConfigError, RaguardError, JudgeConfigError):
        with pytest.raises(kind, match=r"^a GroundingJudge needs a provider or a chat to ask$"):
            GroundingJudge()


PROVIDER = Provider("http://127.0.0.1:1/v1", "sk-1", models={"judge": "m"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"provider": PROVIDER, "chat": print}, "a GroundingJudge takes a provider or a chat, not both"),
        ({"provider": "http://localhost"}, "provider must be a Provider, not str"),
        (
            {"provider": Provider("http://a/v1")},
            'model must be the name of a model, or provider.models must name one for "judge"',
        ),
        ({"provider": PROVIDER, "model": " "}, "model must be the name of a model or None, not ' '"),
        (
            {"provider": PROVIDER, "temprature": 1},
            "temprature is no option of a judge or its chat; those are extra_body, headers, json_schema, temperature",
        ),
        (
            {"chat": print, "temperature": 1},
            "temperature belongs to the chat that a provider makes; set it on the chat itself",
        ),
        ({"provider": PROVIDER, "temperature": 3}, "temperature must be a number from 0 to 2 or None, not 3"),
        ({"provider": PROVIDER, "temperature": True}, "temperature must be a number from 0 to 2 or None, not True"),
        (
            {"provider": PROVIDER, "headers": {"a": "b\n"}},
            "headers must map names to values, both printable ASCII strings",
        ),
        ({"provider": PROVIDER, "headers": "a"}, "headers must map names to values, both printable ASCII strings"),
        ({"provider": PROVIDER, "extra_body": []}, "extra_body must be a mapping or None, not list"),
        ({"chat": "gpt"}, "chat must be a callable, not str"),
        ({"chat": print, "policy": "strict"}, "policy must be a Policy, not str"),
        ({"chat": print, "name": ""}, "name must be a string that is not empty, not ''"),
        ({"chat": print, "max_tokens": 0}, "max_tokens must be a whole number of at least 1, not 0"),
        ({"chat": print, "max_tokens": True}, "max_tokens must be a whole number of at least 1, not True"),
        ({"chat": print, "max_chars": 1.5}, "max_chars must be a whole number of at least 1, not 1.5"),
        ({"chat": print, "timeout_s": 0}, "timeout_s must be a number of seconds above 0 and of at most a day, not 0"),
        (
            {"chat": print, "timeout_s": float("inf")},
            "timeout_s must be a number of seconds above 0 and of at most a day, not inf",
        ),
        (
            {"chat": print, "timeout_s": None},
            "timeout_s must be a number of seconds above 0 and of at most a day, not None",
        ),
        (
            {"chat": print, "tenants": "default"},
            "tenants must be a list of the ids of those whose texts may be sent out",
        ),
        ({"chat": print, "tenants": [None]}, "tenants must be a list of the ids of those whose texts may be sent out"),
        ({"chat": print, "prompt": None}, "prompt must be a callable, not NoneType"),
        ({"chat": print, "parser": "x"}, "parser must be a callable, not str"),
        ({"chat": print, "screen": "x"}, "screen must be a callable, not str"),
        ({"chat": print, "control": True}, "control must be one of named, always, never, not True"),
    ],
)
def test_a_bad_argument_is_a_clear_error(options: Any, message: str) -> None:
    with pytest.raises(JudgeConfigError) as raised:
        GroundingJudge(**options)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("rules", "categories", "message"),
    [
        ("", {"a": "b"}, "rules of a policy must be a text that says when an answer is blocked"),
        ("x", {}, "categories of a policy must map names such as wrong_date to a sentence each"),
        ("x", {"Wrong date": "b"}, "categories of a policy must map names such as wrong_date to a sentence each"),
        ("x", {"wrong_date": ""}, "categories of a policy must map names such as wrong_date to a sentence each"),
        ("x", ["wrong_date"], "categories of a policy must map names such as wrong_date to a sentence each"),
    ],
)
def test_a_policy_that_is_none_is_a_clear_error(rules: Any, categories: Any, message: str) -> None:
    with pytest.raises(JudgeConfigError) as raised:
        Policy(rules, categories)
    assert str(raised.value) == message


def test_the_model_is_the_providers_or_the_one_that_is_named() -> None:
    assert GroundingJudge(PROVIDER, screen=None).model == "m"
    assert GroundingJudge(PROVIDER, "other", screen=None).model == "other"
    assert GroundingJudge(chat=Chat(PROVIDER, "third"), screen=None).model == "third"


def test_the_default_prompt_is_public() -> None:
    prompt = grounding_prompt(Material(ANSWER, tuple(PASSAGES)), Policy("x", {"a": "b"}))
    assert [message["role"] for message in prompt.messages] == ["system", "user"]
