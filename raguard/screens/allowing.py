"""Which of the found things does the operator let pass? Terms compared folded, numbers by their digits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from raguard.errors import ConfigError
from raguard.text.folding import fold

__all__ = ["AllowList"]

_BETWEEN = re.compile(r"[\s./()-]{1,200}")
_LEAST_DIGITS = 4


class AllowList:
    """The terms that let a finding pass: the finding is the term, whatever its case, accents and spaces.

    A term of digits with separators lets a number pass however that is written. Raises ConfigError for what is no
    list of strings, and for a blank one.

    >>> allowed = AllowList(["+49 30 901820", "Help@Acme.com"])
    >>> allowed.lets("(+49) 30-90 18 20"), allowed.lets("help@acme.com"), allowed.lets("ann@acme.com")
    (True, True, False)
    """

    def __init__(self, terms: Iterable[str] = ()) -> None:
        if isinstance(terms, (str, bytes)) or not isinstance(terms, (Sequence, set, frozenset)):
            raise ConfigError(f"allow must be a list of strings, not {type(terms).__name__}")
        for term in terms:
            if not isinstance(term, str) or not fold(term).text.strip():
                raise ConfigError(f"allow: a term must be a string that is not blank, not {term!r:.80}")
        self.terms = tuple(terms)
        plain = [_plain(term) for term in self.terms]
        self._words = frozenset(plain)
        self._numbers = frozenset(filter(None, map(_number, plain)))

    def lets(self, found: str) -> bool:
        """Whether what was found, as it stands in the text, is one of the terms."""
        if not self._words:
            return False
        plain = _plain(found)
        number = _number(plain)
        return plain in self._words or (number is not None and number in self._numbers)


def _plain(text: str) -> str:
    return " ".join(fold(text).text.casefold().split()).strip(".,;:!?\"'")


def _number(plain: str) -> str | None:
    """The digits of a text that is a number with separators, its plus left off; None for any other."""
    digits = _BETWEEN.sub("", plain).removeprefix("+")
    return digits if len(digits) >= _LEAST_DIGITS and digits.isdigit() else None
