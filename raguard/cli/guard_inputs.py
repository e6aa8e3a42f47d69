"""What is to be guarded, and against which texts? An answer and a corpus, or one sentence saying why not."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from raguard import ConfigError, Document
from raguard.cli.inputs import STDIN, InputError, named, read_content, read_text
from raguard.pipeline.loading import KINDS, documents_of, find_files

__all__ = ["KINDS", "Corpus", "read_answer", "read_corpus", "refuse_files"]

_FILE_NAME = re.compile(rf"[^\n]+(?:{'|'.join(map(re.escape, KINDS))})|(?:~?|\.\.?)/\S+", re.IGNORECASE)
_FILE_WORD = re.compile(rf"\S+(?:{'|'.join(map(re.escape, KINDS))})", re.IGNORECASE)
_WANTED = "a text or a file"
_NAMED = 5
"""How many other endings a note names."""


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

    Folders and files are read as ``raguard.pipeline.load_documents`` reads them, with their paths as ids; what in a
    folder is of another kind is left out, and a note tells of it. A file of another kind is plain text.
    """
    documents: list[Document] = []
    notes: list[str] = []
    for folder in folders:
        found, others = _files(folder)
        if not found:
            raise InputError(f"--corpus: {folder} holds no file that ends in {_or(KINDS)}")
        for file in found:
            documents += _documents(os.path.join(folder, file.relative_to(folder)))
        if others:
            notes.append(_left_out(folder, Counter(file.suffix.lower() or "no ending" for file in others)))
    for path in files:
        documents += _documents(path)
    documents += map(Document, texts)
    if all(not document.text or document.text.isspace() for document in documents):
        raise InputError("the corpus holds no text")
    return Corpus(tuple(documents), tuple(notes))


def _files(folder: str) -> tuple[list[Path], list[Path]]:
    """The files of a folder and of those below it that are of a known kind, and those that are not."""
    if not os.path.isdir(folder):
        is_file = os.path.lexists(folder)
        raise InputError(f"--corpus: {folder} is no folder{'; give a file as --corpus-file' if is_file else ''}")
    try:
        return find_files(Path(folder))
    except ConfigError as error:
        raise InputError(str(error)) from error


def _left_out(folder: str, others: Counter[str]) -> str:
    count, endings = others.total(), sorted(others)
    named = ", ".join(endings[:_NAMED]) + (", …" if len(endings) > _NAMED else "")
    return f"{folder}: {count} {'file' if count == 1 else 'files'} of other kinds left out ({named})"


def _documents(path: str) -> list[Document]:
    """The documents of one file."""
    content = read_content(path, _WANTED)
    try:
        return documents_of(content, path, named(path), Path(path).suffix.lower())
    except ConfigError as error:
        raise InputError(str(error)) from error


def _or(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
