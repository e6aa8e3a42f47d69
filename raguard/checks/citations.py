"""Which citations of the answer lead to no document, or to one that holds nothing of what is cited?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from raguard.case import Case, Finding
from raguard.evidence.chunk import STEM, Chunk
from raguard.evidence.sources import Place
from raguard.reading.citations import Citation, Mark
from raguard.text.words import plain_words

__all__ = ["unsupported_citations"]

_ONLY_MARKS = re.compile(r"[\W_]*")
_LISTED = re.compile(r"(?:^|\n)[ \t>*-]{0,8}$")
_FEWEST, _FEWEST_SHARED = 2, 4
"""So many telling words a sentence needs before the lack of all of them says anything; more when other words of it
stand in every document."""
_MOST = 0.6
"""The share of a sentence's telling words that another document must hold to be the better one."""


def unsupported_citations(case: Case) -> Iterator[Finding]:
    """One finding for each cited document: there, not there, or silent where another one speaks."""
    marks = case.known.citations.find(case.view.text, case.references.names)
    if not marks:
        return
    counting = _Counting(case, marks)
    for mark in marks:
        if counting.listed(mark) or case.allowed(mark.start, mark.end):
            continue
        unknown = [cited for cited in mark.cited if not counting.documents(cited)]
        if unknown and not counting.may_be_code(mark):
            yield from (_unknown(case, cited) for cited in unknown)
        if not unknown:
            yield _judge(case, marks, mark, {index for cited in mark.cited for index in counting.documents(cited)})


class _Counting:
    """How the answer counts documents: from one or from zero, by their place or by their own numbers."""

    def __init__(self, case: Case, marks: Sequence[Mark]) -> None:
        self._case = case
        self._references = case.references
        cited = [each for mark in marks for each in mark.cited]
        self._first = 0 if any(each.number == 0 for each in cited) else 1
        text = case.view.text
        self._list = {
            each.number
            for mark in marks
            if mark.role == "mark" and _LISTED.search(text, max(0, mark.start - 12), mark.start)
            for each in mark.cited
        }
        self._some_known = any(self.documents(each) for each in cited)

    def documents(self, cited: Citation) -> tuple[int, ...]:
        """The places of the documents that a citation leads to."""
        if cited.id is not None:
            found = self._references.named(cited.id)
        else:
            assert cited.number is not None
            place = cited.number - self._first
            by_place = (place,) if 0 <= place < self._references.count else ()
            found = self._references.named(str(cited.number)) or by_place
        return tuple(index for index in found if self._references.has_page(index, cited.page))

    def listed(self, mark: Mark) -> bool:
        """Whether the answer has a list of references of its own that says what the number means."""
        return mark.role == "mark" and any(each.number in self._list for each in mark.cited)

    def may_be_code(self, mark: Mark) -> bool:
        """Whether an unknown number is more likely an index, or taken over from a document."""
        text = self._case.view.text[mark.start : mark.end]
        held = any(text in chunk.reading.text for chunk in self._case.sources.chunks)
        return held or (mark.glued and not self._some_known)


def _unknown(case: Case, cited: Citation) -> Finding:
    count = case.references.count
    if cited.page is not None:
        said = f"No retrieved document is page {cited.page} of it."
    elif cited.id is not None:
        said = f"No retrieved document is called {cited.id}."
    else:
        said = f"{count} document{'s were' if count != 1 else ' was'} retrieved."
    return Finding("citation", cited.start, cited.end, "unsupported", rule="citation.unknown", said=said)


def _judge(case: Case, marks: Sequence[Mark], mark: Mark, cited: Set[int]) -> Finding:
    """Supported, unless the cited documents hold none of the telling words and another one holds most of them."""
    start, end = mark.start, mark.end
    chunks = {chunk.index: chunk for chunk in case.sources.chunks if chunk.turn is None}
    telling, fewest = _telling(case, marks, mark) if chunks and mark.role != "mention" else (frozenset(), _FEWEST)
    held = {index: telling & chunk.reading.stems for index, chunk in chunks.items()}
    if len(telling) < fewest or any(held.get(index) for index in cited):
        return Finding("citation", start, end, "supported")
    best = max(chunks, key=lambda index: (len(held[index]), -index))
    if len(held[best]) < _MOST * len(telling):
        return Finding("citation", start, end, "supported")
    said = f"The cited document holds nothing of this sentence; document {best + 1} does."
    place = _first_word(chunks[best], held[best])
    return Finding("citation", start, end, "unsupported", rule="citation.other_document", said=said, place=place)


def _telling(case: Case, marks: Sequence[Mark], mark: Mark) -> tuple[frozenset[str], int]:
    """The stems of the words before the mark that tell the documents apart, and how many there must be."""
    start, end = _cited_text(case, marks, mark)
    words = plain_words(case.view.text[start:end]).split()
    small = case.known.languages.function_words(case.lang) | case.asked.words
    stems = {word[:STEM] for word in words if word not in small}
    everywhere = frozenset.intersection(*(chunk.reading.stems for chunk in case.sources.chunks))
    shared = everywhere if len(case.sources.chunks) > 1 else frozenset()
    return frozenset(stems - shared), _FEWEST_SHARED if stems & shared else _FEWEST


def _cited_text(case: Case, marks: Sequence[Mark], mark: Mark) -> tuple[int, int]:
    """From the last mark or the sentence's beginning to the mark; marks side by side cite the same text."""
    text = case.view.text
    end = mark.start
    start = case.outline.sentence(mark.start)[0]
    if _ONLY_MARKS.fullmatch(text, start, end) and start > 0:
        end = start
        start = case.outline.sentence(start - 1)[0]
    for other in reversed([each for each in marks if start < each.end <= end]):
        if _ONLY_MARKS.fullmatch(text, other.end, end):
            end = other.start
        else:
            return other.end, end
    return start, end


def _first_word(chunk: Chunk, stems: frozenset[str]) -> Place | None:
    plain = chunk.reading.plain
    places = [plain.find(f" {stem}") for stem in stems]
    first = min((place for place in places if place >= 0), default=None)
    if first is None:
        return None
    start = chunk.reading.statement(first).start
    return Place(chunk, start, chunk.reading.statement(first).end)
