"""Does an amount per year come from one that the documents state per month, week, day or hour, or the reverse?"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import islice

from raguard.evidence.sources import Place, Sources
from raguard.reading.measures import LENGTHS
from raguard.reading.rates import RateReader
from raguard.values.quantities import Quantity, Reading

__all__ = ["Rates", "is_length"]

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
        return self.over(value, self._spans)

    def over(self, value: Quantity, spans: Collection[Quantity]) -> Place | None:
        """Where an amount per month stands that comes to ``value`` over one of some numbers of months."""
        for length, unit in {span.readings[0][:2] for span in spans} if len(spans) <= _MOST_SPANS else ():
            yearly = None if unit is None else _PER_YEAR.get(unit.id)
            for theirs, often, place in self._stated:
                if often == yearly and Quantity((theirs._replace(amount=theirs.amount * length),)).covers(value):
                    return place
        return None

    @cached_property
    def _spans(self) -> Collection[Quantity]:
        """The lengths of time that the chunks state, each once."""
        facts = (fact for chunk in self._sources.chunks for fact in chunk.reading.facts)
        spans = (fact.value for fact in facts if isinstance(fact.value, Quantity) and is_length(fact.value))
        return {span.readings[0][:2]: span for span in spans}.values()

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


def is_length(value: Quantity) -> bool:
    """Whether a value is a length of time."""
    return value.unit is not None and value.unit.dimension in LENGTHS


def _near(value: Quantity, amount: float) -> bool:
    return abs(value.readings[0].amount - amount) <= _NEARLY * abs(amount)
