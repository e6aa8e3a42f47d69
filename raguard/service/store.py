"""Which documents does a question search? Those of ``[service.store]``, read and indexed at the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.service.sections import StoreSettings

if TYPE_CHECKING:
    from raguard.claims.retrieval import ChunkFinder

__all__ = ["store_retriever"]


def store_retriever(store: StoreSettings | None) -> ChunkFinder | None:
    """The retriever over the documents of a store, None without one; raises ConfigError for what cannot be read."""
    if store is None:
        return None
    from raguard.pipeline import load_documents
    from raguard.pipeline.retrieving import retriever_of

    return retriever_of(load_documents(store.path), None, None, None, store.retrieval)
