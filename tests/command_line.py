"""How is the command line asked within a test? In this process, with what it prints and its exit status."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from raguard.cli import main

__all__ = ["Output", "Says", "says_of"]


class Output(NamedTuple):
    """What a run of the command printed, and its exit status."""

    status: int
    out: str
    err: str


Says = Callable[..., Output]


def says_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *command: str) -> Says:
    """A function that runs ``raguard``, or one command of it, with further arguments and standard input."""

    def call(*arguments: str | Path, stdin: bytes = b"") -> Output:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = main([*command, *map(str, arguments)])
        return Output(status, *capsys.readouterr())

    return call
