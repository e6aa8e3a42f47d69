"""How does output reach its reader? Harmless to a terminal, valid in every encoding, quiet when nobody reads on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from raguard import RaguardError
from raguard.text.terminals import STEERING, visible

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["OutputError", "complain", "say", "say_drawn", "say_json"]

_IN_JSON = {code: f"\\u{code:04x}" for code in STEERING - set(range(32))}
"""What JSON may hold as it is and a terminal would obey."""


class OutputError(RaguardError):
    """Standard output cannot be written, so that the verdict has not reached anybody."""


def say(text: str) -> bool:
    """Writes a text to standard output; False when its reader has gone away, OutputError when the disk is full."""
    try:
        return _write(sys.stdout, text)
    except OSError as error:
        raise OutputError(f"standard output: cannot be written: {error.strerror}") from error


def say_drawn(output: Console, draw: Callable[[], None]) -> bool:
    """Says all that ``draw`` prints to ``output``, as ``say`` says a text."""
    try:
        with output.capture() as drawn:
            draw()
    except OSError as error:
        # a stream without a buffer fails even where nothing is written to it
        raise OutputError(f"standard output: cannot be written: {error.strerror}") from error
    return say(drawn.get())


def say_json(value: Any, *, indent: int | None = 2) -> bool:
    """Says ``value`` as JSON, escaped where standard output could not encode it or a terminal would obey it."""
    text = json.dumps(value, ensure_ascii=False, indent=indent).translate(_IN_JSON)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent)
    return say(f"{text}\n")


def complain(message: str) -> None:
    """Writes one sentence to standard error, if that can be written."""
    try:
        _write(sys.stderr, f"raguard: {visible(message)}\n")
    except OSError:
        return


def _write(stream: TextIO | None, text: str) -> bool:
    if stream is None:  # closed by the caller
        return True
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # what is still in the buffer must not fail again when the process ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise
        return False
    return True
