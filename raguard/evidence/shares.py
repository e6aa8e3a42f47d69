"""Which part of a whole is it, when the documents say how many of how many?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice, pairwise

from raguard.evidence.chunk import Chunk
from raguard.evidence.derivation import in_base
from raguard.evidence.sources import Place, Sources
from raguard.values.quantities import Quantity

__all__ = ["Shares"]

_OF = re.compile(
    r"\s?/\s?|(?:\s(?!and\b|or\b|in\b)[a-z]{2,15}){0,2}\s(?:out\s)?of\s(?:(?:the|all|its|a\stotal\sof)\s)?",
    re.IGNORECASE,
)

_MOST_SHARES = 200
"""More shares than that would give any percentage by chance."""


class Shares:
    """The shares that some chunks give as two numbers: 14 of 22, €342,000 out of €500,000."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def share(self, value: Quantity, *, rest: bool) -> Place | None:
        """Where two numbers stand whose share ``value`` tells, as a percentage or in words; or what it leaves of 1."""
        told = next((each for each in value.readings if each.unit is not None and each.unit.id == "percent"), None)
        if told is None:
            return None
        alone = replace(value, readings=(told,))
        for share, place in self._told:
            for each in (share, 100 - share) if rest else (share,):
                near = abs(each - told.amount) <= told.place * (0.5 + 1e-9) and told.place <= 1
                if near or Quantity((told._replace(amount=each),), decimals=True).covers(alone):
                    return place
        return None

    @cached_property
    def _told(self) -> list[tuple[float, Place]]:
        shares = (share for chunk in self._sources.chunks for share in _shares(chunk))
        return list(islice(shares, _MOST_SHARES))


def _shares(chunk: Chunk) -> Iterator[tuple[float, Place]]:
    text = chunk.reading.text
    facts = [fact for fact in chunk.reading.facts if isinstance(fact.value, Quantity)]
    for part, whole in pairwise(facts):
        top, bottom = in_base(part), in_base(whole)
        if top[1] == bottom[1] and 0 < top[0] < bottom[0] and _OF.fullmatch(text, part.end, whole.start):
            yield 100 * top[0] / bottom[0], Place(chunk, part.start, whole.end)
