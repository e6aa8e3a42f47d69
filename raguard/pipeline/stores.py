"""Where are the chunks kept, and which of them lie nearest to a vector? In memory, or in a database."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from raguard import ConfigError, RaguardError
from raguard.claims.chunking import CorpusChunk
from raguard.claims.encoders import Matrix, as_matrix, unit_rows
from raguard.claims.retrieval import Retrieved
from raguard.guard.faults import encodes

__all__ = [
    "MemoryStore",
    "StoreError",
    "Vector",
    "VectorStore",
    "admit_chunks",
    "admit_vector",
    "cosine",
    "listed_chunks",
    "refuse_unkept",
    "refuse_width",
]

Vector = npt.NDArray[np.floating[Any]]
_DECIMALS = 6
"""Cosines are told to so many decimals: what lies behind is the error of 32-bit numbers."""


class StoreError(RaguardError):
    """A store cannot be reached, or does not hold what it is asked for; the message holds none of the stored text."""


class VectorStore(Protocol):
    """Anything that stores chunks by their vectors; chunks come back as they were given, with their ids and places.

    A chunk replaces an older one with the same id, even one of the same call. Several threads may call ``search``.

    >>> from raguard.claims import chunk_corpus
    >>> store = MemoryStore()
    >>> store.add(chunk_corpus(["The fee is $5.", "The office is in Leeds."]), [[1.0, 0.0], [0.6, 0.8]])
    >>> [(found.chunk.id, found.score) for found in store.search([1.0, 0.0], top_k=2)], store.count()
    ([('doc-0::chunk-0::507b9fbd', 1.0), ('doc-1::chunk-0::93ee39cd', 0.6)], 2)
    """

    def add(self, chunks: Sequence[CorpusChunk], vectors: Any, /) -> None:
        """Keeps n chunks with their vectors, of shape (n, width)."""
        ...

    def search(self, vector: Any, /, top_k: int) -> Sequence[Retrieved]:
        """The ``top_k`` chunks with the greatest cosine, or as many as there are, best first; none for zeros."""
        ...

    def count(self) -> int:
        """How many chunks are kept."""
        ...


class MemoryStore:
    """A ``VectorStore`` in the memory of this process: exact, deterministic, gone when it ends.

    Among chunks with the same cosine, to six decimals, the one added earlier comes first. Threads may share it.
    ``add`` raises ConfigError for what are not chunks, and EncoderError for vectors that cannot be theirs; it copies
    what is kept, so add many chunks at a time.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        # read together by a search, so put in place together
        self._held: tuple[tuple[CorpusChunk, ...], Matrix] = ((), np.empty((0, 0), np.float32))

    def add(self, chunks: Sequence[CorpusChunk], vectors: Any, /) -> None:
        """Keeps the chunks; one whose id is kept already takes the older one's place."""
        given, rows = admit_chunks(chunks, vectors)
        with self._lock:
            held, matrix = self._held
            if not given:
                return
            refuse_width(rows.shape[1], matrix.shape[1] if held else None)
            kept = dict(zip((chunk.id for chunk in held), zip(held, matrix, strict=True), strict=True))
            kept |= {chunk.id: (chunk, row) for chunk, row in zip(given, rows, strict=True)}
            self._held = tuple(chunk for chunk, _ in kept.values()), np.stack([row for _, row in kept.values()])

    def search(self, vector: Any, /, top_k: int) -> list[Retrieved]:
        """The nearest chunks with their cosines, in [−1, 1]; ``index`` is the place in the order of adding."""
        chunks, matrix = self._held
        asked = admit_vector(vector, matrix.shape[1] if chunks else None, top_k)
        if not chunks or not asked.any():
            return []
        # a product by BLAS waits for its threads on a busy machine
        cosines = np.round(np.einsum("ij,j->i", matrix, asked).astype(np.float64), _DECIMALS)
        best = np.argsort(-cosines, kind="stable")[:top_k]
        return [Retrieved(chunks[place], float(cosines[place]), int(place)) for place in best]

    def count(self) -> int:
        """How many chunks are kept."""
        return len(self._held[0])


def listed_chunks(chunks: object) -> list[CorpusChunk]:
    """The chunks in a list; ConfigError for what are none.

    >>> listed_chunks(["a text"])
    Traceback (most recent call last):
    raguard.errors.ConfigError: chunks must be a list of CorpusChunks; Chunker().chunk(documents) makes them
    """
    given: list[Any] = list(chunks) if isinstance(chunks, Sequence) and not isinstance(chunks, str | bytes) else [None]
    if not all(isinstance(chunk, CorpusChunk) for chunk in given):
        raise ConfigError("chunks must be a list of CorpusChunks; Chunker().chunk(documents) makes them")
    return given


def admit_chunks(chunks: object, vectors: Any) -> tuple[list[CorpusChunk], Matrix]:
    """The chunks, and their vectors as rows of length 1; of chunks with the same id the last one alone.

    Raises ConfigError and EncoderError for what cannot be these.

    >>> admit_chunks([CorpusChunk("a", "text", 0, None, 0, 4)], [[3.0, 4.0]])[1].tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    given = listed_chunks(chunks)
    if not given:
        return [], np.empty((0, 0), np.float32)
    rows = unit_rows(as_matrix(vectors, len(given)))
    places = list({chunk.id: place for place, chunk in enumerate(given)}.values())
    return [given[place] for place in places], rows[places]


def admit_vector(vector: Any, width: int | None, top_k: object) -> Vector:
    """A vector of length 1, or of zeros; EncoderError for what is none, ConfigError for another ``width`` or top_k.

    >>> admit_vector([3.0, 4.0], 2, top_k=5).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    if type(top_k) is not int or top_k < 1:
        raise ConfigError(f"top_k must be a whole number of at least 1, not {top_k!r}")
    asked: Vector = unit_rows(as_matrix([vector], 1))[0]
    refuse_width(len(asked), width)
    return asked


def refuse_width(given: int, kept: int | None) -> None:
    """Raises ConfigError for vectors of another width than those that are kept; None of these, and any may come.

    >>> refuse_width(3, None), refuse_width(3, 3)
    (None, None)
    """
    if kept not in (None, given):
        raise ConfigError(f"the store keeps vectors of {kept} numbers, not of {given}")


def cosine(number: float) -> float:
    """A cosine as a database reports it, to six decimals; NaN, which it gives for a vector of zeros, becomes 0.

    >>> cosine(0.30000001), cosine(float("nan")), cosine(1.0000002)
    (0.3, 0.0, 1.0)
    """
    return 0.0 if number != number else min(1.0, max(-1.0, round(float(number), _DECIMALS)))


def refuse_unkept(chunks: Sequence[CorpusChunk], database: str) -> None:
    """Raises ConfigError for a chunk with a character that no database keeps: NUL, or half of a surrogate pair.

    >>> refuse_unkept([CorpusChunk("a", "text", 0, None, 0, 4)], "Chroma")
    """
    for chunk in chunks:
        for text in (chunk.id, chunk.text, chunk.document_id or ""):
            if "\0" in text or not encodes(text):
                raise ConfigError(
                    f"the chunk {chunk.id!r} holds a NUL or a lone surrogate, which {database} cannot keep"
                )
