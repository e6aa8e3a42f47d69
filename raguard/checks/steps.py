"""Does a number follow from those that the answer gives beside it, by a step that its words name?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from raguard.case import Case, Claim
from raguard.values.quantities import Quantity, Range, Reading, Unit

__all__ = ["follows", "tells_otherwise"]

_REACH = 240
"""How many characters from a number its operands may stand."""
_MOST_OPERANDS = 6
"""More numbers than that give too many results by chance."""
_MOST_ASKED = 4
"""A question with more numbers than that lends none of them."""
_CONCLUDED = frozenset({"cue_difference", "cue_total", "cue_product"})
"""What "so you pay" may have done with the numbers before it."""
_MOST_READ = 16
"""So many values of a question are looked at."""
_MOST_BEHIND = 4
"""So many numbers behind one explain it."""
_FEW = 3
"""Of more numbers in a sentence it is not plain which ones belong together."""
_MOST_TIMES = 20
"""More of one thing are seldom told with what they cost together."""
_RELATIVE = frozenset({"percent", "percentage_point"})
_PARTS = re.compile(r"(?:\s[\w'-]{1,20}){0,4}(?:\s\(([^()\n]{3,120})\)|:\s([^.;:\n]{3,120}))")
"""What a sum may be told in: fourteen withdrew (nine and five)."""
_BESIDE = 30
"""So many characters before a number a word may stand that says how it follows from others."""
_BEFORE_SHARE = 60
"""What an amount is concluded from may take more words."""
_BOTH = re.compile(r"\s(?:for|of)\s(?:you\s)?(?:both|the\stwo|two)\b")
_FRACTION = re.compile(r"\s(?:of|as\smuch|as\smany|the)\b")
"""What follows half when it is half of what stands beside it."""


class _Operand(NamedTuple):
    """A number that the documents, the question or the answer's own arithmetic carry."""

    amount: float
    unit: Unit | None
    nouns: frozenset[str]


def follows(case: Case, claim: Claim, known: Sequence[Claim], cues: Iterable[str]) -> bool:
    """Whether a step gives the claim's number from ``known`` ones before it, carried ones behind it or the question's.

    The step is one that ``cues`` name, or words beside the number; sizes and sums in parts need none.
    """
    value = claim.values[-1]
    cued = set(cues)
    if "cue_conclusion" in cued:
        cued |= _CONCLUDED
    if not isinstance(value, Quantity) or value.ordinal:
        return False
    if _is_told_in_parts(case, claim, value):
        return True
    text, (start, _) = case.outline.text, case.outline.sentence(claim.start)
    before, behind = _before(case, claim, known), _behind(case, claim)
    if _BOTH.match(text, claim.end):
        before.append(_Operand(2.0, None, frozenset()))
    beside = [*_before(case, claim, [each for each in known[-_MOST_OPERANDS:] if each.start >= start]), *behind]
    near = max(start, claim.start - _BESIDE)
    if case.known.paid.search(text, near, claim.start) and _is_several(case, value, beside):
        return True
    steps = [*_uncued(case, claim, value, [*before, *behind], shares=_concludes_a_share(case, claim, start))]
    if case.known.moved.search(text, near, claim.start) or case.known.moved_behind.match(text, claim.end):
        steps += _plain(value, beside)
    if cued:
        nouns = case.known.nouns.counted(text, claim.end)
        steps += _results(case, value, nouns, [*before, *behind, *_asked(case)], cued)
    return any(_rounds_to(value, result) for result in steps) or (
        "cue_quotient" in cued and _is_a_part(case, value, before)
    )


def tells_otherwise(case: Case, claim: Claim) -> bool:
    """Whether the answer tells at once of which two numbers the claim is made, and no step leads from them to it."""
    value, parts = claim.values[-1], _parts(case, claim)
    if not isinstance(value, Quantity) or len(parts) != 2 or any(each.unit not in (None, value.unit) for each in parts):
        return False
    one, other = (each.amount for each in parts)
    results = [one + other, one - other, other - one, one * other]
    results += [top / bottom for top, bottom in ((one, other), (other, one)) if bottom]
    return not any(_rounds_to(value, result) for result in results)


def _rounds_to(value: Quantity, result: float) -> bool:
    """Whether ``value`` is ``result`` to the precision written; without "about", at least to a whole number."""
    amount, _, place = value.readings[0]
    if value.hedge == "exact" and not value.scaled:
        place = min(place, 1.0)
    return abs(result - abs(amount)) <= place * (0.5 + 1e-9)


