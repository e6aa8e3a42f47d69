"""Which times of day does a text state? "5 p.m.", "22:30", "noon", "7-9pm", "9:0-22:30", "15:00 CET"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from raguard.reading.date_words import lowered, one_of, word_before
from raguard.rulebook import Rulebook
from raguard.values.clock import ClockRange, ClockValue
from raguard.values.value import Fact

__all__ = ["ClockReader"]

_HALF_DAY = 12 * 60
_DAY = 24 * 60
_HOUR = r"(?:2[0-4]|[01]?[0-9])"
_MINUTE = r"[0-5][0-9]"
_HALF = r"[ap](?:m|\.\s?m\.?)(?!\w)"
_PAIR = rf"(?P<h1>{_HOUR}):(?P<m1>{_MINUTE}|[0-9])\s?[-–]\s?(?P<h2>{_HOUR}):(?P<m2>{_MINUTE}|[0-9])(?![\w:]|\s?{_HALF})"
_CANDIDATE = re.compile(r"[0-9]{1,2}(?=[:.h][0-9]|\s?(?:[ap][.m]|o['’])|\sin\s)")
_TO = re.compile(r"\s?[-–—]\s?|\s(?:to|until|till|through|thru|and)\s")
_BARE_START = re.compile(
    rf"(?<![\w.:,/$€£#-])(?P<h>{_HOUR})(?:[:.](?P<m>{_MINUTE}))?(?:\s?[-–—]\s?|\s(?:to|until|till|and)\s)$"
)
_OFFSET = re.compile(r"\s?(?:utc|gmt)?\s?([+-](?:1[0-4]|0?[0-9])):?([0-5][0-9])?(?!\w)")
_HINTS = ("clock", "noon", "mid", "half", "quarter")


@dataclass(frozen=True, slots=True)
class _Time:
    """A time as written: its place, the minutes on the dial, the half of the day (0 or 720) and the zone."""

    start: int
    end: int
    minutes: int
    half: int | None = None
    exact: bool = False
    zone: str = ""

    def value(self) -> ClockValue:
        """The minutes of the day that it may mean."""
        if self.half is not None:
            return ClockValue((self.minutes % _HALF_DAY + self.half,), self.zone)
        if self.exact:
            return ClockValue((self.minutes % _DAY,), self.zone)
        early = self.minutes % _HALF_DAY
        return ClockValue((early, early + _HALF_DAY), self.zone)


class ClockReader:
    """Finds times of day and ranges of them."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["dates"]
        numbers = {
            role: {form.lower(): rule.data["number"] for rule in family.role(role) for form in rule.forms}
            for role in ("clock_word", "day_part")
        }
        self._words, self._day_parts = numbers["clock_word"], numbers["day_part"]
        self._hours = {
            form.lower(): hour
            for rule in family.role("hour_words")
            for hour, form in enumerate(rule.forms, 1)
        }
        self._zones = {
            form.lower(): rule.id.rpartition(".")[2] for rule in family.role("zone") for form in rule.forms
        }
        self._not_clock, self._cues = (
            frozenset(form.lower() for rule in family.role(role) for form in rule.forms)
            for role in ("not_clock", "clock_cue")
        )
        self._zone = re.compile(rf"\s?(?P<open>\()?(?P<zone>{one_of(self._zones)})(?!\w)(?(open)\))")
        suffix = rf"(?P<clock>\s?o['’]\s?clock)?(?:\s?(?P<half>{_HALF})|\s(?P<part>{one_of(self._day_parts)})(?!\w))?"
        self._numeric = re.compile(
            rf"(?:(?<![\w.:,/$€£#])|(?<=[0-9\x00]t)|(?<=[^0-9],))"
            rf"(?:{_PAIR}|(?P<h>{_HOUR})(?![0-9])(?:(?P<sep>[:.h])(?P<m>{_MINUTE})(?P<s>:{_MINUTE}(?:[.,][0-9]{{1,9}})?)?(?![0-9]))?{suffix})"
        )
        hour = rf"(?P<h>{one_of(self._hours)}|{_HOUR})"
        self._worded = re.compile(
            rf"(?<!\w)(?:(?P<word>{one_of(self._words)})|(?P<quarter>half|quarter)\s(?P<way>past|after|to)\s{hour}(?!\w)"
            rf"|(?P<h2>{one_of(self._hours)})(?=\so['’]){suffix})(?!\w)"
        )

    def find(self, text: str, *, lang: str = "en") -> list[Fact]:
        """The times of ``text`` from left to right; they are written alike in every ``lang``."""
        low = lowered(text)
        times: list[_Time] = []
        for candidate in _CANDIDATE.finditer(low):
            match = self._numeric.match(low, candidate.start())
            if match and (not times or match.start() >= times[-1].end):
                times += self._pair(match) if match["h1"] else self._single(text, low, match)
        if any(hint in low for hint in _HINTS):
            times += [self._spelled(match) for match in self._worded.finditer(low)]
            times.sort(key=lambda time: time.start)
        return self._facts(low, times)

    def _pair(self, match: re.Match[str]) -> list[_Time]:
        """Both ends of "9:0-22:30"; minutes of one digit are a machine's, which counts to 24."""
        machine = len(match["m1"]) == 1 or len(match["m2"]) == 1
        return [
            _time(
                match.start(f"h{end}"),
                match.end(f"m{end}"),
                match[f"h{end}"],
                match[f"m{end}"],
                exact=machine,
            )
            for end in "12"
        ]

    def _single(self, text: str, low: str, match: re.Match[str]) -> list[_Time]:
        start, end = match.span()
        spoken = (
            match["half"]
            or match["clock"]
            or (match["part"] and (match["m"] or word_before(low, start) in self._cues))
        )
        if not spoken:
            after = low[end : end + 2]
            if (
                match["sep"] not in (":", "h")
                or after[:1] == "%"
                or (after[:1] in ".,:" and after[1:].isdigit())
            ):
                return []
            if (after[:1].isalnum() and after[:1] != "z") or word_before(low, start) in self._not_clock:
                return []
        half = None
        if match["half"]:
            half = 0 if match["half"][0] == "a" else _HALF_DAY
        elif spoken and match["part"]:
            half = self._day_parts[" ".join(match["part"].split())]
        elif match["part"]:
            end = match.start("part") - 1
        end, zone = self._zoned(text, low, end, seconds=match["s"] is not None)
        exact = match["s"] is not None and half is None
        return [_time(start, end, match["h"], match["m"] or "0", half=half, exact=exact, zone=zone)]

    def _zoned(self, text: str, low: str, end: int, *, seconds: bool) -> tuple[int, str]:
        """Where a time with its zone ends, and the zone: an abbreviation in capitals, a name, or an offset."""
        match = _OFFSET.match(low, end)
        if match and (seconds or low[end] != "-"):
            hours, minutes = int(match[1]), int(match[2] or 0)
            return match.end(), f"{hours:+03}:{minutes:02}" if hours or minutes else "utc"
        match = self._zone.match(low, end)
        if match is None or (
            len(match["zone"]) < 5 and not text[match.start("zone") : match.end("zone")].isupper()
        ):
            return end, ""
        return match.end(), self._zones[" ".join(match["zone"].split())]

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

    def _facts(self, low: str, times: list[_Time]) -> list[Fact]:
        """The times as facts, neighbours with "to" or a dash between them as one range."""
        facts: list[Fact] = []
        ranged = False
        for index, time in enumerate(times):
            earlier = times[index - 1] if index and not ranged else _bare_start(low, time)
            ranged = earlier is not None and _joined(low, earlier, time)
            if earlier is None or not ranged:
                facts.append(Fact(time.value(), time.start, time.end))
                continue
            if facts and facts[-1].start == earlier.start:
                facts.pop()
            first, last = _shared(earlier, time)
            facts.append(Fact(ClockRange(first.value(), last.value()), first.start, last.end))
        return facts


