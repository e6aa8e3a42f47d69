"""What is to be guarded, and against which texts? An answer and a corpus, or one sentence saying why not."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raguard import Document
from raguard.cli.inputs import STDIN, InputError, read_text

__all__ = ["KINDS", "Corpus", "read_answer", "read_corpus", "refuse_files"]

KINDS = (".txt", ".md", ".json", ".jsonl")
"""How the names of the files end that a folder is read for."""
_FILE_NAME = re.compile(rf"[^\n]+(?:{'|'.join(map(re.escape, KINDS))})|(?:~?|\.\.?)/\S+", re.IGNORECASE)
_FILE_WORD = re.compile(rf"\S+(?:{'|'.join(map(re.escape, KINDS))})", re.IGNORECASE)
_WANTED = "a text or a file"
_NAMED = 5
"""So many other endings a note names."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents in the order of the command line, and a sentence for each folder with files of other kinds."""

    documents: tuple[Document, ...]
    notes: tuple[str, ...] = ()


def read_answer(given: str) -> str:
    """The answer: ``-`` is standard input, the name of what exists a file, anything else the text itself.

    Raises InputError for what cannot be read, for an answer that is empty, and for what looks like the name of a file
    that is not there: one line that ends in one of ``KINDS``, or one word that begins with ``/``, ``./``, ``../`` or
    ``~/``.

    >>> read_answer("The moon is cheese.")
    'The moon is cheese.'
    >>> read_answer("anwser.txt")
    Traceback (most recent call last):
    raguard.cli.inputs.InputError: anwser.txt: there is no such file; to give a text that looks like the name of one, \
pipe it in: raguard guard -
    """
    if os.path.isdir(given):
        raise InputError(f"{given}: is a folder; to give a text that is the name of one, pipe it in: raguard guard -")
    if given == STDIN or os.path.lexists(given):
        text = read_text(given, _WANTED)
    elif _FILE_NAME.fullmatch(given):
        raise InputError(
            f"{given}: there is no such file; to give a text that looks like the name of one, pipe it in: "
            "raguard guard -"
        )
    else:
        text = given
    if not text or text.isspace():
        raise InputError("the answer is empty; give its text, a file that holds it, or - for standard input")
    return text


def refuse_files(passages: Sequence[str]) -> None:
    """Raises InputError for a passage that is the name of a file or folder, or one word that ends in one of ``KINDS``.

    >>> refuse_files(["It is in notes.txt.", "See notes.txt"])
    >>> refuse_files(["notes.txt"])
    Traceback (most recent call last):
    raguard.cli.inputs.InputError: --context: notes.txt looks like the name of a file, and a passage is given as its \
text; give the file as --corpus-file, and a text that looks like this as --corpus-text
    """
    for passage in passages:
        if os.path.isdir(passage):
            kind, option = "is a folder", "the folder as --corpus"
        elif os.path.lexists(passage) or _FILE_WORD.fullmatch(passage):
            kind = "is a file" if os.path.lexists(passage) else "looks like the name of a file"
            option = "the file as --corpus-file"
        else:
            continue
        raise InputError(
            f"--context: {passage} {kind}, and a passage is given as its text; give {option}, "
            "and a text that looks like this as --corpus-text"
        )


def read_corpus(folders: Sequence[str], files: Sequence[str], texts: Sequence[str]) -> Corpus:
    """The documents of folders, of files (``-``: standard input) and of texts; raises InputError.

    A folder is read with all below it, in the order of the names, for files that end in one of ``KINDS``; names that
    begin with a dot are passed over, links are followed, and nothing is read twice on the way. A file is one document,
    whose id is its path. A ``.json`` file that is a list of strings or of objects with a "text" is as many, and each
    line of a ``.jsonl`` file is one: their id is their "id", else the path and ``#`` with the place, from 1. Any other
    JSON is text as it stands.
    """
    documents: list[Document] = []
    notes: list[str] = []
    for folder in folders:
        others: Counter[str] = Counter()
        paths = list(_paths(folder, others))
        if not paths:
            raise InputError(f"--corpus: {folder} holds no file that ends in {_or(KINDS)}")
        for path in paths:
            documents += _documents(path)
        if others:
            notes.append(_left_out(folder, others))
    for path in files:
        documents += _documents(path)
    documents += map(Document, texts)
    if all(not document.text or document.text.isspace() for document in documents):
        raise InputError("the corpus holds no text")
    return Corpus(tuple(documents), tuple(notes))


def _paths(folder: str, others: Counter[str]) -> Iterator[str]:
    """The files of a folder and of those below it; ``others`` counts the endings of the kinds that are not read."""
    if not os.path.isdir(folder):
        is_file = os.path.lexists(folder)
        raise InputError(f"--corpus: {folder} is no folder{'; give a file as --corpus-file' if is_file else ''}")
    seen = {_identity(folder)}
    for place, below, names in os.walk(folder, onerror=_refuse, followlinks=True):
        below[:] = [name for name in sorted(below) if _is_fresh(os.path.join(place, name), seen)]
        for name in sorted(names):
            path = os.path.join(place, name)
            kind = Path(name).suffix.lower()
            if kind in KINDS and _is_fresh(path, seen):
                yield path
            elif kind not in KINDS and not name.startswith("."):
                others[kind or "no ending"] += 1


def _is_fresh(path: str, seen: set[tuple[int, int]]) -> bool:
    """Whether a file or folder is neither hidden nor reached before; from now on it is reached."""
    if os.path.basename(path).startswith("."):
        return False
    identity = _identity(path)
    if identity in seen:
        return False
    seen.add(identity)
    return True


def _identity(path: str) -> tuple[int, int]:
    """What a file or folder is, whatever the links are called that lead to it."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return found.st_dev, found.st_ino


def _refuse(error: OSError) -> None:
    raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error


def _left_out(folder: str, others: Counter[str]) -> str:
    count, endings = others.total(), sorted(others)
    named = ", ".join(endings[:_NAMED]) + (", …" if len(endings) > _NAMED else "")
    return f"{folder}: {count} {'file' if count == 1 else 'files'} of other kinds left out ({named})"


def _documents(path: str) -> list[Document]:
    """The documents of one file."""
    text, kind = read_text(path, _WANTED), Path(path).suffix.lower()
    if kind == ".json":
        return _of_json(text, path, path)
    if kind == ".jsonl":
        lines = enumerate(text.split("\n"), 1)
        return [
            document
            for number, line in lines
            if line.strip()
            for document in _of_json(line, f"{path}#{number}", f"{path}: line {number}")
        ]
    return [Document(text, id=path)]


def _of_json(text: str, name: str, where: str) -> list[Document]:
    """The documents that a JSON text holds; ``name`` is the id of one without its own."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not valid JSON: {error}") from error
    if _is_document(value):
        return [_document(value, name, where)]
    if isinstance(value, list) and value and all(map(_is_document, value)):
        return [
            _document(entry, f"{name}#{number}", f"{where}: document {number}") for number, entry in enumerate(value, 1)
        ]
    return [Document(text, id=name)]


def _is_document(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("text"), str))


def _document(entry: Any, name: str, where: str) -> Document:
    if isinstance(entry, str):
        return Document(entry, id=name)
    own = entry.get("id")
    if isinstance(own, bool) or not isinstance(own, str | int | None):
        raise InputError(f"{where}: the key id must be a string or a whole number")
    return Document(entry["text"], id=name if own is None or own == "" else str(own))


def _or(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
