"""Which dates are written in another language? "12 mars 2023", "12. März", "12 de marzo", "2023年3月".

A closed pattern finds day, word and year; whether the word is a month is what dateparser knows. It is
imported on first need and asked once per word.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache

from raguard.reading.date_words import DAY, YEAR, Hit
from raguard.values.dates import DateValue

__all__ = ["east_asian_dates", "foreign_dates"]

_MOST_WORDS = 200
"""How many different words of one text are looked up; more are no prose."""
_WORD = r"[^\W\d_]{3,15}"
_OF = r"(?:(?:de|del|di|da|do)\s|d['’]\s?)?"
_IN = r"(?:im|en|in|em|nel)\s"
_DATE = re.compile(
    rf"(?<![\w.,:/-])(?:(?P<d>{DAY})(?:\.|er|ers|[°ºª])?\s{_OF}|(?P<in>{_IN}))?(?P<w>{_WORD})\.?"
    rf"(?:,?\s{_OF}(?P<y>{YEAR})(?![\w%]|[.,][0-9]))?(?!\w)"
)
_EAST_ASIAN_MONTH = "月월"
_EAST_ASIAN = re.compile(
    rf"(?<![0-9])(?:(?P<y>{YEAR})\s?[年년]\s?)?(?P<m>1[0-2]|0?[1-9])\s?[{_EAST_ASIAN_MONTH}](?:\s?(?P<d>{DAY})\s?[日일号號])?"
)
_SETTINGS = {"STRICT_PARSING": True, "REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]}


def foreign_dates(low: str, lang: str, english: Container[str]) -> list[Hit]:
    """The dates of lower-case text in ``lang`` (ISO 639-1), without those with ``english`` months."""
    found = []
    known: dict[str, int | None] = {}
    for match in _DATE.finditer(low):
        word = match["w"]
        if not (match["d"] or match["y"] or match["in"]) or word in english:
            continue
        if word not in known and len(known) < _MOST_WORDS:
            known[word] = _month(word, lang)
        month = known.get(word)
        if month is not None:
            end = match.end() if match["y"] else match.end("w")
            start = match.start("w") if match["in"] else match.start()
            found.append(Hit(start, end, _date(match["y"], month, match["d"])))
    return found


def east_asian_dates(low: str) -> list[Hit]:
    """The dates that Chinese, Japanese and Korean write with digits: 2023年3月, 5月9日."""
    if low.isascii() or not any(month in low for month in _EAST_ASIAN_MONTH):
        return []
    matches = (match for match in _EAST_ASIAN.finditer(low) if match["y"] or match["d"])
    return [Hit(*match.span(), _date(match["y"], int(match["m"]), match["d"])) for match in matches]


def _date(year: str | None, month: int, day: str | None) -> DateValue:
    number = int(year) if year else None
    return DateValue.day(number, month, int(day)) if day else DateValue.month(number, month)


@lru_cache(maxsize=4096)
def _month(word: str, lang: str) -> int | None:
    """The month that ``word`` names in the language, or None."""
    import dateparser  # only other languages than English pay for it

    try:
        date = dateparser.parse(f"1 {word} 2000", languages=[lang], settings=_SETTINGS)
    except ValueError:
        # a language that dateparser does not know
        return None
    return date.month if date is not None and date.day == 1 and date.year == 2000 else None
