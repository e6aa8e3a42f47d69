"""Which dates do digits write? "2024-09-30", "30.9.2024", "09/10/2025", "3Q24", "2013-14", "1990s", years.

Four digits alone are a year only where the words around them say so; elsewhere they are a year or a number.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from raguard.reading.date_words import GAP, SHORT_YEAR, YEAR, DateWords, Hit, Spot, full_year, word_before
from raguard.values.dates import DateValue
from raguard.values.periods import DateRange, either

__all__ = ["NumericDates", "Order", "in_order", "shown_order"]

Order = Literal["auto", "dmy", "mdy"]

_END = r"(?!\w|[-/.:,][0-9])"
_FULL = re.compile(
    rf"(?P<y>{YEAR})(?P<s>[-/.])(?P<m>[0-9]{{1,2}})(?P=s)(?P<d>[0-9]{{1,2}})(?:(?=t[0-9])|{_END})"
    rf"|(?P<a>[0-9]{{1,2}})(?P<s2>[-/.])(?P<b>[0-9]{{1,2}})(?P=s2)(?P<y2>{YEAR}|[0-9]{{2}}){_END}"
    rf"|(?P<b3>[0-9]{{1,2}})/(?P<y3>{YEAR}){_END}"
    rf"|(?P<a4>[0-9]{{1,2}})/(?P<b4>[0-9]{{2}}){_END}"
)
_COMPACT = re.compile(rf"(?P<y>{YEAR})(?P<m>[0-9]{{2}})(?P<d>[0-9]{{2}})(?![\w%]|[.,:/-][0-9])")
_LETTERED = re.compile(rf"(?P<n>[1-4])(?P<k>[qh])(?:{GAP}?(?P<y>{YEAR}|{SHORT_YEAR})|(?P<y2>[0-9]{{2}}))?(?!\w)")
_SHORT_DECADE = re.compile(r"([0-9]0)['’]?s(?!\w)")
_DECADE = re.compile(r"([0-9]{3}0)['’]?s(?!\w)")
_YEAR_QUARTER = re.compile(rf"(?P<y>{YEAR})[\s-]?q(?P<n>[1-4])(?!\w)")
_YEARS = re.compile(
    rf"(?P<y>{YEAR})(?:(?P<c>{GAP}?[-–—/]{GAP}?)(?P<y2>{YEAR})|(?P<c2>[-–/])(?P<y3>[0-9]{{2}}))(?![\w%]|[-–/.:,][0-9])"
)
_LONE = re.compile(rf"(?P<y>{YEAR})(?:['’]s)?(?![a-z0-9%°'’]|[.,:/][0-9]|[-–][0-9])")
_TO_NOW = re.compile(r"\s?[-–—]\s?(?:present|now|today|current)\b")
_HYPHENED = re.compile(r"-\w")
_BEFORE_CHRIST = re.compile(r"\s(?:b\.?c\.?)")
_NEXT_WORD = re.compile(r"[ \t\n]{1,2}([^\W\d_]{1,20})")
_CLOSES = re.compile(r"\s?[),;\]–-]")
_OPENING = "([\"'“‘"


_SLASHED = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(?:\d{4}|\d{2})(?![\d/-]|\.\d)")


def shown_order(low: str) -> Order | None:
    """The order that the unambiguous numeric dates of a text show, None when there are none or they disagree.

    >>> shown_order("from 25/02/2025 to 07/03/2026")
    'dmy'
    """
    pairs = ((int(first), int(second)) for first, _, second in _SLASHED.findall(low))
    orders: set[Order] = {"dmy" if first > 12 else "mdy" for first, second in pairs if (first > 12) != (second > 12)}
    return orders.pop() if len(orders) == 1 else None


def in_order(value: Any, order: Order) -> Any:
    """An ambiguous day read in the given order; any other value as it is."""
    readings = value.readings
    if len(readings) != 2 or any(getattr(reading, "unit", "") != "day" for reading in readings):
        return value
    return readings[0 if order == "dmy" else 1]


class NumericDates:
    """The forms that begin with a digit; ``at`` reads at one spot and returns what it found there."""

    def __init__(self, words: DateWords, order: Order) -> None:
        self._order = order
        self._cues = words.forms("year_cue")
        self._weak_cues = words.forms("weak_year_cue")
        self._determiners = words.forms("year_determiner")
        self._between_cue = words.forms("between_cue")
        self._labels = words.forms("not_year")
        self._between_label = words.forms("between_label")
        self._followers = words.forms("year_follower")
        self._day_cues = words.forms("day_cue")
        self._parts = frozenset(words.parts)
        self._not_counted = re.compile(words.counted)
        self._fiscal = re.compile(rf"{GAP}{words.fiscal}(?!\w)")

    def at(self, spot: Spot) -> list[Hit]:
        """The date that begins with the digits at ``spot``."""
        length = spot.end - spot.start
        if length == 8:
            return self._compact(spot)
        if length == 4:
            return self._year_form(spot) if spot.low[spot.start] in "12" else []
        if length > 2:
            return []
        following = spot.low[spot.end : spot.end + 1]
        if following in ("/", "-", "."):
            return self._full(spot.low, spot.start)
        if following in ("q", "h"):
            return _lettered(spot)
        return _short_decade(spot) if following in ("s", "'", "’") else []

    def _compact(self, spot: Spot) -> list[Hit]:
        """A day in eight digits, which may be a number as well: 20240509."""
        match = _COMPACT.match(spot.low, spot.start)
        if match is None or self._labelled(spot.low, spot.start):
            return []
        year, month, day = (int(match[part]) for part in "ymd")
        return [Hit(*match.span(), DateValue.day(year, month, day), sure=False)] if _is_day(month, day) else []

    def _full(self, low: str, pos: int) -> list[Hit]:
        match = _FULL.match(low, pos)
        if match is None or self._labelled(low, pos):
            return []
        if match["y"]:
            month, day = int(match["m"]), int(match["d"])
            return [Hit(pos, match.end(), DateValue.day(int(match["y"]), month, day))] if _is_day(month, day) else []
        if match["y3"]:
            month = int(match["b3"])
            return [Hit(pos, match.end(), DateValue.month(int(match["y3"]), month))] if 1 <= month <= 12 else []
        short = match["b4"] is not None
        first, second = (match["a4"], match["b4"]) if short else (match["a"], match["b"])
        if short and (word_before(low, pos) not in self._day_cues or match[0] == "24/7"):
            return []
        if match["s2"] == "." and len(match["y2"]) == 2 and len(first + second) < 4 and int(first) < 13:
            # 1.2.24 is a section or a version, 30.9.24 and 01.02.24 are dates
            return []
        value = self._ambiguous(None if short else full_year(match["y2"]), int(first), int(second))
        return [Hit(pos, match.end(), value)] if value else []

    def _ambiguous(self, year: int | None, first: int, second: int) -> DateValue | None:
        """The day with the two numbers as day and month, in every order that makes a date and is allowed."""
        readings = {
            "dmy": DateValue.day(year, second, first) if _is_day(second, first) else None,
            "mdy": DateValue.day(year, first, second) if _is_day(first, second) else None,
        }
        chosen = readings.get(self._order)
        possible = [chosen] if chosen else [reading for reading in readings.values() if reading]
        value: DateValue | None = either(*possible) if possible else None
        return value

    def _year_form(self, spot: Spot) -> list[Hit]:
        low, pos = spot.low, spot.start
        if found := self._full(low, pos):
            return found
        if match := _DECADE.match(low, pos):
            return [Hit(pos, match.end(), _decade(int(match[1])))]
        if match := _YEAR_QUARTER.match(low, pos):
            return [Hit(pos, match.end(), DateValue.quarter(int(match["y"]), int(match["n"])))]
        return self._span(spot) or self._lone(spot)

    def _span(self, spot: Spot) -> list[Hit]:
        """ "2010-2014", "2013-14", "2010/11", and "2024-09", a month; "2011-12" can be both."""
        low, pos = spot.low, spot.start
        match = _YEARS.match(low, pos)
        if match is None or self._labelled(low, pos):
            return []
        start = int(match["y"])
        tail = match["y3"]
        end = start // 100 * 100 + int(tail) if tail else int(match["y2"])
        choices: list[DateValue | DateRange] = []
        if end > start:
            choices.append(DateRange(DateValue.years("year", start), DateValue.years("year", end)))
        if tail and match["c2"] == "-" and 1 <= int(tail) <= 12:
            choices.append(DateValue.month(start, int(tail)))
        if not choices or not self._not_counted.match(low, match.end()):
            return []
        sure = self._sure(spot, match.end()) or start >= 1800
        return [Hit(pos, match.end(), either(*choices), sure)]

    def _lone(self, spot: Spot) -> list[Hit]:
        low, pos = spot.low, spot.start
        match = _LONE.match(low, pos)
        if match is None or self._labelled(low, pos):
            return []
        year, end = int(match["y"]), match.end("y")
        if not self._not_counted.match(low, end) or _BEFORE_CHRIST.match(low, end):
            return []
        if fiscal := self._fiscal.match(low, end):
            return [Hit(pos, fiscal.end(), DateValue.years("fiscal", year))]
        if _TO_NOW.match(low, end) is None and _HYPHENED.match(low, end):
            return []
        return [Hit(pos, end, DateValue.years("year", year), self._sure(spot, end))]

    def _labelled(self, low: str, pos: int) -> bool:
        """Whether a word before says that a label or an amount follows: "SKU 2019", "order no. 2019"."""
        words = low[max(0, pos - 40) : pos].rstrip(_OPENING).split()
        for word in reversed(words[-3:]):
            plain = word.strip(f"{_OPENING}:.=|")
            if plain in self._labels:
                return True
            if plain not in self._between_label:
                return False
        return False

    def _sure(self, spot: Spot, end: int) -> bool:
        """Whether the words around the digits that end at ``end`` make them a year."""
        low, pos = spot.low, spot.start
        follower = _NEXT_WORD.match(spot.text, end)
        word = follower[1] if follower else ""
        if spot.cued or word in self._followers or low.startswith(("'s", "’s"), end) or _TO_NOW.match(low, end):
            return True
        if low[pos - 1 : pos] == "(":
            return _CLOSES.match(low, end) is not None
        plural = word.islower() and word.endswith("s") and len(word) > 3
        usual = 1800 <= int(low[pos : pos + 4]) <= 2100
        cue = self._cue(low, pos)
        if cue in self._determiners:
            return usual and not plural and bool(word)
        if cue in self._weak_cues:
            return usual and not plural
        return cue in self._cues and (usual or not plural)

    def _cue(self, low: str, pos: int) -> str:
        """The word that says what the year is to the sentence: the "in" of "in the year 1850"."""
        words = [word.strip(_OPENING).rstrip(":-–") for word in low[max(0, pos - 40) : pos].split()[-3:]]
        for word in reversed(words):
            if word in self._cues or (word in self._weak_cues and word not in self._between_cue):
                return word
            if word not in self._between_cue:
                break
        return words[-1] if words and words[-1] in self._determiners else ""


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _decade(year: int) -> DateValue:
    decade = DateValue.years("decade", year, 10)
    value: DateValue = decade if year % 100 else either(decade, DateValue.years("century", year, 100))
    return value


def _short_decade(spot: Spot) -> list[Hit]:
    """ "'90s", "the 90s", "mid-90s"."""
    low, pos = spot.low, spot.start
    match = _SHORT_DECADE.match(low, pos)
    if match is None:
        return []
    apostrophe = low[pos - 1 : pos] in ("'", "’")
    if not apostrophe and not spot.cued and word_before(low, pos) != "the":
        return []
    return [Hit(pos - apostrophe, match.end(), short_decade(int(match[1])))]


def short_decade(number: int) -> DateValue:
    """The decade of two digits: 90 is the 1990s, 20 is the twenties of either century."""
    past, present = (DateValue.years("decade", century + number, 10) for century in (1900, 2000))
    value: DateValue = past if number > 20 else either(past, present) if number else present
    return value


def _lettered(spot: Spot) -> list[Hit]:
    """ "3Q24", "3Q 2024", "3Q", "2H 2024"; a half needs its year."""
    match = _LETTERED.match(spot.low, spot.start)
    if match is None or not spot.text[spot.start + 1].isupper():
        return []
    digits, number = match["y"] or match["y2"], int(match["n"])
    year = full_year(digits) if digits else None
    if match["k"] == "q":
        return [Hit(spot.start, match.end(), DateValue.quarter(year, number))]
    return [Hit(spot.start, match.end(), DateValue.half(year, number))] if year and number < 3 else []
