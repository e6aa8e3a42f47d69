"""Which times of day does a text state? "5 p.m.", "22:30", "noon", "7-9pm", "9:0-22:30", "15:00 CET"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Set
from typing import NamedTuple

from raguard.reading.date_words import forms_of, numbers_of, one_of, word_before
from raguard.reading.page import Page
from raguard.rulebook import Family, Rulebook
from raguard.values.clock import ClockRange, ClockValue
from raguard.values.value import Fact
from raguard.values.zones import offsets

__all__ = ["ClockReader"]

_HALF_DAY = 12 * 60
_DAY = 24 * 60
_LAST_HOUR = 24
_HOUR = r"(?:2[0-4]|[01]?[0-9])"
_MINUTE = r"[0-5][0-9]"
_HALF = r"[ap](?:m|\.\s?m\.?)(?!\w)"
_PAIR = (
    rf"(?P<h1>{_HOUR}):(?P<m1>{_MINUTE}|[0-9])\s?[-–]\s?"
    rf"(?P<h2>{_HOUR}):(?P<m2>{_MINUTE}|[0-9])(?![\w:]|\s?{_HALF})"
)
_CANDIDATE = re.compile(r"[0-9][0-9]?(?=[:.h][0-9]|\s?(?:[ap][.m]|o['’])|\sin\s)")
_LETTERS = re.compile(r"[a-z]+")
_TO = re.compile(r"\s?[-–—]\s?|\s(?:to|until|till|through|thru|and)\s")
_HOURS = re.compile(r"[1-9][0-9]?h[0-5][0-9]")
_BARE_START = re.compile(
    rf"(?<![\w.:,/$€£#-])(?P<time>(?P<h>{_HOUR})(?:[:.](?P<m>{_MINUTE}))?)(?:\s?[-–—]\s?|\s[a-z]{{2,7}}\s)$"
)
_BETWEEN = re.compile(rf"(?<!\w)between\s{_HOUR}(?::{_MINUTE})?\sand\s$")
"""Before the second hour of a range: between 7 and 10 in the morning."""
_GOES_ON = re.compile(r"[%°]|[.,:][0-9]|(?!z(?!\w))\w")
_COUNTS = re.compile(
    r"[%°\w$€£:]|[.,][0-9]|\s?(?:%|°|€|per\b|percent|million|billion)|\s[a-z]{1,2}\b(?<!\s(?:on|in|to|at|or|by))"
)
"""What follows a number with a stop that is no time."""
_OFFSET = re.compile(r"\s?(?:utc|gmt)?\s?([+-](?:1[0-4]|0?[0-9])):?([0-5][0-9])?(?!\w)")
_PLACE = re.compile(r"\s?(?P<open>\()?(?P<place>[A-Z][a-z]{2,12}/[A-Z][A-Za-z_]{1,30})(?!\w)(?(open)\))")
"""A zone of the IANA database: Europe/Berlin."""
_BARE_RANGE = re.compile(
    rf"(?P<h1>[0-9](?<![\w.:,/$€£#-][0-9])[0-9]?)(?:[:.](?P<m1>{_MINUTE}))?(?:\s?[-–—]\s?|\s(?:to|until|till|and)\s)"
    rf"(?P<h2>{_HOUR})(?:[:.](?P<m2>{_MINUTE}))?"
    r"(?=\s?(?:[,;)|\"\n]|[.!?](?![0-9])|$)|\s(?:in|on|at|and|or|every|each|daily|only|during|except|but)\s)"
)
"""Two bare hours after which nothing is counted: 9-5, 7 and 10, 6 to 9:30."""
_BEFORE_RANGE = 64
"""How far back a word for opening hours is looked for."""
_PART_OF_HOUR = re.compile(r"(?:half|quarter)\s(?:past|after|to)\s")
_PARTS = frozenset({"half", "quarter"})


class _Time(NamedTuple):
    """A time as written: its place, the minutes on the dial, the half of the day (0 or 720) and the zones."""

    start: int
    end: int
    minutes: int
    half: int | None = None
    exact: bool = False
    zones: tuple[int, ...] = ()

    def value(self) -> ClockValue:
        """The minutes of the day that it may mean."""
        if self.half is not None:
            return ClockValue((self.minutes % _HALF_DAY + self.half,), self.zones)
        if self.exact:
            return ClockValue((self.minutes % _DAY,), self.zones)
        early = self.minutes % _HALF_DAY
        return ClockValue((early, early + _HALF_DAY), self.zones)


class ClockReader:
    """Finds times of day and ranges of them."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["dates"]
        self._words = numbers_of(family, "clock_word")
        self._day_parts = numbers_of(family, "day_part")
        self._zones: dict[str, tuple[int, ...]] = {}
        for rule in family.role("zone"):
            for form in rule.forms:
                self._zones[form.lower()] = (*self._zones.get(form.lower(), ()), rule.data["number"])
        hours = map(str.lower, family.forms("hour_words"))
        self._hours = {word: hour for hour, word in enumerate(hours, 1)}
        self._not_clock = forms_of(family, "not_clock")
        self._cues, self._dotted_cues = forms_of(family, "clock_cue"), forms_of(family, "dotted_cue")
        self._compile(family)

    def _compile(self, family: Family) -> None:
        part = rf"\s(?P<part>{one_of(self._day_parts)})(?!\w)"
        suffix = rf"(?P<clock>\s?o['’]\s?clock)?(?:\s?(?P<half>{_HALF})|{part})?"
        minutes = rf"(?P<sep>[:.h])(?P<m>{_MINUTE})(?P<s>:{_MINUTE}(?:[.,][0-9]{{1,9}})?)?(?![0-9])"
        self._numeric = re.compile(
            rf"(?:(?<![\w.:,/$€£#])|(?<=[0-9\x00]t)|(?<=[^0-9],))"
            rf"(?:{_PAIR}|(?P<h>{_HOUR})(?![0-9])(?:{minutes})?{suffix})"
        )
        hour = one_of(self._hours)
        self._worded = re.compile(
            rf"(?<![\w:])(?:(?:12(?::00)?\s)?(?P<word>{one_of(self._words)})"
            rf"|(?P<quarter>half|quarter)\s(?P<way>past|after|to)\s(?P<h>{hour}|{_HOUR})(?!\w)"
            rf"|(?P<h2>{hour})(?=\so['’]){suffix})(?!\w)"
        )
        cues = frozenset().union(*(forms_of(family, role) for role in ("hours_cue", "weekday", "weekday_short")))
        filling = one_of(forms_of(family, "hours_filling") | cues)
        self._hours_words = frozenset(_LETTERS.findall(" ".join(cues)))
        # days that were read before are blanks here
        self._hours_before = re.compile(
            rf"(?:(?<!\w)(?:{one_of(cues)})|\x00)[.,:]{{0,2}}"
            rf"(?:\s(?:\x00{{1,40}}|(?:{filling})(?!\w))[.,:]{{0,2}}){{0,4}}[\s\"(*]{{1,4}}$"
        )
        self._zone = re.compile(rf"\s?(?P<open>\()?(?P<zone>{one_of(self._zones)})(?!\w)(?(open)\))")

    def find(self, text: str | Page, *, lang: str = "en") -> list[Fact]:
        """The times of ``text`` from left to right; they are written alike in every ``lang``."""
        text, low, words = Page.of(text)
        times: list[_Time] = []
        dotted: list[Fact] = []
        for candidate in _CANDIDATE.finditer(low):
            match = self._numeric.match(low, candidate.start())
            if match and (not times or match.start() >= times[-1].end):
                read = _pair(match) if match["h1"] else self._single(text, low, match)
                times += read
                if not read and self._may_be_dotted(low, match):
                    time = _time(*match.span(), match["h"], match["m"])
                    dotted.append(Fact(time.value(), time.start, time.end, tentative=True))
        if self._may_be_spelled(low, words):
            times += [self._spelled(match) for match in self._worded.finditer(low)]
            times = _longest(times)
        found = sorted([*_facts(low, times), *dotted], key=lambda fact: (fact.start, fact.end))
        if self._hours_words.isdisjoint(words):
            return found
        return sorted([*found, *self._bare_ranges(low, found)], key=lambda fact: (fact.start, fact.end))

    def _bare_ranges(self, low: str, found: list[Fact]) -> Iterator[Fact]:
        """The pairs of bare hours beside a word for opening hours, which may be times: "Open 9-5"."""
        starts = [fact.start for fact in found]
        for match in _BARE_RANGE.finditer(low):
            start, end = match.span()
            before = bisect_left(starts, end)
            if int(match["h1"]) > _LAST_HOUR or (before and found[before - 1].end > start):
                continue
            if self._hours_before.search(low, max(0, start - _BEFORE_RANGE), start):
                first = _time(start, match.end("h1"), match["h1"], match["m1"] or "0")
                last = _time(match.start("h2"), end, match["h2"], match["m2"] or "0")
                first, last = _shared(first, last)
                yield Fact(ClockRange(first.value(), last.value()), start, end, tentative=True)

    def _may_be_spelled(self, low: str, words: Set[str]) -> bool:
        """Whether a text that holds ``words`` can hold a time in words."""
        if not self._words.keys().isdisjoint(words) or "o'" in low or "o’" in low:
            return True
        return not _PARTS.isdisjoint(words) and _PART_OF_HOUR.search(low) is not None

    def _single(self, text: str, low: str, match: re.Match[str]) -> list[_Time]:
        """The time of a match, when it is one: am, pm, o'clock, or a colon that divides hours and minutes."""
        start, end = match.span()
        part = match["part"]
        if part and not (match["m"] or match["clock"] or self._cued(low, start)):
            return []
        half = {"a": 0, "p": _HALF_DAY}.get((match["half"] or " ")[0])
        if part:
            half = self._day_parts[" ".join(part.split())]
        elif half is None and not match["clock"] and not self._divided(low, match):
            return []
        end, zones = self._zoned(text, low, end, seconds=match["s"] is not None)
        exact = match["s"] is not None and half is None
        return [_time(start, end, match["h"], match["m"] or "0", half=half, exact=exact, zones=zones)]

    def _may_be_dotted(self, low: str, match: re.Match[str]) -> bool:
        """Whether a number with a stop may be a time: until 13.00."""
        if match["sep"] != "." or match["s"] or _COUNTS.match(low, match.end()) is not None:
            return False
        return word_before(low, match.start()) in self._dotted_cues

    def _cued(self, low: str, start: int) -> bool:
        """Whether the words before a bare hour make it one, where a part of the day follows."""
        return word_before(low, start) in self._cues or _BETWEEN.search(low, max(0, start - 24), start) is not None

    def _divided(self, low: str, match: re.Match[str]) -> bool:
        """Whether hours and minutes without am or pm are a time, not a ratio, a verse or a part of more."""
        start, end = match.span()
        words = low[max(0, start - 24) : start].split()[-2:]
        if match["sep"] not in (":", "h") or not self._not_clock.isdisjoint((*words[-1:], " ".join(words))):
            return False
        return _GOES_ON.match(low, end) is None

    def _zoned(self, text: str, low: str, end: int, *, seconds: bool) -> tuple[int, tuple[int, ...]]:
        """Where a time with its zone ends, and the zone: an abbreviation in capitals, a name, an offset."""
        match = _OFFSET.match(low, end)
        if match and (seconds or low[end] != "-"):
            hours, minutes = int(match[1]), int(match[2] or 0)
            return match.end(), (hours * 60 + (minutes if match[1][0] == "+" else -minutes),)
        named = _PLACE.match(text, end)
        if named is not None and (zones := offsets(named["place"])):
            return named.end(), zones
        match = self._zone.match(low, end)
        if match is None:
            return end, ()
        name = text[match.start("zone") : match.end("zone")]
        if len(name) < 5 and not name.isupper():
            return end, ()
        return match.end(), self._zones[" ".join(name.lower().split())]

    def _spelled(self, match: re.Match[str]) -> _Time:
        """ "noon", "half past three", "quarter to five", "five o'clock"."""
        start, end = match.span()
        if match["word"]:
            return _Time(start, end, self._words[match["word"]], exact=True)
        word = match["h"] or match["h2"]
        minutes = 60 * (self._hours.get(word) or int(word))
        if match["h2"]:
            half = {"a": 0, "p": _HALF_DAY}.get((match["half"] or " ")[0])
            return _Time(start, end, minutes, self._day_parts.get(match["part"] or "", half))
        away = 30 if match["quarter"] == "half" else 15
        return _Time(start, end, (minutes + (-away if match["way"] == "to" else away)) % _DAY)


