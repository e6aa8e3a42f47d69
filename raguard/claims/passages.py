"""Which passages is a claim held against? Those that were given, or the chunks that a retriever finds for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import index as as_index
from typing import TYPE_CHECKING, Any

from raguard import Document
from raguard.claims.asking import Fault, ask, read
from raguard.claims.verdicts import ChunkRef
from raguard.documents import read_document

if TYPE_CHECKING:
    from raguard.claims.retrieval import ChunkFinder

__all__ = ["Passage", "read_evidence", "retrieve"]

_END = object()


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
    found = read(lambda: _read(evidence))
    return ((), (f"the evidence could not be read (it {found.why})",)) if isinstance(found, Fault) else found


def _read(evidence: object) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    if evidence is None:
        return (), ()
    if isinstance(evidence, (str, bytes, bytearray, Mapping)) or not isinstance(evidence, Iterable):
        return (), (f"the evidence is {type(evidence).__name__}, not a list of passages",)
    passages: list[Passage] = []
    faults: list[str] = []
    for index, entry in enumerate(_entries(evidence)):
        found = entry if type(entry) is Fault else _passage(index, entry)
        if isinstance(found, Fault):
            faults.append(found.why)
        elif found.text and not found.text.isspace():
            passages.append(found)
    return tuple(passages), tuple(faults)


def _entries(evidence: Iterable[Any]) -> Iterator[Any]:
    """The entries, and a Fault when they end early."""
    entries = read(lambda: iter(evidence))
    while not isinstance(entries, Fault):
        entry = read(partial(next, entries, _END))
        if entry is _END:
            return
        # an entry may lie about its class
        if type(entry) is Fault:
            entries = entry
        else:
            yield entry
    yield Fault(f"the evidence could not be read to its end (it {entries.why})")


def _passage(index: int, entry: Any) -> Passage | Fault:
    where = f"passage {index + 1} of the evidence"
    found = read(lambda: _as_passage(index, entry))
    if isinstance(found, Fault):
        return Fault(f"{where} could not be read (it {found.why})")
    return Fault(f"{where} {found}") if isinstance(found, str) else found


def _as_passage(index: int, entry: Any) -> Passage | str:
    """The entry as a passage, or what it is in place of one."""
    given = read_document(entry)
    if isinstance(given, str):
        return Passage(ChunkRef(index), str.__str__(given), given)
    if not isinstance(given, Document):
        return f"is {type(entry).__name__}, not a string or a Document"
    if not isinstance(given.text, str):
        return f"has a text that is {type(given.text).__name__}, not a string"
    if not isinstance(given.id, str | None):
        return f"has an id that is {type(given.id).__name__}, not a string"
    return Passage(ChunkRef(index, given.id), str.__str__(given.text), given)


async def retrieve(
    retriever: ChunkFinder, claims: Sequence[str], top_k: int, seconds: float
) -> list[Sequence[Passage] | Fault]:
    """The ``top_k`` best chunks for each claim, best first, or why there are none.

    The retriever works in a thread of its own; ``seconds`` are for all claims together, and none is begun after them.
    """
    import asyncio  # what only a guard with a retriever needs in a thread
    from threading import Event

    found: list[Sequence[Passage] | Fault] = []
    over = Event()

    def search() -> None:
        # what is found when the time is up is kept
        for claim in claims:
            if over.is_set():
                break
            found.append(_search(retriever, claim, top_k))

    try:
        fault = await ask(lambda: asyncio.to_thread(search), seconds)
    finally:
        over.set()
    ready = found[: len(claims)]
    if len(ready) == len(claims):
        return ready
    late = Fault(f"the retriever {fault.why if isinstance(fault, Fault) else 'stopped early'}")
    return [*ready, *[late] * (len(claims) - len(ready))]


def _search(retriever: ChunkFinder, claim: str, top_k: int) -> Sequence[Passage] | Fault:
    # a retriever may find more than it was asked for
    found = read(lambda: [_found(*pair) for pair in zip(range(top_k), retriever.retrieve(claim, top_k), strict=False)])
    if isinstance(found, Fault):
        return Fault(f"the retriever {found.why}")
    faults = [passage for passage in found if isinstance(passage, Fault)]
    return faults[0] if faults else [passage for passage in found if isinstance(passage, Passage)]


def _found(rank: int, entry: Any) -> Passage | Fault:
    """A chunk as a passage of plain values, or what it cannot be used for."""
    index, text, name = entry.index, entry.chunk.text, entry.chunk.id
    if not isinstance(text, str):
        return Fault(f"the retriever returned a chunk with a text that is {type(text).__name__}, not a string")
    if not isinstance(name, str | None):
        return Fault(f"the retriever returned a chunk with an id that is {type(name).__name__}, not a string")
    if index is not None and not hasattr(type(index), "__index__"):
        return Fault(f"the retriever returned a chunk with an index that is {type(index).__name__}, not a whole number")
    text = str.__str__(text)
    return Passage(ChunkRef(rank if index is None else int(as_index(index)), name), text, Document(text, name))
