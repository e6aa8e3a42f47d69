"""What is asked in a chat, and where are its documents? In ``rag``, or in the messages where the settings say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raguard.documents import Document
from raguard.service.sections import ContextSettings

__all__ = ["Asked", "asked_of"]

_READ = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the documents, and the turns before it."""

    question: str
    docs: list[str | Document]
    history: list[dict[str, Any]]
    lang: str = "auto"

    @property
    def evidence(self) -> list[str | Document]:
        """The documents, and what tools have returned."""
        told = [turn["content"] for turn in self.history if turn["role"] in ("tool", "function")]
        return [*self.docs, *told]


def asked_of(
    messages: Sequence[Any],
    settings: ContextSettings | None,
    *,
    docs: list[str | Document] | None = None,
    question: str | None = None,
    lang: str = "auto",
) -> Asked:
    """What a list of messages asks; ``docs`` and ``question`` take the place of what it holds.

    The question is the last message of the user; what tools have returned is evidence by itself.

    >>> rule = ContextSettings(roles=("user",), begin="<docs>", end="</docs>", separator="---")
    >>> asked = asked_of([{"role": "user", "content": "<docs>one --- two</docs> When?"}], rule)
    >>> asked.question, asked.docs
    ('When?', ['one', 'two'])
    """
    turns = [message for message in messages if isinstance(message, Mapping) and str(message.get("role")) in _READ]
    found: list[str | Document] = []
    kept: list[dict[str, Any]] = []
    for turn in turns:
        text = content_text(turn.get("content"))
        if settings is not None and turn["role"] in settings.roles:
            texts, text = _cut(text, settings)
            found += texts
        kept.append({"role": turn["role"], "content": text})
    last = max((place for place, turn in enumerate(kept) if turn["role"] == "user"), default=None)
    asked = "" if last is None else kept[last]["content"]
    history = [turn for place, turn in enumerate(kept) if place != last and turn["content"]]
    return Asked(asked if question is None else question, found if docs is None else docs, history, lang)


def content_text(content: Any) -> str:
    """A message's content as one text; of its parts those that are text.

    >>> content_text([{"type": "text", "text": "When?"}, {"type": "image_url"}]), content_text(None)
    ('When?', '')
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") if isinstance(part, Mapping) else None for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _cut(text: str, settings: ContextSettings) -> tuple[list[str], str]:
    """The documents in a message, and what is left of it."""
    blocks, left = [text], ""
    if settings.begin:
        blocks, kept, at = [], [], 0
        # by places: cutting off the rest each time would take a square of the time for many blocks
        while (begin := text.find(settings.begin, at)) >= 0:
            first = begin + len(settings.begin)
            end = text.find(settings.end, first)
            if end < 0:
                break
            kept.append(text[at:begin])
            blocks.append(text[first:end])
            at = end + len(settings.end)
        kept.append(text[at:])
        left = " ".join(part.strip() for part in kept if part.strip())
    pieces = [
        piece for block in blocks for piece in (block.split(settings.separator) if settings.separator else [block])
    ]
    return [piece.strip() for piece in pieces if piece.strip()], left
