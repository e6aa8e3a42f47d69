"""Which amounts can a number in digits mean? Both readings of 3.355 are kept, none is guessed away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

__all__ = ["FRACTION_SIGNS", "NUMERAL", "Number", "TableRows", "listed", "numerals", "read_numeral"]

FRACTION_SIGNS = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅕": (1, 5),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
}
_SIGNS = "".join(FRACTION_SIGNS)

NUMERAL = re.compile(rf"[0-9{_SIGNS}](?:(?<![{_SIGNS}])[0-9]{{0,29}}(?:[.,'’][0-9]{{1,30}}){{0,12}})?")
"""Digits with whatever separates groups or decimals, or a fraction sign."""

_DIGITS = re.compile(r"[0-9]{1,30}")
_SHAPES = re.compile(
    r"(?P<groups>[1-9][0-9]{0,2}(?:(?:,[0-9]{3}){1,9}|(?:['’][0-9]{3}){1,9}|(?:,[0-9]{2}){1,9},[0-9]{3}))(?:\.(?P<cents>[0-9]{1,30}))?"
    r"|(?P<dotted>[1-9][0-9]{0,2}(?:(?:\.[0-9]{3}){2,9}|(?:\.[0-9]{3}){1,9}(?=,)))(?:,(?P<after>[0-9]{1,30}))?"
    r"|(?P<units>[0-9]{0,30})(?:\.(?P<decimals>[0-9]{1,30})|,(?P<comma>[0-9]{1,2}|(?<=^0,)[0-9]{3,30}))"
)
_MOST_DIGITS = 30
_SEPARATORS = str.maketrans("", "", ".,'’")
_HEADER = re.compile(r"^[^\W\d][^\n,]{0,60}(?:,[^\s,][^\n,]{0,60}){1,60}$", re.MULTILINE)
_ROW = re.compile(r"\n[^\n]{1,4000}")
_SPACED = re.compile(r"(?: [0-9]{3}(?![0-9])){1,5}(?:[.,][0-9]{1,2}(?![0-9]))?")
_FRACTION = re.compile(
    rf"(?:[ -]?(?P<sign>[{_SIGNS}])|[ -](?P<top>[0-9]{{1,3}})/(?P<under>[0-9]{{1,4}})(?![0-9/]|[.,][0-9]))"
)
_OVER = re.compile(r"/(?P<under>[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,9})(?:ths?(?!\w))?(?![0-9/]|[.,][0-9])")
_KITCHEN = frozenset({2, 3, 4, 8, 16, 32, 64})
"""The denominators of written fractions; 4/5 and 7/10 are ratings."""


class Number(NamedTuple):
    """A number without unit: its amounts, likeliest first, each with the worth of its last written place."""

    start: int
    end: int
    amounts: tuple[tuple[float, float], ...]
    decimals: bool = False
    ordinal: bool = False
    part: bool = False
    """A fraction below one: it may also be a percentage."""
    loose: bool = False
    """It supports a number, but claims none."""
    fold: bool = False
    """It tells how many times as much something became."""
    digits: bool = True
    scale: float = 1.0
    whole: tuple[int, int, float] | None = None
    """Where the 10 of "1 in 10" stands, and its amount."""


def numerals(text: str) -> Iterator[tuple[int, int]]:
    """Where digits stand that are one number: "1,200" is, each of "1,2,3" is."""
    for match in NUMERAL.finditer(text):
        if match.group() in FRACTION_SIGNS or _shape(match.group()) is not None:
            yield match.span()
        else:
            yield from _apart(match.group(), match.start())


def _apart(written: str, start: int) -> Iterator[tuple[int, int]]:
    """The numbers between commas, or where one of them is no number the runs of its digits."""
    for cell in written.split(","):
        if _shape(cell) is not None:
            yield start, start + len(cell)
        else:
            for piece in _DIGITS.finditer(cell):
                yield start + piece.start(), start + piece.end()
        start += len(cell) + 1


class TableRows:
    """Where the rows of comma-separated tables begin: lines with as many commas as the header above them."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def starts(self) -> frozenset[int]:
        """The places where rows begin."""
        starts, place = set(), 0
        while header := _HEADER.search(self.text, place):
            place, commas = header.end(), header.group().count(",")
            while (row := _ROW.match(self.text, place)) and row.group().count(",") == commas:
                starts.add(place + 1)
                place = row.end()
        return frozenset(starts)


