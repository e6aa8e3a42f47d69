"""How many are there in all? What documents count in parts: seven women and five men, a further 70, a sixth victim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.nouns import Nouns
from raguard.text.words import plain_words
from raguard.values.quantities import Quantity
from raguard.values.value import Fact

__all__ = ["Counts"]

_AND = re.compile(r",? and $")
_COMMA = re.compile(r", $")
_PHRASE = re.compile(r" (?:[\w'-]{1,20} ){0,2}[\w'-]{2,20}")
_ONE = re.compile(r"(?<![\w'])(?:an?|another)(?= (?:[\w'-]{1,20} ){0,2}[\w'-]{2,20}$)", re.IGNORECASE)
_AND_ONE = re.compile(r" (?:[\w'-]{1,20} ){0,2}[\w'-]{2,20},? and (an?|another) [a-z]")
_ARTICLES = ("a ", "an ", "her ", "his ", "their ", "its ")
_REACH = 70
"""How many characters an item of a list of counts may take."""
_FAR = 120
"""How many characters may lie between a number and "a further 70"."""
_SENTENCE_END = re.compile(r"[.!?;]\s|\n")
_LARGEST_SET = 20


class _Count(NamedTuple):
    """So many of something, as the documents let one count them."""

    amount: float
    nouns: frozenset[str]
    place: Place


class Counts:
    """What the counts of some chunks come to; everything is gathered once, when it is asked for."""

    def __init__(self, sources: Sources, nouns: Nouns, added: Sequence[str]) -> None:
        self._sources = sources
        self._nouns = nouns
        self._added = tuple(f" {form} " for form in added)

    def total(self, value: Quantity, nouns: frozenset[str]) -> Place | None:
        """Where counts that "and" or "a further" joins, or a rank such as "a sixth victim", come to ``value``."""
        if value.kind != "number" or not value.bare or value.ordinal:
            return None
        return self._agreeing(value.readings[0].amount, nouns, self._totals)

    def of_set(self, value: Quantity, nouns: frozenset[str]) -> Place | None:
        """Where a set is counted that holds an item of the rank ``value``: the fourth of five pillars."""
        rank = value.readings[0].amount
        found = (count for count in self._sets if nouns and rank <= count.amount <= _LARGEST_SET)
        return next((count.place for count in found if not nouns.isdisjoint(count.nouns)), None)

    def ranked(self, rank: float, noun: str) -> Place | None:
        """Where ``noun`` is given the ``rank``: the fourth day."""
        return self._ranks.get((rank, noun))

    def others(self, value: Quantity, nouns: frozenset[str]) -> Place | None:
        """Where a set is counted of which ``value`` are left beside the one that is spoken of."""
        amount = value.readings[0].amount + 1
        return self._agreeing(amount, nouns, self._sets) if amount <= _LARGEST_SET else None

    def listed(self, value: Quantity, nouns: frozenset[str]) -> Place | None:
        """Where a record repeats a key named by one of ``nouns`` as often as ``value`` says: three reviews."""
        for keys, count, place in self._repeated:
            if count == value.readings[0].amount and any(noun in keys for noun in nouns):
                return place
        return None

    def _agreeing(self, amount: float, nouns: frozenset[str], counts: Iterable[_Count]) -> Place | None:
        found = (count for count in counts if count.amount == amount and self._nouns.agree(nouns, count.nouns))
        return next((count.place for count in found), None)

    @cached_property
    def _totals(self) -> list[_Count]:
        return [count for chunk in self._sources.chunks for count in self._in(chunk)]

    @cached_property
    def _sets(self) -> list[_Count]:
        return [
            self._count(chunk, fact)
            for chunk in self._sources.chunks
            for fact in _bare(chunk)
            if not _quantity(fact).ordinal
        ]

    @cached_property
    def _ranks(self) -> dict[tuple[float, str], Place]:
        """The first place of each rank with each noun that may have it."""
        found: dict[tuple[float, str], Place] = {}
        for chunk in self._sources.chunks:
            for fact in _bare(chunk):
                if _quantity(fact).ordinal:
                    count = self._count(chunk, fact)
                    for noun in count.nouns:
                        found.setdefault((count.amount, noun), count.place)
        return found

    @cached_property
    def _repeated(self) -> list[tuple[str, int, Place]]:
        found = []
        for chunk in self._sources.chunks:
            counts = Counter(field.keys for field in chunk.reading.fields)
            first = {field.keys: field for field in reversed(chunk.reading.fields)}
            found += [
                (plain_words(" ".join(keys)), count, Place(chunk, first[keys].start, first[keys].end))
                for keys, count in counts.items()
                if count > 1
            ]
        return found

    def _in(self, chunk: Chunk) -> Iterator[_Count]:
        """Every total that the counts of one chunk come to."""
        text = chunk.reading.text
        facts: list[Fact] = []
        for fact in _bare(chunk):
            count = self._count(chunk, fact)
            if _quantity(fact).ordinal:
                if count.nouns and text.endswith(_ARTICLES, max(0, fact.start - 6), fact.start):
                    yield count
                continue
            yield from self._joined(count, facts)
            if facts and text.endswith(self._added, max(0, fact.start - _REACH), fact.start):
                between = facts[-1].end, fact.start
                if between[1] - between[0] <= _FAR and not _SENTENCE_END.search(text, *between):
                    yield _sum(self._count(chunk, facts[-1]), count)
            facts.append(fact)
            one = _AND_ONE.match(text, fact.end)
            if one is not None:
                last = _Count(1, self._nouns.after(text, one.end(1)), Place(chunk, *one.span(1)))
                yield from self._joined(last, facts)

    def _joined(self, last: _Count, before: Sequence[Fact]) -> Iterator[_Count]:
        """The totals of the list of counts that ``last`` closes: a man, a woman and two boys."""
        chunk, text = last.place.chunk, last.place.chunk.reading.text
        total, left, joint = last, len(before), _AND
        while mark := joint.search(text, max(0, total.place.start - 6), total.place.start):
            stop, joint = mark.start(), _COMMA
            fact = before[left - 1] if left else None
            if fact is not None and _PHRASE.fullmatch(text, fact.end, stop):
                left -= 1
                total = _sum(self._count(chunk, fact), total)
            elif one := _ONE.search(text, max(0, stop - _REACH), stop):
                total = _sum(_Count(1, self._nouns.after(text, one.end()), Place(chunk, *one.span())), total)
            else:
                return
            yield total

    def _count(self, chunk: Chunk, fact: Fact) -> _Count:
        nouns = self._nouns.after(chunk.reading.text, fact.end)
        return _Count(_quantity(fact).readings[0].amount, nouns, Place(chunk, fact.start, fact.end))


def _sum(first: _Count, second: _Count) -> _Count:
    place = Place(first.place.chunk, first.place.start, second.place.end)
    return _Count(first.amount + second.amount, first.nouns | second.nouns, place)


def _bare(chunk: Chunk) -> list[Fact]:
    """The numbers of a chunk that have no unit."""
    return [fact for fact in chunk.reading.facts if isinstance(fact.value, Quantity) and fact.value.bare]


def _quantity(fact: Fact) -> Quantity:
    assert isinstance(fact.value, Quantity)
    return fact.value
