"""Which amounts follow from an amount and the rate of tax that stands beside it: net plus VAT, gross less VAT?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, takewhile

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.values.quantities import Quantity
from raguard.values.value import Fact

__all__ = ["Taxes"]

_BESIDE = 24
"""How many characters may lie between a rate and the word that makes it one of a tax."""
_MOST_NEAR = 100
_MOST_AMOUNTS = 40
"""A line with more amounts than that leads to any amount by chance."""


class Taxes:
    """The amounts that taxes of some chunks lead to; ``word`` is what a tax is called."""

    def __init__(self, sources: Sources, word: re.Pattern[str]) -> None:
        self._sources = sources
        self._word = word

    def leads_to(self, value: Quantity) -> Place | None:
        """Where the amount stands from which ``value`` follows: with the tax, without it, or the tax alone."""
        wanted = value.readings[0]
        reach = wanted.place * (0.5 + 1e-9)
        first = bisect_left(self._amounts, wanted.amount - reach, key=_amount)
        near = takewhile(
            lambda found: found[0] <= wanted.amount + reach, islice(self._amounts, first, first + _MOST_NEAR)
        )
        return next((place for _, currency, place in near if currency == value.currency), None)

    @cached_property
    def _amounts(self) -> list[tuple[float, str | None, Place]]:
        found = (each for chunk in self._sources.chunks if "%" in chunk.reading.text for each in self._of(chunk))
        return sorted(found, key=_amount)

    def _of(self, chunk: Chunk) -> Iterator[tuple[float, str | None, Place]]:
        text = chunk.reading.text
        if self._word.search(text) is None:
            return
        lines: dict[int, tuple[list[float], list[Fact]]] = {}
        for fact in chunk.reading.facts:
            if isinstance(fact.value, Quantity) and fact.value.kind != "number":
                rates, amounts = lines.setdefault(text.rfind("\n", 0, fact.start), ([], []))
                if fact.value.kind == "money":
                    amounts.append(fact)
                elif self._word.search(text, max(0, fact.start - _BESIDE), fact.end + _BESIDE):
                    rates.append(fact.value.readings[0].amount / 100)
        for rates, amounts in lines.values():
            for rate in islice(dict.fromkeys(rates), _MOST_AMOUNTS):
                for fact in amounts if len(amounts) <= _MOST_AMOUNTS else ():
                    yield from _results(chunk, fact, rate)


def _amount(found: tuple[float, str | None, Place]) -> float:
    return found[0]


def _results(chunk: Chunk, fact: Fact, rate: float) -> Iterator[tuple[float, str | None, Place]]:
    assert isinstance(fact.value, Quantity)
    amount, place = fact.value.readings[0].amount, Place(chunk, fact.start, fact.end)
    with_tax, without = amount * (1 + rate), amount / (1 + rate)
    for result in (with_tax, without, with_tax - amount, amount - without):
        yield result, fact.value.currency, place
