"""Which citations of the answer lead to no document, or to one that holds nothing of what is cited?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property

from raguard.case import Case, Finding
from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place
from raguard.reading.citations import Citation, Mark
from raguard.result import CheckedCitation
from raguard.text.blanks import Span, trimmed
from raguard.text.words import beginnings, plain_words

__all__ = ["checked_citations", "unsupported_citations"]

_ONLY_MARKS = re.compile(r"[\W_]*")
_IN_LIST = re.compile(r"(?:/\d+)?$")
_LISTED = re.compile(r"(?:^|\n)[ \t>*-]{0,8}$")
_FEWEST, _FEWEST_SHARED = 2, 4
"""How many telling words a sentence needs before the lack of all of them means anything; more when other words of it
stand in every document."""
_MOST_TAKEN_OVER = 300
_MOST = 0.6
"""The share of a sentence's telling words that another document must hold to be the better one."""


def unsupported_citations(case: Case) -> Iterator[Finding]:
    """One finding for each cited document: there, not there, or silent where another one speaks."""
    marks = case.marks
    if not marks:
        return
    counting, wordings = _Counting(case, marks), _Wordings(case, marks)
    for mark in marks:
        if counting.listed(mark) or case.allowed(mark.start, mark.end):
            continue
        unknown = [cited for cited in mark.cited if not counting.documents(cited)]
        if unknown and not counting.may_be_code(mark):
            # a range is one span of many documents
            spans = {(cited.start, cited.end): cited for cited in reversed(unknown)}
            yield from (_unknown(case, spans[span]) for span in sorted(spans))
        if not unknown:
            yield wordings.judge(mark, {index for cited in mark.cited for index in counting.documents(cited)})


def checked_citations(case: Case) -> Iterator[CheckedCitation]:
    """Each place that cites, in terms of the original answer, with the documents that it leads to."""
    counting = _Counting(case, case.marks)
    for mark, (start, end) in zip(case.marks, _spoken_for(case), strict=True):
        docs = None
        if not counting.listed(mark):
            docs = tuple(sorted({index for cited in mark.cited for index in counting.documents(cited)}))
        about = trimmed(case.view.source, *case.view.span(start, end))
        yield CheckedCitation(*case.view.span(mark.start, mark.end), about, docs)


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
        self._held: dict[str, bool] = {}
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
        return self._taken_over(text) or (mark.glued and not self._some_known)

    def _taken_over(self, text: str) -> bool:
        """Whether a document holds the mark too; of an answer that has too many unknown ones the last are made up."""
        if text not in self._held and len(self._held) < _MOST_TAKEN_OVER:
            self._held[text] = any(text in chunk.reading.text for chunk in self._case.sources.chunks)
        return self._held.get(text, False)


def _unknown(case: Case, cited: Citation) -> Finding:
    count = case.references.count
    if cited.page is not None:
        said = f"No retrieved document is page {cited.page} of it."
    elif cited.id is not None:
        said = f"No retrieved document is called {cited.id}."
    else:
        said = f"{count} document{'s were' if count != 1 else ' was'} retrieved."
    return Finding("citation", cited.start, cited.end, "unsupported", rule="citation.unknown", said=said)


