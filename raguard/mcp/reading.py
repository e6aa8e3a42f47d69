"""What becomes of a line at the pipes that is not a message? Its sender is told so; the SDK would leave it waiting."""

from __future__ import annotations

import json
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from pydantic import ValidationError

from raguard.mcp.server import sdk

__all__ = ["Readable"]


class Readable:
    """The messages of a stream of the SDK; what cannot be read is answered on ``write`` and skipped.

    That is a message that is not JSON, is nested too deeply, or holds half of a surrogate pair, as a text does that was
    cut within an emoji. The answer repeats nothing of it but its id, if it has one.
    """

    def __init__(self, read: Any, write: Any) -> None:
        self._read, self._write = read, write
        self._types, self._message = sdk("types", "shared.message")

    @property
    def last_context(self) -> Any:
        """The context in which the last message was sent, which the SDK asks its own streams for."""
        return getattr(self._read, "last_context", None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        while isinstance(item := await anext(self._read), Exception):
            if (answer := self._answer(item)) is not None:
                await self._write.send(self._message.SessionMessage(answer))
        return item

    async def aclose(self) -> None:
        """Takes no more."""
        await self._read.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    def _answer(self, fault: Exception) -> Any:
        line = _line(fault)
        if line is not None and not line.strip():
            return None
        code, message = (
            (self._types.INVALID_REQUEST, "This is no message of the protocol.")
            if line is None
            else (self._types.PARSE_ERROR, "The message cannot be read: no JSON, too deep, or half a surrogate pair.")
        )
        error = self._types.ErrorData(code=code, message=message)
        return self._types.JSONRPCError(jsonrpc="2.0", id=_id(line), error=error)


def _line(fault: Exception) -> str | None:
    """The line that is not JSON for the SDK, or None where it is none of its messages."""
    if not isinstance(fault, ValidationError):
        return None
    first = fault.errors(include_url=False)[0]
    return str(first["input"]) if first["type"] == "json_invalid" else None


def _id(line: str | None) -> int | str | None:
    """The id of the request: Python reads more than the SDK, such as halves of surrogate pairs."""
    told: Any = None
    with suppress(ValueError, RecursionError):
        told = json.loads(line or "")
    found = told.get("id") if isinstance(told, dict) else None
    return found if type(found) in (int, str) else None
