"""Is an amount one per year, per month, per week, per day or per hour?"""

from __future__ import annotations

import re

from raguard.rulebook import Rulebook

__all__ = ["RateReader"]

_REACH = 40
"""How many characters around an amount tell its period."""


class RateReader:
    """The role ``rate`` of the family ``numbers`` as one question."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rates = [
            (float(rule.data["value"]), re.compile(rule.pattern or "", re.IGNORECASE))
            for rule in rulebook["numbers"].role("rate")
        ]

    def yearly(self, text: str, start: int, end: int) -> float | None:
        """How often a year the amount ``text[start:end]`` falls due, None when nothing beside it says so."""
        around = f"{text[max(0, start - _REACH) : start]}#{text[end : end + _REACH]}"
        return next((times for times, pattern in self._rates if pattern.search(around)), None)
