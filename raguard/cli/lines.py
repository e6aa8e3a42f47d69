"""What do the lines of a JSON Lines file hold? One value each, or why there is none."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from raguard.cli.inputs import STDIN, InputError, not_json
from raguard.files import read_line

__all__ = ["Line", "read_lines"]


class Line(NamedTuple):
    """One line that is not blank: its number from one, and its value, or the fault for which it has none."""

    number: int
    value: Any
    fault: str | None = None


def read_lines(path: str) -> Iterator[Line]:
    """The lines of a file (``-``: standard input), one at a time; raises InputError when it cannot be read."""
    try:
        with _opened(path) as stream:
            number = 0
            while line := read_line(stream):
                number += 1
                if line.strip():
                    try:
                        yield Line(number, json.loads(line.decode("utf-8-sig")))
                    except (ValueError, RecursionError) as error:
                        yield Line(number, None, not_json(error))
    except OSError as error:
        name = "standard input" if path == STDIN else path
        raise InputError(f"{name}: cannot be read: {error.strerror}") from error


def _opened(path: str) -> BinaryIO:
    if path != STDIN:
        return Path(path).open("rb")
    if sys.stdin is None:
        raise InputError("standard input: is closed; give a file of cases")
    return sys.stdin.buffer
