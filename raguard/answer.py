"""What of an answer is read? Prose without its dress and its code, JSON leaf by leaf; what is left out is named."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from raguard.evidence.references import References
from raguard.knowledge import Knowledge
from raguard.reading.citations import Mark
from raguard.reading.leaves import LeafRole
from raguard.result import Unchecked
from raguard.text.blanks import Span
from raguard.text.folding import fold
from raguard.text.markup import undress
from raguard.text.phrases import Places
from raguard.text.structured import Leaf, Structure, json_examples, read_json, spread
from raguard.text.view import View

__all__ = ["Answer", "read_answer"]


class Answer(NamedTuple):
    """An answer in reading form; ``places`` has its words, ``dressed`` is its folded text with all its marks.

    Of a JSON answer ``currencies`` are the leaves that name a currency, ``verdicts`` those that judge the answer;
    ``marks`` are the citations, and ``examples`` tells whether JSON inside the prose was taken out.
    """

    view: View
    places: Places
    dressed: str
    structure: Structure | None
    marks: tuple[Mark, ...]
    examples: bool = False
    currencies: tuple[Leaf, ...] = ()
    verdicts: tuple[Leaf, ...] = ()

    def judged(self) -> list[Span]:
        """What is not a claim because a check of its own asks for it, or because the model judges its own answer."""
        marked = [(mark.start, mark.end) for mark in self.marks if mark.role != "mention"]
        return [*map(self._span, self.currencies + self.verdicts), *marked]

    def sentences(self) -> list[Span] | None:
        """The objects of a JSON answer, each of which speaks of one thing; None for prose."""
        if self.structure is None:
            return None
        groups = groupby(self.structure.leaves, key=lambda leaf: leaf.pointer.rpartition("/")[0])
        spans = [(leaves[0].start, leaves[-1].end) for _, group in groups if (leaves := list(group))]
        return [(self.view.place(start), self.view.place(end)) for start, end in spans]

    def unread(self) -> Iterator[Unchecked]:
        """The gaps that are the answer's own, whatever its language."""
        if self.examples:
            yield Unchecked("JSON", "an object inside prose is an example and no claim")
        if self.structure is not None and self.structure.telling_keys:
            yield Unchecked("keys", "the keys of a JSON answer are no claims")
        for leaf in self.verdicts:
            yield Unchecked(leaf.pointer, "what the model says of its own answer is no claim")

    def _span(self, leaf: Leaf) -> Span:
        return self.view.place(leaf.start), self.view.place(leaf.end)


def read_answer(response: str, known: Knowledge, references: References) -> Answer:
    """The reading form of an answer; ``references`` are the documents that it may cite."""
    structure = read_json(response)
    if structure is not None:
        view = fold(spread(response, structure, known.units))
        roles: dict[LeafRole, list[Leaf]] = {"citation": [], "currency": [], "verdict": []}
        for leaf in structure.leaves:
            roles.setdefault(known.leaves.role(leaf, references.names), []).append(leaf)
        marks = tuple(_mark(view, leaf, known, references) for leaf in roles["citation"])
        currencies, verdicts = tuple(roles["currency"]), tuple(roles["verdict"])
        return Answer(view, Places(view.text), view.text, structure, marks, currencies=currencies, verdicts=verdicts)
    folded = fold(response)
    view = known.readers.hyphens.join(undress(folded, keep_code=False))
    examples = json_examples(view.text)
    if examples:
        view = view.edit((start, end, "\n") for start, end in examples)
    places = Places(view.text)
    marks = tuple(known.citations.find(places, references.names))
    return Answer(view, places, folded.text, None, marks, examples=bool(examples))


def _mark(view: View, leaf: Leaf, known: Knowledge, references: References) -> Mark:
    start, end = view.place(leaf.start), view.place(leaf.end)
    citation = known.leaves.citation(leaf, references.names, start, end)
    assert citation is not None
    return Mark("leaf", start, end, (citation,))
