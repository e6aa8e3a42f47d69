"""Which phrases of the answer lean on nothing: "the recent report", "studies show"?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from raguard.case import Case, Finding
from raguard.rulebook import Rulebook
from raguard.text.words import plain_words

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


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A rule's pattern, and the word sets of which a text must hold one for the pattern to have a chance."""

    rule: str
    pattern: re.Pattern[str]
    needs: tuple[frozenset[str], ...]


def phrase_finder(rulebook: Rulebook, own: Iterable[str]) -> Callable[[str], Iterator[tuple[str, int, int]]]:
    """A function that finds the phrases of the family ``vague`` and the config's own ones, over line breaks too."""
    phrases = [_phrase(rule.id, rule.pattern, rule.forms, rule.data.get("needs", ())) for rule in rulebook["vague"].rules]
    if own := tuple(own):
        phrases.append(_phrase("vague.own", None, own, ()))

    def find(text: str) -> Iterator[tuple[str, int, int]]:
        held = frozenset(plain_words(text).split())
        for phrase in phrases:
            if any(held >= words for words in phrase.needs):
                for match in phrase.pattern.finditer(text):
                    group = "span" if "span" in phrase.pattern.groupindex else 0
                    yield phrase.rule, *match.span(group)

    return find


def _phrase(rule: str, pattern: str | None, forms: Iterable[str], needs: Iterable[str]) -> _Phrase:
    words = needs if pattern is not None else forms
    return _Phrase(
        rule,
        re.compile(_anywhere(pattern, forms), re.IGNORECASE),
        tuple(frozenset(plain_words(text).split()) for text in words),
    )


def _anywhere(pattern: str | None, forms: Iterable[str]) -> str:
    """A pattern for whole words in which every space matches any white space."""
    bare = pattern if pattern is not None else "|".join(re.escape(form) for form in forms)
    loose = _SPACE.sub(r"\\s{1,4}", bare)
    return rf"(?<!\w)(?:{loose})(?!\w)"
