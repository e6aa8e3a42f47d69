"""Was a number that no chunk states computed from what they state, and is the computation right?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter

from raguard.case import Case, Claim, Finding
from raguard.checks.steps import follows, tells_otherwise
from raguard.checks.told_lengths import lies_between
from raguard.evidence.rates import is_length
from raguard.evidence.sources import Place
from raguard.reading.measures import LENGTHS
from raguard.text.phrases import Places
from raguard.text.words import singular
from raguard.values.quantities import Quantity

__all__ = ["derived"]

_LIST = re.compile(r"(?:\s[\w'-]{1,20}){1,4}?\s?(?:\(|—|\s-|,\snamely|\sare|\sin)\s([^.;:()\n]{3,300})")
_LIST_BEHIND_COLON = re.compile(r"(?:\s[\w'-]{1,20}){1,6}:\s((?:[^.;:()\n]|\([^()\n]{1,60}\)){3,300})")
_ASIDE = re.compile(r"\([^()\n]{1,60}\)")
_ITEM_END = re.compile(r",\s(?:and\s|or\s)?|\s(?:and|or)\s")
_OTHER = ("the other ", "The other ")
_FIRST = (" first ", "First ")
_LAST_WORD = re.compile(r"(?<!\w)([A-Za-z]{2,20})$")
_NEXT_WORD = re.compile(r" ([a-z]{2,20})")
_SHORT_ANSWER = 100
"""Up to that many characters an answer is read with the question's words: "What is the change?" – "It is 12."."""
_DAY = 86400
_MONTH = 30.4
"""A day in seconds, the base unit of time, and a month, that of the calendar, in days."""
_IN_OTHER_WORDS = re.compile(
    r"(?:[ -][a-z]{2,15})?,?\s?(?:\(|or\s|i\.e\.,?\s|that\sis,?\s|=\s?){1,2}"
    r"(?:about\s|around\s|roughly\s|approximately\s|some\s)?"
)
"""What stands between a span and the same span in another unit: two months (8 weeks)."""
_APPOSED = re.compile(
    r"[\w%] (?:\(|or |i\.e\.,? |that is,? )(?:about |roughly |approximately |around |nearly |almost |some )?$"
)
"""What stands between an amount and its share: €158,000 (about 32%)."""
_ABOUT = 0.1
_SUMMED = frozenset({"cue_total", "cue_product"})
"""What an amount per month may be multiplied with the months for."""
_REMEMBERED = 40
"""How many of the numbers before one may be the same one."""
_NEAR = 60
"""How many characters a cue word may stand before its number, and a length of time beside an amount."""


def derived(case: Case, claim: Claim, known: Sequence[Claim]) -> Finding | None:
    """The finding for a computed number: supported, derivable (low) or computed wrongly; None for any other.

    ``known`` are the claims before it that something carries.
    """
    value = claim.values[-1]
    if not isinstance(value, Quantity):
        return None
    shown = _shown_arithmetic(case, claim, value)
    if shown is not None:
        return shown
    nouns = case.known.nouns.counted(case.outline.text, claim.end)
    repeated = case.documents.counts.listed(value, nouns)
    if repeated is not None or _counts_a_list(case, claim, value):
        return Finding(value.kind, claim.start, claim.end, "derived", place=repeated)
    cues = tuple(_cues(case, claim))
    place = (
        _counted(case, claim, value, nouns)
        or (None if tells_otherwise(case, claim) else _computed(case, value, cues, nouns))
        or (case.documents.derivations.multiple(value) if "cue_multiple" in cues else None)
        or case.documents.shares.share(value, rest="cue_difference" in cues)
        or case.documents.products.coming_to(value)
        or case.documents.spans.lasting(value)
        or case.documents.rates.converted(value, case.known.rates.yearly(case.outline.text, claim.start, claim.end))
        or (case.documents.rates.over_a_span(value) if not _SUMMED.isdisjoint(cues) else None)
        or _restated(case, claim, value)
        or (_rounded(case, value, nouns) if "cue_average" in cues else None)
        or (_paid(case, claim, value) if value.kind == "money" else None)
    )
    again = any(each.values == claim.values for each in known[-_REMEMBERED:])
    if place is None and not again and not follows(case, claim, known, cues) and not lies_between(case, claim, known):
        return None
    said = "It can be computed from what they say."
    # what the question counts is no evidence
    evidence = place if place is not None and case.sources.hold(place) else None
    return Finding(
        value.kind, claim.start, claim.end, "derived", rule=f"{value.kind}.derivable", said=said, place=evidence
    )


def _paid(case: Case, claim: Claim, value: Quantity) -> Place | None:
    """Where the documents state what an amount is paid over some months, or with its tax."""
    return case.documents.rates.over(value, _lengths_beside(case, claim)) or case.documents.taxes.leads_to(value)


def _lengths_beside(case: Case, claim: Claim) -> list[Quantity]:
    """The lengths of time close to an amount, in its sentence: two months' rent comes to $1,800."""
    start, end = case.outline.sentence(claim.start)
    start, end = max(start, claim.start - _NEAR), min(end, claim.end + _NEAR)
    values = (each.values[-1] for each in case.claims_within(start, end))
    return [value for value in values if isinstance(value, Quantity) and is_length(value)]


