"""What of a choice can be read? Its text, whole or a piece of it, why it ends, and what of it nobody judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["CALLS", "Piece", "fault_of", "piece_of", "text_of", "unread_of"]

CALLS = frozenset({"tool_calls", "function_call"})
"""Where a message or delta calls tools."""

_MOST_CHOICES = 128
"""As many as OpenAI's API lets a request ask for; each takes memory."""
_TOLD = frozenset({"role", "content"})
"""What of a message is judged, or is no text of the model's."""
_KNOWN = frozenset({"index", "finish_reason", "logprobs"})
"""What of a choice is known beside its message; others, as the string at which it stopped, may repeat the text."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What a chunk says of one choice, of none without ``index``; ``fault`` says why it cannot be read."""

    index: int | None
    delta: Mapping[str, Any]
    content: str | None
    reason: str | None
    unread: tuple[str, ...] = ()
    fault: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it adds nothing to its choice."""
        return self.fault is None and not any(value for key, value in self.delta.items() if key != "role")


def piece_of(entry: Any, *, is_only: bool) -> Piece:
    """What an entry of a chunk's choices says; where there is one choice alone its index may be missing.

    >>> piece_of({"delta": None, "finish_reason": "stop"}, is_only=True)
    Piece(index=0, delta={}, content=None, reason='stop', unread=(), fault=None)
    """
    if not isinstance(entry, dict):
        return Piece(None, {}, None, None, fault="it sent a chunk whose choice is none")
    index: Any = 0 if is_only and entry.get("index") is None else entry.get("index")
    if type(index) is not int or not 0 <= index < _MOST_CHOICES:
        return Piece(None, {}, None, None, fault="it sent a chunk whose choice is none")
    delta, reason = entry.get("delta"), entry.get("finish_reason")
    delta = {} if delta is None else delta
    if not isinstance(delta, dict):
        return Piece(index, {}, None, None, fault="it sent a chunk whose choice is none")
    fault = fault_of(delta, reason)
    if fault is not None:
        return Piece(index, delta, None, reason if isinstance(reason, str) else None, fault=f"it sent {fault}")
    # some models end no choice with an empty reason, but say that it goes on
    return Piece(index, delta, text_of(delta.get("content")), reason or None, unread_of(entry, "delta"))


def fault_of(message: Mapping[str, Any], reason: Any) -> str | None:
    """What of a message or its end cannot be read; None where all can be."""
    try:
        text_of(message.get("content"))
    except ValueError:
        return "a content that is no text"
    return None if isinstance(reason, str | None) else "a finish_reason that is no text"


def text_of(content: Any) -> str | None:
    """The text of a message; of parts that are text alone, one behind the other. Raises ValueError for others.

    >>> text_of([{"type": "text", "text": "It closed "}, {"type": "text", "text": "on 4 May."}])
    'It closed on 4 May.'
    """
    if isinstance(content, str | None):
        return content
    if not isinstance(content, list) or not all(_is_text(part) for part in content):
        raise ValueError("it is no text")
    return "".join(part["text"] for part in content)


def unread_of(choice: Mapping[str, Any], place: str) -> tuple[str, ...]:
    """The keys of a choice, and of the message or delta at ``place`` in it, that hold something nobody judges.

    >>> unread_of({"index": 0, "stop_string": "It closed.", "message": {"name": "May", "refusal": None}}, "message")
    ('name', 'stop_string')
    """
    message = choice.get(place) or {}
    told = {key for key in choice.keys() - _KNOWN - {place} if choice[key]}
    return tuple(sorted(told | {key for key in message.keys() - _TOLD if message[key]}))


def _is_text(part: Any) -> bool:
    """Whether a part of a content is text, and nothing else stands beside it."""
    if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
        return False
    return not any(value for key, value in part.items() if key not in ("type", "text"))
