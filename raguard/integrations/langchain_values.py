"""What do the values of LangChain hold: which text, and which documents?"""

from __future__ import annotations

from typing import Any

from raguard import Document
from raguard.integrations.missing import needs
from raguard.integrations.places import documents

with needs("langchain", "langchain_core"):
    from langchain_core.documents import Document as Retrieved
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

__all__ = ["calls_of", "results", "retrieved", "said", "text_of", "without_reasoning"]

_REASONING = frozenset({"reasoning", "reasoning_content", "thinking", "redacted_thinking"})
"""The types of blocks in which models think, which may say what was cut out of the text."""
_CALLS = frozenset({"tool_calls", "function_call"})


def text_of(value: Any) -> str:
    """The text of a string or a message; "" of what is neither."""
    if isinstance(value, BaseMessage):
        return str(value.text)
    return value if isinstance(value, str) else ""


def said(value: Any) -> Any:
    """The text of an answer; what is neither text nor message stays, and the verdict says so."""
    return text_of(value) if isinstance(value, str | BaseMessage) else value


def retrieved(value: Any) -> list[Any]:
    """Documents of LangChain, strings or plain data as documents; what is none of them stays, and the verdict says so.

    >>> retrieved([Retrieved("It closed on 4 May 2024.", metadata={"source": "audit.pdf"})])[0].id
    'audit.pdf'
    """
    return [_document(each) for each in documents(value)]


def without_reasoning(blocks: list[Any]) -> list[Any]:
    """The blocks of a message in which its model does not think.

    >>> without_reasoning([{"type": "reasoning", "reasoning": "Hm."}, {"type": "image", "url": "a.png"}])
    [{'type': 'image', 'url': 'a.png'}]
    """
    return [block for block in blocks if block.get("type") not in _REASONING]


def calls_of(message: AIMessage) -> dict[str, Any]:
    """What a provider put beside a message that calls tools; what else stands there may repeat the text."""
    return {name: value for name, value in message.additional_kwargs.items() if name in _CALLS}


def results(message: ToolMessage) -> list[Any]:
    """The documents that a tool found, and what it said to the model."""
    artifact, text = message.artifact, text_of(message)
    is_found = isinstance(artifact, list | tuple) and all(isinstance(each, Retrieved) for each in artifact)
    return [*(retrieved(artifact) if is_found else ()), *([Document(text, message.name)] if text else ())]


def _document(entry: Any) -> Any:
    if not isinstance(entry, Retrieved):
        return entry
    name = entry.id or entry.metadata.get("id") or entry.metadata.get("source")
    return Document(entry.page_content, None if name is None else str(name), entry.metadata)
