"""Is exactly one verdict read out of a reply, and none where there is any doubt?"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard.judge import (
    GROUNDING_POLICY,
    Material,
    Policy,
    Prompt,
    Reply,
    Unread,
    Verdict,
    grounding_prompt,
    read_verdict,
)
from raguard.judge.replies import as_reply

ID = "00c0ffee"
PASS = Verdict("pass", "All is stated.")
BLOCK = Verdict("block", "The rent is not stated.", ("not_in_passages",))


def told(own: Verdict = PASS, /, **other: Any) -> str:
    said = {"id": ID, "reason": own.reason, "verdict": own.state, "categories": [*own.categories]}
    return json.dumps({**said, **other})


def read(content: str, finish_reason: str | None = "stop", **options: Any) -> Verdict | Unread:
    return read_verdict(Reply(content, finish_reason, **options), Prompt([], ID), GROUNDING_POLICY)


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "  {}\n",
        "```json\n{}\n```",
        "```\n{}\n```\nThat is all.",
        "My verdict: {} as the passages {{a, b}} say.",
        '<think>Is it stated? {{"verdict": "block"}}</think>{}',
        "<THINK>\n\n</THINK>\n{}",
        "Is it stated? Yes.</think>\n{}",
        "<think>a</think><think>b</think>{}",
        "<reasoning>Hm</reasoning>{}",
        "[THINK]{{}}[/THINK]{}",
        "◁think▷Hm◁/think▷{}",
        "<|START_THINKING|>Hm<|END_THINKING|>{}",
        "<|begin_of_thought|>Hm<|end_of_thought|>{}",
        '<|channel|>analysis<|message|>{{"a"<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{}',
        '<|channel|>analysis<|message|>Hm {{"a"<|end|><|start|>assistant<|channel|>final<|message|>{}',
    ],
)
@pytest.mark.parametrize("verdict", [PASS, BLOCK])
def test_a_verdict_is_read_past_what_stands_around_it(around: str, verdict: Verdict) -> None:
    assert read(around.format(told(verdict))) == verdict


@pytest.mark.parametrize("reason", ["stop", None, "", "eos", "eos_token", "end_turn", "STOP"])
def test_a_reply_that_ended_by_itself_is_whole(reason: str | None) -> None:
    assert read(told(), reason) == PASS


@pytest.mark.parametrize(
    ("content", "finish_reason", "why"),
    [
        (told(), "length", "the reply was cut off by the token budget"),
        (told(BLOCK), "max_tokens", "the reply was cut off by the token budget"),
        (told(), "MAX_TOKENS", "the reply was cut off by the token budget"),
        (told(), "content_filter", "the endpoint's content filter withheld the reply"),
        (told(), "tool_calls", "the reply is not whole by its finish reason"),
        (told(), "abort", "the reply is not whole by its finish reason"),
        (told(), "unknown", "the reply is not whole by its finish reason"),
        ("", "stop", "the reply is empty"),
        (" \n", None, "the reply is empty"),
        (told() + " " * 60_000, "stop", "the reply has more than 60,000 characters"),
        (f"<think>{told()}", "stop", "the reply holds reasoning that does not end"),
        (f"<think>a</think> <think>{told()}", "stop", "the reply holds reasoning that does not end"),
        (f"[THINK]{told()}", "stop", "the reply holds reasoning that does not end"),
        (f"<|channel|>analysis<|message|>{told()}", "stop", "the reply holds reasoning that does not end"),
        (f"{told()}<think>No: {told(BLOCK)}", "stop", "the reply holds reasoning that does not end"),
        (told(reason="It says <think>."), "stop", "the reply holds reasoning that does not end"),
        (f"<think>{told()}</think>", "stop", "the reply holds nothing but reasoning"),
        ("pass", "stop", "the reply holds no verdict"),
        ("null", "stop", "the reply holds no verdict"),
        ('"verdict": "pass"', "stop", "the reply holds no verdict"),
        (json.dumps({"id": ID, "state": "pass"}), "stop", "the reply holds no verdict"),
        (json.dumps({"result": json.loads(told())}), "stop", "the reply holds no verdict"),
        (told()[:-1], "stop", "the reply holds broken JSON"),
        (told(BLOCK)[:-20], "stop", "the reply holds broken JSON"),
        (told() + '{"id"', "stop", "the reply holds broken JSON"),
        (f'{{"draft": {told()}, oops', "stop", "the reply holds broken JSON"),
        (told()[:-1] + ', "verdict": "pass"}', "stop", "the reply holds broken JSON"),
        (told(BLOCK)[:-1] + ', "verdict": "pass"}', "stop", "the reply holds broken JSON"),
        ('{"a":' * 5_000, "stop", "the reply holds broken JSON"),
        (f'{{"verdict": {"1" * 5_000}}}', "stop", "the reply holds broken JSON"),
        (told(BLOCK).replace('"', "'") + told(), "stop", "the reply holds broken JSON"),
        (told(BLOCK).replace("{", "{" + "\n" * 5_000) + told(), "stop", "the reply holds more than one verdict"),
        (told() + told(), "stop", "the reply holds more than one verdict"),
        (told() + told(BLOCK), "stop", "the reply holds more than one verdict"),
        (told(id="0badcafe"), "stop", "the reply holds a verdict without the id of this call"),
        (told(id=None), "stop", "the reply holds a verdict without the id of this call"),
        (told(id=[ID]), "stop", "the reply holds a verdict without the id of this call"),
        (json.dumps({"verdict": "pass"}), "stop", "the reply holds a verdict without the id of this call"),
        (told(verdict="PASS"), "stop", "the verdict is neither pass nor block"),
        (told(verdict="unchecked"), "stop", "the verdict is neither pass nor block"),
        (told(verdict=True), "stop", "the verdict is neither pass nor block"),
        (told(verdict=["pass"]), "stop", "the verdict is neither pass nor block"),
        (told(verdict={"pass": 1}), "stop", "the verdict is neither pass nor block"),
        (told(reason=None), "stop", "the verdict is not in form"),
        (told(categories="none"), "stop", "the verdict is not in form"),
        (told(categories=[None]), "stop", "the verdict is not in form"),
        (told(categories=None), "stop", "the verdict is not in form"),
        (told(categories=["contradicted"]), "stop", "the verdict is pass and yet names what was found"),
        (told(categories=["anything"]), "stop", "the verdict is pass and yet names what was found"),
    ],
)
def test_a_reply_in_doubt_gives_no_verdict(content: str, finish_reason: str | None, why: str) -> None:
    assert read(content, finish_reason) == Unread(why)


def test_a_refusal_gives_no_verdict_whatever_stands_in_it() -> None:
    assert read(told(), is_refusal=True) == Unread("the model refused to judge")


def test_a_verdict_with_another_id_does_not_count_beside_the_own_one() -> None:
    quoted = told(id="0badcafe")
    assert read(f"The answer holds {quoted}, and so: {told(BLOCK)}") == BLOCK


def test_categories_are_those_of_the_policy_in_its_order() -> None:
    named = ["overstated", "made_up_by_the_model", "contradicted", "overstated"]
    assert read(told(BLOCK, categories=named)) == Verdict("block", BLOCK.reason, ("contradicted", "overstated"))
    assert read(told(BLOCK, categories=["made_up"])) == Verdict("block", BLOCK.reason)


def test_reason_and_categories_may_be_missing_and_more_may_be_said() -> None:
    assert read(json.dumps({"id": ID, "verdict": "block"})) == Verdict("block", "")
    assert read(told(confidence=0.9)) == PASS


def test_a_reason_is_one_line_of_at_most_600_characters() -> None:
    found = read(told(BLOCK, reason="a\n b" * 400))
    assert isinstance(found, Verdict)
    assert found.reason == ("a b" * 400)[:600]


def test_a_reason_holds_nothing_that_cannot_be_printed() -> None:
    found = read(told(BLOCK, reason="a\x1b[31mb\u202ec\ud800d\u00e9\u5408"))
    assert isinstance(found, Verdict)
    assert found.reason == "a [31mb c dé合"


@settings(derandomize=True, deadline=None, max_examples=200, database=None)
@given(st.text(alphabet=st.sampled_from('{}[]":,\\ ab1<>/think\n'), max_size=60))
def test_no_reply_raises_and_none_without_the_id_is_a_verdict(content: str) -> None:
    assert isinstance(read(content), Unread)
    found = read(content + told())
    assert found == PASS or isinstance(found, Unread)


@pytest.mark.parametrize(
    ("returned", "reply"),
    [
        ("a", Reply("a")),
        (Reply("a", "stop"), Reply("a", "stop")),
        ({"content": "a", "finish_reason": "length"}, Reply("a", "length")),
        ({"content": [{"type": "text", "text": "a"}, {"type": "x"}, {"text": "b"}]}, Reply("ab")),
        ({"choices": [{"message": {"content": "a"}}]}, Reply("a")),
        (
            {"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]},
            Reply("", "stop", True),
        ),
        ({"choices": [{"message": {"content": None}, "finish_reason": "length"}]}, Reply("", "length")),
        ({"content": "a", "finish_reason": 7}, Reply("a", "unknown")),
        ({"content": "a", "finish_reason": ["length"]}, Reply("a", "unknown")),
        ({"content": "a", "finish_reason": None}, Reply("a")),
        ({"choices": []}, None),
        ({"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}, None),
        ({"choices": [None]}, None),
        ({"choices": [{"message": {}}]}, None),
        ({"choices": "abc"}, None),
        ({"error": {"message": "no"}}, None),
        ([], None),
        (None, None),
        (b"a", None),
    ],
)
def test_a_reply_is_read_out_of_what_a_chat_returned(returned: Any, reply: Reply | None) -> None:
    assert as_reply(returned) == reply


def test_a_prompt_is_the_same_for_the_same_input_and_marked_anew_for_any_other() -> None:
    material = Material("It is $900.", ("The rent is $900.",), "What is the rent?")
    prompt = grounding_prompt(material, GROUNDING_POLICY)
    assert prompt == grounding_prompt(material, GROUNDING_POLICY)
    others = [
        Material("It is $901.", material.passages, material.question),
        Material(material.answer, ("The rent is $901.",), material.question),
        Material(material.answer, material.passages, "What?"),
        Material(material.answer, material.passages, None),
    ]
    assert len({prompt.id, *(grounding_prompt(other, GROUNDING_POLICY).id for other in others)}) == 5


def test_no_text_holds_the_marks_or_the_id_that_stand_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    first = grounding_prompt(Material("a", ("b",)), GROUNDING_POLICY)
    from raguard.judge import marks

    class Fixed:
        """The hash that the first attempt would have, whatever is hashed: the worst that a writer could reach."""

        def __init__(self, content: bytes) -> None:
            self.digits = ("0" if content.startswith(b"0 ") else "f") * 64

        def hexdigest(self) -> str:
            return self.digits

    monkeypatch.setattr(marks, "sha256", Fixed)
    assert grounding_prompt(Material("a", ("b",)), GROUNDING_POLICY).id == "0" * 8
    assert grounding_prompt(Material("a 00000000 b", ("b",)), GROUNDING_POLICY).id == "f" * 8
    assert first.id not in ("0" * 8, "f" * 8)


def test_rules_and_categories_of_a_policy_stand_in_prompt_and_schema() -> None:
    policy = Policy("Block prices.", {"price": "An amount of money."})
    prompt = grounding_prompt(Material("a", ("b",)), policy)
    assert "Block prices." in prompt.messages[0]["content"]
    assert "- price: An amount of money." in prompt.messages[0]["content"]
    assert prompt.schema is not None
    assert prompt.schema["properties"]["categories"]["items"]["enum"] == ["price"]
    assert prompt.schema == grounding_prompt(Material("c", ("d",)), policy).schema
    assert sorted(prompt.schema["required"]) == sorted(prompt.schema["properties"])
