"""Which lower-case open-class terms, such as drug names, does no chunk hold?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case, Finding

__all__ = ["missing_terms"]


def missing_terms(case: Case) -> Iterator[Finding]:
    """One finding for each term with the ending of an open class: supported, an echo of the query, or missing."""
    text = case.rest
    if case.lang != "en" or not case.known.lexicon.holds_open_class(text) or case.crosses:
        return
    for match in case.known.lexicon.open_class.finditer(text):
        word, (start, end) = match.group().lower(), match.span()
        if case.known.lexicon.is_common(word) or case.denied(start, end) or case.allowed(start, end):
            continue
        if case.sources.vocabulary.holds(word):
            yield Finding("term", start, end, "supported", place=case.sources.find([word]))
        elif case.asked.vocabulary.holds(word):
            yield Finding("term", start, end, "echo", rule="name.echo")
        else:
            yield Finding("term", start, end, "unsupported", rule="name.term", place=case.documents.open_term)
