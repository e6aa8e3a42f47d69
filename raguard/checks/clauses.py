"""Which clauses of the answer hold nothing of what it says of them, while one other clause holds it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from raguard.case import Case, Finding
from raguard.evidence.clauses import HeldClause, stems
from raguard.reading.clauses import Reference
from raguard.result import Unchecked
from raguard.text.words import plain_words

__all__ = ["misnumbered_clauses"]

_FEWEST, _FEWEST_SHARED = 2, 3
"""How many words the other clause must hold that the cited one lacks; more when both share words of the sentence."""
_FEWEST_OF_TITLE = 2
_MOST = 0.6
"""The share of the sentence's words that the other clause must hold."""
_MOST_REFERENCES = 30


def misnumbered_clauses(case: Case) -> Iterator[Finding | Unchecked]:
    """One finding for each right sentence under the number of another clause."""
    references = case.named_clauses[:_MOST_REFERENCES]
    if len(references) < len(case.named_clauses):
        yield Unchecked("clause numbers", f"only the first {_MOST_REFERENCES} of the answer were looked up")
    sentences = [case.outline.sentence(reference.start) for reference in references]
    named = Counter(sentences)
    for reference, sentence in zip(references, sentences, strict=True):
        span = (reference.start, reference.end)
        if named[sentence] == 1 and not reference.foreign and not case.denied(*span) and not case.allowed(*span):
            right = _right_clause(case, reference, *sentence)
            if right is not None:
                told = f"The documents say this in clause {right.clause}."
                yield Finding("clause", *span, "unsupported", rule="clause.other", said=told, place=right.place)


def _right_clause(case: Case, reference: Reference, start: int, end: int) -> HeldClause | None:
    """The only clause that holds what the sentence says, when the cited one holds no word of it beyond those."""
    related = [held for held in case.documents.clauses.held if held.clause.related(reference.clause)]
    text = case.outline.text
    if not related or case.known.clauses.aside.search(text, start, reference.opens) is not None:
        return None
    beside = case.known.languages.function_words(case.lang) | case.known.clauses.pointing
    words = plain_words(f"{text[start : reference.opens]} {text[reference.end : end]}").split()
    telling = stems(word for word in words if word not in beside)
    under = telling & frozenset().union(*(held.stems for held in related))
    others = [held for held in case.documents.clauses.held if not held.clause.related(reference.clause)]
    full = [held for held in others if _holds(held.stems, telling, under)]
    if not full and not any(_is_titled(held, telling, beside) for held in related):
        full = [held for held in others if _is_titled(held, telling, beside)]
    if (
        len(full) != 1
        or not under <= full[0].stems
        or any(_holds(loose, telling, under) for loose in case.documents.clauses.loose)
    ):
        return None
    return full[0] if _agrees(case, full[0], text[start:end]) and not _leads_to(case, full[0], reference) else None


def _holds(held: frozenset[str], telling: frozenset[str], under: frozenset[str]) -> bool:
    """Whether a text holds most of the telling words, and enough that do not stand ``under`` the cited clause."""
    fewest = _FEWEST_SHARED if under else _FEWEST
    shared = telling & held
    return len(shared) >= _MOST * len(telling) and len(shared - under) >= fewest


def _is_titled(held: HeldClause, telling: frozenset[str], beside: Iterable[str]) -> bool:
    """Whether the telling words hold the clause's whole title, and nothing that its text does not hold."""
    title = held.title.difference(beside)
    return len(title) >= _FEWEST_OF_TITLE and title <= telling <= held.stems


def _agrees(case: Case, held: HeldClause, sentence: str) -> bool:
    """Whether the sentence asserts something, and denies nothing unless the clause does so too."""
    reader = case.known.readers.statements
    said = reader.sentence(sentence, 0, len(sentence))
    if not reader.claims(said):
        return False
    if not said.denies and not reader.hedged(said):
        return True
    statements = (reader.sentence(text, 0, len(text)) for text in held.texts)
    return any(each.denies or reader.hedged(each) for each in statements)


def _leads_to(case: Case, held: HeldClause, reference: Reference) -> bool:
    """Whether the clause itself refers to the one that the answer names."""
    named = (each for text in held.texts for each in case.known.clauses.find(text))
    return any(each.clause.related(reference.clause) for each in named)
