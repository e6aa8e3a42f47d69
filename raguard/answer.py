"""What of an answer is read? Prose without its dress and its code, JSON leaf by leaf; what is left out is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from raguard.knowledge import Knowledge
from raguard.result import Unchecked
from raguard.text.blanks import Span
from raguard.text.folding import fold
from raguard.text.markup import undress
from raguard.text.structured import Structure, json_examples, read_json, spread
from raguard.text.view import View

__all__ = ["Answer", "read_answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in reading form; ``dressed`` is its folded text with all its marks.

    ``examples`` tells whether JSON inside the prose was taken out.
    """

    view: View
    dressed: str
    structure: Structure | None
    examples: bool

    def judged(self) -> Iterator[Span]:
        """Where a JSON answer names a currency under its key, which has a check of its own."""
        for leaf in self.structure.leaves if self.structure else ():
            if leaf.names_currency:
                yield self.view.place(leaf.start), self.view.place(leaf.end)

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


def read_answer(response: str, known: Knowledge) -> Answer:
    """The reading form of an answer."""
    structure = read_json(response)
    if structure is not None:
        view = fold(spread(response, structure, known.units))
        return Answer(view, view.text, structure, examples=False)
    folded = fold(response)
    view = known.readers.hyphens.join(undress(folded, keep_code=False))
    examples = json_examples(view.text)
    if examples:
        view = view.edit((start, end, "\n") for start, end in examples)
    return Answer(view, folded.text, None, examples=bool(examples))