def _longest(times: list[_Time]) -> list[_Time]:
    """The times in order of position, without those inside another ("12:00 noon")."""
    apart: list[_Time] = []
    for time in sorted(times, key=lambda time: (time.start, -time.end)):
        if not apart or time.start >= apart[-1].end:
            apart.append(time)
    return apart


def _pair(match: re.Match[str]) -> list[_Time]:
    """Both ends of "9:0-22:30"; minutes of one digit are a machine's, which counts to 24."""
    machine = len(match["m1"]) == 1 or len(match["m2"]) == 1
    first = _time(match.start("h1"), match.end("m1"), match["h1"], match["m1"], exact=machine)
    last = _time(match.start("h2"), match.end("m2"), match["h2"], match["m2"], exact=machine)
    return [first, last]


def _time(
    start: int,
    end: int,
    hour: str,
    minute: str,
    *,
    half: int | None = None,
    exact: bool = False,
    zones: tuple[int, ...] = (),
) -> _Time:
    number = int(hour)
    exact = exact or number == 0 or number > 12 or hour.startswith("0")
    return _Time(start, end, number * 60 + int(minute), None if number > 12 else half, exact, zones)


def _facts(low: str, times: list[_Time]) -> list[Fact]:
    """The times as facts, neighbours with "to" or a dash between them as one range."""
    facts: list[Fact] = []
    open_start: _Time | None = None
    for time in times:
        start = open_start if open_start and _joined(low, open_start, time) else _bare_start(low, time)
        if start is None:
            # 1h30 may be a length as well
            facts.append(Fact(time.value(), time.start, time.end, bool(_HOURS.fullmatch(low, time.start, time.end))))
            open_start = time
            continue
        if start is open_start:
            facts.pop()
        first, last = _shared(start, time)
        facts.append(Fact(ClockRange(first.value(), last.value()), first.start, last.end))
        open_start = None
    return facts


