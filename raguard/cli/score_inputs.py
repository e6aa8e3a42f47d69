"""Which answers does a file hold that can be scored? One a line; what cannot be is told by its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from raguard import ConfigError, Document, Verifier
from raguard.cli.lines import Line, read_lines
from raguard.metrics.slices import EvalSlice

__all__ = ["Fault", "Labelled", "read_slices"]

_QUESTION, _CHUNKS, _ANSWER = ("question", "query"), ("chunks", "docs"), ("answer", "response")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A slice with its id and, if there is one, the label: whether it holds what its chunks do not support."""

    id: str
    slice: EvalSlice
    unsupported: bool | None


@dataclass(frozen=True, slots=True)
class Fault:
    """A line, from one, that holds no slice, and why."""

    line: int
    why: str


class _WrongLineError(Exception):
    """A line that is not a slice; the message says why."""


def read_slices(path: str, verifier: Verifier) -> Iterator[Labelled | Fault]:
    """The slice of each line that is not blank, lazily and in order, or its fault; raises InputError."""
    for line in read_lines(path):
        try:
            yield _labelled(line, verifier)
        except (_WrongLineError, ConfigError) as error:
            yield Fault(line.number, str(error))


def _labelled(line: Line, verifier: Verifier) -> Labelled:
    if line.fault is not None:
        raise _WrongLineError(line.fault)
    case = line.value
    if not isinstance(case, dict):
        raise _WrongLineError("is no JSON object")
    name = case.get("id", f"line {line.number}")
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise _WrongLineError("the key id must be a string or a whole number")
    unsupported = case.get("label")
    if not isinstance(unsupported, bool | None):
        raise _WrongLineError("the key label must be true, false or null")
    chunks = _one_of(case, _CHUNKS)
    if not isinstance(chunks, list):
        raise _WrongLineError("the key chunks (or docs) must be a list")
    slice = EvalSlice(
        question=_one_of(case, _QUESTION),
        answer=_one_of(case, _ANSWER),
        chunks=[_chunk(entry, number) for number, entry in enumerate(chunks, 1)],
        gold_chunk_ids=case.get("gold_chunk_ids"),
        reference=case.get("reference"),
        verifier=verifier,
    )
    return Labelled(str(name), slice, unsupported)


def _one_of(case: Mapping[str, Any], names: tuple[str, str]) -> Any:
    for name in names:
        if name in case:
            return case[name]
    raise _WrongLineError(f"the key {names[0]} (or {names[1]}) is missing")


def _chunk(entry: Any, number: int) -> str | Document:
    if isinstance(entry, str):
        return entry
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        raise _WrongLineError(f"chunk {number} must be a string, or an object with the key text")
    if not isinstance(entry.get("id"), str | None):
        raise _WrongLineError(f"chunk {number}: the key id must be a string")
    if not isinstance(entry.get("metadata"), dict | None):
        raise _WrongLineError(f"chunk {number}: the key metadata must be an object")
    return Document(entry["text"], entry.get("id"), entry.get("metadata"))
