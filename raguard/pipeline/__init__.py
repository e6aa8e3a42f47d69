"""What does a whole RAG application make of a question, with every part of it scored?

>>> from raguard.pipeline import Raguard
>>> pipeline = Raguard.from_documents(["The fee is $5 a month. Pets are welcome.", "The office is in Leeds."])
>>> report = pipeline.run("What is the monthly fee?")
>>> report.answer, report.state
('The fee is $5 a month [1].', 'pass')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.pipeline.chroma_store import ChromaStore
    from raguard.pipeline.chunker import Chunker
    from raguard.pipeline.embedding import Embedder, HashingEmbedder
    from raguard.pipeline.flow import Raguard
    from raguard.pipeline.loading import load_documents
    from raguard.pipeline.openai_provider import AnswerError, OpenAIProvider, answer_messages
    from raguard.pipeline.parts import Rerank
    from raguard.pipeline.pgvector_store import PgVectorStore
    from raguard.pipeline.providers import NO_ANSWER, ExtractiveProvider, LLMProvider
    from raguard.pipeline.retrieving import FusedRetriever, Retrieval, VectorRetriever
    from raguard.pipeline.run_report import RunReport
    from raguard.pipeline.screening import Screened, Screens
    from raguard.pipeline.stores import MemoryStore, StoreError, VectorStore

__all__ = [
    "NO_ANSWER",
    "AnswerError",
    "ChromaStore",
    "Chunker",
    "Embedder",
    "ExtractiveProvider",
    "FusedRetriever",
    "HashingEmbedder",
    "LLMProvider",
    "MemoryStore",
    "OpenAIProvider",
    "PgVectorStore",
    "Raguard",
    "Rerank",
    "Retrieval",
    "RunReport",
    "Screened",
    "Screens",
    "StoreError",
    "VectorRetriever",
    "VectorStore",
    "answer_messages",
    "load_documents",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "chroma_store": ("ChromaStore",),
        "chunker": ("Chunker",),
        "embedding": ("Embedder", "HashingEmbedder"),
        "flow": ("Raguard",),
        "loading": ("load_documents",),
        "openai_provider": ("AnswerError", "OpenAIProvider", "answer_messages"),
        "parts": ("Rerank",),
        "pgvector_store": ("PgVectorStore",),
        "providers": ("NO_ANSWER", "ExtractiveProvider", "LLMProvider"),
        "retrieving": ("FusedRetriever", "Retrieval", "VectorRetriever"),
        "run_report": ("RunReport",),
        "screening": ("Screened", "Screens"),
        "stores": ("MemoryStore", "StoreError", "VectorStore"),
    },
)
