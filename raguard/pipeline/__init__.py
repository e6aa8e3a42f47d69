"""What does a whole RAG application make of a question, with every part of it scored?

>>> from raguard.pipeline import Raguard
>>> pipeline = Raguard.from_documents(["The fee is $5 a month. Pets are welcome.", "The office is in Leeds."])
>>> report = pipeline.run("What is the monthly fee?")
>>> report.answer, report.state
('The fee is $5 a month [1].', 'pass')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    from raguard.pipeline.screening import Screened
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
    "StoreError",
    "VectorRetriever",
    "VectorStore",
    "answer_messages",
    "load_documents",
]

_MODULES = {
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
    "screening": ("Screened",),
    "stores": ("MemoryStore", "StoreError", "VectorStore"),
}
_HOMES = {name: f"raguard.pipeline.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: importing the package alone costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'raguard.pipeline' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
