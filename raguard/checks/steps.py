"""Does a number follow from those that the answer gave just before, by a step that its words name?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from raguard.case import Case, Claim
from raguard.values.quantities import Quantity, Unit

__all__ = ["follows"]

_REACH = 240
"""How many characters before a number its operands may stand."""
_MOST_OPERANDS = 6
"""More numbers than that give too many results by chance."""
_MOST_ASKED = 4
"""A question with more numbers than that lends none of them."""
_CONCLUDED = frozenset({"cue_difference", "cue_total", "cue_product"})
"""What "so you pay" may have done with the numbers before it."""
_MOST_READ = 16
_RELATIVE = frozenset({"percent", "percentage_point"})


class _Operand(NamedTuple):
    """A number that the documents, the question or the answer's own arithmetic carry."""

    amount: float
    unit: Unit | None
    nouns: frozenset[str]


def follows(case: Case, claim: Claim, known: Sequence[Claim], cues: Iterable[str]) -> bool:
    """Whether a step that ``cues`` name gives the claim's number from ``known`` ones before it and the question's."""
    value = claim.values[-1]
    cued = set(cues)
    if "cue_conclusion" in cued:
        cued |= _CONCLUDED
    if not cued or not isinstance(value, Quantity):
        return False
    nouns = case.known.nouns.after(case.outline.text, claim.end)
    operands = _operands(case, claim, known)
    return any(_rounds_to(value, result) for result in _results(case, value, nouns, operands, cued))


def _rounds_to(value: Quantity, result: float) -> bool:
    """Whether ``value`` is ``result`` to the precision written; without "about", at least to a whole number."""
    amount, _, place = value.readings[0]
    if value.hedge == "exact" and not value.scaled:
        place = min(place, 1.0)
    return abs(result - abs(amount)) <= place * (0.5 + 1e-9)


def _operands(case: Case, claim: Claim, known: Sequence[Claim]) -> list[_Operand]:
    text, nouns = case.outline.text, case.known.nouns
    near = [each for each in known[-_MOST_OPERANDS:] if each.start >= claim.start - _REACH]
    found = [
        _Operand(abs(each.values[-1].readings[0].amount), each.values[-1].unit, nouns.after(text, each.end))
        for each in near
        if isinstance(each.values[-1], Quantity)
    ]
    asked = [
        _Operand(abs(fact.value.readings[0].amount), fact.value.unit, nouns.after(chunk.reading.text, fact.end))
        for chunk in case.asked.chunks
        for fact in chunk.reading.facts[:_MOST_READ]
        if isinstance(fact.value, Quantity) and not fact.tentative
    ]
    return found + asked if len(asked) <= _MOST_ASKED else found


def _results(
    case: Case, value: Quantity, nouns: frozenset[str], operands: Sequence[_Operand], cued: set[str]
) -> Iterator[float]:
    """What each cued step gives for each two operands that can give a number of this unit."""
    alike = [each for each in operands if each.unit == value.unit and case.known.nouns.agree(nouns, each.nouns)]
    relative = value.unit is not None and value.unit.dimension in _RELATIVE
    for one, other in permutations(alike, 2):
        if "cue_difference" in cued:
            yield one.amount - other.amount
        if "cue_total" in cued:
            yield one.amount + other.amount
    if "cue_total" in cued and len(alike) > 2:
        yield sum(each.amount for each in alike)
    for one, other in permutations(operands, 2):
        if "cue_product" in cued and one.unit == value.unit and one.unit is not None and other.unit is None:
            yield one.amount * other.amount
        if "cue_quotient" in cued and one.unit == value.unit and other.unit is None and other.amount:
            yield one.amount / other.amount
        if one.unit != other.unit or not other.amount:
            continue
        if "cue_ratio" in cued and relative:
            yield 100 * one.amount / other.amount / (value.unit.factor if value.unit else 1)
            yield 100 * abs(one.amount - other.amount) / other.amount / (value.unit.factor if value.unit else 1)
        if "cue_quotient" in cued and one.unit is not None and value.unit != one.unit and not relative:
            yield one.amount / other.amount
