"""Into which chunks are documents cut?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from raguard import Document
from raguard.claims.chunking import CorpusChunk, chunk_corpus

__all__ = ["Chunker"]


@dataclass(frozen=True, slots=True)
class Chunker:
    """Cuts documents at paragraphs, else behind sentences, into chunks of at most ``size`` characters.

    A chunk repeats at most ``overlap`` characters of the one before it, whole sentences only; None is a fifth of
    ``size``. It is ``raguard.claims.chunk_corpus`` with its settings kept. Raises ConfigError for ``size`` below 1 and
    ``overlap`` outside 0 … ``size`` − 1.

    >>> [chunk.id for chunk in Chunker(size=20, overlap=0).chunk(["The fee is $5. It is due in May."])]
    ['doc-0::chunk-0::507b9fbd', 'doc-0::chunk-1::eb3167e0']
    """

    size: int = 1_000
    overlap: int | None = None

    def __post_init__(self) -> None:
        chunk_corpus([], self.size, self.overlap)

    def chunk(self, documents: Sequence[str | Document], /) -> list[CorpusChunk]:
        """The chunks in the documents' order, with unique ids; ConfigError for what is not a list of documents."""
        return chunk_corpus(documents, self.size, self.overlap)
