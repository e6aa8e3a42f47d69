"""Is this input something that can be checked? Types, sizes and broken text; faults are collected, never raised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from raguard.config import Config
from raguard.documents import Document
from raguard.language import base_language

__all__ = ["Admitted", "admit"]

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Admitted:
    """What of the input can be used, and a sentence for everything that cannot.

    ``response`` is empty and ``documents`` has no entry where nothing usable was given; ``lang`` is a base language or
    "auto".
    """

    query: str
    documents: tuple[tuple[int, Document], ...]
    response: str
    lang: str
    faults: tuple[str, ...]
    count: int | None
    """How many documents were given, blank and broken ones too; None when it was no list of documents."""

    @property
    def empty(self) -> bool:
        """Whether no documents were given at all, which the config may allow."""
        return self.count == 0


def admit(
    query: object, docs: object, response: object, lang: object, config: Config, known: frozenset[str]
) -> Admitted:
    """Looks at every argument of ``verify``; ``known`` are the language codes that have rules."""
    faults: list[str] = []
    good_query = _text("query", query, faults)
    if _too_long("query", good_query, "max_query_chars", config, faults):
        good_query = ""
    good_response = _text("llm_response", response, faults)
    if isinstance(response, str) and not response.strip():
        faults.append("llm_response is empty; there is nothing to check.")
    if _too_long("llm_response", good_response, "max_response_chars", config, faults):
        good_response = ""
    count, documents = _documents(docs, faults, config)
    good_lang = _language(lang, faults, known)
    return Admitted(
        good_query, documents, good_response if good_response.strip() else "", good_lang, tuple(faults), count
    )


def _text(name: str, value: object, faults: list[str]) -> str:
    if not isinstance(value, str):
        faults.append(f"{name} must be a string, not {type(value).__name__}.")
        return ""
    _name_broken(name, value, faults)
    return value


def _name_broken(name: str, text: str, faults: list[str]) -> None:
    """Lone surrogates are a fault; the text is read without them, so that offsets still count its characters."""
    if not text.isascii() and _SURROGATE.search(text):
        faults.append(f"{name} holds broken characters (lone surrogates); decode it again from its bytes.")


def _too_long(name: str, text: str, key: str, config: Config, faults: list[str]) -> bool:
    """Whether ``text`` is longer than the config's limit ``key``, which is a fault."""
    limit = int(getattr(config, key))
    if len(text) > limit:
        faults.append(f"{name} has {len(text):,} characters; the limit {key} is {limit:,}. It was not read.")
    return len(text) > limit


def _documents(docs: object, faults: list[str], config: Config) -> tuple[int | None, tuple[tuple[int, Document], ...]]:
    if isinstance(docs, (str, bytes, bytearray)) or not isinstance(docs, Sequence):
        faults.append(
            f"retrieved_docs must be a list of strings or Documents, not {type(docs).__name__}"
            + ("; put the one text into a list." if isinstance(docs, str) else ".")
        )
        return None, ()
    if len(docs) > config.max_documents:
        faults.append(
            f"retrieved_docs has {len(docs):,} documents; the limit max_documents is {config.max_documents:,}."
        )
        return None, ()
    good, size, broken = [], 0, len(faults)
    for index, entry in enumerate(docs):
        document = _document(index, entry, faults, config)
        if document is not None:
            size += len(document.text)
            if document.text.strip():
                good.append((index, document))
    if size > config.max_document_chars:
        faults.append(
            f"retrieved_docs has {size:,} characters in all; "
            f"the limit max_document_chars is {config.max_document_chars:,}."
        )
        return None, ()
    if len(docs) and not good and len(faults) == broken:
        faults.append("retrieved_docs holds only blank documents; there is nothing to check the answer against.")
    return len(docs), tuple(good)


def _document(index: int, entry: object, faults: list[str], config: Config) -> Document | None:
    name = f"retrieved_docs[{index}]"
    if isinstance(entry, str):
        entry = Document(entry)
    if not isinstance(entry, Document):
        faults.append(f"{name} must be a string or a Document, not {type(entry).__name__}.")
        return None
    if not isinstance(entry.text, str):
        faults.append(f"{name}.text must be a string, not {type(entry.text).__name__}.")
        return None
    if entry.id is not None and not isinstance(entry.id, str):
        faults.append(f"{name}.id must be a string or None, not {type(entry.id).__name__}.")
        entry = replace(entry, id=None)
    if entry.id is not None and _too_long(f"{name}.id", entry.id, "max_id_chars", config, faults):
        entry = replace(entry, id=None)
    if entry.metadata is not None and not isinstance(entry.metadata, Mapping):
        faults.append(f"{name}.metadata must be a mapping or None, not {type(entry.metadata).__name__}.")
        entry = replace(entry, metadata=None)
    _name_broken(name, entry.text, faults)
    return entry


def _language(lang: object, faults: list[str], known: frozenset[str]) -> str:
    code = base_language(lang) if isinstance(lang, str) else None
    if lang == "auto":
        return "auto"
    if code is None or code not in known:
        faults.append(f'lang must be "auto" or one of {", ".join(sorted(known))}, not {lang!r:.40}; English was taken.')
        return "en"
    return code
