"""Which unsupported numbers may be right? Small counts of people, spans from now, what everyone knows."""

from __future__ import annotations

import re

from raguard.rulebook import Rulebook
from raguard.values.quantities import Quantity, Range
from raguard.values.value import Value

__all__ = ["NumberDoubts"]

_SMALL = range(2, 13)
_NEAR = re.compile(r"(?:\s[a-z'-]{1,20}){1,3}")
_UNIT = re.compile(r"(?<=[0-9])[^0-9]{0,40}$")
_REACH = 40
"""How many characters around a number tell what it counts."""


class NumberDoubts:
    """The roles ``cardinal``, ``persons``, ``window`` and ``known_count`` of the family ``numbers`` as one question."""

    def __init__(self, rulebook: Rulebook) -> None:
        numbers = rulebook["numbers"]
        self._small = frozenset(
            form for rule in numbers.role("cardinal") if rule.data["value"] in _SMALL for form in rule.forms
        )
        self._persons = numbers.words("persons")
        windows = "|".join(map(re.escape, numbers.forms("window")))
        self._window = re.compile(rf"\b(?:{windows})\s$", re.IGNORECASE)
        known: dict[tuple[float, float], list[str]] = {}
        for rule in numbers.role("known_count"):
            least = float(rule.data["value"])
            known.setdefault((least, float(rule.data.get("most", least))), []).append(rule.pattern or "")
        self._known = {span: re.compile("|".join(patterns), re.IGNORECASE) for span, patterns in known.items()}

    def doubt(self, value: Value, text: str, start: int, end: int) -> str | None:
        """Why a number ``text[start:end]``, which states ``value``, may be right all the same, else None.

        "known" for a count that everyone knows (a jury of 12), "window" for a span that is counted from the time of
        speaking (over the next 5 days), "small" for a small count of persons in a word (two passengers).
        """
        if not isinstance(value, Quantity | Range) or value.kind != "number":
            return None
        before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
        if self._everyone_knows(value, f"{before}#{_unit_of(text[start:end])}{after}"):
            return "known"
        if isinstance(value, Range):
            return None
        if self._window.search(before):
            return "window"
        return "small" if text[start:end].lower() in self._small and self._counts_persons(after) else None

    def _everyone_knows(self, value: Quantity | Range, around: str) -> bool:
        amounts = [end.readings[0].amount for end in (value.ends() or (value,))]
        return any(
            all(least <= amount <= most for amount in amounts) and pattern.search(around) is not None
            for (least, most), pattern in self._known.items()
        )

    def _counts_persons(self, after: str) -> bool:
        counted = _NEAR.match(after)
        return counted is not None and not self._persons.isdisjoint(counted.group().split())


def _unit_of(number: str) -> str:
    """What stands behind the digits or the first word of a written number: 7 days, twelve months."""
    digits = _UNIT.search(number)
    return digits.group() if digits else number[len(number.partition(" ")[0]) :]
