"""What does the application hand over as retrieved evidence?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Document", "read_document"]


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved chunk: its text, and optionally the id and metadata that evidence should name.

    >>> Document("The audit closed on 4 May 2024.", id="audit.pdf#3").id
    'audit.pdf#3'
    """

    text: str
    id: str | None = None
    metadata: Mapping[str, Any] | None = None


def read_document(entry: Any) -> Any:
    """A mapping ``{"text", "id", "metadata"}`` as a Document of what it holds; anything else as it is.

    >>> read_document({"text": "The audit closed on 4 May 2024.", "id": "audit.pdf#3"}).id
    'audit.pdf#3'
    """
    if not isinstance(entry, Mapping):
        return entry
    text: Any = entry.get("text")
    return Document(text, entry.get("id"), entry.get("metadata"))
