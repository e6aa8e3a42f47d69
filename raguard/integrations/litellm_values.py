"""What of LiteLLM's responses is the text that is judged, and what beside it may say the same?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from raguard.integrations.missing import needs
from raguard.integrations.places import NOWHERE


@contextmanager
def offline() -> Iterator[None]:
    """Lets LiteLLM take the price list that it brings; it would fetch one when it is imported."""
    name = "LITELLM_LOCAL_MODEL_COST_MAP"
    is_ours = name not in os.environ and "litellm" not in sys.modules
    if is_ours:
        os.environ[name] = "True"
    try:
        yield
    finally:
        if is_ours:
            del os.environ[name]


with needs("litellm"), offline():
    from litellm.types.utils import Choices, Delta, Message, ModelResponse, ModelResponseStream, StreamingChoices

__all__ = ["FILTERED", "Chunk", "cut", "held", "is_text", "of_one_choice", "offline", "parted", "unread"]

FILTERED = "content_filter"
"""Why an answer ended that is blocked."""
_READ = frozenset({"role", "content"})
_CALLS = ("tool_calls", "function_call")
_FRAME = frozenset({"usage", "service_tier"})
"""What a response may have beside its fields that says nothing of the text."""


@dataclass(slots=True)
class Chunk:
    """A chunk of a stream, of one choice at most."""

    raw: ModelResponseStream
    text: str
    data: Any = NOWHERE
    is_aside: bool = False

    @property
    def size(self) -> int:
        """How many characters it has."""
        return len(self.text)

    def holding(self, text: str) -> ModelResponseStream | None:
        """The same chunk with another text; None where nothing of it would be left."""
        if text == self.text:
            return self.raw
        delta = self.raw.choices[0].delta
        if not text and not delta.role:
            return None
        chunk = self.raw.model_copy(deep=True)
        chunk.choices[0].delta.content = text
        return chunk


def is_text(content: object) -> bool:
    """Whether a content is text, or there is none."""
    return content is None or isinstance(content, str)


def unread(message: Message | Delta) -> Iterator[str]:
    """The names of what a message or a part of one holds beside its text, which nobody reads."""
    told = {**message.__dict__, **(message.model_extra or {})}
    return (name for name, value in told.items() if name not in _READ and _is_something(value))


def cut(response: ModelResponse, place: int, text: str, *, is_blocked: bool) -> None:
    """Puts ``text`` into a choice from which something is removed, and takes out what may say it as well."""
    choice = response.choices[place]
    calls = {name: None if is_blocked else getattr(choice.message, name, None) for name in _CALLS}
    message = Message(content=text, role=choice.message.role)
    for name, value in calls.items():
        setattr(message, name, value)
    reason = FILTERED if is_blocked else choice.finish_reason
    response.choices[place] = Choices(index=choice.index, finish_reason=reason, message=message)
    _framed(response)


def held(chunk: ModelResponseStream) -> tuple[ModelResponseStream, ModelResponseStream | None]:
    """A chunk of one choice at most, without what may say its text as well, and the calls of tools that it makes."""
    if not chunk.choices:
        return _framed(chunk.model_copy()), None
    delta = chunk.choices[0].delta
    calls = {name: value for name in _CALLS if (value := getattr(delta, name, None))}
    bare = _with(chunk, Delta(content=delta.content, role=delta.role), chunk.choices[0].finish_reason)
    return bare, _with(chunk, Delta(**calls), None) if calls else None


def of_one_choice(chunk: ModelResponseStream) -> list[ModelResponseStream]:
    """A chunk for each choice."""
    if len(chunk.choices) < 2:
        return [chunk]
    return [chunk.model_copy(update={"choices": [choice]}) for choice in chunk.choices]


def parted(chunk: ModelResponseStream) -> tuple[ModelResponseStream | None, ModelResponseStream | None]:
    """A chunk of one choice, as what comes before the end of the choice, and that end."""
    choice = chunk.choices[0]
    if choice.finish_reason is None:
        return chunk, None
    if not choice.delta.content:
        return None, chunk
    before, end = chunk.model_copy(deep=True), chunk.model_copy(deep=True)
    before.choices[0].finish_reason = None
    end.choices[0].delta.content = None
    return before, end


def _is_something(value: object) -> bool:
    return any(value.values()) if isinstance(value, dict) else bool(value)


def _with(chunk: ModelResponseStream, delta: Delta, reason: str | None) -> ModelResponseStream:
    choice = StreamingChoices(index=chunk.choices[0].index, delta=delta, finish_reason=reason)
    return _framed(chunk.model_copy(update={"choices": [choice]}))


def _framed(response: Any) -> Any:
    """The response without what no field of it is for: a provider may repeat the text there."""
    for name in {*(response.model_extra or {})} - _FRAME:
        delattr(response, name)
    if getattr(response, "provider_specific_fields", None):
        response.provider_specific_fields = None
    return response
