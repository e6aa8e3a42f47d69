"""Which words do the documents put under which clause number?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from raguard.evidence.sources import Place, Sources
from raguard.reading.clauses import ClauseReader, Headed
from raguard.text.words import beginning, plain_words
from raguard.values.clauses import Clause

__all__ = ["Clauses", "HeldClause"]

_LONGEST_EXCERPT = 120


class HeldClause:
    """A clause of the documents: all texts that stand under its number, and the stems of their words."""

    def __init__(self, clause: Clause, place: Place) -> None:
        self.clause = clause
        self.place = place
        """Its heading with the beginning of its text."""
        self.texts: list[str] = []
        self._titles: list[str] = []

    def add(self, text: str, headed: Headed) -> None:
        """Takes in one of its texts."""
        self.texts.append(text[headed.number_end : headed.end])
        self._titles.append(text[headed.number_end : headed.title_end])

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all its words."""
        return stems(self.texts)

    @cached_property
    def title(self) -> frozenset[str]:
        """The stems of the words of its title; none where the heading goes on as a sentence."""
        return stems(self._titles)


class Clauses:
    """The clauses of some chunks; those of the same number are one."""

    def __init__(self, sources: Sources, reader: ClauseReader) -> None:
        self._headed = [(chunk, reader.headings(chunk.reading.text)) for chunk in sources.chunks]

    @cached_property
    def held(self) -> tuple[HeldClause, ...]:
        """The clauses that the documents hold under a heading."""
        found: dict[Clause, HeldClause] = {}
        for chunk, clauses in self._headed:
            text = chunk.reading.text
            for each in clauses:
                if each.clause not in found:
                    excerpt = text[each.start : min(each.end, each.start + _LONGEST_EXCERPT)].rstrip()
                    place = Place(chunk, each.start, each.start + len(excerpt))
                    found[each.clause] = HeldClause(each.clause, place)
                found[each.clause].add(text, each)
        return tuple(found.values())

    def stated(self, cited: Clause) -> Place | None:
        """Where the clause stands in the documents, one around it or a part of it; None where they do not hold it."""
        headed, parted = self._numbered
        place = next((headed[each] for each in (cited, *cited.around()) if each in headed), None)
        return place or parted.get(cited)

    @cached_property
    def _numbered(self) -> tuple[dict[Clause, Place], dict[Clause, Place]]:
        """The places of the clauses by their numbers, and by the numbers of what they lie within."""
        headed = {held.clause: held.place for held in reversed(self.held)}
        return headed, {outer: held.place for held in reversed(self.held) for outer in held.clause.around()}

    @cached_property
    def loose(self) -> tuple[frozenset[str], ...]:
        """The stems of each passage that stands under no heading of its chunk: it may go on from another chunk.

        None where no chunk has a heading from which a passage could go on.
        """
        if not self.held:
            return ()
        passages = (chunk.reading.text[: clauses[0].start if clauses else None] for chunk, clauses in self._headed)
        return tuple(found for passage in passages if (found := stems([passage])))


def stems(texts: Iterable[str]) -> frozenset[str]:
    """The first letters of every word of the texts, so that inflection does not count."""
    return frozenset(beginning(word) for text in texts for word in plain_words(text).split())
