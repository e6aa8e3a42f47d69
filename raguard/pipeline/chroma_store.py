"""How does Chroma keep the chunks? Embedded in this process, in memory or in a folder, by vectors that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from raguard import ConfigError
from raguard.claims.chunking import CorpusChunk
from raguard.claims.retrieval import Retrieved
from raguard.pipeline.stores import StoreError, admit_chunks, admit_vector, cosine, refuse_unkept, refuse_width

__all__ = ["ChromaStore"]

_SPACE = "cosine"


class ChromaStore:
    """A ``VectorStore`` in an embedded Chroma: in ``path``, a folder, or in memory without one (extra ``chroma``).

    A ``collection`` that exists in the folder is continued; in memory, every store has a collection of its own unless
    it names one, and Chroma keeps it until the process ends. Chroma gets only ids, texts, places and vectors: it embeds
    nothing, so it downloads no model, and its telemetry is off. For more than some thousands of chunks its search is
    approximate (HNSW). Threads may share a store.

    Raises ConfigError where chromadb is missing, for a name that Chroma does not take, for a collection that compares
    by something else than the cosine, for vectors of another width than those that are kept, and for chunks with
    characters that it cannot keep (NUL, lone surrogates); StoreError for what goes wrong in Chroma.
    """

    def __init__(self, path: str | Path | None = None, *, collection: str | None = None) -> None:
        if not isinstance(path, str | Path | None) or path == "":
            raise ConfigError(f"path must be the path of a folder or None, not {path!r}")
        if not isinstance(collection, str | None):
            raise ConfigError(f"collection must be a string or None, not {type(collection).__name__}")
        try:
            chromadb: Any = import_module("chromadb")
        except ImportError as error:
            raise ConfigError("ChromaStore needs chromadb: pip install 'raguard-verify[chroma]'") from error
        settings = chromadb.Settings(anonymized_telemetry=False)
        # all clients in memory share what they keep
        name = collection or ("raguard" if path is not None else f"raguard-{uuid4().hex}")
        try:
            self._client: Any = (
                chromadb.EphemeralClient(settings) if path is None else chromadb.PersistentClient(path, settings)
            )
            self._collection: Any = self._client.get_or_create_collection(
                name, embedding_function=None, configuration={"hnsw": {"space": _SPACE}}
            )
            space = self._collection.configuration_json["hnsw"]["space"]
        except Exception as error:
            raise ConfigError(f"Chroma cannot open the collection {name!r} ({type(error).__name__})") from error
        if space != _SPACE:
            raise ConfigError(f"the collection {name!r} compares by {space}; give one that compares by the cosine")
        self._width: int | None = None

    def add(self, chunks: Sequence[CorpusChunk], vectors: Any, /) -> None:
        """Keeps the chunks; one whose id is kept already takes the older one's place."""
        given, rows = admit_chunks(chunks, vectors)
        refuse_unkept(given, "Chroma")
        if not given:
            return
        refuse_width(rows.shape[1], self._kept_width())
        most = _asked(self._client.get_max_batch_size)
        for first in range(0, len(given), most):
            batch = given[first : first + most]
            _asked(
                self._collection.upsert,
                ids=[chunk.id for chunk in batch],
                embeddings=rows[first : first + most],
                documents=[chunk.text for chunk in batch],
                metadatas=list(map(_place, batch)),
            )

    def search(self, vector: Any, /, top_k: int) -> list[Retrieved]:
        """The nearest chunks with their cosines, in [−1, 1]; ``index`` is None."""
        asked = admit_vector(vector, self._kept_width(), top_k)
        if not asked.any():
            return []
        told = _asked(
            self._collection.query,
            query_embeddings=[asked],
            n_results=top_k,
            include=["documents", "metadatas", "distances"],
        )
        rows = zip(*(told[key][0] for key in ("ids", "documents", "metadatas", "distances")), strict=True)
        found = [Retrieved(_chunk(id, text, place), cosine(1 - distance)) for id, text, place, distance in rows]
        return sorted(found, key=lambda each: -each.score)

    def count(self) -> int:
        """How many chunks are kept."""
        return int(_asked(self._collection.count))

    def _kept_width(self) -> int | None:
        """How many numbers the kept vectors have, None while there are none."""
        if self._width is None:
            kept = _asked(self._collection.get, limit=1, include=["embeddings"])["embeddings"]
            self._width = len(kept[0]) if len(kept) else None
        return self._width


def _asked(call: Any, **what: Any) -> Any:
    """What Chroma answers; its errors may hold texts, so only their type is told."""
    try:
        return call(**what)
    except Exception as error:
        raise StoreError(f"Chroma failed with {type(error).__name__}") from None


def _place(chunk: CorpusChunk) -> dict[str, str | int | bool]:
    # a key that is left out keeps what an older chunk of this id had
    return {
        "document": chunk.document,
        "has_document_id": chunk.document_id is not None,
        "document_id": chunk.document_id or "",
        "start": chunk.start,
        "end": chunk.end,
    }


def _chunk(id: str, text: str, place: dict[str, Any]) -> CorpusChunk:
    document_id = place["document_id"] if place["has_document_id"] else None
    return CorpusChunk(id, text, place["document"], document_id, place["start"], place["end"])
