"""Which of many written forms stands at this place? A look-up by first word, however many forms there are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from raguard.text.folding import fold

__all__ = ["FormTable", "Match", "first_token"]

T = TypeVar("T")

_TOKEN = re.compile(r"[ \n-]?([^\W_]{1,24}|[^\w\s])")
_LONGEST_TOKEN = 24
_ONE_SPACE = str.maketrans("-\n", "  ")


class Match(NamedTuple, Generic[T]):
    """A form found at ``text[start:end]`` and everything it may mean."""

    start: int
    end: int
    meanings: tuple[T, ...]


def first_token(text: str, position: int) -> str | None:
    """The word or the mark at ``position``, before which one space or hyphen may stand."""
    token = _TOKEN.match(text, position)
    return None if token is None else token[1]


class FormTable(Generic[T]):
    """Forms and what each may mean; ``exact`` forms are matched as written, others in any case.

    Within a form, hyphen, space and line break are alike.
    """

    def __init__(self, forms: Iterable[tuple[str, bool, T]]) -> None:
        tables: tuple[dict[str, dict[str, dict[T, None]]], ...] = ({}, {})
        for written, exact, meaning in forms:
            form = _spaced(fold(written).text if exact else fold(written).text.lower())
            first = _TOKEN.match(form)
            if first is not None:
                tables[exact].setdefault(first[1], {}).setdefault(form, {})[meaning] = None
        self._any_case, self._exact = (
            {
                first: tuple((form, tuple(known[form])) for form in sorted(known, key=len, reverse=True))
                for first, known in table.items()
            }
            for table in tables
        )
        exact_first = frozenset(first.lower() for first in self._exact)
        self.alone = {
            first: forms[0][1]
            for first, forms in self._any_case.items()
            if [form for form, _ in forms] == [first] and first not in exact_first and len(first) < _LONGEST_TOKEN
        }
        """The forms of one word or mark with which no other form begins."""
        self.first_tokens = exact_first.union(self._any_case)
        """The lower-case word or the mark with which each form begins."""

    def match(self, text: str, position: int) -> Match[T] | None:
        """The longest form at ``position``, before which one space or hyphen may stand."""
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        first, start = token[1], token.start(1)
        lower = first.lower()
        alone = self.alone.get(lower)
        if alone is not None:
            end = token.end()
            following = text[end : end + 1]
            goes_on = following == "^" or (following == "_" and first.isalnum())
            return None if goes_on else Match(start, end, alone)
        exact, any_case = self._exact.get(first, ()), self._any_case.get(lower, ())
        if not exact and not any_case:
            return None
        # the forms stand longest first
        found = [entry for entry in exact if _stands(text, start, entry[0])][:1]
        found += [entry for entry in any_case if _stands(text, start, entry[0], lower=True)][:1]
        if not found:
            return None
        longest = max(len(form) for form, _ in found)
        meanings = tuple(meaning for form, known in found if len(form) == longest for meaning in known)
        return Match(start, start + longest, meanings)


def _spaced(form: str) -> str:
    return form.translate(_ONE_SPACE) if "-" in form or "\n" in form else form


def _stands(text: str, start: int, form: str, *, lower: bool = False) -> bool:
    """Whether ``form`` stands at ``start`` and no letter, digit or power (a folded superscript) follows."""
    end = start + len(form)
    written = text[start:end]
    if _spaced(written.lower() if lower else written) != form:
        return False
    following = text[end : end + 1]
    return following != "^" and not (form[-1].isalnum() and (following.isalnum() or following == "_"))
