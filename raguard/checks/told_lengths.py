"""How long is it between two days or times of day that the answer names, and where does such a length lead?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations, product

from raguard.case import Case, Claim
from raguard.reading.measures import LENGTHS
from raguard.values.clock import ClockRange, ClockValue
from raguard.values.dates import DateValue
from raguard.values.periods import DateRange
from raguard.values.quantities import Quantity, Reading, Unit

__all__ = ["leads_to", "lies_between"]

_REACH = 240
"""How many characters from a claim the days and times that explain it may stand."""
_MOST = 4
"""More days, times or lengths than that lead anywhere by chance."""
_MOST_BACK = 8
_DAY_MINUTES = 24 * 60
_NIGHT = re.compile(r"[ -]nights?\b")
_AGED = re.compile(r"\b(?:age\sof|aged|age)\s$")
_DAYS = Unit("day", "time", 86400.0)
_ANY_YEAR = 2001
"""The year of two days that have none."""


def lies_between(case: Case, claim: Claim, known: Sequence[Claim]) -> bool:
    """Whether two days or times near the claim, which something carries, lie as far apart as it says.

    Before "later" and the like, one of the days may be one that only the documents name.
    """
    value = claim.values[-1]
    if not isinstance(value, Quantity):
        return False
    if value.unit is None and _NIGHT.match(case.outline.text, claim.end):
        value = Quantity((value.readings[0]._replace(unit=_DAYS),), hedge=value.hedge)
    aged = value.unit is None and _AGED.search(case.outline.text, max(0, claim.start - _REACH), claim.start) is not None
    if not aged and (value.unit is None or value.unit.dimension not in LENGTHS):
        return False
    ends = [end for each in _near(case, claim, known) for end in _ends(each)]
    days = [end for end in ends if isinstance(end, DateValue) and end.unit == "day"]
    times = [end for end in ends if isinstance(end, ClockValue)]
    if len(times) <= _MOST and any(_lasts(value, "time", length) for length in _between_times(times)):
        return True
    if len(days) > _MOST:
        return False
    if aged:
        return value.readings[0].amount in {_years(one, other) for one, other in combinations(days, 2)}
    pairs = [*combinations(days, 2)]
    if case.known.lengths_away.match(case.outline.text, claim.end):
        pairs += product(days, case.documents.deadlines.few_days)
    return any(_lasts(value, *length) for length in _between_days(pairs))


def leads_to(case: Case, claim: Claim, known: Sequence[Claim]) -> bool:
    """Whether a time of day and a length of time near the claim lead to its time: 23 hours before 5:50 p.m."""
    value = claim.values[0]
    if not isinstance(value, ClockValue):
        return False
    near = [*_near(case, claim, known)]
    times = [end for each in near for end in _ends(each) if isinstance(end, ClockValue)]
    ways = [minutes for each in near if (minutes := _minutes(each)) is not None]
    start, end = case.outline.sentence(claim.start)
    start, end = max(start, claim.start - _REACH), min(end, claim.end + _REACH)
    directions = ((-1, case.known.lengths_back), (1, case.known.lengths_on))
    signs = [sign for sign, words in directions if words.search(case.outline.text, start, end)]
    if len(times) > _MOST or len(ways) > _MOST:
        return False
    starts = {minute for time in times for minute in time.minutes}
    reached = {(start + sign * way) % _DAY_MINUTES for start in starts for way in ways for sign in signs}
    return not reached.isdisjoint(value.minutes)


def _near(case: Case, claim: Claim, known: Sequence[Claim]) -> Iterator[Claim]:
    """What something carries before a claim in its sentence, or shortly behind it, where answers explain themselves."""
    first, _ = case.outline.sentence(claim.start)
    yield from (each for each in known[-_MOST_BACK:] if each.start >= max(first, claim.start - _REACH))
    for each in case.claims_within(claim.end, claim.end + _REACH)[:_MOST]:
        if case.sources.supports(each.values[0]) is not None:
            yield each


def _ends(claim: Claim) -> Iterator[DateValue | ClockValue]:
    """The days and times of day that a claim names."""
    value = claim.values[0]
    ends = value.ends() if isinstance(value, (DateRange, ClockRange)) else (value,)
    yield from (end for end in ends if isinstance(end, (DateValue, ClockValue)))


def _minutes(claim: Claim) -> float | None:
    value = claim.values[-1]
    unit = value.unit if isinstance(value, Quantity) else None
    if unit is None or unit.dimension != "time" or not isinstance(value, Quantity):
        return None
    return unit.base(value.readings[0].amount) / 60


def _between_times(times: Sequence[ClockValue]) -> Iterator[float]:
    """How many seconds lie between each two times, from the first to the next such time of the second."""
    for one, other in combinations(times, 2):
        yield from (60.0 * ((last - first) % _DAY_MINUTES) for first in one.minutes for last in other.minutes)


def _between_days(pairs: Iterable[tuple[DateValue, DateValue]]) -> Iterator[tuple[str, float]]:
    """The dimension and length of what lies between each two days, without and with the last one."""
    for one, other in pairs:
        year = one.year or other.year or _ANY_YEAR
        ends = [_calendar(one, year), _calendar(other, year)]
        first, last = sorted(end or date.min for end in ends)
        if None in ends or first == last:
            continue
        for end in (last, last + timedelta(days=1)):
            yield "time", (end - first).total_seconds()
            if end.day == first.day:
                yield "calendar", 12.0 * (end.year - first.year) + end.month - first.month


def _years(one: DateValue, other: DateValue) -> int | None:
    """The full years between two days of which both have a year."""
    if one.year is None or other.year is None:
        return None
    first, last = sorted((one.first, other.first))
    return (last - first) // 10_000


def _calendar(day: DateValue, year: int) -> date | None:
    """The day in the calendar, of ``year`` when it names none; None when there is no such day."""
    try:
        return date(day.year or year, day.first // 100 % 100, day.first % 100)
    except ValueError:
        return None


def _lasts(value: Quantity, dimension: str, length: float) -> bool:
    """Whether ``value`` says so long a time, in base units of the dimension."""
    unit = value.unit
    if unit is None or unit.dimension != dimension:
        return False
    return Quantity((Reading((length - unit.offset) / unit.factor, unit),)).covers(value)
