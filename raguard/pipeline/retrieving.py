"""Which chunks are found for a question? Those whose vectors lie nearest, or the best of several rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np

from raguard import ConfigError, Document
from raguard.claims.chunking import CorpusChunk, whole_chunks
from raguard.claims.encoders import EncoderError, Matrix, as_matrix, turn_for
from raguard.claims.retrieval import RANK_OFFSET, ChunkFinder, Retrieved, Retriever
from raguard.kinds import has_methods, kind_of
from raguard.pipeline.chunker import Chunker
from raguard.pipeline.embedding import Embedder, HashingEmbedder
from raguard.pipeline.stores import MemoryStore, VectorStore, listed_chunks

__all__ = ["FusedRetriever", "Retrieval", "VectorRetriever", "retriever_of"]

Retrieval = Literal["vectors", "words", "hybrid"]

_BATCH = 256
"""How many chunks are embedded at a time."""
_DEPTH = 4
"""How many times as many chunks of each ranking are fused as are wanted."""


class VectorRetriever:
    """Finds chunks in a ``VectorStore`` by the vectors of an ``Embedder``; a ``ChunkFinder``, for a guard as well.

    An embedder with ``concurrent = True`` is called by several threads at once, any other by one at a time.

    >>> from raguard.claims import chunk_corpus
    >>> from raguard.pipeline import HashingEmbedder, MemoryStore
    >>> retriever = VectorRetriever(HashingEmbedder(), MemoryStore())
    >>> retriever.add(chunk_corpus(["The fee is $5.", "The office is in Leeds."]))
    >>> [found.chunk.text for found in retriever.retrieve("Where is the office?", top_k=1)]
    ['The office is in Leeds.']
    """

    def __init__(self, embedder: Embedder, store: VectorStore) -> None:
        # a string, the name of a model, has a method of that name
        if isinstance(embedder, str) or not has_methods(embedder, "encode"):
            raise ConfigError(f"embedder must be an object with encode(list of strings), not {kind_of(embedder)}")
        if not has_methods(store, "add", "search", "count"):
            raise ConfigError(f"store must be an object with add, search and count, not {kind_of(store)}")
        self.embedder, self.store = embedder, store
        self._turn = turn_for(embedder, Lock())

    def add(self, chunks: Sequence[CorpusChunk]) -> None:
        """Embeds chunks and keeps all of them together.

        Raises ConfigError for what are not chunks, EncoderError for an embedder that fails, and what the store raises.
        """
        given = listed_chunks(chunks)
        texts = [chunk.text for chunk in given]
        batches = [self._vectors(texts[first : first + _BATCH]) for first in range(0, len(texts), _BATCH)]
        if len({batch.shape[1] for batch in batches}) > 1:
            raise EncoderError("the embedder gave vectors of more than one width")
        if batches:
            self.store.add(given, np.concatenate(batches))

    def retrieve(self, text: str, /, top_k: int = 5) -> list[Retrieved]:
        """The ``top_k`` nearest chunks, or as many as there are, best first; raises as ``add`` does."""
        return list(self.store.search(self._vectors([text])[0], top_k=top_k))

    def _vectors(self, texts: list[str]) -> Matrix:
        with self._turn:
            try:
                vectors = self.embedder.encode(texts)
            except EncoderError:
                raise
            except Exception as error:
                raise EncoderError(f"the embedder failed with {type(error).__name__}") from error
        return as_matrix(vectors, len(texts), "the embedder")


class FusedRetriever:
    """The best chunks of several ``ChunkFinder``s together, by reciprocal rank fusion: the sum of 1 / (60 + rank).

    Raises ConfigError for what is not a list of these, and for an empty one.

    >>> from raguard.claims import Retriever
    >>> rooms = Retriever(["The fee is $5.", "The office is in Leeds."])
    >>> [found.chunk.text for found in FusedRetriever([rooms, rooms]).retrieve("Which fee?", 1)]
    ['The fee is $5.']
    """

    def __init__(self, retrievers: Sequence[ChunkFinder]) -> None:
        if not isinstance(retrievers, list | tuple) or not retrievers:
            kind = "an empty one" if isinstance(retrievers, list | tuple) else kind_of(retrievers)
            raise ConfigError(f"retrievers must be a list of one or more, not {kind}")
        for place, each in enumerate(retrievers):
            if not has_methods(each, "retrieve"):
                raise ConfigError(
                    f"retrievers[{place}] must be an object with retrieve(text, top_k), not {kind_of(each)}"
                )
        self._retrievers = tuple(retrievers)

    def retrieve(self, text: str, /, top_k: int = 5) -> list[Retrieved]:
        """The ``top_k`` best chunks at most, best first; of two with the same score the one that was found first."""
        best: dict[str, Retrieved] = {}
        for retriever in self._retrievers:
            for rank, found in enumerate(retriever.retrieve(text, _DEPTH * top_k), 1):
                kept = best.get(found.chunk.id, replace(found, score=0.0, index=None))
                best[found.chunk.id] = replace(kept, score=kept.score + 1 / (RANK_OFFSET + rank))
        return sorted(best.values(), key=lambda each: -each.score)[:top_k]


def retriever_of(
    docs: Sequence[str | Document], chunker: Any, embedder: Embedder | None, store: VectorStore | None, retrieval: Any
) -> ChunkFinder:
    """A retriever over documents, which are cut and indexed now: by their vectors in the store, by words, or by both.

    None is the default of a part. Raises ConfigError for what cannot be used, and where bm25s is missing for words
    (extra ``retrieval``).

    >>> retriever_of(["The fee is $5."], None, None, None, "words").retrieve("Which fee?", 1)[0].chunk.text
    'The fee is $5.'
    """
    if retrieval not in get_args(Retrieval):
        raise ConfigError(f"retrieval must be one of {', '.join(get_args(Retrieval))}, not {retrieval!r:.40}")
    chunker = Chunker() if chunker is None else chunker
    if not has_methods(chunker, "chunk"):
        raise ConfigError(f"chunker must be an object with chunk(documents), not {kind_of(chunker)}")
    chunks = whole_chunks(chunker.chunk(docs))
    # first what can fail without any change to the store
    by_words = None if retrieval == "vectors" else Retriever(chunks, mode="bm25")
    if by_words is not None and retrieval == "words":
        return by_words
    by_vectors = VectorRetriever(
        HashingEmbedder() if embedder is None else embedder, MemoryStore() if store is None else store
    )
    by_vectors.add(chunks)
    return by_vectors if by_words is None else FusedRetriever([by_vectors, by_words])
