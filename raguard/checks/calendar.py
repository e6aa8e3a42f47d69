"""Was a day, a length of time or a time of day that no chunk states reckoned from what they state, and rightly?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raguard.case import Case, Claim, Finding
from raguard.checks.told_lengths import leads_to
from raguard.evidence.sources import Place
from raguard.values.clock import ClockRange, ClockValue
from raguard.values.dates import Dated, DateValue, SpokenDate
from raguard.values.periods import DateRange
from raguard.values.quantities import Quantity

__all__ = ["reckoned"]

_REACH = 240
"""How many characters from a word for days, within its sentence, what it is about may stand."""
_TIMES = (ClockRange, ClockValue)
_COMPUTED = "It can be computed from what they say."


def reckoned(case: Case, claim: Claim, known: Sequence[Claim]) -> Finding | None:
    """The finding for what follows from a deadline, a weekday, a term or the config's day or time zone, or None.

    A time of day may follow from a length of time beside it. ``known`` are the claims before it that something carries.
    """
    value = claim.values[0]
    if isinstance(value, SpokenDate) and value.words:
        return _spoken(case, claim, value)
    if isinstance(value, Dated):
        return _dated(case, claim, value)
    if isinstance(value, Quantity):
        return _length(case, claim, value)
    if isinstance(value, ClockValue) and not value.zones and case.known.zones:
        place = case.sources.supports(replace(value, zones=case.known.zones))
        if place is not None:
            return Finding(value.kind, claim.start, claim.end, "derived", place=place)
    if leads_to(case, claim, known):
        return Finding(value.kind, claim.start, claim.end, "derived", rule=f"{value.kind}.derivable", said=_COMPUTED)
    return None


def _spoken(case: Case, claim: Claim, value: SpokenDate) -> Finding | None:
    """Words counted from the config's day: held against the dates of the documents, if they have any."""
    meant = case.known.deadlines.meant(value)
    if meant is None:
        return None
    place = case.sources.supports(meant) or case.documents.deadlines.reaching(meant)
    if place is not None:
        return Finding(value.kind, claim.start, claim.end, "derived", place=place)
    nearest = case.sources.nearest(meant)
    if nearest is None:
        return None
    return Finding("date", claim.start, claim.end, "unsupported", rule="date.unsupported", place=nearest)


def _dated(case: Case, claim: Claim, value: Dated) -> Finding | None:
    place = case.documents.deadlines.reaching(value) or _part_of_week(case, claim, value)
    if place is None and isinstance(value, DateValue):
        # 22:00 UTC on the 14th is 07:00 JST on the 15th
        place = case.documents.moments.at(value, case.told_moments.get(value, ()))
    if place is not None or value in case.told_days:
        return Finding(value.kind, claim.start, claim.end, "derived", place=place)
    place = case.documents.deadlines.reckoned(value)
    if place is None and isinstance(value, DateValue):
        place = _by_calendar(case, claim, value)
    if place is None:
        return None
    return Finding(value.kind, claim.start, claim.end, "derived", rule="date.derivable", said=_COMPUTED, place=place)


def _part_of_week(case: Case, claim: Claim, value: Dated) -> Place | None:
    """Where the documents name by a word the days that the answer gives by their names: weekdays, weekends.

    Their sentence must have a word or a time of day of the answer's, else it may be about something else.
    """
    words: tuple[str, ...] = ()
    if isinstance(value, DateRange):
        words = case.known.week_parts.get(tuple(getattr(end, "weekday", None) for end in value.ends()), ())
    elif isinstance(value, SpokenDate) and value.weekday is not None and case.outline.text[claim.end - 1] == "s":
        parts = case.known.week_parts.items()
        words = tuple(form for (first, last), forms in parts if first <= value.weekday <= last for form in forms)
    places = (place for form in words if (place := case.sources.find(form.split())) is not None)
    return next((place for place in places if _is_about(case, claim, place)), None)


def _is_about(case: Case, claim: Claim, place: Place) -> bool:
    """Whether the sentence of a place has a word that claims something, or a time of day, of the claim's sentence."""
    reading, words = place.chunk.reading, case.known.readers.claims
    first, last = reading.sentence(place.start)
    start, end = case.outline.sentence(claim.start)
    first, last = max(first, place.start - _REACH), min(last, place.end + _REACH)
    start, end = max(start, claim.start - _REACH), min(end, claim.end + _REACH)
    stems = set(words.stemmed(reading.text[first:last]))
    if any(word.rarity and word.stem in stems for word in words.words(case.outline.text, start, end)):
        return True
    times = [each.value for each in reading.facts_in(first, last) if isinstance(each.value, _TIMES)]
    here = [each.values[0] for each in case.claims_within(start, end)]
    return any(time.covers(each) for time in times for each in here)


def _by_calendar(case: Case, claim: Claim, value: DateValue) -> Place | None:
    """Where the documents name the day by its weekday, without its year, or by a length that ends on it."""
    deadlines = case.documents.deadlines
    place = deadlines.on_weekday(value) or deadlines.in_year(value) or deadlines.beside_weekday(value)
    if place is None and case.known.deadlines.ends_on(case.outline.text, claim.start):
        place = deadlines.closing(value)
    return place


def _length(case: Case, claim: Claim, value: Quantity) -> Finding | None:
    """A length of time that leads from one day of the answer to one that the documents name."""
    told = case.told_deadlines.get(claim.start)
    place = None if told is None or told.day is None else case.sources.supports(told.day)
    return None if place is None else Finding(value.kind, claim.start, claim.end, "derived", place=place)
