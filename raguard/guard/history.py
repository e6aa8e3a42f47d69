"""Which earlier turns of the conversation can be read, and what may each support?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from raguard.guard.faults import Faults
from raguard.result import Unchecked

__all__ = ["Turn", "admit_history"]

_READ = {"user": "asked", "system": "asked", "developer": "asked", "tool": "told", "function": "told"}
"""What the user and the operator wrote may be echoed; what a tool returned is evidence."""
_SILENT = frozenset({"assistant", "model"})
"""What the model said before supports nothing."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The text of one turn at its place in the history: the user's or operator's words, or a tool's result."""

    index: int
    part: Literal["asked", "told"]
    text: str


def admit_history(history: object, faults: Faults) -> tuple[tuple[Turn, ...], tuple[Unchecked, ...]]:
    """The turns ``{"role", "content"}`` that may support something, and what of them was not read."""
    if history is None:
        return (), ()
    if isinstance(history, (str, bytes)) or not isinstance(history, Sequence):
        faults.add(f"history must be a list of turns with role and content, not {type(history).__name__}.")
        return (), (Unchecked("history", "it is no list of turns"),)
    turns = [turn for index, entry in enumerate(history) if (turn := _turn(index, entry, faults)) is not None]
    most = faults.config.max_document_chars
    size = sum(len(turn.text) for turn in turns)
    if size > most:
        faults.add(
            f"history has {size:,} characters in all; the limit max_document_chars is {most:,}. It was not read."
        )
        return (), (Unchecked("history", "it is too long"),)
    return tuple(turns), ()


def _turn(index: int, entry: object, faults: Faults) -> Turn | None:
    name = f"history[{index}]"
    role = entry.get("role") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(role, str):
        faults.add(f"{name} must be a mapping with role and content.")
        return None
    if role in _SILENT:
        return None
    part = _READ.get(role)
    if part is None:
        faults.add(f"{name}.role must be one of {', '.join(sorted({*_READ, *_SILENT}))}, not {role!r:.40}.")
        return None
    text = faults.text(f"{name}.content", _content(entry.get("content")))
    return Turn(index, "told" if part == "told" else "asked", text) if text.strip() else None


def _content(content: Any) -> Any:
    """A turn's content as one text; a list of parts ``{"type": "text", "text": …}`` is joined line by line."""
    if not isinstance(content, list):
        return content
    parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
    return "\n".join(part for part in parts if isinstance(part, str))
