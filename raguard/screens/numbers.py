"""Is this the number of a card, an account or a person? Check digits, issuers and the words beside it prove it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

from raguard.errors import ConfigError
from raguard.rulebook import Family
from raguard.screens.findings import ScreenSeverity
from raguard.screens.surroundings import Surroundings

__all__ = ["NEEDS_STDNUM", "Numbers", "valid"]

NEEDS_STDNUM = "PIIDetector needs python-stdnum: pip install 'raguard-verify[screens]'"
_LEAST_DIFFERENT = 3
"""A card has at least so many different digits."""
_MODULE = re.compile(r"[a-z_]{2,20}(?:\.[a-z_]{2,20})?")


@cache
def valid(module: str) -> Callable[[str], bool]:
    """``is_valid`` of a module of python-stdnum, such as ``us.ssn``; raises ConfigError when there is none.

    >>> valid("iban")("DE89 3704 0044 0532 0130 00"), valid("us.ssn")("078-05-1120")
    (True, False)
    """
    try:
        import_module("stdnum")
    except ImportError as error:
        raise ConfigError(NEEDS_STDNUM) from error
    try:
        if not _MODULE.fullmatch(module):
            raise ImportError(module)
        found: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"check {module!r} is no module of python-stdnum with is_valid") from error
    return found


class Numbers:
    """Proves numbers in folded text; each method gives a severity, or None for what is no such number."""

    def __init__(self, family: Family, around: Surroundings) -> None:
        self._around = around
        self._issuers = re.compile("|".join(rule.pattern for rule in family.role("issuer") if rule.pattern))
        self._test_cards = family.words("test_card")

    def card(self, text: str, start: int, end: int, severity: ScreenSeverity) -> ScreenSeverity | None:
        """Of digits: a card's when an issuer has such numbers and the check digit is right; harmless for test cards."""
        digits = re.sub(r"[ -]", "", text[start:end])
        if digits in self._test_cards:
            return ScreenSeverity.PASS
        made_up = len(set(digits)) < _LEAST_DIFFERENT
        if made_up or not self._issuers.fullmatch(digits) or not valid("luhn")(digits):
            return None
        return None if self._around.say_other_number(text, start) else severity

    def proved(
        self, text: str, start: int, end: int, severity: ScreenSeverity, check: str, *, named: bool
    ) -> ScreenSeverity | None:
        """Of what a module of python-stdnum knows; one that is ``named`` beside is no other number."""
        if not valid(check)(text[start:end]) or (not named and self._around.say_other_number(text, start)):
            return None
        return severity
