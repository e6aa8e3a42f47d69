"""Which piece of an answer stands in each part of a streamed body? Server-sent events, JSON lines, plain text."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import Any, Protocol

from raguard.integrations.places import NOWHERE, found, placed

__all__ = ["Body", "Events", "Lines", "PlainText", "Unit", "streamed"]

_BLANK_LINE = re.compile(rb"(?:\r\n|\r(?!\n)|\n){2}")
_END_OF_LINE = re.compile(r"\r\n|\r|\n")
_NO_JSON = "a part of the stream is no JSON"
_NO_STRING = "something else than text stands where a part of the stream has its text"
_DONE = "[DONE]"
"""The data of the event by which chat completions end, which is not text of the answer."""
_JSON_LINES = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")


@dataclass(slots=True)
class Unit:
    """One part of a body as it came, ``raw``, with the ``text`` of the answer that it holds.

    ``data`` is its JSON, NOWHERE for none; ``frame`` are the lines of an event around its data.
    """

    raw: bytes
    text: str = ""
    data: Any = NOWHERE
    pointer: str = ""
    frame: tuple[str, ...] | None = None
    encoding: str = "utf-8"
    is_aside: bool = False
    """Whether it is a comment, which keeps the connection awake and waits for nothing."""
    unread: str = ""
    """Why nobody knows what a reader makes of it; "" where it is read."""

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.raw)

    def holding(self, text: str) -> bytes | None:
        """The same part with another text; None where a part is its text and that is empty."""
        if text == self.text:
            return self.raw
        if self.data is NOWHERE and not text:
            return None
        data = text if self.data is NOWHERE else json.dumps(placed(self.data, self.pointer, text))
        if self.frame is None:
            return (data if self.data is NOWHERE else f"{data}\n").encode(self.encoding, "replace")
        return event(data, self.frame)


class Body(Protocol):
    """Cuts a body into its units and makes units of its own."""

    open: bytes
    """What waits for the end of its unit."""

    def feed(self, chunk: bytes) -> list[Unit]:
        """The units that are complete with these bytes."""

    def finish(self) -> list[Unit]:
        """What is left at the end."""

    def told(self, value: dict[str, Any] | None, note: str) -> bytes:
        """The unit that tells a verdict: data, or in text for readers its note; nothing when that is missing."""


class Events:
    """Server-sent events; the text stands at ``pointer`` of their data, or is the data when that is empty.

    >>> units = Events("/token").feed(b': ping\\n\\ndata: {"token": "It"}\\n\\ndata: [DONE]\\n\\nda')
    >>> [unit.text for unit in units], units[1].holding("No")
    (['', 'It', ''], b'data: {"token": "No"}\\n\\n')
    """

    def __init__(self, pointer: str) -> None:
        self._pointer = pointer
        self.open = b""

    def feed(self, chunk: bytes) -> list[Unit]:
        """The events that end with these bytes."""
        seen = max(len(self.open) - 4, 0)
        self.open += chunk
        units, start = [], 0
        for match in _BLANK_LINE.finditer(self.open, seen):
            units.append(self._unit(self.open[start : match.end()]))
            start = match.end()
        self.open = self.open[start:]
        return units

    def finish(self) -> list[Unit]:
        """The last event, when no blank line ended it; it gets one, for another event may follow."""
        left, self.open = self.open, b""
        return [self._unit(left.rstrip(b"\r\n") + b"\n\n")] if left.strip() else []

    def told(self, value: dict[str, Any] | None, note: str) -> bytes:
        """An event named raguard."""
        return b"" if value is None else event(json.dumps({"raguard": value}), ("event: raguard",))

    def _unit(self, raw: bytes) -> Unit:
        text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
        lines = [line for line in _END_OF_LINE.split(text) if line]
        data = [line[5:].removeprefix(" ") for line in lines if line.partition(":")[0] == "data"]
        frame = tuple(line for line in lines if line.partition(":")[0] != "data")
        if not data:
            return Unit(raw, is_aside=all(line.startswith(":") for line in lines))
        return _unit(raw, "\n".join(data), self._pointer, frame)


class Lines:
    """JSON Lines; the text stands at ``pointer`` of each.

    >>> [unit.text for unit in Lines("/token").feed(b'{"token": "It"}\\n{"usage": 3}\\n{"tok')]
    ['It', '']
    """

    def __init__(self, pointer: str) -> None:
        self._pointer = pointer
        self.open = b""

    def feed(self, chunk: bytes) -> list[Unit]:
        """The lines that end with these bytes."""
        *lines, self.open = (self.open + chunk).split(b"\n")
        return [self._unit(line + b"\n") for line in lines]

    def finish(self) -> list[Unit]:
        """The last line, when it was not ended; it is now, for another line may follow."""
        left, self.open = self.open, b""
        return [self._unit(left + b"\n")] if left.strip() else []

    def told(self, value: dict[str, Any] | None, note: str) -> bytes:
        """A line with the member raguard alone."""
        return b"" if value is None else json.dumps({"raguard": value}).encode() + b"\n"

    def _unit(self, raw: bytes) -> Unit:
        return _unit(raw, raw.decode("utf-8", "replace"), self._pointer)


class PlainText:
    """Text that is the answer itself, in an encoding.

    >>> text = PlainText("utf-8")
    >>> [unit.text for chunk in (b"caf\\xc3", b"\\xa9") for unit in text.feed(chunk)]
    ['caf', 'é']
    """

    open = b""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def feed(self, chunk: bytes) -> list[Unit]:
        """The characters that are complete with these bytes."""
        return self._units(self._decoder.decode(chunk))

    def finish(self) -> list[Unit]:
        """What a broken character leaves."""
        return self._units(self._decoder.decode(b"", True))

    def told(self, value: dict[str, Any] | None, note: str) -> bytes:
        """The note as a paragraph of its own."""
        return f"\n\n[{note}]".encode(self._encoding, "replace") if note else b""

    def _units(self, text: str) -> list[Unit]:
        raw = text.encode(self._encoding, "replace")
        return [Unit(raw, text, encoding=self._encoding)] if text else []


def event(data: str, frame: tuple[str, ...] = ()) -> bytes:
    r"""A server-sent event.

    >>> event("It\nclosed", ("id: 7",))
    b'id: 7\ndata: It\ndata: closed\n\n'
    """
    lines = [*frame, *(f"data: {line}" for line in _END_OF_LINE.split(data))]
    return "".join(f"{line}\n" for line in [*lines, ""]).encode("utf-8", "replace")


def streamed(content_type: str, pointer: str) -> Body | None:
    """How a body of this type is cut; None for a type that is not read while it comes.

    >>> type(streamed("text/plain; charset=latin-1", "")).__name__, streamed("text/html", "")
    ('PlainText', None)
    """
    kind, *parameters = (part.strip() for part in content_type.lower().split(";"))
    if kind == "text/event-stream":
        return Events(pointer)
    if kind in _JSON_LINES:
        return Lines(pointer)
    if kind != "text/plain":
        return None
    given = (parameter.partition("=") for parameter in parameters)
    encoding = next((value.strip("\"' ") for name, _, value in given if name == "charset"), "utf-8")
    return PlainText(encoding) if _is_like_ascii(encoding) else None


def _is_like_ascii(encoding: str) -> bool:
    """Whether parts of a text can be written in this encoding one behind the other, and ASCII stays as it is."""
    try:
        return "a".encode(encoding) + codecs.getincrementalencoder(encoding)().encode("b") == b"ab"
    except (LookupError, UnicodeError):
        return False


def _unit(raw: bytes, data: str, pointer: str, frame: tuple[str, ...] | None = None) -> Unit:
    """The unit of a text that is JSON, or, without a pointer, the text of the answer itself."""
    if not pointer and frame is not None:
        return Unit(raw, "" if data == _DONE else data, frame=frame)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return Unit(raw, unread="" if data.strip() in ("", _DONE) else _NO_JSON)
    text = found(value, pointer)
    if isinstance(text, str):
        return Unit(raw, text, value, pointer, frame)
    return Unit(raw, data=value, unread="" if text is NOWHERE or text is None else _NO_STRING)
