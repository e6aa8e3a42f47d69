"""How is a corpus cut into chunks that carry an id of their content?

A document that fits is one chunk. A longer one is cut at the strongest border that the second half of a chunk holds:
between paragraphs, else behind a sentence, else between lines, else between words. What a chunk repeats of the one
before it are whole units of the kind that was cut at: no half sentence begins a chunk where whole ones can be had.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from raguard import ConfigError, Document

__all__ = ["CorpusChunk", "chunk_corpus", "whole_chunks"]

_DIGITS = 8
"""How many hexadecimal digits of a text's SHA-256 stand in its id."""

_BORDERS = tuple(
    map(
        re.compile,
        (
            # a blank line
            r"(?=\n[^\S\n]{0,80}\n)",
            # the end of a sentence; behind less than three characters or $5 a full stop may belong to "Dr.", "e.g."
            # or a list, and no sentence begins with a small letter
            r"""(?:[!?…]|(?:(?<=[^\s.]{3})|(?<=[^\s.A-Za-z]\d)(?<!\n\d\d))\.)"""
            r"""["'”’»)\]]{0,3}(?=\s{1,9}(?![a-z\s]))|[。！？][”’」』）]{0,3}""",
            r"(?=\n)",
            r"(?=\s)",
        ),
    )
)
"""Where a document can be cut, the strongest border first; a match ends where the chunk may end."""
_BETWEEN_WORDS = len(_BORDERS) - 1
_MARK = re.compile(r"[,;:.!?/|&=+)\]}>、。，．；：！？](?=\S)")
"""Where a run without a space is cut that alone is longer than a chunk."""
_MARK_OR_SPACE = re.compile(rf"{_MARK.pattern}|(?=\s)")
_SOLID = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class CorpusChunk:
    """One passage of a corpus: ``text`` is ``[start:end]`` of the document at the 0-based place ``document``.

    ``id`` is ``"<document id, else doc-N>::chunk-K::<8 hex digits of the SHA-256 of the text>"``, N and K from 0; what
    would occur twice ends in ``::2``, ``::3`` and so on. ``document_id`` is the id of the document, where it has one.

    >>> chunk = chunk_corpus([Document("The rent is $900.", id="rent.md")])[0]
    >>> chunk.id, chunk.document, chunk.document_id, chunk.start, chunk.end
    ('rent.md::chunk-0::89150e78', 0, 'rent.md', 0, 17)
    """

    id: str
    text: str
    document: int
    document_id: str | None
    start: int
    end: int


def chunk_corpus(
    documents: Sequence[str | Document], size: int = 1_000, overlap: int | None = None
) -> list[CorpusChunk]:
    """Chunks of at most ``size`` characters that repeat at most ``overlap`` of the one before, in the documents' order.

    Without ``overlap`` it is a fifth of ``size``. No chunk begins or ends inside a word; a single word longer than
    ``size`` is a chunk of its own. Documents of at most ``size`` characters stay whole, blank ones have no chunk. Ids
    are unique, and those of a document with an id of its own depend on nothing but that id and its text. Raises
    ConfigError for what is not a list of strings or Documents, for ``size`` below 1 and for ``overlap`` outside
    0 … ``size`` − 1. The time grows with the characters of all chunks.

    >>> chunks = chunk_corpus(["The fee is $5. It is due in May.", "No."], size=20, overlap=0)
    >>> [chunk.text for chunk in chunks]
    ['The fee is $5.', 'It is due in May.', 'No.']
    >>> chunks[1]
    CorpusChunk(id='doc-0::chunk-1::eb3167e0', text='It is due in May.', document=0, document_id=None, start=15, end=32)
    """
    if type(size) is not int or size < 1:
        raise ConfigError(f"size must be a whole number of characters of at least 1, not {size!r}")
    overlap = size // 5 if overlap is None else overlap
    if type(overlap) is not int or not 0 <= overlap < size:
        raise ConfigError(f"overlap must be a whole number of characters from 0 to {size - 1:,}, not {overlap!r}")
    ids = _Ids()
    chunks: list[CorpusChunk] = []
    for place, document in enumerate(_documents(documents)):
        for number, (start, end) in enumerate(_spans(document.text, size, overlap)):
            chunks.append(_chunk(ids, document, place, number, start, end))
    return chunks


def whole_chunks(entries: Sequence[CorpusChunk | str | Document]) -> list[CorpusChunk]:
    """Each string or Document as one chunk, whole, and each chunk as it is; blank ones are left out.

    Raises ConfigError for what is not a list of these and for two chunks with the same id.

    >>> whole_chunks([Document("The fee is $5.", id="fees.md"), " "])[0].id
    'fees.md::chunk-0::507b9fbd'
    """
    documents = _documents(entries, "chunks", also=CorpusChunk)
    ids = _Ids()
    for place, entry in enumerate(entries):
        if isinstance(entry, CorpusChunk) and not ids.take(entry.id):
            raise ConfigError(f"chunks[{place}] has the id of a chunk before it, {entry.id!r}; ids must be unique")
    chunks: list[CorpusChunk] = []
    for place, (entry, document) in enumerate(zip(entries, documents, strict=True)):
        if _is_blank(document.text):
            continue
        chunk = entry if isinstance(entry, CorpusChunk) else _chunk(ids, document, place, 0, 0, len(document.text))
        chunks.append(chunk)
    return chunks


