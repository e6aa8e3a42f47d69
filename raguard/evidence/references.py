"""What are the documents called, and how many are there? Their ids and metadata, by which an answer may cite them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from raguard.documents import Document
from raguard.text.folding import fold

__all__ = ["NAME_KEYS", "PAGE_KEYS", "References"]

NAME_KEYS = ("title", "name", "source", "file", "filename", "url", "link")
"""The keys of metadata by whose values a document is called."""
PAGE_KEYS = ("page", "page_number", "page_label")
_LONGEST = 200


class References:
    """The names and pages of the retrieved documents; ``count`` is how many were given, blank ones too."""

    def __init__(self, documents: Iterable[tuple[int, Document]], count: int) -> None:
        self.count = count
        self.names: dict[str, tuple[int, ...]] = {}
        self._pages: dict[int, str] = {}
        for index, document in documents:
            if not document.metadata and not document.id:
                continue
            metadata = document.metadata or {}
            for name in _names(document.id, metadata):
                self.names[name] = (*self.names.get(name, ()), index)
            page = next((metadata[key] for key in PAGE_KEYS if isinstance(metadata.get(key), (int, str))), None)
            if page is not None:
                self._pages[index] = str(page).strip()

    def named(self, name: str) -> tuple[int, ...]:
        """The places of the documents of that id, title, file or address (in any case)."""
        return self.names.get(_key(name), ())

    def has_page(self, index: int, page: str | None) -> bool:
        """Whether the document may be the given page: its metadata say so, or nothing is known of pages."""
        return page is None or self._pages.get(index, page) == page


def _names(id: str | None, metadata: Mapping[str, Any]) -> Iterable[str]:
    given = (id, *(metadata.get(key) for key in NAME_KEYS))
    names = {_key(name) for name in given if isinstance(name, str) and 0 < len(name.strip()) <= _LONGEST}
    # pricing.md#2 and docs/pricing.md are cited as pricing.md
    return sorted(names | {name.partition("#")[0].rpartition("/")[2] for name in names} - {""})


def _key(name: str) -> str:
    return fold(name).text.strip().lower()
