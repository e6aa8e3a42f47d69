"""Which passages is a claim held against? Those that were given, or the chunks that a retriever finds for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from raguard import Document
from raguard.claims.asking import Fault, ask
from raguard.claims.verdicts import ChunkRef
from raguard.documents import read_document

if TYPE_CHECKING:
    from raguard.claims.retrieval import ChunkFinder

__all__ = ["Passage", "read_evidence", "retrieve"]


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage: what names it, its text, and it itself as it was given."""

    ref: ChunkRef
    text: str
    given: str | Document


def read_evidence(evidence: object) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """The passages of an iterable of strings, Documents or mappings with a "text", and what of it could not be read.

    A blank passage is left out; an index counts what was given. None is no evidence, and no fault.

    >>> passages, faults = read_evidence(["Paris is in France.", 5])
    >>> passages[0].ref, faults
    (ChunkRef(index=0, id=None), ('passage 2 of the evidence is int, not a string or a Document',))
    """
    if evidence is None:
        return (), ()
    if isinstance(evidence, (str, bytes, bytearray, Mapping)) or not isinstance(evidence, Iterable):
        return (), (f"the evidence is {type(evidence).__name__}, not a list of passages",)
    passages: list[Passage] = []
    faults: list[str] = []
    entries = _entries(evidence)
    for index, entry in enumerate(entries):
        read = entry if isinstance(entry, Fault) else _passage(index, entry)
        if isinstance(read, Fault):
            faults.append(read.why)
        elif not read.text.isspace() and read.text:
            passages.append(read)
    return tuple(passages), tuple(faults)


def _entries(evidence: Iterable[Any]) -> Iterator[Any]:
    """The entries, and a Fault when they end early."""
    try:
        yield from evidence
    except (Exception, SystemExit) as error:
        yield Fault(f"the evidence could not be read to its end (it raised {type(error).__name__})")


def _passage(index: int, entry: Any) -> Passage | Fault:
    where = f"passage {index + 1} of the evidence"
    try:
        given = read_document(entry)
    except (Exception, SystemExit) as error:
        return Fault(f"{where} could not be read (it raised {type(error).__name__})")
    if isinstance(given, str):
        return Passage(ChunkRef(index), given, given)
    if not isinstance(given, Document):
        return Fault(f"{where} is {type(entry).__name__}, not a string or a Document")
    if not isinstance(given.text, str):
        return Fault(f"{where} has a text that is {type(given.text).__name__}, not a string")
    if not isinstance(given.id, str | None):
        return Fault(f"{where} has an id that is {type(given.id).__name__}, not a string")
    return Passage(ChunkRef(index, given.id), given.text, given)


async def retrieve(
    retriever: ChunkFinder, claims: Sequence[str], top_k: int, seconds: float
) -> list[Sequence[Passage] | Fault]:
    """The ``top_k`` best chunks for each claim, best first, or why there are none.

    The retriever works in a thread of its own; ``seconds`` are for all claims together.
    """
    import asyncio  # what only a guard with a retriever needs in a thread

    found: list[Sequence[Passage] | Fault] = []

    def search() -> None:
        # what is found when the time is up is kept
        found.extend(_search(retriever, claim, top_k) for claim in claims)

    fault = await ask(lambda: asyncio.to_thread(search), seconds)
    ready = found[: len(claims)]
    if len(ready) == len(claims):
        return ready
    late = Fault(f"the retriever {fault.why if isinstance(fault, Fault) else 'stopped early'}")
    return [*ready, *[late] * (len(claims) - len(ready))]


def _search(retriever: ChunkFinder, claim: str, top_k: int) -> Sequence[Passage] | Fault:
    try:
        found = retriever.retrieve(claim, top_k)
        return [
            Passage(
                ChunkRef(rank if entry.index is None else entry.index, entry.chunk.id),
                entry.chunk.text,
                Document(entry.chunk.text, entry.chunk.id),
            )
            for rank, entry in enumerate(found)
        ]
    except (Exception, SystemExit) as error:
        return Fault(f"the retriever raised {type(error).__name__}")
