"""Which phrases of the answer lean on nothing: "the recent report", "studies show"?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case, Finding
from raguard.text.words import plain_words

__all__ = ["vague_references"]


def vague_references(case: Case) -> Iterator[Finding]:
    """A finding for each curated phrase that neither the documents nor the query hold."""
    text = case.outline.claims
    for match in case.known.vague.find(case.outline.places):
        start, end = match.start, match.end
        words = plain_words(text[start:end]).split()
        if case.denied(start, end) or case.allowed(start, end):
            continue
        if case.sources.find(words) is None and case.asked.find(words) is None:
            yield Finding("vague", start, end, "flagged", rule=match.rule.id)
