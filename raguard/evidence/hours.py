"""When is the place of a record open? Its opening hours by day of the week."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from raguard.evidence.sources import Place, Sources
from raguard.reading.clock import ClockReader
from raguard.reading.date_words import one_of
from raguard.reading.hour_ends import HourEnd
from raguard.reading.records import Scalar, by_key
from raguard.rulebook import Rulebook
from raguard.text.words import plain_words
from raguard.values.clock import ClockRange, ClockValue

__all__ = ["DayReader", "OpeningHours", "SpokenDays"]

_WEEK = tuple(range(7))
_FEWEST_DAYS = 3
"""A record that names that many days and leaves one out says that the place is closed on it."""
_SHUT = "closed"


class OpeningHours(NamedTuple):
    """The hours of each day (0 is Monday) with their places; a day without hours is closed.

    ``shut`` are the days that the record itself calls closed, ``names`` the lower-case words of the name of the place.
    """

    days: Mapping[int, tuple[ClockRange, ...]]
    places: Mapping[int, Place]
    shut: frozenset[int]
    names: frozenset[str] = frozenset()

    @property
    def closed(self) -> frozenset[int]:
        """The days on which the place is closed."""
        return frozenset(day for day in _WEEK if not self.days.get(day))

    def includes(self, day: int, hours: ClockRange) -> bool:
        """Whether the record gives the day these hours."""
        return any(known.covers(hours) for known in self.days.get(day, ()))

    def turns(self, day: int, end: HourEnd, time: ClockValue) -> bool:
        """Whether the place opens, or closes, at this time of the day."""
        hours = self.days.get(day, ())
        return any((known.start if end == "opens" else known.end).covers(time) for known in hours)


class SpokenDays(NamedTuple):
    """Days of the week as a text names them, with the span of the words."""

    days: tuple[int, ...]
    start: int
    end: int


class DayReader:
    """Reads days of the week in keys and in sentences, by the families ``dates`` and ``records``."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._clock = ClockReader(rulebook)
        self._numbers = {
            form.lower(): int(rule.data["number"])
            for role in ("weekday", "weekday_short")
            for rule in rulebook["dates"].role(role)
            for form in rule.forms
        }
        records = rulebook["records"]
        self._no_hours = records.words("no_hours")
        self._name_keys = records.words("name_key")
        self._about = records.pattern("about_hours")
        self._excepts = records.pattern("excepts_hours")
        self._varies = records.pattern("varying_hours")
        day, to = one_of(self._numbers), one_of(rulebook["dates"].forms("to"))
        several = [records.forms(role) for role in ("work_days", "off_days", "all_days")]
        self._openings = sorted({form.lower().split()[0] for form in chain(self._numbers, *several)})
        work, off, every = map(one_of, several)
        self._spoken = re.compile(
            rf"\b(?:(?P<first>{day})\.?\s?(?:-|{to})\s?(?P<last>{day})|(?P<day>{day})"
            rf"|(?P<work>{work})|(?P<off>{off})|(?P<all>{every}))\b",
            re.IGNORECASE,
        )

    def gives_hours(self, sentence: str) -> bool:
        """Whether ``sentence`` speaks of opening hours and excepts no day from them."""
        return self._about.search(sentence) is not None and not self.excepts(sentence)

    def excepts(self, sentence: str) -> bool:
        """Whether ``sentence`` excepts a day from what it tells."""
        return self._excepts.search(sentence) is not None

    def varies(self, sentence: str) -> bool:
        """Whether the hours that ``sentence`` tells are said to differ from day to day."""
        return self._varies.search(sentence) is not None

    def recorded(self, sources: Sources) -> list[tuple[int, Place, Scalar]]:
        """What the fields hold that have a day for a key; nothing when they are too few to be opening hours."""
        numbers = self._numbers
        named = [
            (numbers[key], Place(chunk, field.start, field.end), field.value)
            for chunk in sources.chunks
            for key, field in by_key(chunk.reading.fields)
            if key in numbers
        ]
        return named if len(named) >= _FEWEST_DAYS else []

    def hours(self, recorded: Iterable[tuple[int, Place, Scalar]]) -> OpeningHours | None:
        """The opening hours of the one record that has some, or None when there is none or more than one."""
        days: dict[int, tuple[ClockRange, ...]] = {}
        places: dict[int, Place] = {}
        shut = set()
        read: dict[str, tuple[ClockRange, ...] | None] = {}
        for number, place, value in recorded:
            written = str(value)
            if written not in read:
                read[written] = self._day(value)
            found = read[written]
            if found is None:
                continue
            if number in days:
                return None
            days[number] = found
            places[number] = place
            if written.lower() == _SHUT:
                shut.add(number)
        if len(days) < _FEWEST_DAYS:
            return None
        return OpeningHours(days, places, frozenset(shut), self._names(places))

    def _names(self, places: Mapping[int, Place]) -> frozenset[str]:
        """The words of what the chunks at these places call by name."""
        chunks = {place.chunk.index: place.chunk for place in places.values()}.values()
        named = [field for chunk in chunks for key, field in by_key(chunk.reading.fields) if key in self._name_keys]
        return frozenset(word for field in named for word in plain_words(str(field.value)).split())

    def _day(self, value: Scalar) -> tuple[ClockRange, ...] | None:
        """The hours in a field's value: none for a closed day, None when the value is something else."""
        if value is None or (isinstance(value, str) and value.lower() in self._no_hours):
            return ()
        found = [fact.value for fact in self._clock.find(str(value))]
        ranges = tuple(value for value in found if isinstance(value, ClockRange))
        if not ranges:
            return None
        return tuple(hours for hours in ranges if hours.start != hours.end)

    def spoken(self, sentence: str) -> Sequence[SpokenDays]:
        """The days that ``sentence`` names, range by range."""
        # in ASCII no letter has a case that ``lower`` does not know
        if sentence.isascii() and not any(map(sentence.lower().__contains__, self._openings)):
            return ()
        return [SpokenDays(self._days(match), *match.span()) for match in self._spoken.finditer(sentence)]

    def _days(self, match: re.Match[str]) -> tuple[int, ...]:
        if match["first"]:
            first, last = (self._numbers[match[name].lower()] for name in ("first", "last"))
            return tuple(range(first, last + 1)) if first <= last else (*range(first, 7), *range(last + 1))
        if match["day"]:
            return (self._numbers[match["day"].lower()],)
        if match["work"]:
            return _WEEK[:5]
        return _WEEK[5:] if match["off"] else _WEEK
