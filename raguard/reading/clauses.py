"""Which clauses does a text point at, and which ones does it hold under their own heading?"""

from __future__ import annotations

import re
from typing import NamedTuple

from raguard.rulebook import Rulebook
from raguard.values.clauses import Clause

__all__ = ["ClauseReader", "Headed", "Reference"]

_NUMBER = r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,4}[a-z]?(?:\s?\([a-z0-9]{1,4}\)){0,3}(?![\w%]|[.,:/]\d)"
_DOTTED = r"[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}(?![\w%]|[,:/]\d)"
_MORE = re.compile(rf"(?:\s?[,;/&–-]\s?|,?\s(?:and|or|to|through|und|bis|oder|y|e)\s)(?:§{{1,2}}\s?)?({_NUMBER})")
_MOST = 12
"""How many numbers behind one word are read."""
_OF = re.compile(r",?\s(?:of|in|der|des|del|della)\s(.{1,40})", re.DOTALL)
_LAW = re.compile(r"\s[A-Z][A-Za-z]{0,3}[A-Z]")
"""An abbreviation behind the number names a law: § 823 BGB, Art. 6 GDPR."""
_OPENS = r"(?:^[ \t>*#•-]{0,8}|(?<=[.;:] ))"
_SET_OFF = r"(?:\s?[.):–-])?(?:\s{1,4}[\"'(]?(?=[A-Z])|[ \t]{0,4}(?=\n|$))"


_PLAIN = re.compile(r"^[ \t>*#•-]{0,8}(?P<worded>)(?P<bare>[0-9]{1,2})\.[ \t]{1,4}(?=[A-Z])", re.MULTILINE)
_TITLE = re.compile(r"[^.:;\n]{2,80}(?=[.:;\n]|$)")


class Reference(NamedTuple):
    """A place that names a clause: the span of its number, and where the word before it begins."""

    clause: Clause
    start: int
    end: int
    opens: int
    foreign: bool
    """Whether it names the text that the clause is of, which may not be among the documents."""


class Headed(NamedTuple):
    """A clause with its text, from its own heading to the next one; ``title`` is where the words of the heading end."""

    clause: Clause
    start: int
    number_end: int
    title_end: int
    end: int


class ClauseReader:
    """Reads references to clauses and their headings by the family ``clauses``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["clauses"]
        forms = sorted((form for rule in family.role("word") for form in rule.forms), key=len, reverse=True)
        word = rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})"
        self.pointing = family.words("pointing").union(form.strip(".") for form in forms)
        self._hints = tuple(form for form in forms if not any(form != part and part in form for part in forms))
        self._reference = re.compile(rf"{word}\s{{0,3}}(?:no\.\s?)?({_NUMBER})")
        self._heading = re.compile(
            rf"{_OPENS}(?:(?i:{word})\s{{0,3}}(?P<worded>{_NUMBER})|(?P<bare>{_DOTTED})){_SET_OFF}", re.MULTILINE
        )
        self._own = tuple(form for rule in family.role("own") for form in rule.forms)
        self.aside = family.pattern("aside")

    def find(self, text: str) -> list[Reference]:
        """The clauses that ``text`` (folded) points at, in order; of "clauses 12.3 and 12.4" both."""
        low = text.lower()
        if not any(map(low.__contains__, self._hints)):
            return []
        found: list[Reference] = []
        for match in self._reference.finditer(low):
            spans = [match.span(1)]
            while len(spans) < _MOST and (more := _MORE.match(low, spans[-1][1])):
                spans.append(more.span(1))
            foreign = self._foreign(text, low, spans[-1][1])
            found += [
                Reference(Clause.read(low[start:end]), start, end, match.start(), foreign) for start, end in spans
            ]
        return found

    def _foreign(self, text: str, low: str, end: int) -> bool:
        of = _OF.match(low, end)
        return _LAW.match(text, end) is not None or (of is not None and not of[1].startswith(self._own))

    def headings(self, text: str) -> tuple[Headed, ...]:
        """The clauses that ``text`` holds under a heading, in order; what precedes the first one belongs to none."""
        # where clauses have other numbers, plain ones belong to lists
        found = list(self._heading.finditer(text)) or list(_PLAIN.finditer(text))
        ends = [match.start() for match in found[1:]] + [len(text)] * bool(found)
        return tuple(_headed(match, end) for match, end in zip(found, ends, strict=True))


def _headed(match: re.Match[str], end: int) -> Headed:
    number = match["worded"] or match["bare"]
    title = _TITLE.match(match.string, match.end(), end)
    return Headed(Clause.read(number), match.start(), match.end(), title.end() if title else match.end(), end)