def _time(
    start: int,
    end: int,
    hour: str,
    minute: str,
    *,
    half: int | None = None,
    exact: bool = False,
    zone: str = "",
) -> _Time:
    number = int(hour)
    exact = exact or number == 0 or number > 12 or hour.startswith("0")
    return _Time(start, end, number * 60 + int(minute), None if number > 12 else half, exact, zone)


def _bare_start(low: str, time: _Time) -> _Time | None:
    """The hour without am or pm that opens a range: the 7 of "7-9pm"."""
    if time.half is None:
        return None
    match = _BARE_START.search(low, max(0, time.start - 14), time.start)
    return (
        _time(match.start(), match.end("m") if match["m"] else match.end("h"), match["h"], match["m"] or "0")
        if match
        else None
    )


def _joined(low: str, first: _Time, last: _Time) -> bool:
    gap = low[first.end : last.start] if last.start - first.end < 12 else ""
    if _TO.fullmatch(gap) is None:
        return False
    return gap.strip() != "and" or word_before(low, first.start) == "between"


def _shared(first: _Time, last: _Time) -> tuple[_Time, _Time]:
    """The ends of a range, with am or pm, the 24-hour dial and the zone taken from the end that shows them."""
    if first.half is None and last.half is not None and not first.exact:
        same = first.minutes % _HALF_DAY < last.minutes % _HALF_DAY
        first = replace(first, half=last.half if same else _HALF_DAY - last.half)
    elif first.half is None and last.half is None and (first.exact or last.exact):
        first, last = replace(first, exact=True), replace(last, exact=True)
    return replace(first, zone=first.zone or last.zone), replace(last, zone=last.zone or first.zone)