def _operands(case: Case, claim: Claim) -> list[_Operand]:
    """The number of a claim, or both ends of its range."""
    value, nouns = claim.values[-1], case.known.nouns.counted(case.outline.text, claim.end)
    ends = value.ends() if isinstance(value, Range) else (value,)
    readings = [end.readings[0] for end in ends if isinstance(end, Quantity)]
    return [_Operand(abs(amount), unit, nouns) for amount, unit, _ in readings]


def _before(case: Case, claim: Claim, known: Sequence[Claim]) -> list[_Operand]:
    near = (each for each in known[-_MOST_OPERANDS:] if each.start >= claim.start - _REACH)
    return [operand for each in near for operand in _operands(case, each)]


def _behind(case: Case, claim: Claim) -> list[_Operand]:
    """The numbers behind the claim in its sentence that the documents state."""
    _, last = case.outline.sentence(claim.start)
    near = case.claims_within(claim.end, min(last, claim.end + _REACH))[:_MOST_BEHIND]
    stated = (each for each in near if _is_proved(case, each) or case.sources.supports(each.values[0]) is not None)
    return [operand for each in stated for operand in _operands(case, each)]


def _is_proved(case: Case, claim: Claim) -> bool:
    """Whether the arithmetic beside a number comes to it."""
    value, working = claim.values[-1], case.workings.get(claim)
    return working is not None and isinstance(value, Quantity) and working.gives(value)


def _asked(case: Case) -> list[_Operand]:
    """The numbers of the question, when they are few."""
    asked = [
        _Operand(
            abs(fact.value.readings[0].amount), fact.value.unit, case.known.nouns.counted(chunk.reading.text, fact.end)
        )
        for chunk in case.asked.chunks
        for fact in chunk.reading.facts[:_MOST_READ]
        if isinstance(fact.value, Quantity) and not fact.tentative
    ]
    return asked if len(asked) <= _MOST_ASKED else []


def _concludes_a_share(case: Case, claim: Claim, start: int) -> bool:
    """Whether words beside a number, in its sentence from ``start`` on, say that it comes of a share: so, before."""
    text, place = case.outline.text, max(start, claim.start - _BEFORE_SHARE)
    before = case.known.share_concluded.search(text, place, claim.start)
    return before is not None or case.known.share_concluded_behind.match(text, claim.end) is not None


def _is_told_in_parts(case: Case, claim: Claim, value: Quantity) -> bool:
    """Whether the number is told at once in parts that the documents state, or as what lies between two.

    "Fourteen (nine and five)", "by 6 points (53% to 47%)".
    """
    parts = _parts(case, claim)
    if len(parts) == 2 and _rounds_to(value, abs(parts[0].amount - parts[1].amount)):
        return True
    summable = all(_alike(each.unit, value.unit) for each in parts)
    return len(parts) > 1 and summable and _rounds_to(value, sum(each.amount for each in parts))


def _parts(case: Case, claim: Claim) -> Sequence[_Operand]:
    """The numbers in brackets or behind a colon right after the claim, if the documents state all of them."""
    match = _PARTS.match(case.outline.text, claim.end)
    if match is None:
        return ()
    behind = _behind(case, claim)
    count = sum(len(_operands(case, each)) for each in case.claims_within(*match.span(match.lastindex or 1)))
    return behind[:count] if len(behind) >= count else ()


def _is_a_part(case: Case, value: Quantity, before: Sequence[_Operand]) -> bool:
    """Whether so many times the number is an amount of the documents: two instalments of £12,500 each."""
    if value.unit is None:
        return False
    amount, unit, place = value.readings[0]
    counts = {each.amount for each in before if each.unit is None and 2 <= each.amount <= 100}
    return any(case.sources.covers(Quantity((Reading(count * amount, unit, place),))) is not None for count in counts)


def _is_several(case: Case, value: Quantity, beside: Sequence[_Operand]) -> bool:
    """Whether an amount of the documents, so many times as its sentence counts, is the claim's: two adults pay $28."""
    amount, unit, place = value.readings[0]
    if value.kind != "money" or value.scaled:
        return False
    counts = {each.amount for each in beside if each.unit is None and 2 <= each.amount <= _MOST_TIMES}
    singles = (Quantity((Reading(amount / count, unit, place),)) for count in counts if _whole_cents(amount / count))
    return any(case.sources.covers(single) is not None for single in singles)


def _whole_cents(amount: float) -> bool:
    return abs(100 * amount - round(100 * amount)) < 1e-6


