"""Which verdict does a reply hold? Exactly one, whole and in form, that carries the id of its call; else none."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from raguard.judge.policy import Policy
from raguard.judge.prompting import Prompt
from raguard.judge.replies import Reply

__all__ = ["Parser", "Unread", "Verdict", "read_verdict", "without_reasoning"]

_MOST = 60_000
"""A longer reply than this, in characters, is not read."""
_MOST_REASON = 600
_WHOLE = ("", "stop", "eos", "eos_token", "end_turn")
_UNFINISHED = {
    "length": "the reply was cut off by the token budget",
    "max_tokens": "the reply was cut off by the token budget",
    "content_filter": "the endpoint's content filter withheld the reply",
}
_OPENING = re.compile(
    r"<(?:think|thinking|reasoning|thought|seed:think)>|\[THINK\]|◁think▷|<\|START_THINKING\|>|<\|begin_of_thought\|>"
    r"|<\|channel\|>(?:analysis|commentary)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"</(?:think|thinking|reasoning|thought|seed:think)>|\[/THINK\]|◁/think▷|<\|END_THINKING\|>|<\|end_of_thought\|>"
    r"|<\|channel\|>final[^<]{0,20}(?:<\|constrain\|>[^<]{0,20})?<\|message\|>",
    re.IGNORECASE,
)
"""How models mark their working where no server takes it out."""
_KEY_FOLLOWS = re.compile(rf"""\{{\s{{0,{_MOST}}}["']""")
"""Single quotes too: a verdict in them is one that is broken, and no prose."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model said of an answer: its state, why in a sentence, and the categories of what it found."""

    state: Literal["pass", "block"]
    reason: str
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a reply gives no verdict, in words that hold nothing of it."""

    why: str


class Parser(Protocol):
    """Whatever reads a verdict out of a reply, such as ``read_verdict``."""

    def __call__(self, reply: Reply, prompt: Prompt, policy: Policy, /) -> Verdict | Unread:
        """The verdict, or why there is none."""
        ...


def read_verdict(reply: Reply, prompt: Prompt, policy: Policy) -> Verdict | Unread:
    """The one verdict in a reply to ``prompt``, or why there is none; in doubt there is none.

    Reasoning, code fences and prose are read past. A verdict is a JSON object with ``verdict`` "pass" or "block",
    ``reason`` and ``categories``, and the ``id`` of the prompt: one with another id, such as one that a passage holds,
    does not count. Names that are not categories of the policy are left out, and a "pass" that names any is not a
    verdict.

    >>> from raguard.judge import GROUNDING_POLICY
    >>> verdict = '{"id": "00c0ffee", "reason": "All is stated.", "verdict": "pass", "categories": []}'
    >>> text = f"So:\\n```json\\n{verdict}\\n```"
    >>> read_verdict(Reply(f"<think>Hm.</think>{text}", "stop"), Prompt([], "00c0ffee"), GROUNDING_POLICY)
    Verdict(state='pass', reason='All is stated.', categories=())
    >>> read_verdict(Reply(text, "stop"), Prompt([], "0badcafe"), GROUNDING_POLICY)
    Unread(why='the reply holds a verdict without the id of this call')
    """
    if reply.is_refusal:
        return Unread("the model refused to judge")
    reason = (reply.finish_reason or "").lower()
    if reason not in _WHOLE:
        return Unread(_UNFINISHED.get(reason, "the reply is not whole by its finish reason"))
    if not reply.content.strip():
        return Unread("the reply is empty")
    if len(reply.content) > _MOST:
        return Unread(f"the reply has more than {_MOST:,} characters")
    text = without_reasoning(reply.content)
    if text is None:
        return Unread("the reply holds reasoning that does not end")
    if not text.strip():
        return Unread("the reply holds nothing but reasoning")
    try:
        found = [entry for entry in _objects(text) if "verdict" in entry]
    except (ValueError, RecursionError):
        return Unread("the reply holds broken JSON")
    own = [entry for entry in found if entry.get("id") == prompt.id]
    if len(own) > 1:
        return Unread("the reply holds more than one verdict")
    if not own:
        return Unread(f"the reply holds {'a verdict without the id of this call' if found else 'no verdict'}")
    return _checked(own[0], policy)


def without_reasoning(text: str) -> str | None:
    """What a model wrote after its reasoning, whose opening tag may be missing; None where the reasoning does not end.

    >>> [*map(without_reasoning, ("<think>A or B?</think>B", "A or B?</think>B", "B<think>Or A"))]
    ['B', 'B', None]
    """
    closings = list(_CLOSING.finditer(text))
    text = text[closings[-1].end() :] if closings else text
    # whoever takes thought again after a verdict may come to another one
    return None if _OPENING.search(text) else text


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects of a text that stand in no other; raises ValueError for one that is broken."""
    decoder, found, start = json.JSONDecoder(object_pairs_hook=_unique), [], text.find("{")
    while start >= 0:
        end = start + 1
        # a brace of prose is followed by no key
        if _KEY_FOLLOWS.match(text, start):
            entry, end = decoder.raw_decode(text, start)
            found.append(entry)
        start = text.find("{", end)
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        raise ValueError("a key stands twice")
    return entry


def _checked(entry: dict[str, Any], policy: Policy) -> Verdict | Unread:
    state, reason, names = entry["verdict"], entry.get("reason", ""), entry.get("categories", [])
    if state not in ("pass", "block") or not isinstance(state, str):
        return Unread("the verdict is neither pass nor block")
    if not isinstance(reason, str) or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return Unread("the verdict is not in form")
    if state == "pass" and names:
        return Unread("the verdict is pass and yet names what was found")
    known = tuple(name for name in policy.names if name in names)
    return Verdict("pass" if state == "pass" else "block", _line(reason)[:_MOST_REASON], known)


def _line(text: str) -> str:
    """One line of what can be printed: a model may repeat control characters of a text."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
