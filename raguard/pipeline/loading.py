"""Which documents does a file or a folder hold? All of them, or one sentence that says why not."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from raguard import ConfigError, Document
from raguard.files import read_bytes, reason_of
from raguard.pipeline.pdf_pages import read_pages
from raguard.pipeline.web_pages import read_page

__all__ = ["KINDS", "Others", "documents_of", "find_files", "load_documents"]

KINDS = (".htm", ".html", ".json", ".jsonl", ".md", ".pdf", ".txt")
"""The endings of the names of files that are read."""
Others = Literal["refuse", "skip"]
_PAGES = (".htm", ".html")
_LEAST_NULS = 4
"""In data that is not text, at least one byte in this many is NUL."""


def load_documents(path: str | Path, *, others: Others = "refuse") -> list[Document]:
    """The documents of a file, or of a folder with all below it, in the order of the names, files before folders.

    ======================  ==========================================================================================
    ``.txt``, ``.md``       one document
    ``.htm``, ``.html``     one document: the page's text, its title in the metadata
    ``.json``               a string or an object with a "text" (optionally "id", "metadata"), or a list of these, are
                            documents; any other JSON is one document as it stands
    ``.jsonl``              the same for each line
    ``.pdf``                a document for each page, its number in the metadata (extra ``pdf``)
    ======================  ==========================================================================================

    Ids are the paths below ``path``, of a single file its name, with ``#`` and the place in the file, from 1, where it
    holds several. Texts are UTF-8, with or without a byte order mark. Hidden files and folders are passed over, links
    are followed, and nothing is read twice on the way. Nothing else is left out silently: a file that cannot be read,
    one of more than 100 MB, and one of another kind (unless ``others`` is "skip") raise ConfigError that names it, as
    does a folder with nothing to read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "fees.html").write_text("<title>Fees</title><p>Rent: $900", encoding="utf-8")
    ...     load_documents(folder)
    [Document(text='Rent: $900', id='fees.html', metadata={'title': 'Fees'})]
    """
    if others not in get_args(Others):
        raise ConfigError(f"others must be one of {', '.join(get_args(Others))}, not {others!r}")
    if not isinstance(path, str | Path) or not str(path):
        raise ConfigError(f"path must be the path of a file or folder, not {path!r}")
    place = Path(path)
    # Path.is_dir raises for what may not be looked at
    if not os.path.isdir(place):
        return documents_of(_content(place), place.name, str(path), _kind(place))
    files, left_out = find_files(place)
    if left_out and others == "refuse":
        raise ConfigError(f'{left_out[0]}: is none of {", ".join(KINDS)}; others="skip" leaves such files out')
    if not files:
        raise ConfigError(f"{path}: holds no file that ends in {', '.join(KINDS)}")
    return [
        document
        for file in files
        for document in documents_of(_content(file), file.relative_to(place).as_posix(), str(file), _kind(file))
    ]


def find_files(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files of a folder and of those below it, those that are of a known kind and those that are not.

    Hidden ones are passed over, links are followed, and what two ways lead to is found once. Raises ConfigError for a
    folder that cannot be read.
    """
    files: list[Path] = []
    others: list[Path] = []
    seen = {_identity(str(folder))}
    for place, below, names in os.walk(folder, onerror=_refuse, followlinks=True):
        below[:] = [name for name in sorted(below) if _is_fresh(os.path.join(place, name), seen)]
        for name in sorted(names):
            file = Path(place, name)
            if file.suffix.lower() in KINDS and _is_fresh(str(file), seen):
                files.append(file)
            elif file.suffix.lower() not in KINDS and not name.startswith("."):
                others.append(file)
    return files, others


def documents_of(content: bytes, name: str, where: str, kind: str) -> list[Document]:
    """The documents in the content of one file of a ``kind`` such as ".md"; what is none of ``KINDS`` is plain text.

    ``name`` is the id of a document without its own, and ConfigError names the file as ``where``.

    >>> documents_of(b'["It rains.", {"text": "It pours.", "id": 7}]', "sky.json", "/sky.json", ".json")
    [Document(text='It rains.', id='sky.json#1', metadata=None), Document(text='It pours.', id='7', metadata=None)]
    """
    if kind == ".pdf":
        pages = enumerate(read_pages(content, where), 1)
        return [Document(text, f"{name}#{number}", {"page": number}) for number, text in pages]
    text = _decoded(content, where)
    if kind == ".json":
        return _of_json(text, name, where)
    if kind == ".jsonl":
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        return [
            document
            for number, line in lines
            for document in _of_json(line, f"{name}#{number}", f"{where}: line {number}")
        ]
    if kind in _PAGES:
        text, title = read_page(text)
        return [Document(text, name, None if title is None else {"title": title})]
    return [Document(text, name)]


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in KINDS and os.path.isfile(path):
        raise ConfigError(f"{path}: is none of {', '.join(KINDS)}")
    return kind


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read: {reason_of(error)}") from error


def _decoded(content: bytes, where: str) -> str:
    # UTF-16 without a byte order mark is UTF-8 too, with a NUL beside each letter
    if _LEAST_NULS * content.count(0) > len(content):
        raise ConfigError(f"{where}: is no UTF-8 text: it is full of NULs, as UTF-16 is")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where}: is no UTF-8 text: {error.reason} at byte {error.start}") from None


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
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    return found.st_dev, found.st_ino


def _refuse(error: OSError) -> None:
    raise ConfigError(f"{error.filename}: cannot be read: {error.strerror}") from error


def _of_json(text: str, name: str, where: str) -> list[Document]:
    """The documents that a JSON text holds; ``name`` is the id of one without its own."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: is not valid JSON: {error}") from None
    if _is_document(value):
        return [_document(value, name, where)]
    if isinstance(value, list) and value and all(map(_is_document, value)):
        return [
            _document(entry, f"{name}#{number}", f"{where}: document {number}") for number, entry in enumerate(value, 1)
        ]
    return [Document(text, name)]


def _is_document(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("text"), str))


def _document(entry: Any, name: str, where: str) -> Document:
    if isinstance(entry, str):
        return Document(entry, name)
    own, metadata = entry.get("id"), entry.get("metadata")
    if isinstance(own, bool) or not isinstance(own, str | int | None):
        raise ConfigError(f"{where}: the key id must be a string or a whole number")
    if not isinstance(metadata, Mapping | None):
        raise ConfigError(f"{where}: the key metadata must be an object")
    return Document(entry["text"], name if own is None or own == "" else str(own), metadata)