class _Ids:
    """Ids that were given out: none is given twice."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def take(self, name: str) -> bool:
        """Keeps a name; False when it is taken already."""
        fresh = name not in self._taken
        self._taken.add(name)
        return fresh

    def make(self, owner: str, number: int, text: str) -> str:
        """The id of a text, of which one that occurs again is told apart by a count."""
        # broken text, a lone surrogate, has an id too
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        plain = name = f"{owner}::chunk-{number}::{digest}"
        while not self.take(name):
            self._counts[plain] = self._counts.get(plain, 1) + 1
            name = f"{plain}::{self._counts[plain]}"
        return name


def _chunk(ids: _Ids, document: Document, place: int, number: int, start: int, end: int) -> CorpusChunk:
    text = document.text[start:end]
    name = ids.make(document.id or f"doc-{place}", number, text)
    return CorpusChunk(name, text, place, document.id, start, end)


def _documents(entries: object, name: str = "documents", also: type[CorpusChunk] | None = None) -> list[Document]:
    """The entries as Documents; raises ConfigError for what cannot be one."""
    if isinstance(entries, str | bytes | bytearray) or not isinstance(entries, Sequence):
        advice = "; put the one text into a list" if isinstance(entries, str) else ""
        raise ConfigError(f"{name} must be a list of strings or Documents, not {type(entries).__name__}{advice}")
    documents = []
    for place, entry in enumerate(entries):
        document = Document(entry) if isinstance(entry, str) else entry
        if also is not None and isinstance(entry, also):
            document = Document(entry.text, entry.id)
        if not isinstance(document, Document):
            raise ConfigError(f"{name}[{place}] must be a string or a Document, not {type(entry).__name__}")
        if not isinstance(document.text, str):
            raise ConfigError(f"{name}[{place}].text must be a string, not {type(document.text).__name__}")
        if not isinstance(document.id, str | None):
            raise ConfigError(f"{name}[{place}].id must be a string or None, not {type(document.id).__name__}")
        documents.append(document)
    return documents


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


def _spans(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Where the chunks of one document stand."""
    if len(text) <= size:
        if not _is_blank(text):
            yield 0, len(text)
        return
    last = len(text.rstrip())
    start = fresh = _solid(text, 0)
    while last - start > size:
        # new text begins at ``fresh``; what stands before it is repeated
        cut = _cut(text, start, fresh + 1, start + size)
        if cut is None and start < fresh:
            start = fresh
            continue
        end, border = cut or (_beyond(text, start + size), _BETWEEN_WORDS)
        yield start, start + len(text[start:end].rstrip())
        fresh = _solid(text, end)
        if fresh >= last:
            return
        start = _repeated(text, max(end - overlap, start + 1), end, border)
        if start == end or fresh - start >= size:
            start = fresh
    if start < last:
        yield start, last


def _cut(text: str, start: int, least: int, most: int) -> tuple[int, int] | None:
    """Where from ``least`` to ``most`` the chunk that begins at ``start`` ends best, and at which border.

    A border of any kind counts from the middle of the chunk on; before it, a space does.
    """
    middle = max(least, (start + most) // 2)
    for low, strongest in ((middle, 0), (least, _BETWEEN_WORDS)):
        for border in range(strongest, len(_BORDERS)):
            # a match may begin before its end, and needs to see what stands behind ``most``
            found = _BORDERS[border].finditer(text, max(low - 4, start), most + 9)
            ends = [end for end in map(re.Match.end, found) if low <= end <= most]
            if ends:
                return ends[-1], border
    ends = [match.end() for match in _MARK.finditer(text, least - 1, most + 1)]
    return (ends[-1], _BETWEEN_WORDS) if ends else None


def _beyond(text: str, most: int) -> int:
    """Where a word that is too long for a chunk ends."""
    found = _MARK_OR_SPACE.search(text, most - 1)
    return found.end() if found else len(text)


def _repeated(text: str, low: int, end: int, border: int) -> int:
    """Where the longest run of whole units begins that stands from ``low`` to ``end``; ``end`` without one."""
    for pattern in _BORDERS[: border + 1]:
        match = pattern.search(text, low, end)
        if match is not None:
            return min(_solid(text, match.end()), end)
    return end


def _solid(text: str, place: int) -> int:
    """The place of the first character from ``place`` on that is not a space."""
    match = _SOLID.search(text, place)
    return match.start() if match else len(text)
