"""Which leaves of a JSON answer say otherwise than the documents: a boolean turned round, another currency?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raguard.case import Case, Finding
from raguard.evidence.sources import Place
from raguard.evidence.statements import statements_near
from raguard.reading import read
from raguard.reading.statements import MINUS
from raguard.result import Unchecked
from raguard.text.spoken import Spoken
from raguard.text.structured import Leaf
from raguard.text.words import beginning
from raguard.values.quantities import Quantity
from raguard.values.value import Value

__all__ = ["contradicted_leaves"]

_SHORTEST = 3
"""Shorter words of a key, such as "is", name nothing."""


def contradicted_leaves(case: Case) -> Iterator[Finding | Unchecked]:
    """A finding for each boolean and each currency code of a JSON answer; what no document tells of is unchecked."""
    if case.structure is None:
        return
    for leaf in case.structure.leaves:
        if isinstance(leaf.value, bool):
            yield _boolean(case, leaf, leaf.value)
    amounts = list(_amounts(case)) if case.currencies else []
    for leaf in case.currencies:
        yield _currency(case, leaf, amounts)


def _boolean(case: Case, leaf: Leaf, value: bool) -> Finding | Unchecked:
    said = list(_recorded(case, leaf)) or list(_stated(case, leaf))
    start, end = case.view.place(leaf.start), case.view.place(leaf.end)
    for told, place in said:
        if told is value:
            return Finding("field", start, end, "supported", place=place)
    if not said:
        return Unchecked(leaf.pointer, "no document tells whether it is so")
    answer = "yes" if said[0][0] else "no"
    return Finding(
        "field",
        start,
        end,
        "unsupported",
        rule="leaf.contradicted",
        said=f"Of {' '.join(leaf.key)} the documents say {answer}.",
        place=said[0][1],
    )


def _recorded(case: Case, leaf: Leaf) -> Iterator[tuple[bool, Place]]:
    """What the records of the documents hold under the same key."""
    key = " ".join(leaf.key)
    for _, mention in case.documents.attributes.mentions(Spoken(key, [(0, len(key))])):
        if mention.start == 0 and mention.end == len(key) and mention.attribute.value is not None:
            yield mention.attribute.value, mention.attribute.place


def _stated(case: Case, leaf: Leaf) -> Iterator[tuple[bool, Place]]:
    """What sentences say that hold every word of the key; a negation of one of them is a no."""
    words = [beginning(word) for word in leaf.key if len(word) >= _SHORTEST]
    if not words:
        return
    for near in statements_near(case.sources, dict.fromkeys(words, 0)):
        signs = near.statement.signs
        held = [sign for stem, sign in signs.items() if any(_same(word, stem) for word in words)]
        if all(any(_same(word, stem) for stem in signs) for word in words):
            place = Place(near.chunk, near.statement.start, near.statement.end)
            yield not any(sign & MINUS for sign in held), place


def _same(word: str, stem: str) -> bool:
    return word.startswith(stem) or stem.startswith(word)


def _amounts(case: Case) -> Iterator[tuple[str, Place]]:
    """The currencies of the documents' amounts, each with its first place."""
    known: set[str] = set()
    for chunk in case.sources.chunks:
        for fact in chunk.reading.facts:
            if fact.value.kind == "money" and not fact.tentative:
                fresh = _currencies(fact.value) - known
                known |= fresh
                yield from ((currency, Place(chunk, fact.start, fact.end)) for currency in sorted(fresh))


def _currency(case: Case, leaf: Leaf, amounts: Sequence[tuple[str, Place]]) -> Finding | Unchecked:
    """Whether any amount of the documents is in this currency; unchecked when they hold no amount at all."""
    written, _ = read(f"{leaf.value} 1", case.known.readers.values)
    named = {currency for fact in written for currency in _currencies(fact.value)}
    if not amounts or not named:
        return Unchecked(leaf.pointer, "no document holds an amount of money, or the currency is unknown")
    start, end = case.view.place(leaf.start), case.view.place(leaf.end)
    place = next((place for currency, place in amounts if currency in named), None)
    if place is not None:
        return Finding("money", start, end, "supported", place=place)
    said = "The documents give their amounts in another currency."
    return Finding("money", start, end, "unsupported", rule="leaf.currency", said=said, place=amounts[0][1])


def _currencies(value: Value) -> set[str]:
    readings = value.readings if isinstance(value, Quantity) else ()
    return {each.unit.dimension for each in readings if each.unit is not None and each.unit.kind == "money"}