class _Wordings:
    """What the marks of an answer stand behind, and which documents hold the words of it."""

    def __init__(self, case: Case, marks: Sequence[Mark]) -> None:
        self._case = case
        self._texts = dict(zip(marks, _cited_texts(case, marks), strict=True))
        self._chunks = {chunk.index: chunk for chunk in case.sources.chunks if chunk.turn is None}
        self._found: dict[frozenset[str], tuple[int, frozenset[str]]] = {}
        self._shared: dict[str, bool] = {}

    def judge(self, mark: Mark, cited: Set[int]) -> Finding:
        """Supported, unless the cited documents hold none of the telling words and another one holds most of them."""
        start, end = mark.start, mark.end
        supported = Finding("citation", start, end, "supported")
        if not self._chunks or mark.role not in ("mark", "named") or self._case.crosses:
            return supported
        stems = self._stems(mark)
        words = [self._chunks[index].reading.words for index in cited if index in self._chunks]
        if any(each.has_stem(stem) and not self._is_shared(stem) for each in words for stem in stems):
            return supported
        telling = frozenset([stem for stem in stems if not self._is_shared(stem)])
        if len(telling) < (_FEWEST if len(telling) == len(stems) else _FEWEST_SHARED):
            return supported
        best, held = self._best(telling)
        if len(held) < _MOST * len(telling):
            return supported
        said = f"The cited document holds nothing of this sentence; document {best + 1} does."
        place = _first_word(self._chunks[best], held)
        return Finding("citation", start, end, "unsupported", rule="citation.other_document", said=said, place=place)

    def _stems(self, mark: Mark) -> Set[str]:
        """The stems of the words before the mark that say something."""
        start, end = self._texts[mark]
        words = plain_words(self._case.view.text[start:end]).split()
        small = self._small
        return set(beginnings([word for word in words if word not in small]))

    @cached_property
    def _small(self) -> Set[str]:
        return self._case.known.languages.function_words(self._case.lang) | self._case.asked.words

    def _is_shared(self, stem: str) -> bool:
        """Whether every document holds the stem, when there are several."""
        if stem not in self._shared:
            chunks = self._case.sources.chunks
            self._shared[stem] = len(chunks) > 1 and all(chunk.reading.words.has_stem(stem) for chunk in chunks)
        return self._shared[stem]

    def _held(self, telling: frozenset[str], index: int) -> frozenset[str]:
        return frozenset(filter(self._chunks[index].reading.words.has_stem, telling))

    def _best(self, telling: frozenset[str]) -> tuple[int, frozenset[str]]:
        """The first document that holds most of the words, and which."""
        if telling not in self._found:
            likely = {each.index for stem in telling for each in self._case.sources.vocabulary.beginning(stem)}
            best = max(
                likely & self._chunks.keys() or self._chunks,
                key=lambda index: (len(self._held(telling, index)), -index),
            )
            self._found[telling] = best, self._held(telling, best)
        return self._found[telling]


def _cited_texts(case: Case, marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """What each mark stands behind, from the last mark or the sentence's beginning; neighbours have the same text."""
    text = case.view.text
    start, end, done = 0, 0, 0
    for mark in marks:
        if not done or not _ONLY_MARKS.fullmatch(text, done, mark.start):
            start, end = case.outline.sentence(mark.start)[0], mark.start
            if done <= start and start > 0 and _ONLY_MARKS.fullmatch(text, start, end):
                start, end = case.outline.sentence(start - 1)[0], start
            start = max(start, done)
        yield start, end
        done = mark.end


def _spoken_for(case: Case) -> Iterator[Span]:
    """The sentence that each mark speaks for: its own, or the one before where it stands behind the full stop.

    What a JSON answer cites speaks for the object that holds it.
    """
    text, done, before = case.view.text, 0, (0, 0)
    for mark in case.marks:
        start, end = case.outline.sentence(mark.start)
        if mark.role == "leaf":
            start, end = _object(case, mark)
        elif mark.role != "mention" and done and done <= mark.start and _ONLY_MARKS.fullmatch(text, done, mark.start):
            start, end = before
        elif mark.role != "mention" and start > 0 and _ONLY_MARKS.fullmatch(text, start, mark.start):
            start, end = case.outline.sentence(start - 1)
        yield start, end
        done, before = mark.end, (start, end)


def _object(case: Case, mark: Mark) -> Span:
    """From the first to the last leaf of the object that a cited leaf, or the list with it, belongs to."""
    assert case.structure is not None
    places = [(case.view.place(leaf.start), leaf.pointer) for leaf in case.structure.leaves]
    pointer = next(pointer for start, pointer in places if start == mark.start)
    owner = _IN_LIST.sub("", pointer).rpartition("/")[0] + "/"
    within = [leaf for leaf in case.structure.leaves if leaf.pointer.startswith(owner)]
    return case.view.place(within[0].start), case.view.place(within[-1].end)


def _first_word(chunk: Chunk, stems: frozenset[str]) -> Place | None:
    plain = chunk.reading.plain
    places = [plain.find(f" {stem}") for stem in stems]
    first = min((place for place in places if place >= 0), default=None)
    if first is None:
        return None
    start = chunk.reading.statement(first).start
    return Place(chunk, start, chunk.reading.statement(first).end)
