"""Which labelled answers does a data file hold? The only module that knows file formats.

Three forms are read and told apart by their keys: the JSON-lines form described in ``benchmarks/README.md``,
RAGTruth as published (``response.jsonl`` beside ``source_info.jsonl``) and HaluEval as published (question
answering, dialogue and summarization).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

__all__ = ["Answer", "DataError", "Span", "read_answers", "read_ragtruth", "source_files"]

Row: TypeAlias = Mapping[str, Any]
T = TypeVar("T")

_RAGTRUTH_FILES = ("response.jsonl", "source_info.jsonl")
_RAGTRUTH_TASKS = {"QA": "qa", "Summary": "summary", "Data2txt": "data2text"}
_PASSAGE = re.compile(r"^passage \d{1,4}:", re.MULTILINE)


class DataError(Exception):
    """A data file cannot be used; the text names file and line and says what is wrong."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the answer that people marked as unsupported."""

    start: int
    end: int
    text: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer with its documents and what is known about it.

    ``label`` is True when it holds something unsupported; ``spans`` is None when the set marks no places.
    ``kind`` is what was changed in a made twin ("clean" for the original), None elsewhere.
    """

    id: str
    task: str
    query: str
    docs: tuple[str, ...]
    response: str
    label: bool
    spans: tuple[Span, ...] | None
    model: str = "unknown"
    kind: str | None = None
    source: str = ""
    """What the answers about one source share; empty where each stands alone."""


def source_files(path: Path) -> tuple[Path, ...]:
    """The files that ``path`` stands for: itself, or the two files of a RAGTruth folder."""
    if not path.is_dir():
        return (path,)
    files = tuple(path / name for name in _RAGTRUTH_FILES)
    if not all(file.is_file() for file in files):
        raise DataError(f"{path}: is a folder without {' and '.join(_RAGTRUTH_FILES)}; name a data file instead")
    return files


def read_answers(path: Path, *, split: str | None = None) -> list[Answer]:
    """All answers of a file, or of a folder that holds RAGTruth as published; raises DataError.

    ``split`` ("train" or "test") keeps that part of a RAGTruth folder; other forms have no parts.
    """
    files = source_files(path)
    if len(files) == 2:
        return read_ragtruth(*files, split=split)
    return [answer for answers in _each(path, _answers_of_row) for answer in answers]


def read_ragtruth(responses: Path, sources: Path, *, split: str | None = None) -> list[Answer]:
    """The answers of good quality in RAGTruth's two files; the published evaluation skips the others too."""
    known = dict(_each(sources, lambda row, _: (_id(row, "source_id"), row)))

    def answer(row: Row, _: int) -> Answer | None:
        if row.get("quality", "good") != "good" or split not in (None, row.get("split")):
            return None
        source = known.get(_id(row, "source_id"))
        if source is None:
            raise ValueError(f"source_id {row['source_id']} is not in {sources}")
        return _ragtruth_answer(row, source)

    return [found for found in _each(responses, answer) if found is not None]


