"""What does the application hand over as retrieved evidence?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Document"]


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved chunk: its text, and optionally the id and metadata that evidence should name.

    >>> Document("The audit closed on 4 May 2024.", id="audit.pdf#3").id
    'audit.pdf#3'
    """

    text: str
    id: str | None = None
    metadata: Mapping[str, Any] | None = None
