"""What does the user want checked? A case file or plain text files, or one sentence saying why not."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raguard import Config, ConfigError, Document, RaguardError
from raguard.files import read_bytes, read_stream, reason_of

__all__ = [
    "STDIN",
    "CheckInput",
    "InputError",
    "named",
    "not_json",
    "read_case",
    "read_config",
    "read_content",
    "read_files",
    "read_text",
]

STDIN = "-"
_WANTED = "a case file"
_CASE_KEYS = ("query", "docs", "response")


class InputError(RaguardError):
    """What the command line gives cannot be checked; the message names the file and the place in it."""


@dataclass(frozen=True, slots=True)
class CheckInput:
    """What ``verify`` is asked, as it was given on the command line."""

    query: str
    docs: tuple[str | Document, ...]
    response: str
    history: tuple[Any, ...] | None = None


def read_case(path: str) -> CheckInput:
    """Reads a case, ``{"query", "docs", "response"}`` as JSON, from a file or (``-``) standard input.

    A document is a string or ``{"text", "id", "metadata"}``; "history" is optional, other keys are passed over.
    Raises InputError.
    """
    name = named(path)
    try:
        case = json.loads(read_text(path, _WANTED))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: {not_json(error)}") from error
    if not isinstance(case, dict):
        raise InputError(f"{name}: must be one JSON object with the keys {', '.join(_CASE_KEYS)}")
    for key in _CASE_KEYS:
        if key not in case:
            raise InputError(f"{name}: the key {key} is missing; a case has the keys {', '.join(_CASE_KEYS)}")
    for key in ("query", "response"):
        if not isinstance(case[key], str):
            raise InputError(f"{name}: the key {key} must be a string")
    if not isinstance(case["docs"], list):
        raise InputError(f"{name}: the key docs must be a list")
    docs = tuple(_document(entry, f"{name}: document {number}") for number, entry in enumerate(case["docs"], 1))
    history = case.get("history")
    if not isinstance(history, list | None):
        raise InputError(f"{name}: the key history must be a list of turns")
    return CheckInput(case["query"], docs, case["response"], None if history is None else tuple(history))


def read_files(query: str, docs: Sequence[str], response: str) -> CheckInput:
    """Reads plain text files (``-``: standard input); a document's id is its path. Raises InputError."""
    chunks = tuple(Document(read_text(path, _WANTED), id=path) for path in docs)
    return CheckInput(query, chunks, read_text(response, _WANTED))


def read_config(path: Path | None) -> Config:
    """The settings of a TOML file, or the default ones without a path.

    Raises InputError for a file that cannot be read, ConfigError for one whose settings cannot be used.
    """
    try:
        return Config() if path is None else Config.from_toml(path)
    except ConfigError as error:
        if isinstance(error.__cause__, OSError):
            raise InputError(f"{path}: cannot be read: {error.__cause__.strerror}") from error
        raise


def not_json(error: ValueError | RecursionError) -> str:
    """What is wrong with a text that should be JSON."""
    if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data" and error.doc[error.pos] == "{":
        return "holds more than one JSON object; give one case per file, or JSON Lines to raguard batch"
    return f"is not valid JSON: {error}"


def _document(entry: Any, where: str) -> str | Document:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        raise InputError(f'{where} must be a string, or an object with the key text: {{"text": "..."}}')
    if not isinstance(entry.get("id"), str | None):
        raise InputError(f"{where}: the key id must be a string")
    if not isinstance(entry.get("metadata"), dict | None):
        raise InputError(f"{where}: the key metadata must be an object")
    return Document(entry["text"], id=entry.get("id"), metadata=entry.get("metadata"))


def read_text(path: str, wanted: str) -> str:
    """The text of a file (``-``: standard input) in UTF-8; raises InputError, ``wanted`` is what to give instead."""
    try:
        return read_content(path, wanted).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{named(path)}: is no UTF-8 text: {error.reason} at byte {error.start}") from error


def read_content(path: str, wanted: str) -> bytes:
    """The bytes of a file (``-``: standard input); raises InputError, ``wanted`` is what to give instead."""
    try:
        return _bytes(path, wanted)
    except (OSError, ValueError) as error:
        raise InputError(f"{named(path)}: cannot be read: {reason_of(error)}") from error


def named(path: str) -> str:
    """What messages call a file, or standard input.

    >>> named("case.json"), named("-")
    ('case.json', 'standard input')
    """
    return "standard input" if path == STDIN else path


def _bytes(path: str, wanted: str) -> bytes:
    if path != STDIN:
        return read_bytes(Path(path))
    if sys.stdin is None:
        raise InputError(f"standard input: is closed; give {wanted}")
    return read_stream(sys.stdin.buffer)
