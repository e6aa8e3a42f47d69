"""What do the messages of a chat request hold: which documents, and which question?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from raguard import Document

__all__ = ["TRUSTED_ROLES", "asked", "grounding", "in_plain_blocks"]

TRUSTED_ROLES = ("system", "developer")
"""Whose blocks are documents: messages that the application writes, and not its users, who could vouch for anything."""


def grounding(messages: object, roles: Collection[str] = TRUSTED_ROLES) -> list[Document]:
    """The documents: the blocks of type "grounding_source" in messages of these roles, in order.

    >>> block = {"type": "grounding_source", "text": "It closed on 4 May 2024.", "id": "audit#3"}
    >>> grounding([{"role": "system", "content": [block]}, {"role": "user", "content": [block]}])
    [Document(text='It closed on 4 May 2024.', id='audit#3', metadata=None)]
    """
    return [
        Document(block["text"], block["id"] if isinstance(block.get("id"), str) else None)
        for message in _messages(messages)
        if message.get("role") in roles
        for block in _blocks(message, "grounding_source")
    ]


def asked(messages: object) -> str:
    """The question: the blocks of type "query", else the text of the user's last message; "" for none.

    >>> asked([{"role": "user", "content": "When?"}, {"role": "assistant", "content": "In May."}])
    'When?'
    """
    given = _messages(messages)
    queries = [block["text"] for message in given for block in _blocks(message, "query")]
    last = [message for message in given if message.get("role") == "user"][-1:]
    return "\n".join(queries or [text for message in last for text in _texts(message)])


def in_plain_blocks(messages: list[Any]) -> list[Any]:
    """The messages with "grounding_source" and "query" blocks as text, for models that know no such blocks.

    >>> in_plain_blocks([{"role": "user", "content": [{"type": "query", "text": "When?"}]}, {"role": "user"}])
    [{'role': 'user', 'content': [{'type': 'text', 'text': 'When?'}]}, {'role': 'user'}]
    """
    return [
        {**message, "content": [_plain(block) for block in message["content"]]}
        if isinstance(message, Mapping) and isinstance(message.get("content"), list)
        else message
        for message in messages
    ]


def _plain(block: Any) -> Any:
    is_tagged = isinstance(block, Mapping) and block.get("type") in ("grounding_source", "query")
    return {"type": "text", "text": block.get("text")} if is_tagged else block


def _texts(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    return [content] if isinstance(content, str) else [block["text"] for block in _blocks(message, "text")]


def _blocks(message: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    content = message.get("content")
    for block in content if isinstance(content, list | tuple) else ():
        if isinstance(block, Mapping) and block.get("type") == kind and isinstance(block.get("text"), str):
            yield block


def _messages(messages: object) -> list[Mapping[str, Any]]:
    return [each for each in messages if isinstance(each, Mapping)] if isinstance(messages, list | tuple) else []
