"""Does the answer give a record's opening hours to the right days?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from operator import attrgetter

from raguard.case import Case, Claim, Finding
from raguard.evidence.hours import OpeningHours, SpokenDays
from raguard.values.clock import ClockRange, ClockValue

__all__ = ["contradicted_hours"]


def contradicted_hours(case: Case) -> Iterator[Finding]:
    """A finding for each range of days that holds a closed one, and for hours or an end of them of other days."""
    days = case.known.days
    told = list(_told(case)) if case.documents.recorded_days else []
    hours = case.documents.hours if told else None
    if hours is None:
        return
    times = [claim for claim in case.claims if claim.values[-1].axis == ClockValue.axis]
    starts = [claim.start for claim in times]
    for start, end, spoken in told:
        sentence = case.outline.text[start:end]
        yield from _turned_days(case, spoken, hours, start, end)
        inside = times[bisect_left(starts, start) : bisect_left(starts, end)]
        if days.gives_hours(sentence):
            yield from _closed_days(spoken, hours)
            if not days.varies(sentence):
                yield from _other_days(spoken, inside, hours)
        lone = any(isinstance(claim.values[-1], ClockValue) for claim in inside)
        if lone and not days.excepts(sentence) and not days.varies(sentence):
            yield from _other_ends(case, spoken, inside, hours, start, end)


def _told(case: Case) -> Iterator[tuple[int, int, list[SpokenDays]]]:
    """The sentences that name days, with these."""
    for start, end in case.outline.sentences:
        spoken = case.known.days.spoken(case.outline.text[start:end])
        if spoken:
            yield start, end, [SpokenDays(each.days, each.start + start, each.end + start) for each in spoken]


def _turned_days(
    case: Case, spoken: Sequence[SpokenDays], hours: OpeningHours, start: int, end: int
) -> Iterator[Finding]:
    """Single days that the record calls closed and the answer open, and days with hours that it calls closed."""
    sentence = case.outline.text[start:end]
    for each in spoken:
        if case.denied(each.start, each.end) or case.known.polarity.only_told(sentence, each.start - start):
            continue
        says = case.known.openness.reads(sentence, each.start - start)
        if says == "open" and len(each.days) == 1 and each.days[0] in hours.shut:
            yield _finding(each, "hours.closed_day", "The record says that this day is closed.", hours, each.days[0])
        working = [day for day in each.days if hours.days.get(day)] if says == "closed" else []
        if working:
            yield _finding(each, "hours.open_day", "The record has hours for this day.", hours, working[0])


def _finding(spoken: SpokenDays, rule: str, said: str, hours: OpeningHours, day: int) -> Finding:
    place = hours.places.get(day)
    return Finding("field", spoken.start, spoken.end, "unsupported", rule=rule, said=said, place=place)


def _closed_days(spoken: Sequence[SpokenDays], hours: OpeningHours) -> Iterator[Finding]:
    for each in spoken:
        closed = sorted(hours.closed & set(each.days)) if len(each.days) > 1 else []
        if closed:
            said = "The record has no hours for one of these days."
            yield _finding(each, "hours.closed_day", said, hours, closed[0])


def _other_days(spoken: Sequence[SpokenDays], claims: Sequence[Claim], hours: OpeningHours) -> Iterator[Finding]:
    """Hours and days that alternate belong together pair by pair."""
    claims = [claim for claim in claims if isinstance(claim.values[-1], ClockRange)]
    if not spoken or len(spoken) != len(claims):
        return
    order = sorted([*((each.start, 0) for each in spoken), *((claim.start, 1) for claim in claims)])
    if any(first[1] == second[1] for first, second in zip(order[::2], order[1::2], strict=True)):
        return
    for each, claim in zip(spoken, claims, strict=True):
        value = claim.values[-1]
        assert isinstance(value, ClockRange)
        wrong = [day for day in each.days if hours.days.get(day) and not hours.includes(day, value)]
        if wrong:
            said = f"The record gives {_which(each.days)} other hours."
            place = hours.places[wrong[0]]
            yield Finding(
                "field", claim.start, claim.end, "unsupported", rule="hours.other_day", said=said, place=place
            )


def _other_ends(
    case: Case, spoken: Sequence[SpokenDays], times: Sequence[Claim], hours: OpeningHours, start: int, end: int
) -> Iterator[Finding]:
    """Times at which the answer lets the place open or close on days that begin or end otherwise."""
    sentence = case.outline.text[start:end]
    for days, claims in _paired(case, sentence, start, spoken, times):
        for claim in claims:
            value, position = claim.values[-1], claim.start - start
            if not isinstance(value, ClockValue) or case.denied(claim.start, claim.end):
                continue
            says = case.known.hour_ends.reads(sentence, position, hours.names)
            if says is None or case.known.polarity.only_told(sentence, position):
                continue
            wrong = [day for day in days if hours.days.get(day) and not hours.turns(day, says, value)]
            if wrong:
                said = f"The record has another {'opening' if says == 'opens' else 'closing'} time for {_which(days)}."
                place = hours.places[wrong[0]]
                yield Finding(
                    "field", claim.start, claim.end, "unsupported", rule="hours.other_end", said=said, place=place
                )


def _paired(
    case: Case, sentence: str, start: int, spoken: Sequence[SpokenDays], times: Sequence[Claim]
) -> Iterator[tuple[list[int], list[Claim]]]:
    """Runs of days and of times that alternate in a clause belong together pair by pair; to a lone run belongs all."""
    parts: dict[int, list[SpokenDays | Claim]] = {}
    both: list[SpokenDays | Claim] = [*spoken, *times]
    for each in sorted(both, key=attrgetter("start")):
        parts.setdefault(case.known.openness.clause(sentence, each.start - start)[0], []).append(each)
    for part in parts.values():
        runs = [list(run) for _, run in groupby(part, lambda each: isinstance(each, Claim))]
        lone = sum(isinstance(run[0], SpokenDays) for run in runs) == 1
        pairs = [runs] if lone else [runs[number : number + 2] for number in range(0, len(runs), 2)]
        for pair in pairs if lone or len(runs) % 2 == 0 else ():
            inside = [*chain.from_iterable(pair)]
            days = [day for each in inside if isinstance(each, SpokenDays) for day in each.days]
            yield days, [each for each in inside if isinstance(each, Claim)]


def _which(days: Sequence[int]) -> str:
    return "this day" if len(days) == 1 else "one of these days"