def _bare_start(low: str, time: _Time) -> _Time | None:
    """The hour without am or pm that opens a range: the 7 of "7-9pm"."""
    match = _BARE_START.search(low, max(0, time.start - 14), time.start) if time.half is not None else None
    if match is None:
        return None
    start = _time(match.start(), match.end("time"), match["h"], match["m"] or "0")
    return start if _joined(low, start, time) else None


def _joined(low: str, first: _Time, last: _Time) -> bool:
    gap = low[first.end : last.start] if last.start - first.end < 12 else ""
    if _TO.fullmatch(gap) is None:
        return False
    return gap.strip() != "and" or word_before(low, first.start) == "between"


def _shared(first: _Time, last: _Time) -> tuple[_Time, _Time]:
    """The ends of a range; am or pm, the 24-hour dial and the zone count for both when one end shows them."""
    if first.half is None and last.half is not None and not first.exact:
        same = first.minutes % _HALF_DAY < last.minutes % _HALF_DAY
        first = first._replace(half=last.half if same else _HALF_DAY - last.half)
    elif first.half is None and last.half is None and (first.exact or last.exact):
        first, last = first._replace(exact=True), last._replace(exact=True)
    return first._replace(zones=first.zones or last.zones), last._replace(zones=last.zones or first.zones)
