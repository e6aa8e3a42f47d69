"""Which dates do words write? "September 30, 2024", "3-5 May", "spring 2022", "third quarter"."""

from __future__ import annotations

import re

from raguard.reading.date_words import (
    DAY,
    GAP,
    ORDINAL_END,
    SHORT_YEAR,
    YEAR,
    DateWords,
    Hit,
    Spot,
    full_year,
    one_of,
    word_before,
)
from raguard.reading.fields import Fields
from raguard.values.dates import DateValue, SpokenDate
from raguard.values.periods import DateRange, either

__all__ = ["WrittenDates"]

_DAY_TOKEN = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?")
_BEFORE_CHRIST = re.compile(r"\s?b\.?c\.?")
_CAPITAL_FOLLOWS = re.compile(r"[ \t][A-Z]")
_YEAR_AFTER = r"(?:[-/–](?P<y2>[0-9]{2}(?:[0-9]{2})?))?"


class WrittenDates:
    """The forms that need a word; each method reads at one spot and returns what it found there."""

    def __init__(self, words: DateWords, fields: Fields) -> None:
        self._words = words
        self._fields = fields
        self._word_months = words.forms("word_month")
        self._adjective_months = words.forms("adjective_month")
        self._person_months = words.forms("person_month")
        self._month_cues = words.forms("month_cue")
        self._plain_before_month = words.forms("plain_before_month") | self._month_cues
        self._leads = words.names("lead") | words.names("loose_lead")
        self._loose_leads = words.forms("loose_lead")
        year = rf"(?P<y>{YEAR}|{SHORT_YEAR}){words.year_end}"
        fiscal_year = rf"{words.fiscal}{GAP}?(?P<fy>['’]?[0-9]{{2}}(?![0-9])|{YEAR}){words.year_end}"
        of_year = rf"(?:{GAP}(?:of{GAP})?(?:the{GAP})?|,{GAP}?|-|/|)(?:{fiscal_year}|{year})"
        after_month = rf"(?:{GAP}?,{GAP}?|{GAP}(?:of{GAP})?|[-/]){year}"
        self._month_first, self._between, self._day_first = _day_and_month(words, after_month)
        month_beside = rf"(?:{words.until}|{words.also}|/)"
        self._month_after = re.compile(rf"\.?{month_beside}{words.month}")
        self._month_before = re.compile(rf"{words.month}\.?{month_beside}$")
        listed = rf"{GAP}?[/&+,]{GAP}?"
        self._listed_after = re.compile(rf"\.?(?:{month_beside}|{listed}){words.month}")
        self._listed_before = re.compile(rf"{words.month}\.?(?:{month_beside}|{listed})$")
        self._fiscal = re.compile(
            rf"(?P<f>{words.fiscal})(?:{GAP}(?:ended|ending|of))?(?:{GAP}|-)?"
            rf"(?P<y>['’]?[0-9]{{2}}(?![0-9])|{YEAR}){_YEAR_AFTER}{words.year_end}"
        )
        self._season = re.compile(
            rf"(?P<s>{one_of(words.seasons)})(?:{GAP}(?:of{GAP})?|,{GAP})(?P<y>{YEAR}|{SHORT_YEAR}){_YEAR_AFTER}{words.year_end}"
        )
        ordinal = one_of(words.ordinals)
        self._ordinal = re.compile(
            rf"(?P<o>{ordinal})(?:(?P<c>{words.until}|{words.also})(?P<o2>{ordinal}))?"
            rf"(?:{GAP}|-)(?:fiscal{GAP})?(?P<u>{one_of(words.periods)})(?!\w)(?:{of_year})?"
        )
        self._lettered = re.compile(rf"(?P<k>[qh])(?P<n>[1-4])(?:{of_year}|(?!\w|\.[0-9]))")
        self._lead = re.compile(
            rf"(?P<l>{one_of(self._leads)}){GAP}"
            rf"(?:(?P<u>{one_of(words.forms('relative_unit'))})|(?P<w>{one_of(words.weekdays)}))(?!\w|{GAP}of\b)"
        )

    def month_first(self, spot: Spot) -> list[Hit]:
        """ "September", "Sept. 2024", "September 30th, 2024", "May 3-5", "May 3, 5 and 7", "between May 3 and 5"."""
        between = word_before(spot.low, spot.start) == "between"
        match = (self._between if between else self._month_first).match(spot.low, spot.start)
        if match is None:
            return []
        sure = self._is_month(spot, match)
        if not sure and not self._may_be_month(spot, match):
            return []
        year = full_year(match["y"]) if match["y"] else None
        month = self._words.months[match["m"]]
        if match["d"] is not None:
            return _days(spot.low, match, year, month)
        end = match.end() if year else match.end("m")
        return [Hit(spot.start, end, DateValue.month(year, month), sure)]

    def day_first(self, spot: Spot) -> list[Hit]:
        """ "30 September 2024", "the 30th of September", "3-5 May", "30-Sep-24"."""
        match = self._day_first.match(spot.low, spot.start)
        if match is None or not self._is_month(spot, match):
            return []
        year = match["y"] or match["y2"]
        return _days(spot.low, match, full_year(year) if year else None, self._words.months[match["m"]])

    def _is_month(self, spot: Spot, match: re.Match[str]) -> bool:
        """Whether the month's word means the month: "May 3" and "in May", not "they may" or "April Jones"."""
        text, low = spot.text, spot.low
        start, end = match.span("m")
        name, capital = match["m"], text[start].isupper()
        before = word_before(low, match.start())
        cued = spot.cued or before in self._month_cues
        if match["d"] is not None or match["y"] is not None:
            dated = cued or (match["d"] is not None and match["y"] is not None)
            return capital or dated or name not in self._word_months
        if name in self._word_months or (len(name) < 5 and name not in ("june", "july")):
            beside = self._month_after.match(low, end) or self._month_before.search(low, max(0, start - 30), start)
            return capital and (cued or beside is not None)
        if name in self._adjective_months and not capital:
            return False
        if name not in self._person_months or cued:
            return True
        stranger = word_before(text, start)[:1].isupper() and before not in self._plain_before_month
        return not stranger and _CAPITAL_FOLLOWS.match(text, end) is None

    def _may_be_month(self, spot: Spot, match: re.Match[str]) -> bool:
        """Whether a month's word in capitals, which may be a name, stands alone in its field or beside other months."""
        text, low = spot.text, spot.low
        start, end = match.span("m")
        if match["d"] is not None or match["y"] is not None or not text[start].isupper():
            return False
        if self._listed_after.match(low, end) or self._listed_before.search(low, max(0, start - 30), start):
            return True
        return self._fields.hold(low, start, end)

    def season(self, spot: Spot) -> list[Hit]:
        """ "spring 2022", "fall of 1989", "winter 2022/23"."""
        match = self._season.match(spot.low, spot.start)
        if match is None:
            return []
        return [
            Hit(
                spot.start,
                match.end(),
                DateValue.season(full_year(match["y"]), self._words.seasons[match["s"]]),
            )
        ]

    def fiscal(self, spot: Spot) -> list[Hit]:
        """ "FY23", "fiscal year 2023", "FY2022-23" (either of the two)."""
        match = self._fiscal.match(spot.low, spot.start)
        if match is None or (
            match["y"].isdecimal() and len(match["y"]) == 2 and not match["f"].startswith(("fy", "f.y"))
        ):
            return []
        years = [full_year(match[group]) for group in ("y", "y2") if match[group]]
        return [Hit(spot.start, match.end(), either(*(DateValue.years("fiscal", year) for year in years)))]

    def lettered(self, spot: Spot) -> list[Hit]:
        """ "Q3", "Q3 2024", "Q3'24", "H1 2023"; a half needs its year."""
        match = self._lettered.match(spot.low, spot.start)
        if match is None or not spot.text[spot.start].isupper():
            return []
        year, number = _year(match), int(match["n"])
        if match["k"] == "q":
            return [Hit(spot.start, match.end(), DateValue.quarter(year, number))]
        return [Hit(spot.start, match.end(), DateValue.half(year, number))] if year and number < 3 else []

    def ordinal(self, spot: Spot) -> list[Hit]:
        """ "third quarter of 2024", "first half of 2023", "19th century", "18th and 19th centuries"."""
        match = self._ordinal.match(spot.low, spot.start)
        if match is None:
            return []
        parts = self._words.periods[match["u"]]
        numbers = [self._words.ordinals[match[group]] for group in ("o", "o2") if match[group]]
        if parts:
            year, end = _year(match), match.end()
            if max(numbers) > parts or (parts == 2 and year is None):
                return []
            make = DateValue.quarter if parts == 4 else DateValue.half
            values = [make(year, number) for number in numbers]
        else:
            end = match.end("u")
            if _BEFORE_CHRIST.match(spot.low, end):
                return []
            values = [DateValue.years("century", (number - 1) * 100, 100) for number in numbers]
        if len(values) == 1:
            return [Hit(spot.start, end, values[0])]
        if re.fullmatch(self._words.until, match["c"]):
            return [Hit(spot.start, end, DateRange(values[0], values[1]))]
        return [Hit(spot.start, match.end("o"), values[0]), Hit(match.start("o2"), end, values[1])]

    def lead(self, spot: Spot) -> list[Hit]:
        """ "next Tuesday", "last week", "this quarter"."""
        match = self._lead.match(spot.low, spot.start)
        if match is None:
            return []
        lead = self._leads[match["l"]]
        value = SpokenDate(f"{lead} {match['u']}") if match["u"] else SpokenDate(lead, self._words.weekdays[match["w"]])
        return [Hit(spot.start, match.end(), value, match["l"] not in self._loose_leads)]


