"""How are server-sent events read? https://html.spec.whatwg.org/multipage/server-sent-events.html

A line ends with a carriage return, a line feed or both; the stream may begin with a byte order mark.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncIterable, AsyncIterator

__all__ = ["data_of"]


async def data_of(parts: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """The data of each event; an event that the end cuts off is given, too."""
    data: list[bytes] = []
    async for line in _lines(parts):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


async def _lines(parts: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    begun: list[bytes] = []
    """The pieces of a line that has not ended; a long one is put together once."""
    is_first, is_returned = True, False
    async for part in parts:
        if is_returned:
            # a line feed behind the carriage return that ended the part before
            part, is_returned = part.removeprefix(b"\n"), not part
        if not part:
            continue
        is_returned = part.endswith(b"\r")
        first, *others = part.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        begun.append(first)
        if not others:
            continue
        lines, begun = [b"".join(begun), *others[:-1]], [others[-1]]
        for line in lines:
            yield line.removeprefix(BOM_UTF8) if is_first else line
            is_first = False
    rest = b"".join(begun)
    yield rest.removeprefix(BOM_UTF8) if is_first else rest
