"""What is scored? One question, what was retrieved for it, the answer, and its verdict as far as it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from raguard import ClaimsResult, ConfigError, Document, Verifier, VerifyResult
from raguard.claims.chunking import CorpusChunk, whole_chunks

__all__ = ["Chunk", "EvalSlice", "Explained", "checked_ids"]

Chunk = str | Document | CorpusChunk
"""What may stand for a retrieved chunk."""
Explained = tuple[float | None, str]
"""A score from 0 to 1, or None, and in words what it rests on."""


@dataclass(frozen=True, kw_only=True)
class EvalSlice:
    """One answered question to be scored.

    ``chunks`` are what was retrieved, best first: CorpusChunks, Documents or strings. ``gold_chunk_ids`` are the ids of
    the chunks that should have been retrieved, None if unknown. If the answer has been verified already, pass
    ``verdict`` and ``claims``, so that nothing is read twice; otherwise they are computed once, when a metric first
    asks for them, by ``verifier`` or by one that all slices share. Raises ConfigError for a part of the wrong kind.

    >>> told = EvalSlice(question="What is the rent?", answer="The rent is $950.", chunks=["The rent is $900."])
    >>> told.chunk_ids, told.checked.action
    (('doc-0::chunk-0::89150e78',), 'review')
    """

    question: str
    answer: str
    chunks: Sequence[Chunk] = ()
    gold_chunk_ids: Sequence[str] | None = None
    reference: str | None = None
    """The right answer, for metrics that compare with one."""
    verdict: VerifyResult | None = None
    """What ``Verifier.verify`` says of question, documents and answer."""
    claims: ClaimsResult | None = None
    """What ``Verifier.claims`` says of the same."""
    verifier: Verifier | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("question", "answer"):
            if not isinstance(getattr(self, name), str):
                raise ConfigError(f"{name} must be a string, not {type(getattr(self, name)).__name__}")
        _refuse(self.reference, str, "reference", "a string or None")
        _refuse(self.verdict, VerifyResult, "verdict", "a VerifyResult or None")
        _refuse(self.claims, ClaimsResult, "claims", "a ClaimsResult or None")
        _refuse(self.verifier, Verifier, "verifier", "a Verifier or None")
        whole_chunks(self.chunks)  # refuses what is not a list of chunks, and two with the same id
        object.__setattr__(self, "chunks", tuple(self.chunks))
        if self.gold_chunk_ids is not None:
            object.__setattr__(self, "gold_chunk_ids", checked_ids(self.gold_chunk_ids, "gold_chunk_ids"))

    @cached_property
    def documents(self) -> tuple[str | Document, ...]:
        """The chunks as ``Verifier`` takes them, in order.

        A chunk has its own id; a string has the id that it would have in a corpus, if the answer cites that id.
        """
        return tuple(map(self._document, self.chunks, self.chunk_ids))

    def _document(self, chunk: Chunk, id: str) -> str | Document:
        if isinstance(chunk, CorpusChunk):
            return Document(chunk.text, id=id)
        if isinstance(chunk, Document):
            return Document(chunk.text, id, chunk.metadata) if chunk.id is None and id in self.answer else chunk
        return Document(chunk, id=id) if id in self.answer else chunk

    @cached_property
    def chunk_ids(self) -> tuple[str, ...]:
        """The id of each chunk: its own, else the one that ``chunk_corpus`` would give to it."""
        made = iter(whole_chunks(self.chunks))
        return tuple(_id(chunk, place, made) for place, chunk in enumerate(self.chunks))

    @cached_property
    def checked(self) -> VerifyResult:
        """The verdict, given or worked out."""
        if self.verdict is not None:
            return self.verdict
        return self.reader.verify(self.question, self.documents, self.answer)

    @cached_property
    def judged(self) -> ClaimsResult:
        """The claims of the answer, given or worked out."""
        if self.claims is not None:
            return self.claims
        return self.reader.claims(self.question, self.documents, self.answer)

    def once(self, name: str, work: Callable[[EvalSlice], Explained]) -> Explained:
        """What ``work`` says of this slice, computed when it is first asked for under that name."""
        if name not in self._told:
            self._told[name] = work(self)
        return self._told[name]

    @cached_property
    def _told(self) -> dict[str, Explained]:
        return {}

    @property
    def reader(self) -> Verifier:
        """The Verifier that reads what is not known yet."""
        return self.verifier if self.verifier is not None else _shared()


def _refuse(value: object, kind: type, name: str, wanted: str) -> None:
    if value is not None and not isinstance(value, kind):
        raise ConfigError(f"{name} must be {wanted}, not {type(value).__name__}")


def checked_ids(ids: object, name: str) -> tuple[str, ...]:
    """The ids; raises ConfigError for anything but a list of strings, by the ``name`` of the argument."""
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise ConfigError(f"{name} must be a list of ids, not {type(ids).__name__}")
    told = tuple(ids)
    for place, id in enumerate(told):
        if not isinstance(id, str):
            raise ConfigError(f"{name}[{place}] must be a string, not {type(id).__name__}")
    return told


def _id(chunk: Chunk, place: int, made: Iterator[CorpusChunk]) -> str:
    """The id of one chunk; ``made`` has the next chunk that is not blank."""
    text = chunk if isinstance(chunk, str) else chunk.text
    one = next(made) if text and not text.isspace() else None
    own = None if isinstance(chunk, str) else chunk.id
    return own or (f"doc-{place}" if one is None else one.id)


@lru_cache(maxsize=1)
def _shared() -> Verifier:
    return Verifier()
