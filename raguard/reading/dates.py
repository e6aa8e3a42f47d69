"""Which days, months, years and other dates does a text state?

A closed grammar: one pass finds the words and digits that a date can begin with, the forms read there, and
neighbours are joined.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Set
from dataclasses import replace

from raguard.reading.date_joins import DateJoins
from raguard.reading.date_words import GAP, DateWords, Hit, Spot, one_of, word_before
from raguard.reading.fields import Fields
from raguard.reading.foreign_dates import east_asian_dates, foreign_dates
from raguard.reading.numeric_dates import NumericDates, Order, in_order, short_decade, shown_order
from raguard.reading.page import Page
from raguard.reading.written_dates import WrittenDates
from raguard.rulebook import Rulebook
from raguard.text.words import occurrences
from raguard.values.dates import DateValue, SpokenDate
from raguard.values.periods import either
from raguard.values.value import Fact

__all__ = ["DateReader"]

_LETTERS = re.compile(r"[a-z]{1,30}")
_DIGITS = re.compile(r"[0-9]{1,9}")
_LOOSE_DIGITS = re.compile(r"[0-9](?<![\w$€£¥#@+&%\\^/][0-9])[0-9]{0,8}")
"""Digits with nothing before them that ties them to a word, an amount or an address."""
_JOINING = frozenset(".,:-–—'’")
_AFTER_DAY = frozenset(" \t\n-–—,.snrt")
"""What may follow the digits of a day before its month: the gap, a dash, a comma, the ending of an ordinal."""
_AFTER_SHORT = frozenset("/-.'’qhsnrt")
"""What may follow one or two digits that begin a date without a month's name: 9/10, 3q24, 90s, 19th century."""
_DAY_MAY_FOLLOW = re.compile(rf"\.?,?{GAP}(?:the{GAP})?(?=[a-z0-9])")

Form = Callable[[Spot], list[Hit]]


