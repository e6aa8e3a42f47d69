"""Does the claim guard cut answers of the gateway as its config says, also when it fails or is late?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from time import sleep
from typing import Any

import httpx
import openai
import patient
import pytest
from chat_server import ChatServer, completion
from gateways import (
    ASKED,
    BAD,
    DOCS,
    ENFORCE,
    GOOD,
    OFF,
    RAG,
    SHADOW,
    Gateway,
    chunks_of,
    gateway,
    last,
    says,
    text_of,
)
from served import served

from raguard import Config
from raguard.claims import GuardConfig, HallucinationGuard, LexicalNLIScorer
from raguard.claims.actions import BLOCK_NOTICE
from raguard.service import ServiceConfig, build_app
from raguard.showing import REDACTED

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
