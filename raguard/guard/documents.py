"""Which of the retrieved documents can be read, and how much of them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from raguard.documents import Document
from raguard.guard.faults import Faults, encodes
from raguard.result import Unchecked

__all__ = ["Retrieved", "admit_documents"]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The documents that can be read, each with its place, and what was left out of them."""

    count: int | None = None
    """How many documents were given, blank and broken ones too; None when it was not a list of documents."""
    documents: tuple[tuple[int, Document], ...] = ()
    unread: tuple[Unchecked, ...] = ()


def admit_documents(docs: object, faults: Faults) -> Retrieved:
    """Looks at ``retrieved_docs``: its type, its entries and its size."""
    config = faults.config
    if isinstance(docs, (str, bytes, bytearray)) or not isinstance(docs, Sequence):
        faults.add(
            f"retrieved_docs must be a list of strings or Documents, not {type(docs).__name__}"
            + ("; put the one text into a list." if isinstance(docs, str) else ".")
        )
        return Retrieved()
    if len(docs) > config.max_documents and config.oversize == "error":
        faults.add(f"retrieved_docs has {len(docs):,} documents; the limit max_documents is {config.max_documents:,}.")
        return Retrieved()
    before = len(faults.sentences)
    entries = docs[: config.max_documents]
    read = [
        # most are strings with nothing wrong; their number makes the difference
        (index, Document(entry) if type(entry) is str and encodes(entry) else _document(index, entry, faults))
        for index, entry in enumerate(entries)
    ]
    given = [(index, document) for index, document in read if document is not None]
    size = sum([len(document.text) for _, document in given])
    if size > config.max_document_chars and config.oversize == "error":
        faults.add(
            f"retrieved_docs has {size:,} characters in all; "
            f"the limit max_document_chars is {config.max_document_chars:,}."
        )
        return Retrieved()
    good = tuple([(index, document) for index, document in given if not _is_blank(document.text)])
    if len(docs) and not good and len(faults.sentences) == before:
        faults.add("retrieved_docs holds only blank documents; there is nothing to check the answer against.")
    fits = size <= config.max_document_chars
    retrieved = Retrieved(len(docs), good) if fits else _cut(good, len(docs), config.max_document_chars)
    if len(docs) == len(entries):
        return retrieved
    why = f"the limit max_documents is {config.max_documents:,}; {len(docs) - len(entries):,} more were not read"
    return replace(retrieved, unread=(*retrieved.unread, Unchecked("documents", why)))


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


def _cut(documents: Sequence[tuple[int, Document]], count: int, most: int) -> Retrieved:
    """The documents in order up to ``most`` characters in all."""
    kept: list[tuple[int, Document]] = []
    room = most
    for index, document in documents:
        if len(document.text) > room:
            if room:
                kept.append((index, replace(document, text=document.text[:room])))
            why = f"the limit max_document_chars is {most:,}; read up to character {room:,} of document {index + 1}"
            return Retrieved(count, tuple(kept), (Unchecked("documents", why),))
        kept.append((index, document))
        room -= len(document.text)
    return Retrieved(count, tuple(kept))


def _document(index: int, entry: object, faults: Faults) -> Document | None:
    name = f"retrieved_docs[{index}]"
    if isinstance(entry, str):
        faults.text(name, entry)
        return Document(entry)
    if not isinstance(entry, Document):
        faults.add(f"{name} must be a string or a Document, not {type(entry).__name__}.")
        return None
    if not isinstance(entry.text, str):
        faults.add(f"{name}.text must be a string, not {type(entry.text).__name__}.")
        return None
    if entry.id is not None and not isinstance(entry.id, str):
        faults.add(f"{name}.id must be a string or None, not {type(entry.id).__name__}.")
        entry = replace(entry, id=None)
    if entry.id and not faults.short(f"{name}.id", entry.id, "max_id_chars"):
        entry = replace(entry, id=None)
    if entry.metadata is not None and not isinstance(entry.metadata, Mapping):
        faults.add(f"{name}.metadata must be a mapping or None, not {type(entry.metadata).__name__}.")
        entry = replace(entry, metadata=None)
    faults.text(name, entry.text)
    return entry