def _day_and_month(words: DateWords, after_month: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """The patterns for a month with or without days after it, for that after "between", for days before a month."""
    day, plain_day = rf"{DAY}{words.day_end}", rf"{DAY}{ORDINAL_END}"
    no_time_or_month = rf"(?!{GAP}?[ap]\.?m)(?!{GAP}(?:of{GAP})?{words.month})"
    to = rf"(?P<to>{words.until})(?P<d2>{DAY}){words.day_end}{no_time_or_month}"
    more = rf"(?P<more>(?:,{GAP}{day}){{0,8}}{words.also}{day}(?!{GAP}[a-z]))"
    also = rf"(?P<to>{words.also})(?P<d2>{DAY}){words.day_end}{no_time_or_month}"
    month_first, between = (
        rf"(?P<m>{words.month})\.?"
        rf"(?:(?:{GAP}|-)(?:the{GAP})?(?P<d>{DAY}){words.day_end}{words.counted}(?:{ends}{words.counted}|{more})?)?"
        rf"(?:{after_month})?"
        for ends in (to, also)
    )
    day_first = (
        rf"(?P<d>{DAY}){ORDINAL_END}"
        rf"(?:(?P<to>{words.until})(?P<d2>{DAY}){ORDINAL_END}|(?P<more>(?:,{GAP}{plain_day}){{0,8}}{words.also}{plain_day}))?"
        rf"(?:\.?{GAP}(?:day{GAP})?(?:of{GAP})?|-)(?P<m>{words.month})"
        rf"(?:\.?(?:{after_month}|-(?P<y2>[0-9]{{2}})(?![\w-])))?"
    )
    return re.compile(month_first), re.compile(between), re.compile(day_first)


def _days(low: str, match: re.Match[str], year: int | None, month: int) -> list[Hit]:
    """The hits of a match with one day, a range of days or a list of days."""
    start, end = match.span()
    first = DateValue.day(year, month, int(match["d"]))
    if match["d2"] is not None:
        return [Hit(start, end, DateRange(first, DateValue.day(year, month, int(match["d2"]))))]
    if match["more"] is None:
        return [Hit(start, end, first)]
    days = list(_DAY_TOKEN.finditer(low, match.start("d"), match.end("more")))
    values = [DateValue.day(year, month, int(day[1])) for day in days]
    if len(days) == 2 and word_before(low, start) == "between":
        return [Hit(start, end, DateRange(values[0], values[1]))]
    starts = [start, *(day.start() for day in days[1:])]
    ends = [*(day.end() for day in days[:-1]), end]
    return [Hit(*hit) for hit in zip(starts, ends, values, strict=True)]


def _year(match: re.Match[str]) -> int | None:
    year = match["y"] or match["fy"]
    return full_year(year) if year else None
