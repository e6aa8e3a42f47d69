"""Does an amount per year come from one that the documents state per month, week, day or hour, or the reverse?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from raguard.evidence.sources import Place, Sources
from raguard.reading.measures import LENGTHS
from raguard.reading.rates import RateReader
from raguard.values.quantities import Quantity, Reading

__all__ = ["Rates"]

_NEARLY = 0.2
_MOST_RATES = 100
"""More amounts than that give too many others by chance."""
_PER_YEAR = {"year": 1, "month": 12, "week": 52, "day": 365, "hour": 8760}
_MOST_SPANS = 8
"""More lengths of time than that give too many sums by chance."""


class Rates:
    """The amounts of some chunks that are per a span of time."""

    def __init__(self, sources: Sources, rates: RateReader) -> None:
        self._sources = sources
        self._rates = rates

    def converted(self, value: Quantity, yearly: float | None) -> Place | None:
        """Where an amount is stated that is ``value``, due ``yearly`` times a year, in another span of time.

        Nowhere when one that is nearly the same is stated for the same span of time.
        """
        if yearly is None:
            return None
        alike = [each for each in self._stated if each[0].unit == value.unit]
        if any(often == yearly and _near(value, theirs.amount) for theirs, often, _ in alike):
            return None
        for theirs, often, place in alike:
            if often != yearly:
                # 4 weeks a month and 7 days a week, as people reckon
                factor = float(round(often / yearly)) if often > yearly else 1 / round(yearly / often)
                if Quantity((theirs._replace(amount=theirs.amount * factor),)).covers(value):
                    return place
        return None

    def over_a_span(self, value: Quantity) -> Place | None:
        """Where an amount per month stands that comes to ``value`` over a number of months that the chunks state."""
        return next((place for amount, place in self._sums if Quantity((amount,)).covers(value)), None)

    @cached_property
    def _sums(self) -> list[tuple[Reading, Place]]:
        spans = {
            fact.value.readings[0][:2]
            for chunk in self._sources.chunks
            for fact in chunk.reading.facts
            if isinstance(fact.value, Quantity) and fact.value.unit is not None and fact.value.unit.dimension in LENGTHS
        }
        if len(spans) > _MOST_SPANS:
            return []
        return [
            (theirs._replace(amount=theirs.amount * length), place)
            for theirs, often, place in self._stated
            for length, unit in spans
            if unit is not None and _PER_YEAR.get(unit.id) == often
        ]

    @cached_property
    def _stated(self) -> list[tuple[Reading, float, Place]]:
        """The first amounts that are per a span of time, each with how often a year it falls due."""
        return list(islice(self._all(), _MOST_RATES))

    def _all(self) -> Iterator[tuple[Reading, float, Place]]:
        for chunk in self._sources.chunks:
            for fact in chunk.reading.facts:
                if isinstance(fact.value, Quantity) and not fact.value.ordinal:
                    often = self._rates.yearly(chunk.reading.text, fact.start, fact.end)
                    if often is not None:
                        yield fact.value.readings[0], often, Place(chunk, fact.start, fact.end)


def _near(value: Quantity, amount: float) -> bool:
    return abs(value.readings[0].amount - amount) <= _NEARLY * abs(amount)