def _counted(case: Case, claim: Claim, value: Quantity, nouns: frozenset[str]) -> Place | None:
    """Where the documents count what the value counts: in parts, as a set of which it is an item, or all but one."""
    text, counts, asked = case.outline.text, case.documents.counts, case.asked_counts
    if value.ordinal:
        start, _ = case.outline.sentence(claim.start)
        opens = text[start : claim.start].strip().lower() in ("", "the")
        ranked = case.known.nouns.after(text, claim.end)
        return (asked.of_set(value, ranked) or counts.of_set(value, ranked)) if opens else None
    if text.endswith(_OTHER, 0, claim.start):
        return asked.others(value, nouns) or counts.others(value, nouns)
    return counts.total(value, nouns) or _labelled(case, claim, value)


def _labelled(case: Case, claim: Claim, value: Quantity) -> Place | None:
    """Where the documents rank what the answer numbers (day four) or counts up to it (the first three days)."""
    text, rank = case.outline.text, value.readings[0].amount
    if text.endswith(_FIRST, 0, claim.start):
        noun = _LAST_WORD.search(text, claim.start, claim.end) if value.unit else _NEXT_WORD.match(text, claim.end)
        return case.documents.counts.ranked(rank + 1, singular(noun[1])) if noun else None
    label = _LAST_WORD.search(text, max(0, claim.start - _NEAR), claim.start - 1)
    return case.documents.counts.ranked(rank, label[1].lower()) if label and value.bare else None


def _computed(case: Case, value: Quantity, cues: tuple[str, ...], nouns: frozenset[str]) -> Place | None:
    """Where the documents hold what the value can be computed from."""
    key = (value, cues, nouns)
    if key not in case.computed:
        from_documents = case.documents.derivations
        case.computed[key] = (
            from_documents.years_between(value)
            or from_documents.anniversary(value)
            or from_documents.computed_from(value, cues, nouns)
        )
    return case.computed[key]


def _shown_arithmetic(case: Case, claim: Claim, value: Quantity) -> Finding | None:
    """A number whose working stands beside it, or beside the same number elsewhere in the answer.

    The operands are claims of their own.
    """
    working = case.workings.get(claim)
    proved = case.proved.get(value.readings[0].amount)
    if (working is not None and working.gives(value)) or (proved is not None and proved.covers(value)):
        return Finding(value.kind, claim.start, claim.end, "derived")
    if working is None or not working.certain:
        return None
    result = (100 if value.kind == "percent" else 1) * working.result
    said = f"{case.outline.text[working.start : working.end].strip()} is {result:,.6g}."
    return Finding(value.kind, claim.start, claim.end, "unsupported", rule="arithmetic.wrong", said=said)


def _rounded(case: Case, value: Quantity, nouns: frozenset[str]) -> Place | None:
    """Where an average stands that the answer rounds to a whole number: 54 for a mean age of 54.3 years."""
    amount, unit, _ = value.readings[0]
    if not amount.is_integer():
        return None
    for entry in case.sources.shelf(Quantity.axis).within(((amount - 0.5, amount + 0.5),)):
        stated = entry.fact.value
        if not isinstance(stated, Quantity):
            continue
        # 89 people are no 88.6 kg, but an age of 54 is one of 54.3 years
        if stated.unit is not None and (nouns if unit is None else stated.unit != unit):
            continue
        if stated.decimals and abs(stated.readings[0].amount - amount) <= 0.5:
            return Place(entry.chunk, entry.fact.start, entry.fact.end)
    return None


def _restated(case: Case, claim: Claim, value: Quantity) -> Place | None:
    """Where the documents state the span that the answer names beside this one in another unit."""
    days, here = _days(value), bisect_left(case.claims, claim.start, key=attrgetter("start"))
    for place in (here - 1, here + 1):
        if days is None or not 0 <= place < len(case.claims):
            continue
        first, second = sorted((claim, case.claims[place]), key=attrgetter("start"))
        span = case.claims[place].values[-1]
        theirs = _days(span) if isinstance(span, Quantity) and span.unit != value.unit else None
        if theirs is None or not _IN_OTHER_WORDS.fullmatch(case.outline.text, first.end, second.start):
            continue
        if abs(days - theirs) <= _ABOUT * max(days, theirs):
            return case.sources.supports(span) or case.asked.supports(span)
    return None


def _days(value: Quantity) -> float | None:
    """About how many days a span of days or more lasts."""
    amount, unit, _ = value.readings[0]
    if unit is None or unit.dimension not in LENGTHS:
        return None
    days = unit.base(amount) * _MONTH if unit.dimension == "calendar" else unit.base(amount) / _DAY
    return days if unit.dimension == "calendar" or unit.factor >= _DAY else None


def _counts_a_list(case: Case, claim: Claim, value: Quantity) -> bool:
    """Whether as many items follow as a small number says: three offices: Rome, Oslo and Lima."""
    amount = value.readings[0].amount
    if not 2 <= amount <= 12:
        return False
    lists = (each.match(case.outline.text, claim.end) for each in (_LIST_BEHIND_COLON, _LIST))
    return any(match and len(_ITEM_END.split(_ASIDE.sub("", match[1]).strip())) == amount for match in lists)


def _cues(case: Case, claim: Claim) -> list[str]:
    start, _ = case.outline.sentence(claim.start)
    text = case.outline.text[max(start, claim.start - _NEAR) : claim.end]
    if len(case.outline.text) <= _SHORT_ANSWER:
        text = f"{text}\n{case.query}"
    roles = [str(match.rule.data["role"]) for match in case.known.cues.find(Places(text))]
    roles += [role for role, form in case.known.cues_after if form.match(case.outline.text, claim.end)]
    if _APPOSED.search(case.outline.text, max(start, claim.start - _NEAR), claim.start):
        roles.append("cue_ratio")
    if case.works_with(claim) or case.outline.text.endswith(_OTHER, 0, claim.start):
        roles.append("cue_difference")
    return list(dict.fromkeys(roles))