def _plain(value: Quantity, beside: Sequence[_Operand]) -> Iterator[float]:
    """What a difference, a share or so many times give of the few numbers that the claim's sentence carries."""
    # what lies between two temperatures is none, unless the words say so
    if value.unit is None or value.unit.offset:
        return
    alike = [each for each in beside if _alike(each.unit, value.unit)]
    if len(alike) <= _FEW:
        yield from (abs(one.amount - other.amount) for one, other in combinations(alike, 2))
    if value.kind == "money" and len(beside) <= _MOST_OPERANDS:
        yield from (one.amount * other.amount for one in alike for other in beside if _is_count(other, one))
    if value.unit.id != "percent":
        return
    for unit in {each.unit for each in beside if each.unit is not None} - {value.unit}:
        of_unit = [each.amount for each in beside if each.unit == unit and each.amount]
        for one, other in permutations(of_unit, 2) if len(of_unit) <= (_FEW if value.decimals else 2) else ():
            yield from (100 * one / other, 100 * abs(one - other) / other)


def _uncued(
    case: Case, claim: Claim, value: Quantity, operands: Sequence[_Operand], *, shares: bool
) -> Iterator[float]:
    """What shares and sizes give: 25 % off $60, 14 by 18 feet, 25 mg as half of 50 mg."""
    for one, other in permutations(operands, 2):
        percent = shares and one.unit is not None and one.unit.id == "percent"
        if percent and other.unit == value.unit not in (None, one.unit):
            yield from _shared(one.amount / 100, other.amount)
        if value.unit is not None and _is_length(other, value.unit) and one.unit in (None, other.unit):
            yield one.amount * other.amount
    if value.unit is None and value.readings[-1].unit is not None and _FRACTION.match(case.outline.text, claim.end):
        for one, other in permutations(operands, 2):
            if one.unit == other.unit and other.amount:
                yield one.amount / other.amount


def _shared(share: float, amount: float) -> Iterator[float]:
    """The share of an amount, what it leaves or adds, and what the amount was before."""
    yield from (amount * share, amount * (1 - share), amount * (1 + share), amount / (1 + share))
    if share < 1:
        yield amount / (1 - share)


def _is_length(operand: _Operand, area: Unit) -> bool:
    """Whether an amount is a length of which the square is counted in ``area``: feet and square feet."""
    unit = operand.unit
    return unit is not None and unit.dimension == "length" and abs(unit.factor**2 / area.factor - 1) < 1e-6


def _results(
    case: Case, value: Quantity, nouns: frozenset[str], operands: Sequence[_Operand], cued: set[str]
) -> Iterator[float]:
    """What each cued step gives for each two operands that can give a number of this unit."""
    alike = [each for each in operands if _alike(each.unit, value.unit) and case.known.nouns.agree(nouns, each.nouns)]
    relative = value.unit is not None and value.unit.dimension in _RELATIVE
    for one, other in permutations(alike, 2):
        if "cue_difference" in cued:
            yield one.amount - other.amount
        if "cue_total" in cued:
            yield one.amount + other.amount
    if "cue_total" in cued:
        # more than two that are summed up stand side by side
        for first, last in combinations(range(len(alike) + 1), 2):
            yield sum(each.amount for each in alike[first:last]) if last > first + 2 else -1.0
    for one, other in permutations(operands, 2):
        if "cue_product" in cued and one.unit == value.unit and _counts(other, one) and _same_things(nouns, one):
            yield one.amount * other.amount
            # so much a head and a day
            yield from (one.amount * other.amount * each.amount for each in operands if _is_count(each, other))
        if "cue_quotient" in cued and one.unit == value.unit and other.unit is None and other.amount:
            yield one.amount / other.amount
        if one.unit != other.unit or not other.amount:
            continue
        if "cue_multiple" in cued and (value.unit is None or value.unit.id == "times"):
            yield one.amount / other.amount
        if "cue_ratio" in cued and relative:
            yield 100 * one.amount / other.amount / (value.unit.factor if value.unit else 1)
            yield 100 * abs(one.amount - other.amount) / other.amount / (value.unit.factor if value.unit else 1)
        if "cue_quotient" in cued and one.unit is not None and value.unit != one.unit and not relative:
            yield one.amount / other.amount


def _is_count(operand: _Operand, besides: _Operand) -> bool:
    return operand is not besides and operand.unit is None and operand.amount.is_integer()


def _alike(unit: Unit | None, other: Unit | None) -> bool:
    """Whether amounts may be added: in one unit, or percentages and points of them."""
    if unit == other:
        return True
    return unit is not None and other is not None and {unit.id, other.id} <= _RELATIVE


def _same_things(nouns: frozenset[str], operand: _Operand) -> bool:
    """Whether an amount has a unit, or counts what the value counts: 10 points a day are 30 points in three days."""
    return operand.unit is not None or not nouns.isdisjoint(operand.nouns)


def _counts(operand: _Operand, priced: _Operand) -> bool:
    """Whether an amount may be multiplied with the other: a count, or what a price is for."""
    if operand.unit is None:
        return True
    return (priced.unit is None or priced.unit.kind == "money") and operand.unit.kind == "number"
