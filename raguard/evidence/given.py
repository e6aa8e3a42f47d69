"""Which documents were given, and what are they called? Two cases over the same ones share all that is gathered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from raguard.documents import Document
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.documents import Documents
from raguard.evidence.references import NAME_KEYS, PAGE_KEYS, References
from raguard.evidence.sources import Sources
from raguard.guard.documents import Retrieved
from raguard.guard.history import Turn
from raguard.knowledge import Knowledge

__all__ = ["GivenDocuments", "identity"]

_LONGEST_LABEL = 500
_LARGEST_CITED = 1e15
_CITED = sorted({*NAME_KEYS, "section", "page", "chapter"})
"""The keys of metadata by whose values an answer may cite a document."""
_LOOKED_AT = sorted({*_CITED, *PAGE_KEYS})


class GivenDocuments:
    """The documents of a case with the results of tools, which are documents too; one object for any answer to them."""

    def __init__(self, retrieved: Retrieved, told: Sequence[Turn], known: Knowledge) -> None:
        # metadata belongs to the caller, who may change it: whatever it says is taken now
        count = retrieved.count or 0
        self.references = References(retrieved.documents, count)
        """Their names and pages."""
        self._labels = [(index, label) for index, document in retrieved.documents if (label := _label(document))]
        self._texts: list[tuple[int, str | None, str, int | None]] = [
            *((index, document.id, document.text, None) for index, document in retrieved.documents),
            *((count + turn.index, None, turn.text, turn.index) for turn in told),
        ]
        self._known = known
        self._by_lang: dict[str, Documents] = {}

    @property
    def count(self) -> int:
        """How many chunks there are."""
        return len(self._texts)

    @property
    def chars(self) -> int:
        """How long they are together."""
        return sum([len(text) for _, _, text, _ in self._texts])

    def documents(self, lang: str, read: Callable[[str], Reading]) -> Documents:
        """What they hold and lead to, for an answer in the language ``lang``."""
        for fallback, gathered in list(self._by_lang.items()):
            # where each shows its language, that of the answer makes no difference
            if fallback == lang or gathered.show_languages:
                return gathered
        chunks = [Chunk(index, id, read(text), turn) for index, id, text, turn in self._texts]
        labels = [Chunk(index, None, read(label)) for index, label in self._labels]
        return self._by_lang.setdefault(lang, Documents(Sources(chunks), Sources(labels), self._known))


def identity(retrieved: Retrieved, told: Sequence[Turn]) -> Hashable:
    """Equal for documents that lead to the same findings: texts, ids, places, and what metadata says of them."""
    documents = tuple(
        [
            (index, each.text, each.id, _cited(each.metadata) if each.metadata else None)
            for index, each in retrieved.documents
        ]
    )
    return retrieved.count, documents, tuple([(turn.index, turn.text) for turn in told])


def _label(document: Document) -> str:
    """What names the document: its id, and the short values of its metadata that an answer may cite."""
    if not document.metadata:
        return document.id or ""
    cited = ((key, document.metadata.get(key)) for key in _CITED)
    values = (f"{key} {value}" for key, value in cited if isinstance(value, str) or _is_number(value))
    lines = [document.id or "", *(value for value in values if len(value) < _LONGEST_LABEL)]
    return "\n".join(line for line in lines if line)


def _is_number(value: object) -> bool:
    """Whether a value is a number short enough to be written out."""
    return isinstance(value, int | float) and abs(value) < _LARGEST_CITED


def _cited(metadata: Mapping[str, Any]) -> Hashable:
    """What the metadata says by which an answer may cite the document; 1, 1.0 and True are not the same page."""
    values = ((key, metadata.get(key)) for key in _LOOKED_AT)
    return tuple(
        [
            (key, type(value), value if isinstance(value, int) else f"{value}")
            for key, value in values
            if isinstance(value, str | int | float)
        ]
    )
