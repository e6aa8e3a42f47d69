"""How is a file read that may be anything? It may be a device that never ends, or a pipe that nobody writes to."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

__all__ = ["read_bytes", "read_line", "read_stream", "reason_of"]

_MOST_BYTES = 100_000_000


def read_bytes(path: Path) -> bytes:
    """The content of a file or pipe; raises OSError for a larger one, and for a pipe without a writer."""
    with open(path, "rb", opener=_without_waiting) as stream:
        if hasattr(os, "set_blocking"):
            os.set_blocking(stream.fileno(), True)
        content = read_stream(stream)
        if not content and stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EPIPE, "it is a pipe that nobody writes to")
        return content


def read_stream(stream: BinaryIO) -> bytes:
    """What is left in a stream; raises OSError when it is too much."""
    content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise OSError(errno.EFBIG, f"it holds more than {_MOST_BYTES:,} bytes")
    return content


def read_line(stream: BinaryIO) -> bytes:
    """The next line of a stream, empty at its end; raises OSError when it is too long."""
    line = stream.readline(_MOST_BYTES + 1)
    if len(line) > _MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has a line of more than {_MOST_BYTES:,} bytes")
    return line


def reason_of(error: OSError | ValueError) -> str:
    """Why a file cannot be read, without its name, which the message around it tells.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "notes.txt"))
    'No such file or directory'
    """
    return str(getattr(error, "strerror", None) or error)


def _without_waiting(path: str, flags: int) -> int:
    """Opens a pipe at once, whether or not somebody has opened its other end."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
