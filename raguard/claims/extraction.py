"""Which claims does an extractor find in an answer, and where do they stand in it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from raguard.claims.asking import Fault, ask
from raguard.claims.context import Context

if TYPE_CHECKING:
    from raguard.claims.splitting import ClaimExtractor

__all__ = ["PlacedClaim", "extract", "place"]


class PlacedClaim(NamedTuple):
    """A claim, and its place: ``answer[start:end] == text``, or None for one that is not there word for word."""

    text: str
    start: int | None
    end: int | None


async def extract(extractor: ClaimExtractor, ctx: Context, answer: str, seconds: float) -> list[PlacedClaim] | Fault:
    """The claims that the extractor finds, in its order and without blank ones, or why there are none."""
    found = await ask(lambda: extractor.extract(ctx, answer), seconds)
    if isinstance(found, Fault):
        return found
    if isinstance(found, (str, bytes)) or not isinstance(found, Sequence):
        return Fault(f"returned {type(found).__name__} in place of a list of claims")
    for claim in found:
        if not isinstance(claim, str):
            return Fault(f"returned {type(claim).__name__} in place of a claim")
    return place([claim for claim in found if claim and not claim.isspace()], answer)


def place(claims: Iterable[str], answer: str) -> list[PlacedClaim]:
    """The claims with their places; those that name none are looked for in order, else in what no claim has taken.

    >>> place(["It rains.", "It pours.", "It rains.", "It snows."], "It rains. It pours. It rains.")[2:]
    [PlacedClaim(text='It rains.', start=20, end=29), PlacedClaim(text='It snows.', start=None, end=None)]
    """
    placed: list[PlacedClaim] = []
    taken: set[int] = set()
    # where to look next for a claim that no longer stands behind all others, or -1
    resumed: dict[str, int] = {}
    behind = 0
    for claim in claims:
        start, end = getattr(claim, "start", None), getattr(claim, "end", None)
        if not (type(start) is int and type(end) is int and start >= 0 and answer[start:end] == claim):
            start = answer.find(claim, behind) if claim not in resumed else -1
            if start < 0:
                start = _first_free(answer, claim, resumed.get(claim, 0), taken)
                resumed[claim] = start + 1 if start >= 0 else -1
            end = start + len(claim)
        if start < 0:
            placed.append(PlacedClaim(str(claim), None, None))
            continue
        placed.append(PlacedClaim(str(claim), start, end))
        taken.add(start)
        behind = max(behind, end)
    return placed


def _first_free(answer: str, claim: str, place: int, taken: set[int]) -> int:
    """Where the claim stands from ``place`` on and nothing is taken, or -1, as for a negative place."""
    at = answer.find(claim, place) if place >= 0 else -1
    while at in taken:
        at = answer.find(claim, at + 1)
    return at
