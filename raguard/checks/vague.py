"""Which phrases of the answer lean on nothing: "the recent report", "studies show"?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raguard.case import Case, Finding
from raguard.rulebook import Rule, Rulebook
from raguard.text.folding import fold
from raguard.text.phrases import Phrases, word_set
from raguard.text.words import plain_words

__all__ = ["vague_phrases", "vague_references"]


def vague_references(case: Case) -> Iterator[Finding]:
    """A finding for each curated phrase that neither the documents nor the query hold."""
    text = case.outline.claims
    for match in case.phrases.find(text, word_set(text)):
        start, end = match.start, match.end
        words = plain_words(text[start:end]).split()
        if case.denied(start, end) or case.allowed(start, end):
            continue
        if case.sources.find(words) is None and case.asked.find(words) is None:
            yield Finding("vague", start, end, "flagged", rule=match.rule.id)


def vague_phrases(rulebook: Rulebook, own: Iterable[str]) -> Phrases:
    """The phrases of the family ``vague`` and the config's own ones, which the rule ``vague.own`` names."""
    rules = list(rulebook["vague"].rules)
    if own := tuple(own):
        rules.append(Rule("vague.own", forms=tuple(fold(phrase).text for phrase in own)))
    return Phrases(rules, whole_words=True)
