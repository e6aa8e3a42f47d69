"""Which lines of a text are fenced code? What may be prose never is, for what is taken for code nobody checks.

Two readings are held against each other: that of CommonMark, in which code ends with the quotation or the item that it
stands in, and a careless one, in which only a closing fence ends it, wherever it stands. What one of them takes for
text is text.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["FenceReader", "Fenced", "LineKind", "fenced", "may_begin_fence"]

_QUOTATION = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r" {0,3}(?P<mark>[-*+•‣◦–]|\d{1,9}[.)])(?: {1,4}(?=[^ ])| (?= {4})|(?= *$))")
_ALONE = re.compile(r" {0,3}(?:#{1,6}(?: |$)|(?P<sign>[*_-])(?: *(?P=sign)){2,} *$)")
"""A heading or a line across the page, with which no paragraph goes on."""
_MARK = re.compile(r" {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)", re.DOTALL)
_MAY_BEGIN = re.compile(r"(?:[ \t>]|[-*+•‣◦–][ \t]|\d{1,9}[.)][ \t])*(?:```|~~~)")
_TAB = 4
_INDENT = " " * _TAB
"""What is so far to the right, and does not go on with a paragraph, is code without fences."""
_DEEPEST = 20
"""How many quotations and items may begin in one line."""
_DRESS = frozenset(" \t>")
_PROSE = frozenset({"markdown", "md", "text", "txt"})
"""Models wrap whole answers into such a fence, which are prose all the same."""

LineKind: TypeAlias = Literal["text", "fence", "code"]


class Fenced(NamedTuple):
    """Lines that are not prose: code with its fences, or fences alone, which stand around prose."""

    start: int
    end: int
    is_code: bool


class _Code(NamedTuple):
    """Code that was opened by ``mark``, within so many quotations and items."""

    mark: str
    within: int


class _Reading:
    """One reading of a text: the quotations and items that its last line is in, the code, the fence around prose."""

    def __init__(self, *, careless: bool) -> None:
        self._careless = careless
        self._around: list[int] = []
        """The quotations, as 0, and the items, as so many columns that their text is further to the right."""
        self._code: _Code | None = None
        self._prose: str | None = None
        self._is_behind_text = self._is_behind_empty = False

    def read(self, line: str) -> LineKind:
        """What the next line is, given without tabs and white space at its end."""
        place, within = self._place(line)
        kind = None if self._code is None else self._in_code(self._code, line, place, within)
        return self._outside(line, place, within) if kind is None else kind

    def _place(self, line: str) -> tuple[int, int]:
        """Where the line goes on behind the quotations and items that it is still in, and how many these are."""
        place = 0
        for number, width in enumerate(self._around):
            if width:
                indented = line.startswith(" " * width, place)
                if not indented and line[place:]:
                    return place, number
                place += width
            else:
                mark = _QUOTATION.match(line, place)
                if mark is None:
                    return place, number
                place = mark.end()
        return place, len(self._around)

    def _in_code(self, code: _Code, line: str, place: int, within: int) -> LineKind | None:
        """What a line in code is; None when the quotation or the item around the code has ended."""
        if self._careless:
            mark = _MARK.fullmatch(line.lstrip(" >"))
        elif within < code.within:
            self._code = None
            return None
        else:
            mark = _MARK.fullmatch(line, place)
        if mark is None or mark["info"] or not mark["mark"].startswith(code.mark):
            return "code"
        self._code = None
        return "fence"

    def _outside(self, line: str, place: int, within: int) -> LineKind:
        found, behind = self._begun(line, place, goes_on=self._is_behind_text and within == len(self._around))
        mark = _MARK.match(line, behind)
        if self._is_behind_text and mark is None and not found and line[place:] and not _ALONE.match(line, place):
            # it goes on with what the line before says, wherever that stands
            return "text"
        self._around[within:] = found
        if self._is_behind_empty and not found and not line[place:]:
            # an item begins with at most one blank line
            del self._around[-1:]
        self._is_behind_empty = bool(found) and found[-1] > 0 and not line[behind:]
        alone = _ALONE.match(line, behind) is not None or line.startswith(_INDENT, behind)
        self._is_behind_text = mark is None and bool(line[behind:]) and not alone
        if mark is None:
            return "text"
        info = mark["info"].strip().lower()
        if not info and self._prose is not None and mark["mark"].startswith(self._prose):
            self._prose = None
        elif info in _PROSE:
            self._prose = mark["mark"]
        else:
            self._code = _Code(mark["mark"], len(self._around))
        return "fence"

    @staticmethod
    def _begun(line: str, place: int, *, goes_on: bool) -> tuple[list[int], int]:
        """The quotations and items that begin at ``place``, and where their text does.

        Where it ``goes_on`` with a paragraph, an item must be the first one and say something (CommonMark 0.31, 5.2).
        """
        found = list[int]()
        while len(found) < _DEEPEST:
            quotation, item = _QUOTATION.match(line, place), _ITEM.match(line, place)
            if quotation is not None:
                found.append(0)
                place = quotation.end()
            elif item is not None and not _ALONE.match(line, place) and (found or not goes_on or _interrupts(item)):
                is_empty = item.end() == len(line)
                found.append(item.end() - place + is_empty)
                place = item.end()
            else:
                break
        return found, place


def _interrupts(item: re.Match[str]) -> bool:
    numeral = item["mark"][:-1]
    return item.end() < len(item.string) and (not numeral or numeral == "1")


class FenceReader:
    """Tells of one line after the other whether it is text, code, or a fence.

    >>> reader = FenceReader()
    >>> [reader.read(line) for line in ("1. ```sh", "   make", "   ```", "2. Wait.")]
    ['fence', 'code', 'fence', 'text']
    """

    def __init__(self) -> None:
        self._readings = _Reading(careless=False), _Reading(careless=True)
        self.begins = 0
        """Where in the line that was read last its fence begins: behind the mark of an item, else at 0."""

    def read(self, line: str) -> LineKind:
        """What the next line is, given without its break."""
        plain = line.expandtabs(_TAB).rstrip()
        kinds = {reading.read(plain) for reading in self._readings}
        self.begins = 0
        if "fence" in kinds:
            place = min(place for mark in ("```", "~~~") if (place := line.find(mark)) >= 0)
            # the numeral of an item stays
            self.begins = 0 if set(line[:place]) <= _DRESS else place
            return "fence"
        return "text" if "text" in kinds else "code"


def fenced(text: str) -> list[Fenced]:
    """What of ``text`` is no prose for its fences, in order; code that is never closed runs to the end.

    >>> fenced("a\\n```py\\nx = 1\\n```\\nb")
    [Fenced(start=2, end=17, is_code=True)]
    """
    if "```" not in text and "~~~" not in text:
        return []
    reader, found, start, is_behind_text = FenceReader(), list[Fenced](), 0, True
    for line in text.split("\n"):
        kind, end = reader.read(line), start + len(line)
        if kind != "text":
            before = Fenced(start + reader.begins, end, is_code=False) if is_behind_text else found.pop()
            found.append(Fenced(before.start, end, before.is_code or kind == "code"))
        is_behind_text = kind == "text"
        start = end + 1
    return found


def may_begin_fence(line: str) -> bool:
    """Whether the beginning of a line looks like a fence, which the rest of the line may refute.

    >>> may_begin_fence("- ```py"), may_begin_fence("so ```")
    (True, False)
    """
    return _MAY_BEGIN.match(line) is not None
