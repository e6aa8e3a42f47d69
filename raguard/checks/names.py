"""Which names of the answer does no chunk hold? Explain by presence first; the language model sees what is left.

A capitalised run is a name when one of its words is no common English word. Of a run of common words, and of one
unknown word at the start of a sentence, only the language model can tell; it gets the sentences that hold such a run
and no others.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from raguard.case import Case, Finding
from raguard.checks.common_names import common_name_rule
from raguard.checks.foreign_names import ForeignNames
from raguard.evidence.presence import Presence
from raguard.evidence.sources import Place
from raguard.evidence.whereabouts import Whereabouts
from raguard.model import Entity
from raguard.reading.names import NameRun, Token, find_names
from raguard.result import Unchecked
from raguard.text.blanks import Span
from raguard.text.words import plain_words

__all__ = ["missing_names"]

_NUMBER = r"[a-z]{0,2}\d{1,4}[a-z]{0,2}|[ivx]{1,5}"
_NUMBER_AFTER = re.compile(
    rf"[ -]({_NUMBER})(?![\w%])(?![-.,:/]\d| (?:percent|million|billion|to \d)\b)", re.IGNORECASE
)
_MOST_SHOWN = 20_000
"""How many characters of one answer the language model gets; it takes half a second for them."""
_MOST_LOOKED_UP = 1_000
"""For so many names of an answer the nearest one is looked up; it is shown and decides nothing."""
_ROMAN = re.compile("[IVX]{1,5}")
_NUMBERED = re.compile(_NUMBER)


def missing_names(case: Case) -> Iterator[Finding | Unchecked]:
    """One finding for each name of the answer: supported, an echo of the query, or missing."""
    judge = _Judge(case)
    other_words = False
    excuses = bool(case.outline.denials or case.known.allowed)
    for run in find_names(case.rest, case.known.lexicon):
        if excuses and (case.denied(run.start, run.end) or case.allowed(run.start, run.end)):
            continue
        found = judge.explain(run)
        if found is not None and found.status == "unsupported" and case.crosses:
            other_words = True
        elif found is not None:
            yield found
    if judge.left_over and not case.crosses:
        yield from judge.settle(judge.left_over)
    elif judge.left_over or other_words:
        yield Unchecked("names", "a document is in another language than the answer and may call them otherwise")


class _LeftOver(NamedTuple):
    """A run that presence does not explain: as it will be marked, its words without support, those no English words."""

    run: NameRun
    missing: tuple[Token, ...]
    unknown: tuple[Token, ...]
    opens: bool

    @property
    def alone(self) -> bool:
        """Whether the run has one capitalised word only."""
        return [token.text[0].isupper() for token in self.run.tokens].count(True) == 1


class _Judge:
    """What presence, the lexicon and the language model say of the runs of one case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._lexicon = case.known.lexicon
        self._documents = case.documents.presence
        self._foreign = None if case.lang == "en" else ForeignNames(case, self._documents)
        self.left_over: list[_LeftOver] = []
        """What presence does not explain."""
        self._looked_up = 0
        self._numbers: dict[tuple[str, ...], tuple[Place | None, frozenset[str]]] = {}

    @cached_property
    def _query(self) -> Presence:
        return Presence(self._case.asked, self._lexicon)

    def explain(self, run: NameRun) -> Finding | None:
        """The finding for a run that presence settles, None for what is not a name and what is left over."""
        if self._lexicon.unsaid.issuperset(run.words) if run.simple else self._unsaid(run):
            return None
        start, opens = run.start, False
        if self._foreign is not None:
            name = self._foreign.name(run, opens=self._case.outline.opens(start))
            if name is None:
                return None
            run = name
        place = self._documents.whole(run)
        if place is None:
            opens = self._case.outline.opens(start)
            full, run = run, self._trimmed(run, opens)
            if (run is not full or self._foreign is not None) and all(map(self._plain, run.tokens)):
                return None
            if run is not full:
                place = self._documents.whole(run)
        numbered = self._numbered(run)
        if numbered is not None:
            return numbered
        if place is not None:
            return Finding("name", run.start, run.end, "supported", place=place)
        day = self._case.known.holidays.get(plain_words(run.text))
        if day is not None and (place := self._case.sources.supports(day)) is not None:
            return Finding("name", run.start, run.end, "supported", place=place)
        held = self._documents.word if self._foreign is None else self._foreign.held
        missing = tuple([token for token in run.tokens if not self._plain(token) and not held(token)])
        if not missing:
            return self._scattered(run)
        if self._case.labels.chunks and all(map(self._case.documents.label_presence.word, missing)):
            return Finding("name", run.start, run.end, "supported")
        if all(map(self._query.word, missing)):
            return Finding("name", run.start, run.end, "echo", rule="name.echo")
        unknown = missing if self._known_name(run) else tuple([token for token in missing if not self._common(token)])
        left = _LeftOver(run, missing, unknown, opens)
        if unknown or self._person(run) or not self._capital_says_nothing(left):
            self.left_over.append(left)
        return None

    def _capital_says_nothing(self, left: _LeftOver) -> bool:
        """Whether common words are capitalized and yet not a name: Project Eagle is one beside a Project Falcon."""
        if (left.opens and left.alone) or self._case.outline.heads(left.run.start):
            return True
        return left.opens and not self._case.documents.rivals.begins(left.run.words[0])

    def settle(self, runs: Sequence[_LeftOver]) -> Iterator[Finding | Unchecked]:
        """The findings for what presence left, with the help of the language model where there is one."""
        doubtful = sorted({self._sentence(left) for left in runs if self._doubtful(left)}) if self._case.see else []
        sentences = _shown(doubtful)
        if len(sentences) < len(doubtful):
            why = f"the language model saw {_MOST_SHOWN:,} characters; what is left is judged by presence alone"
            yield Unchecked("names", why)
        entities = self._entities(sentences)
        starts = [entity.start for entity in entities]
        for left in runs:
            nearest = bisect_left(starts, left.run.end) - 1
            seen = nearest >= 0 and entities[nearest].end > left.run.start
            if self._documents.expands(left.run):
                yield self._finding(left.run, "name.expansion")
            elif len(left.run.tokens) == 1 and self._lexicon.is_demonym(left.run.text) and self._case.see is not None:
                yield self._finding(left.run, "name.demonym")
            elif left.unknown:
                told = self._case.see and (not self._doubtful(left) or self._sentence(left) in sentences)
                yield self._unsupported(left, seen) if told else self._finding(left.run, "name.presence")
            elif seen:
                yield self._finding(left.run, common_name_rule(self._case, left.run, left.missing))

    def _doubtful(self, left: _LeftOver) -> bool:
        """Whether only the language model can tell: common words, or one unknown word where a capital says nothing."""
        return not left.unknown or (left.opens and left.alone)

    def _unsupported(self, left: _LeftOver, seen: bool) -> Finding:
        """The finding for a run with an unknown word."""
        known = Whereabouts(self._documents, self._lexicon).known(left.run, self._case.outline.text)
        if known is not None:
            return Finding("name", left.run.start, left.run.end, "unsupported", rule="name.locates", place=known)
        return self._finding(left.run, self._rule(left, seen))

    def _rule(self, left: _LeftOver, seen: bool) -> str:
        """The rule for a run with an unknown word, the mildest first."""
        run = left.run
        heads = self._case.outline.heads(run.start)
        place = self._lexicon.is_place(run.text)
        if self._case.known.exclusions.excludes(self._case.outline.text, run.start):
            return "name.excluded"
        if all(map(self._case.documents.rivals.near, left.unknown)):
            return "name.near"
        rival = self._case.documents.rivals.other_first_name(run, left.missing)
        if rival is not None:
            return "name.nickname" if self._documents.called(run.tokens[0], rival) else "name.conflict"
        lettered = [token for token in run.tokens if any(map(str.isalpha, token.text))]
        if len(lettered) == 1 and lettered[0].capitals and not place:
            return "name.acronym"
        if place and self._sets_the_scene(run):
            return "name.scope"
        return "name.opening" if left.alone and (heads or (left.opens and not seen)) else "name.absent"

    def _numbered(self, run: NameRun) -> Finding | None:
        """A finding when the documents know the name by another number: iPhone 16 where they say iPhone 15."""
        end = run.end
        last = run.words[-1]
        if last[0] in "ivx" and len(run.words) > 1 and _ROMAN.fullmatch(run.tokens[-1].text):
            base, number = run.without_last(), last
        else:
            after = _NUMBER_AFTER.match(self._case.outline.text, run.end)
            if after is None:
                return None
            base, number, end = run, after.group(1).lower(), after.end()
        if len(base.tokens) == 1 and self._common(base.tokens[0]):
            return None
        place, known = self._numbers_after(base.words)
        if place is None or number in known or any(number in after for after in self._case.asked.following(base.words)):
            return None
        return Finding("name", run.start, end, "unsupported", rule="name.numbered", place=place)

    def _numbers_after(self, words: tuple[str, ...]) -> tuple[Place | None, frozenset[str]]:
        """Where the documents put a number after a name, and the numbers; no place when some chunk gives it none."""
        if words not in self._numbers:
            others = [
                {word: place for word, place in after.items() if _NUMBERED.fullmatch(word)}
                for after in self._case.sources.following(words)
            ]
            # a chunk that gives the name no number may mean any
            place = next(iter(others[0].values())) if others and all(others) else None
            self._numbers[words] = place, frozenset().union(*others)
        return self._numbers[words]

    def _scattered(self, run: NameRun) -> Finding:
        """What to say of a name whose words all stand in the documents, but nowhere together."""
        joined = len(run.tokens) > 1 and self._case.outline.text[run.tokens[-2].end] in "-/"
        rival = None if joined else self._case.documents.rivals.other_first_name(run, run.tokens[:1])
        if rival is not None and self._documents.called(run.tokens[0], rival):
            return self._finding(run, "name.nickname")
        # a first name that stands alone may well belong to the surname: Iman Hashi and her sister Siham
        if rival is not None and self._case.documents.rivals.begins(run.words[0]):
            return self._finding(run, "name.conflict")
        names = [token for token in run.tokens if not self._plain(token) and token.lower not in self._lexicon.particles]
        person = not any(token.capitals or self._common(token) for token in names)
        if len(names) > 1 and self._apart([token.lower for token in names]):
            return self._finding(run, "name.scattered" if person else "name.apart")
        return Finding("name", run.start, run.end, "supported", place=self._documents.somewhere(run))

    def _apart(self, words: Sequence[str]) -> bool:
        """Whether each word stands in some chunk, but no chunk holds two of them."""
        holders = [{chunk.index for chunk in self._case.sources.vocabulary.holding([word])} for word in words]
        return all(holders) and sum(map(len, holders)) == len(set().union(*holders))

    def _finding(self, run: NameRun, rule: str) -> Finding:
        self._looked_up += 1
        nearest = self._case.documents.rivals.nearest(run) if self._looked_up <= _MOST_LOOKED_UP else None
        return Finding("name", run.start, run.end, "unsupported", rule=rule, place=nearest)

    def _trimmed(self, run: NameRun, opens: bool) -> NameRun:
        """The run without titles and without common words that have a capital only because they come first."""
        while len(run.words) > 1:
            first = run.tokens[0]
            title = first.lower in self._lexicon.titles
            capital_says_nothing = opens and self._common(first) and not self._documents.word(first)
            if not title and (not capital_says_nothing or self._person(run) or self._known_name(run)):
                break
            run = run.without_first()
        return run

    def _person(self, run: NameRun) -> bool:
        """Whether a run opens with a first name, which may be a common word too: Bill Halloway, Grace Hill."""
        return 1 < len(run.words) < 4 and run.words[0] in self._lexicon.given_names

    def _known_name(self, run: NameRun) -> bool:
        """Whether common words make a name all the same: a known place, a legal form, Bill before a surname."""
        if self._person(run) and not (self._common(run.tokens[0]) and self._common(run.tokens[1])):
            return True
        if len(run.words) == 1:
            return False
        return run.words[-1] in self._lexicon.firm_suffixes or self._lexicon.is_place(run.text)

    def _unsaid(self, run: NameRun) -> bool:
        """Whether a run has only titles and words that need no support."""
        return all(self._plain(token) or token.lower in self._lexicon.titles for token in run.tokens)

    def _plain(self, token: Token) -> bool:
        """Whether a word needs no support: a small word, layout, a generic abbreviation."""
        if token.text in self._lexicon.acronyms:
            return True
        if token.capitals and self._lexicon.is_abbreviation(token.capitals):
            return False
        lower = token.lower
        return (
            len(lower) == 1
            or lower in self._lexicon.layout
            or (token.text.isupper() and _ROMAN.fullmatch(token.text) is not None)
            or not (lower.isalpha() or any(map(str.isalpha, lower)))
        )

    def _common(self, token: Token) -> bool:
        return token.capitals is None and self._lexicon.is_common(token.lower)

    def _sets_the_scene(self, run: NameRun) -> bool:
        """Whether a country opens the sentence and a comma ends its part: "In the US, ..."."""
        text = self._case.outline.text
        start, _ = self._case.outline.sentence(run.start)
        before = plain_words(text[start : run.start]).split()
        opening = before[:-1] if before[-1:] == ["the"] else before
        return text[run.end : run.end + 1] == "," and len(opening) == 1 and opening[0] in self._lexicon.scene_words

    def _sentence(self, left: _LeftOver) -> Span:
        return self._case.outline.sentence(left.run.start)

    def _entities(self, sentences: Mapping[Span, int]) -> list[Entity]:
        """What the language model sees in the given sentences, all in one call."""
        if self._case.see is None or not sentences:
            return []
        begun = list(sentences.values())
        moved = [start - place for (start, _), place in sentences.items()]
        text = "\n".join(self._case.outline.text[start:end].replace("\n", " ") for start, end in sentences)
        return [
            Entity(entity.start + by, entity.end + by, entity.label)
            for entity in self._case.see(text)
            for by in (moved[bisect_right(begun, entity.start) - 1],)
        ]


def _shown(sentences: Iterable[Span]) -> dict[Span, int]:
    """The first sentences, as many as the language model gets, each with where it begins in its text."""
    shown: dict[Span, int] = {}
    length = 0
    for start, end in sentences:
        if length + end - start > _MOST_SHOWN:
            break
        shown[start, end] = length
        length += end - start + 1
    return shown
