"""The whole flow of one judgement, on one screen: screen → prompt → chat → parse → weigh. Runs in the call's thread.

Whatever part raises or returns what it should not ends the judgement as *unchecked*; a fault is told by its type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from raguard.judge.calls import Call, Loop
from raguard.judge.chat import Chat, ChatError
from raguard.judge.control import Control, names_verdict, with_made_up
from raguard.judge.parsing import Parser, Unread, Verdict
from raguard.judge.policy import Policy
from raguard.judge.prompting import Material, Prompt, PromptMaker
from raguard.judge.replies import Reply, as_reply
from raguard.judge.screening import LEFT_OUT, Screen, spans_of, without_spans
from raguard.rails.decision import Decision

__all__ = ["Parts", "judged"]

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a judge is made of; ``chat`` is a Chat or any callable."""

    chat: Callable[..., Any]
    policy: Policy
    prompt: PromptMaker
    parser: Parser
    screen: Screen | None
    control: Control
    model: str | None
    loop: Loop
    """Where an async chat is awaited."""


class _UnjudgedError(Exception):
    """Why there is no verdict, in words that hold no text."""

    def __init__(self, why: str, raw: str | None = None) -> None:
        super().__init__(why)
        self.raw = raw


def judged(material: Material, parts: Parts, call: Call) -> Decision:
    """The decision on what is judged; never raises."""
    note = ""
    try:
        given = material.passages
        told = [_cleaned(parts, text) for text in given]
        cut = sum(text != original for text, original in zip(told, given, strict=True))
        if cut:
            note = f"; instructions were left out of {cut} of {len(given)} passages before they were sent"
        material = replace(material, passages=tuple(text for text in told if text))
        if not material.passages:
            raise _UnjudgedError("nothing but instructions stands in the passages")
        verdict, raw = _asked(material, parts, call)
        if verdict.state == "pass":
            _check_pass(material, parts, call, raw)
    except _UnjudgedError as fault:
        return Decision("unchecked", f"{fault}{note}", (), parts.model, raw=fault.raw)
    supports = "support" if verdict.state == "pass" else "do not support"
    reason = verdict.reason or f"the passages {supports} the answer"
    return Decision(verdict.state, f"{reason}{note}", verdict.categories, parts.model, raw=raw)


def _asked(material: Material, parts: Parts, call: Call) -> tuple[Verdict, str]:
    """The verdict of the model and what it wrote."""
    prompt = _step("prompt", lambda: parts.prompt(material, parts.policy))
    if not isinstance(prompt, Prompt):
        raise _UnjudgedError(f"the prompt is a {type(prompt).__name__} in place of a Prompt")
    reply = _reply(parts, prompt, call)
    found = _step("parser", lambda: parts.parser(reply, prompt, parts.policy))
    if isinstance(found, Unread):
        raise _UnjudgedError(found.why, reply.content)
    if not isinstance(found, Verdict) or found.state not in ("pass", "block"):
        raise _UnjudgedError(f"the parser returned a {type(found).__name__} that is no Verdict", reply.content)
    return found, reply.content


def _reply(parts: Parts, prompt: Prompt, call: Call) -> Reply:
    chat = parts.chat
    if isinstance(chat, Chat):
        return _step("chat", lambda: chat.ask(prompt.messages, prompt.schema, call))
    returned = _step("chat", lambda: parts.loop.awaited(chat(prompt.messages), call))
    reply = _step("chat", lambda: as_reply(returned))
    if reply is None:
        raise _UnjudgedError(f"the chat returned {type(returned).__name__}, which is no reply")
    return reply


def _check_pass(material: Material, parts: Parts, call: Call, raw: str) -> None:
    """Raises a fault when a pass may be owed to an instruction in the texts rather than to the passages."""
    for name, text in (("answer", material.answer), ("question", material.question)):
        if text and _spans(parts, text):
            raise _UnjudgedError(f"the model passed an answer whose {name} holds instructions", raw)
    if parts.control == "always" or (parts.control == "named" and names_verdict(material)):
        try:
            control, _ = _asked(with_made_up(material), parts, call)
        except _UnjudgedError as fault:
            raise _UnjudgedError(f"the control of a pass gave no verdict: {fault}", raw) from None
        if control.state == "pass":
            raise _UnjudgedError("the model passed a made-up sentence beside the answer too", raw)


def _cleaned(parts: Parts, text: str) -> str:
    """A passage without the instructions in it; empty when nothing else stands there, or when cutting leaves others."""
    spans = _spans(parts, text)
    if not spans:
        return text
    cut = without_spans(text, spans)
    return cut if cut.replace(LEFT_OUT, "").strip() and not _spans(parts, cut) else ""


def _spans(parts: Parts, text: str) -> list[tuple[int, int]]:
    screen = parts.screen
    return [] if screen is None else _step("screen", lambda: spans_of(screen, text))


def _step(name: str, do: Callable[[], Value]) -> Value:
    try:
        return do()
    except ChatError as error:
        raise _UnjudgedError(str(error)) from None
    # SystemExit too: somebody else's code ends this judgement alone
    except BaseException as error:
        raise _UnjudgedError(f"the {name} raised {type(error).__name__}") from None
