"""Which phrases of the answer lean on nothing: "the recent report", "studies show"?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from raguard.case import Case, Finding
from raguard.rulebook import Rulebook

__all__ = ["phrase_finder", "vague_references"]

_SPACE = re.compile(r"(?:\\ |\s)+")


def vague_references(case: Case) -> Iterator[Finding]:
    """A finding for each curated phrase that neither the documents nor the query hold."""
    for rule, start, end in case.phrases(case.outline.claims):
        words = case.outline.text[start:end].lower().split()
        if case.denied(start, end) or case.allowed(start, end):
            continue
        if case.sources.find(words) is None and case.asked.find(words) is None:
            yield Finding("vague", start, end, "flagged", rule=rule)


def phrase_finder(rulebook: Rulebook, own: Iterable[str]) -> Callable[[str], Iterator[tuple[str, int, int]]]:
    """A function that finds the phrases of the family ``vague`` and the config's own ones, over line breaks too."""
    patterns = [
        (rule.id, re.compile(_anywhere(rule.pattern, rule.forms), re.IGNORECASE)) for rule in rulebook["vague"].rules
    ]
    if own := tuple(own):
        patterns.append(("vague.own", re.compile(_anywhere(None, own), re.IGNORECASE)))

    def find(text: str) -> Iterator[tuple[str, int, int]]:
        for rule, pattern in patterns:
            for match in pattern.finditer(text):
                group = "span" if "span" in pattern.groupindex else 0
                yield rule, *match.span(group)

    return find


def _anywhere(pattern: str | None, forms: Iterable[str]) -> str:
    """A pattern for whole words in which every space matches any white space."""
    bare = pattern if pattern is not None else "|".join(re.escape(form) for form in forms)
    loose = _SPACE.sub(r"\\s{1,4}", bare)
    return rf"(?<!\w)(?:{loose})(?!\w)"
