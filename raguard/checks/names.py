"""Which names of the answer does no chunk hold? Explain by presence first; the language model sees what is left.

A capitalised run is a name when one of its words is no common English word. Of a run of common words only the language
model can tell; it gets the sentences that hold such a run and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from raguard.case import Case, Finding
from raguard.evidence.presence import Presence
from raguard.evidence.rivals import Rivals
from raguard.lexicon import Lexicon
from raguard.model import Entity
from raguard.reading.names import NameRun, Token, find_names

__all__ = ["missing_names"]

_NUMERALS = frozenset({"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"})


def missing_names(case: Case) -> Iterator[Finding]:
    """One finding for each name of the answer: supported, an echo of the query, or missing."""
    judge = _Judge(case)
    open_runs: list[_Open] = []
    for run in find_names(case.rest, case.lexicon):
        if case.denied(run.start, run.end) or case.allowed(run.start, run.end):
            continue
        verdict = judge.explain(run)
        if isinstance(verdict, _Open):
            open_runs.append(verdict)
        elif verdict is not None:
            yield verdict
    yield from judge.settle(open_runs)


@dataclass(frozen=True, slots=True)
class _Open:
    """A run that presence does not explain: the run as it will be marked, and its words without support."""

    run: NameRun
    missing: tuple[Token, ...]
    unknown: tuple[Token, ...]
    opens: bool


class _Judge:
    def __init__(self, case: Case) -> None:
        self._case = case
        self._lexicon = case.lexicon
        self._documents = Presence(case.sources, case.lexicon)
        self._query = Presence(case.asked, case.lexicon)
        self._rivals = Rivals(case.sources, case.lexicon)

    def explain(self, run: NameRun) -> Finding | _Open | None:
        """The finding for a run that presence settles, None for what is no name, else what is left of it."""
        opens = self._case.outline.opens(run.start)
        run = self._trimmed(run, opens)
        if all(self._plain(token) for token in run.tokens):
            return None
        place = self._documents.whole(run)
        if place is not None:
            return Finding("name", run.start, run.end, "supported", place=place)
        missing = tuple(token for token in run.tokens if not self._plain(token) and not self._documents.word(token))
        if not missing:
            return self._scattered(run)
        if all(self._query.word(token) for token in missing):
            return Finding("name", run.start, run.end, "echo", rule="name.echo")
        unknown = tuple(token for token in missing if not _common(token, self._lexicon))
        if not unknown and (opens or self._case.outline.heads(run.start)):
            return None
        return _Open(run, missing, unknown, opens)

    def settle(self, runs: Sequence[_Open]) -> Iterator[Finding]:
        """The findings for what presence left, with the help of the language model where there is one."""
        entities = self._entities(runs)
        for left in runs:
            seen = _overlapping(entities, left.run)
            if left.unknown:
                yield self._missing(left, seen)
            elif seen is not None:
                yield self._finding(left.run, "name.common")

    def _missing(self, left: _Open, seen: Entity | None) -> Finding:
        run, unknown = left.run, left.unknown
        if self._case.see is None:
            return self._finding(run, "name.presence")
        if self._documents.expands(run):
            return self._finding(run, "name.expansion")
        if all(self._rivals.near(token) for token in unknown):
            return self._finding(run, "name.near")
        rival = self._rivals.other_first_name(run, left.missing)
        if rival is not None:
            return self._finding(run, "name.conflict")
        if len(run.tokens) == 1 and run.tokens[0].capitals and not self._lexicon.is_place(run.tokens[0].text):
            return self._finding(run, "name.acronym")
        if self._demonym(run):
            return self._finding(run, "name.demonym")
        alone = sum(token.text[0].isupper() for token in run.tokens) == 1
        if self._case.outline.heads(run.start) or (left.opens and alone and seen is None):
            return self._finding(run, "name.opening")
        return self._finding(run, "name.absent")

    def _scattered(self, run: NameRun) -> Finding | None:
        rival = self._rivals.other_first_name(run, run.tokens[:1])
        if rival is not None:
            return self._finding(run, "name.conflict")
        return Finding("name", run.start, run.end, "supported", place=self._case.sources.find(run.words[:1]))

    def _finding(self, run: NameRun, rule: str) -> Finding:
        return Finding("name", run.start, run.end, "unsupported", rule=rule, place=self._rivals.nearest(run))

    def _trimmed(self, run: NameRun, opens: bool) -> NameRun:
        """The run without the common words that only stand in capitals because they come first."""
        while opens and len(run.tokens) > 1:
            first = run.tokens[0]
            if not _common(first, self._lexicon) or self._documents.word(first):
                break
            run = run.without_first()
        return run

    def _plain(self, token: Token) -> bool:
        """Whether a word needs no support: a small word, layout, a generic abbreviation."""
        lower = token.lower
        return (
            lower in self._lexicon.function_words
            or lower in self._lexicon.headings
            or token.text in self._lexicon.acronyms
            or lower in _NUMERALS
            or not any(character.isalpha() for character in lower)
            or len(lower) == 1
        )

    def _demonym(self, run: NameRun) -> bool:
        return len(run.tokens) == 1 and self._lexicon.is_demonym(run.tokens[0].text)

    def _entities(self, runs: Iterable[_Open]) -> list[Entity]:
        """What the language model sees in the sentences of the given runs, all in one call."""
        if self._case.see is None:
            return []
        outline = self._case.outline
        spans = sorted({outline.sentence(left.run.start) for left in runs})
        text = "\n".join(outline.text[start:end].replace("\n", " ") for start, end in spans)
        entities, begun = [], 0
        seen = self._case.see(text) if spans else ()
        for start, end in spans:
            shift = start - begun
            entities += [Entity(e.start + shift, e.end + shift, e.label) for e in seen if begun <= e.start < begun + end - start]
            begun += end - start + 1
        return entities


def _overlapping(entities: Iterable[Entity], run: NameRun) -> Entity | None:
    return next((entity for entity in entities if entity.start < run.end and entity.end > run.start), None)


def _common(token: Token, lexicon: Lexicon) -> bool:
    return token.capitals is None and lexicon.is_common(token.lower)
