"""What did a model reply? The text and why it ends, taken from whatever a chat returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Reply", "as_reply"]

_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote, without reasoning in a field of its own, and why it stopped, None if that is not told.

    ``finish_reason`` is "stop" for a complete reply, "length" for one that was cut off by the token budget, and
    "unknown" if the reason is not a string; ``is_refusal`` says that the endpoint calls the reply a refusal.
    """

    content: str
    finish_reason: str | None = None
    is_refusal: bool = False


def as_reply(returned: Any) -> Reply | None:
    """A Reply of what a chat returned, or None when it is none.

    It reads a string, a Reply, and a mapping or object with ``content`` (and ``finish_reason``, ``refusal``), or one in
    the form of OpenAI's chat API, with ``choices``. Several choices are not a reply: one is asked for, and several may
    say different things. Raises whatever reading a foreign object raises.

    >>> as_reply({"choices": [{"message": {"content": "Yes.", "reasoning_content": "Hm."}, "finish_reason": "stop"}]})
    Reply(content='Yes.', finish_reason='stop', is_refusal=False)
    >>> as_reply(42) is None
    True
    """
    if isinstance(returned, Reply):
        return returned
    if isinstance(returned, str):
        return Reply(str(returned))
    choices = _of(returned, "choices")
    if isinstance(choices, list | tuple):
        if len(choices) != 1:
            return None
        message, reason = _of(choices[0], "message"), _of(choices[0], "finish_reason")
    else:
        message, reason = returned, _of(returned, "finish_reason")
    content, refusal = _text(_of(message, "content")), _of(message, "refusal")
    if content is None and not refusal:
        # an endpoint that says nothing under a key it should have is read as having said nothing
        content = "" if message is not None and _has(message, "content") else None
    if content is None and not refusal:
        return None
    return Reply(content or "", _reason(reason), bool(refusal))


def _reason(reason: Any) -> str | None:
    # what is told, but not in words, is not known to mean that the reply is whole
    return reason if reason is None or isinstance(reason, str) else _UNKNOWN


def _of(thing: Any, key: str) -> Any:
    return thing.get(key) if isinstance(thing, Mapping) else getattr(thing, key, None)


def _has(thing: Any, key: str) -> bool:
    return key in thing if isinstance(thing, Mapping) else hasattr(thing, key)


def _text(content: Any) -> str | None:
    """A text, or the texts of a list of parts, as some endpoints write it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return None