class DateReader:
    """Finds dates and periods; ``order`` fixes how 09/10/2025 is read, "auto" keeps both readings."""

    def __init__(self, rulebook: Rulebook, *, order: Order = "auto") -> None:
        self._order = order
        words = DateWords(rulebook)
        self._words = words
        self._fields = Fields(rulebook)
        self._written = WrittenDates(words, self._fields)
        self._numeric = NumericDates(words, order)
        self._relative = words.names("relative") | words.names("loose_relative")
        self._loose = words.forms("loose_relative")
        self._age_owners = words.forms("age_owner")
        self._named_weekdays = words.forms("named_weekday")
        self._forms = self._by_word()
        self._begun: dict[str, set[str]] = {}
        for form in self._forms:
            word = form.partition(" ")[0]
            self._begun.setdefault(next(iter(_LETTERS.findall(word)), ""), set()).add(word)
        self._letterless = self._begun.pop("", set())
        self._anchor = re.compile(rf"(?<!\w)(?:{one_of(self._forms)})(?![^\W\d_])")
        self._part = re.compile(
            rf"(?P<p>{one_of(words.parts)})(?:-to-(?:mid|late))?(?:{GAP}of)?(?:{GAP}|-)(?:the{GAP})?"
        )
        self._short_before = re.compile(
            rf"{words.any_weekday}\.?(?:{words.until}|{words.also}|,{GAP}|{GAP}?[/&]{GAP}?)$"
        )
        self._short_after = re.compile(
            rf"\.?(?:{words.until}|{words.also}|,{GAP}|{GAP}?[/&]{GAP}?){words.any_weekday}"
            rf"|\.?[\"']?{GAP}?:|\.?,?{GAP}[0-9]{{1,2}}(?::[0-9]{{2}}|{GAP}?[ap]\.?m)"
        )
        hours = one_of(words.forms("hours_word"))
        self._hours_after = re.compile(
            rf"\.?[,:]?{GAP}(?:{hours})(?!\w)|\.?,?{GAP}[0-9]{{1,2}}{GAP}?(?:[-–—]|to){GAP}?[0-9]{{1,2}}(?!\w)"
        )
        self._hours_before = re.compile(rf"(?<!\w)(?:{hours})[:,]?{GAP}(?:(?:on|every|each){GAP})?$")
        short = one_of(words.short_weekdays)
        self._key_after = re.compile(rf"(?:[-–/&](?:{short}))?[\"']?[ \t]?:(?!//)")
        self._key_before = re.compile(rf"(?:^|[\n{{,|])[ \t]*(?:[-*•][ \t])?[\"']?(?:(?:{short})[-–/&])?$")
        self._joins = DateJoins(words)

    def _by_word(self) -> dict[str, Form]:
        """Which form begins with which word; a later line wins over an earlier one."""
        words, written = self._words, self._written
        forms: dict[str, Form] = {}
        for starts, form in (
            (words.decades, self._decade),
            (words.short_weekdays, self._weekday),
            (words.weekdays, self._weekday),
            (words.names("lead") | words.names("loose_lead"), written.lead),
            (words.seasons, written.season),
            (words.ordinals, written.ordinal),
            (words.forms("fiscal"), written.fiscal),
            (("q1", "q2", "q3", "q4", "h1", "h2"), written.lettered),
            (words.months, written.month_first),
            (words.parts, self._of_part),
            (self._relative, self._spoken),
        ):
            forms |= dict.fromkeys(starts, form)
        # digits begin the ordinals 1st, 2nd … too, and are looked for on their own
        return {word: form for word, form in forms.items() if not word[0].isdigit()}

    def find(self, text: str | Page, *, lang: str = "en") -> list[Fact]:
        """The dates of ``text`` from left to right; a ``lang`` other than "en" adds its own months."""
        page = Page.of(text)
        low = page.low
        hits = self._hits(page)
        ambiguous = self._order == "auto" and any(len(hit.value.readings) > 1 for hit in hits)
        if ambiguous and (shown := shown_order(low)):
            hits = [hit._replace(value=in_order(hit.value, shown)) for hit in hits]
        if lang != "en":
            hits = _merged(foreign_dates(low, lang, self._words.months), hits)
        hits = _merged(east_asian_dates(low), hits)
        return [Fact(hit.value, hit.start, hit.end, not hit.sure) for hit in self._joins.join(low, hits)]

    def _hits(self, page: Page) -> list[Hit]:
        text, low, words = page
        places = self._words_of_dates(low, words)
        dated = not self._words.months.keys().isdisjoint(words)
        for match in _LOOSE_DIGITS.finditer(low):
            start, end = match.span()
            if _may_begin(low, start, end, dated) and _stands_alone(low, start):
                places.append((start, end))
        hits: list[Hit] = []
        done = 0
        for start, end in sorted(places):
            if start >= done and (found := self._at(Spot(text, low, start, end))):
                hits += found
                done = found[-1].end
        return hits

    def _words_of_dates(self, low: str, held: Set[str]) -> list[tuple[int, int]]:
        """Where words stand that a date can begin with, in order and none inside another: next Friday."""
        words = self._letterless.union(*(self._begun[run] for run in self._begun.keys() & held))
        spans: list[tuple[int, int]] = []
        for start in sorted({start for word in words for start in occurrences(low, word)}):
            match = self._anchor.match(low, start) if not spans or start >= spans[-1][1] else None
            if match is not None:
                spans.append(match.span())
        return spans

    def _at(self, spot: Spot) -> list[Hit]:
        """What begins at the word or the digits of ``spot``."""
        if not spot.low[spot.start].isdigit():
            return self._forms[spot.word](spot)
        if spot.end - spot.start <= 2 and spot.low[spot.end : spot.end + 1] in _AFTER_DAY:
            found = self._written.day_first(spot) or self._written.ordinal(spot)
            if found:
                return found
        return self._numeric.at(spot)

    def _next(self, spot: Spot, pos: int) -> list[Hit]:
        """What begins right at ``pos``, where the word of ``spot`` said that a date follows."""
        match = _DIGITS.match(spot.low, pos) or self._anchor.match(spot.low, pos)
        return self._at(Spot(spot.text, spot.low, *match.span(), cued=True)) if match else []

    def _of_part(self, spot: Spot) -> list[Hit]:
        """ "mid-2021", "early March", "the late 1990s": the period with its part."""
        match = None if spot.cued else self._part.match(spot.low, spot.start)
        found = self._next(spot, match.end()) if match else []
        if match is None or len(found) != 1:
            return []
        part = self._words.parts[match["p"]]
        readings = found[0].value.readings
        choices = [replace(choice, part=part) for choice in readings if isinstance(choice, DateValue)]
        if not choices or choices[0].unit == "day":
            return []
        if choices[0].unit == "decade" and word_before(spot.low, spot.start) in self._age_owners:
            return []
        return [Hit(spot.start, found[0].end, either(*choices))]

    def _decade(self, spot: Spot) -> list[Hit]:
        """ "the nineties", "mid-nineties"."""
        if not spot.cued and word_before(spot.low, spot.start) != "the":
            return []
        return [Hit(spot.start, spot.end, short_decade(self._words.decades[spot.word]))]

    def _spoken(self, spot: Spot) -> list[Hit]:
        """ "yesterday", "tomorrow"."""
        if spot.cued:
            return []
        return [Hit(spot.start, spot.end, SpokenDate(self._relative[spot.word]), spot.word not in self._loose)]

    def _weekday(self, spot: Spot) -> list[Hit]:
        """ "Monday", "Mon-Fri", and with the date that follows: "Monday, Sept. 2, 2024"."""
        text, low, start, end, cued = spot
        short = spot.word in self._words.short_weekdays
        if cued or word_before(low, start) in self._named_weekdays:
            return []
        weekday = (self._words.short_weekdays if short else self._words.weekdays)[spot.word]
        if short and not text[start].isupper():
            return [Hit(start, end, SpokenDate(weekday=weekday), False)] if self._is_key(low, start, end) else []
        follows = _DAY_MAY_FOLLOW.match(low, end)
        found = self._next(spot, follows.end()) if follows else []
        if found and isinstance(found[0].value, DateValue) and found[0].value.unit == "day":
            return [Hit(start, found[0].end, replace(found[0].value, weekday=weekday)), *found[1:]]
        if short and not (self._short_after.match(low, end) or self._beside_before(low, start)):
            known = self._beside_hours(low, start, end) or self._fields.hold(low, start, end)
            return [Hit(start, end, SpokenDate(weekday=weekday), False)] if known else []
        return [Hit(start, end, SpokenDate(weekday=weekday))]

    def _beside_before(self, low: str, start: int) -> bool:
        """Whether another weekday and a connector stand right before ``start``."""
        return self._short_before.search(low, max(0, start - 24), start) is not None

    def _beside_hours(self, low: str, start: int, end: int) -> bool:
        """Whether it is told beside an abbreviation that something is open or closed: "Mon closed", "Sat 9-5"."""
        return bool(self._hours_after.match(low, end) or self._hours_before.search(low, max(0, start - 24), start))

    def _is_key(self, low: str, start: int, end: int) -> bool:
        """Whether a field is called by an abbreviation in lower case: "wed: 9-17", {"mon-fri": …}."""
        if self._key_after.match(low, end) is None:
            return False
        first = max(0, start - 24)
        match = self._key_before.search(low, first, start)
        return match is not None and (match.start() > first or first == 0 or low[first] in "\n{,|")


def _may_begin(low: str, start: int, end: int, dated: bool) -> bool:
    """Whether a date can begin with the digits, in a text with a month's name when it is ``dated``."""
    length = end - start
    if length <= 2:
        return dated or low[end : end + 1] in _AFTER_SHORT
    return low[start] in "12" if length == 4 else length == 8


def _stands_alone(low: str, pos: int) -> bool:
    """Whether loose digits are no tail of something longer, as in "AB-2019" and "3.2019"."""
    before = low[pos - 1 : pos]
    if before not in _JOINING:
        return True
    earlier = low[pos - 2 : pos - 1]
    if before in "-–" and earlier.isalpha():
        return word_before(low, pos) in ("pre", "post")
    return not earlier.isdigit() and (before != "." or earlier.isalpha())


def _merged(foreign: list[Hit], hits: list[Hit]) -> list[Hit]:
    """Both in order of position; where two overlap, the foreign one."""
    if not foreign:
        return hits
    starts = [hit.start for hit in foreign]
    apart = []
    for hit in hits:
        after = bisect_left(starts, hit.end)
        if not after or foreign[after - 1].end <= hit.start:
            apart.append(hit)
    return sorted([*foreign, *apart], key=lambda hit: hit.start)