def listed(text: str, start: int, end: int, rows: TableRows) -> list[tuple[int, int]]:
    """The numbers that ``text[start:end]``, grouped by commas, may hold in a list or table row: [100,200]."""
    cells = text[start:end].split(",")
    if len(cells) < 2 or not all(cell.isdigit() and (cell == "0" or cell[0] != "0") for cell in cells):
        return []
    before, after = text[start - 1 : start], text[end : end + 1]
    goes_on = before in ("[", ",") or after == "]" or (after == "," and text[end + 1 : end + 2].isalnum())
    in_row = after in ("", "\n") and before in ("", "\n") and start in rows.starts
    return list(_spans(cells, start)) if goes_on or in_row else []


def _spans(cells: list[str], start: int) -> Iterator[tuple[int, int]]:
    for cell in cells:
        yield start, start + len(cell)
        start += len(cell) + 1


def read_numeral(text: str, start: int, end: int) -> Number | None:
    """The number whose first digits stand at ``text[start:end]``, with what goes on from there, or None."""
    written = text[start:end]
    if written in FRACTION_SIGNS:
        return _part(start, end, *FRACTION_SIGNS[written])
    if text[start - 1 : start] == "." and not text[start - 2 : start - 1].isalnum() and written.isdigit():
        start, written = start - 1, f".{written}"
    shape = _shape(written)
    if shape is None:
        return None
    amounts, decimals = shape
    if not decimals and len(amounts) == 1 and _may_go_on(text, end):
        longer = _longer(text, start, end, written, amounts[0][0])
        if longer is not None:
            return longer
    return Number(start, end, amounts, decimals)


def _may_go_on(text: str, end: int) -> bool:
    """Whether a fraction or another group of digits follows."""
    following = text[end : end + 1]
    if following in _BEFORE_MORE:
        following = text[end + 1 : end + 2]
        return following.isdigit() or following in FRACTION_SIGNS
    return following == "/" or following in FRACTION_SIGNS


def _longer(text: str, start: int, end: int, written: str, amount: float) -> Number | None:
    """The number that goes on after its first digits: 934 000, 1 1/2, 3/4, 2½."""
    over = _OVER.match(text, end)
    under = int(over["under"].replace(",", "")) if over is not None and len(written) <= 3 else 0
    if over is not None and _is_fraction(int(amount), under):
        return _part(start, over.end(), int(amount), under)
    mixed = _FRACTION.match(text, end) if text[end : end + 1] in _AFTER_WHOLE else None
    if mixed is not None:
        sign = FRACTION_SIGNS.get(mixed["sign"])
        top, under = sign or (int(mixed["top"]), int(mixed["under"]))
        if sign or _is_fraction(top, under):
            return Number(start, mixed.end(), ((amount + top / under, 0.01),), decimals=True)
    spaced = _SPACED.match(text, end) if len(written) <= 3 and written[0] != "0" else None
    if spaced is None:
        return None
    groups = re.split("[.,]", spaced.group(), maxsplit=1)
    joined = _shape(written + groups[0].replace(" ", "") + (f".{groups[1]}" if len(groups) > 1 else ""))
    if joined is None:
        return None
    # a row of a table may hold several numbers: each group that can stand alone stays a reading
    alone = [written, *groups[0].split()] if not any(group.startswith("0") for group in groups[0].split()) else []
    readings = joined[0] + tuple((float(group), 1.0) for group in alone)
    return Number(start, spaced.end(), readings, joined[1])


_AFTER_WHOLE = frozenset(f" -{_SIGNS}")
_BEFORE_MORE = frozenset(" -")


def _is_fraction(top: int, under: int) -> bool:
    return 0 < top < under and (top == 1 or under in _KITCHEN)


def _part(start: int, end: int, top: int, under: int) -> Number:
    part = top / under
    return Number(start, end, ((part, min(0.01, part / 10)),), decimals=100 * top % under != 0, part=True)


@lru_cache(maxsize=4096)
def _shape(written: str) -> tuple[tuple[tuple[float, float], ...], bool] | None:
    """The amounts and places that ``written`` can mean, and whether it has decimals; None for no number."""
    if len(written) <= _MOST_DIGITS and written.isdigit():
        return ((float(written), _place(written)),), False
    match = _SHAPES.fullmatch(written)
    if match is None:
        return None
    grouped = match["groups"] or match["dotted"]
    whole = grouped.translate(_SEPARATORS) if grouped else match["units"] or "0"
    decimals = match["cents"] or match["after"] or match["decimals"] or match["comma"]
    if decimals is None:
        return ((float(whole), _place(whole)),), False
    readings = [(float(f"{whole}.{decimals}"), 10.0 ** -len(decimals))]
    if match["decimals"] and len(decimals) == 3 and len(whole) <= 3 and whole[0] != "0":
        readings.append((float(whole + decimals), _place(whole + decimals)))
    return tuple(readings), True


def _place(whole: str) -> float:
    stripped = whole.rstrip("0")
    return 10.0 ** (len(whole) - len(stripped)) if stripped else 1.0
