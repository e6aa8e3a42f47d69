"""Does an amount come from so many times another, as the documents write it down: "3 x $19.99"?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, pairwise

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.values.quantities import Quantity, Reading
from raguard.values.value import Fact

__all__ = ["Products"]

_TIMES = re.compile(r"\s?[x×*@]\s?")
_TIMES_WITHIN = re.compile(r"x\s?")
"""The sign as the unit of the count: 3x $19.99."""
_ADDED = frozenset({"mass", "volume"})
"""What is many times as much, besides money: 3 x 4 cm is a size."""
_MOST = 100
"""More products than that give too many amounts by chance."""


class Products:
    """The amounts of some chunks that are written as so many times another."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def coming_to(self, value: Quantity) -> Place | None:
        """Where a count times an amount in a unit stands that comes to ``value``, or all that a chunk has of them."""
        if value.unit is None:
            return None
        return next((place for product, place in self._written if Quantity((product,)).covers(value)), None)

    @cached_property
    def _written(self) -> list[tuple[Reading, Place]]:
        return list(islice((each for chunk in self._sources.chunks for each in _amounts(chunk)), _MOST))


def _amounts(chunk: Chunk) -> Iterator[tuple[Reading, Place]]:
    """The products of a chunk, and what they come to together."""
    products = list(islice(_products(chunk), _MOST))
    yield from products
    if len(products) > 1 and len({product.unit for product, _ in products}) == 1:
        first, last = products[0], products[-1]
        total = sum(product.amount for product, _ in products)
        place = min(product.place for product, _ in products)
        yield first[0]._replace(amount=total, place=place), Place(chunk, first[1].start, last[1].end)


def _products(chunk: Chunk) -> Iterator[tuple[Reading, Place]]:
    text = chunk.reading.text
    numbers = [fact for fact in chunk.reading.facts if isinstance(fact.value, Quantity) and not fact.tentative]
    for first, second in pairwise(numbers):
        if not _multiplied(text, first, second):
            continue
        count, amount = (first, second) if _unit(second) else (second, first)
        times, each = _reading(count), _reading(amount)
        bare = times.unit is None or times.unit.id == "times"
        if bare and each.unit is not None and (amount.value.kind == "money" or each.unit.dimension in _ADDED):
            place = Place(chunk, first.start, second.end)
            yield each._replace(amount=times.amount * each.amount), place


def _multiplied(text: str, first: Fact, second: Fact) -> bool:
    """Whether a sign of multiplication stands between two numbers, maybe read as the unit of the first."""
    if _TIMES.fullmatch(text, first.end, second.start):
        return True
    return first.end > first.start and _TIMES_WITHIN.fullmatch(text, first.end - 1, second.start) is not None


def _unit(fact: Fact) -> bool:
    return _reading(fact).unit is not None


def _reading(fact: Fact) -> Reading:
    """The likeliest reading of a fact that is a quantity."""
    assert isinstance(fact.value, Quantity)
    return fact.value.readings[0]