def _each(path: Path, read: Callable[[Row, int], T]) -> Iterator[T]:
    """What ``read`` makes of each row and its line number; its ValueError becomes a DataError with both."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    empty = True
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        empty = False
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise ValueError("a line must be one JSON object")
            yield read(row, number)
        except json.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: is not valid JSON: {error}") from error
        except ValueError as error:
            raise DataError(f"{path}, line {number}: {error}") from error
    if empty:
        raise DataError(f"{path}: holds no rows")


def _answers_of_row(row: Row, number: int) -> Iterable[Answer]:
    if "response" in row and "docs" in row:
        return [_labelled_answer(row)]
    for right, wrong, read in _HALUEVAL:
        if right in row:
            return [
                _halueval_answer(row, f"{number}-right", right, read(row), label=False),
                _halueval_answer(row, f"{number}-hallucinated", wrong, read(row), label=True),
            ]
    if "chatgpt_response" in row:
        raise ValueError("HaluEval's general answers come without documents, so there is nothing to check them against")
    if "labels" in row or "source_info" in row:
        raise ValueError("is one half of RAGTruth; name the folder of both files, or use --ragtruth RESPONSE SOURCE")
    raise ValueError("has neither response and docs nor the keys of HaluEval; see benchmarks/README.md for the form")


def _labelled_answer(row: Row) -> Answer:
    response = _text(row, "response")
    spans = row.get("spans")
    return Answer(
        id=_id(row, "id"),
        task=_text(row, "task"),
        query=_text(row, "query"),
        docs=_texts(row, "docs"),
        response=response,
        label=_flag(row, "label"),
        spans=None if spans is None else tuple(_spans(spans, response, "type", exact=True)),
        model=str(row.get("model", "unknown")),
        kind=row.get("class"),
        source=str(row.get("source_id") or ""),
    )


def _ragtruth_answer(row: Row, source: Row) -> Answer:
    response = _text(row, "response")
    spans = tuple(_spans(row.get("labels"), response, "label_type", exact=False))
    task, info = _text(source, "task_type"), source.get("source_info")
    if task == "QA" and isinstance(info, dict):
        query, docs = _text(info, "question"), _passages(_text(info, "passages"))
    else:
        query = _instruction(_text(source, "prompt"))
        docs = (info if isinstance(info, str) else json.dumps(info, ensure_ascii=False),)
    return Answer(
        id=_id(row, "id"),
        task=_RAGTRUTH_TASKS.get(task, task.lower()),
        query=query,
        docs=docs,
        response=response,
        label=bool(spans),
        spans=spans,
        model=_text(row, "model"),
        source=_id(row, "source_id"),
    )


def _passages(text: str) -> tuple[str, ...]:
    """The passages that RAGTruth writes into one text, without their labels."""
    return tuple(passage.strip() for passage in _PASSAGE.split(text) if passage.strip())


def _instruction(prompt: str) -> str:
    """The line of a RAGTruth prompt that says what to write; the source stands below it."""
    lines = (line.strip() for line in prompt.splitlines())
    return next((line for line in lines if line and line != "Instruction:"), "")


def _halueval_answer(row: Row, id: str, key: str, asked: tuple[str, str, str], *, label: bool) -> Answer:
    task, query, doc = asked
    return Answer(id=id, task=task, query=query, docs=(doc,), response=_text(row, key), label=label, spans=None)


_HALUEVAL: tuple[tuple[str, str, Callable[[Row], tuple[str, str, str]]], ...] = (
    (
        "right_answer",
        "hallucinated_answer",
        lambda row: ("qa", _text(row, "question"), _text(row, "knowledge")),
    ),
    (
        "right_response",
        "hallucinated_response",
        lambda row: ("dialogue", _text(row, "dialogue_history"), _text(row, "knowledge")),
    ),
    (
        "right_summary",
        "hallucinated_summary",
        lambda row: ("summary", "Summarize the document.", _text(row, "document")),
    ),
)
"""HaluEval's sets: the keys of the right and the wrong answer, and how task, query and document are read."""


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key} must be a text, not {_short(value)}")
    return value


def _id(row: Row, key: str) -> str:
    value = row.get(key)
    return str(value) if isinstance(value, int) else _text(row, key)


def _texts(row: Row, key: str) -> tuple[str, ...]:
    value = row.get(key)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{key} must be a list of texts, not {_short(value)}")
    return tuple(value)


def _flag(row: Row, key: str) -> bool:
    value = row.get(key)
    if not isinstance(value, bool):
        raise ValueError(f"{key} must be true or false, not {_short(value)}")
    return value


def _spans(value: Any, response: str, type_key: str, *, exact: bool) -> Iterator[Span]:
    """The marked places; ``exact`` insists that each one's text is what stands there."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise ValueError(f"the marked spans must be a list of objects or null, not {_short(value)}")
    for entry in value:
        start, end = entry.get("start"), entry.get("end")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(response):
            raise ValueError(f"span {start}–{end} does not lie within the response of {len(response)} characters")
        text = response[start:end]
        if exact and text != entry.get("text"):
            raise ValueError(f"span {start}–{end} is {_short(text)} in the response, not {_short(entry.get('text'))}")
        yield Span(start, end, text, str(entry.get(type_key, "unknown")))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
