"""In what is a number counted? The sign and currency before it, the scale word and unit after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from raguard.reading.forms import FormTable, first_token
from raguard.rulebook import Rulebook
from raguard.text.folding import fold
from raguard.values.quantities import Unit

__all__ = ["LENGTHS", "Before", "Measures"]

_NEXT_AMOUNT = re.compile(r"\.?[0-9]")
"""What a symbol stands before belongs to the next number: 5 $10."""
_BLANK = frozenset(" \n")
"""A sign may stand at the end of the line above its amount; the letters of a currency there may belong to anything."""
_MINUS = frozenset("-−–")
_JOINING = frozenset(")]%-+\x00")
"""After these a hyphen is no sign; the last stands where another reader took something out."""
_HUNDREDTH = 0.01
_LETTERS = frozenset({"letter", "money_letter"})
_ADJECTIVE = re.compile(r"[ -]([a-z]{3,12})(?=[ -])")
_MOST_ADJECTIVES = 2
_FEWEST_LETTERS = 2
"""A unit of one letter may be something else."""
LENGTHS = frozenset({"time", "calendar"})
"""The dimensions that say how long something lasts."""


class Before(NamedTuple):
    """What stands before a number: where it begins, the currencies it may mean, and its sign."""

    start: int
    units: tuple[Unit, ...] = ()
    negative: bool = False


class Measures:
    """The families ``units`` and ``currencies`` and the scales of ``numbers``; texts are given folded."""

    def __init__(self, rulebook: Rulebook) -> None:
        units = [
            (form, rule.case_sensitive, _unit(rule.id, rule.data))
            for rule in rulebook["units"].rules
            for form in rule.forms
        ]
        moneys = list(_moneys(rulebook))
        self.percent = next(unit for _, _, unit in units if unit.dimension == "percent" and unit.factor == 1)
        self.minute, self.times = (next(unit for *_, unit in units if unit.id == name) for name in ("minute", "times"))
        self._units = FormTable([*units, *moneys])
        numbers = rulebook["numbers"].rules
        self._scales = FormTable(
            (form, rule.case_sensitive, (float(rule.data["value"]), str(rule.data["role"])))
            for rule in numbers
            if rule.data.get("role") in ("scale", "hundred", *_LETTERS)
            for form in rule.forms
        )
        self._adjectives = rulebook["numbers"].words("unit_adjective")
        prefixes: dict[str, list[Unit]] = {}
        for form, exact, unit in moneys:
            if exact and unit.factor == 1:
                prefixes.setdefault(fold(form).text, []).append(unit)
        self._prefixes = {form: tuple(found) for form, found in prefixes.items()}
        self._lengths = sorted({len(form) for form in prefixes}, reverse=True)
        self._endings = frozenset(form[-2:] for form in self._prefixes)
        self.prefix_words = frozenset(form.lower() for form in self._prefixes)
        """What may stand before an amount, in lower case."""
        self.prefix_ends = frozenset(form[-1] for form in self.prefix_words)
        """The last characters of these."""
        self.first_words = self._units.first_tokens | self._scales.first_tokens | self._adjectives | {"x", "×", "+"}
        """With what a scale, a unit, its adjective or the sign for times begins."""
        other = self._scales.first_tokens | self._adjectives
        self.words = {
            word: found
            for word, found in self._units.alone.items()
            if word.isalpha() and len(word) >= _FEWEST_LETTERS and word not in other and self.times not in found
        }
        """The units of one word that mean nothing else."""

    def before(self, text: str, start: int) -> Before:
        """The sign and the currency right before ``start``: of "USD $5" and of "-$5" and "$-5"."""
        if text[start - 1 : start] in _BLANK and not self._may_end(text, start - 1):
            return Before(start)
        negative, left = _signed(text, start)
        found = self._money(text, left)
        if found is None:
            return Before(left, (), negative) if left == start or _free(text, left) else Before(start)
        left, units = found
        further = self._money(text, left)
        if further is not None and not set(units).isdisjoint(further[1]):
            left, units = further[0], min(units, further[1], key=len)
        minus, outer = _signed(text, left)
        if outer != left and _free(text, outer):
            return Before(outer, units, minus)
        return Before(left, units, negative)

    def _money(self, text: str, stop: int) -> tuple[int, tuple[Unit, ...]] | None:
        if stop and (text[stop - 1] == " " or (text[stop - 1] == "\n" and not text[stop - 2 : stop - 1].isalnum())):
            stop -= 1
        if not self._may_end(text, stop):
            return None
        for length in self._lengths:
            start = stop - length
            units = self._prefixes.get(text[start:stop]) if start >= 0 else None
            if units and not (text[start].isalnum() and text[start - 1 : start].isalnum()):
                return start, units
        return None

    def may_follow(self, text: str, end: int) -> bool:
        """Whether what stands at ``end`` can be a scale, a unit, or something before a unit."""
        token = first_token(text, end)
        return token is not None and token.lower() in self.first_words

    def _may_end(self, text: str, stop: int) -> bool:
        """Whether a currency may end at ``stop``, by its last two characters."""
        return text[max(0, stop - 2) : stop] in self._endings or text[max(0, stop - 1) : stop] in self._endings

    def scale(self, text: str, end: int, *, money: bool) -> tuple[float, int]:
        """What the scale word or letter at ``end`` is worth, with its end; 1 when there is none."""
        match = self._scales.match(text, end)
        if match is None:
            return 1.0, end
        for value, role in match.meanings:
            glued = match.start == end or (money and text[end] == " ")
            if role not in _LETTERS or (glued and (money or role == "letter")):
                return value, match.end
        return 1.0, end

    def unit(self, text: str, end: int, *, digits: bool = True) -> tuple[tuple[Unit, ...], int]:
        """The units that the words at ``end`` may mean, with their end; letters only right after digits."""
        match = self._units.match(text, end)
        if match is None:
            return self._after_adjectives(text, end)
        if match.end - match.start == 1:
            letter = text[match.start].isalpha()
            close = digits and (match.start == end or text[end] == " ")
            if (letter and not close) or (not letter and _NEXT_AMOUNT.match(text, match.end)):
                return (), end
        return match.meanings, match.end

    def _after_adjectives(self, text: str, end: int) -> tuple[tuple[Unit, ...], int]:
        """The unit of time that an adjective or two stand before: business days, two full years."""
        place = end
        for _ in range(_MOST_ADJECTIVES):
            adjective = _ADJECTIVE.match(text, place)
            if adjective is None or adjective[1] not in self._adjectives:
                break
            place = adjective.end()
        match = self._units.match(text, place) if place != end else None
        if match is None or match.end - match.start == 1 or match.meanings[0].dimension not in LENGTHS:
            return (), end
        return match.meanings, match.end


def _unit(rule_id: str, values: Mapping[str, Any]) -> Unit:
    dimension = str(values["dimension"])
    percent = dimension in ("percent", "percentage_point") and rule_id != "units.times"
    return Unit(
        id=rule_id.split(".")[1],
        dimension=dimension,
        factor=float(values["factor"]),
        offset=float(values.get("offset", 0.0)),
        kind="percent" if percent else "number",
    )


def _moneys(rulebook: Rulebook) -> Iterator[tuple[str, bool, Unit]]:
    """Each form of each currency with whether its case counts."""
    for rule in rulebook["currencies"].rules:
        code = str(rule.data["code"])
        whole = Unit(code, code, kind="money")
        yield code, True, whole
        for symbol in rule.data["symbols"]:
            yield symbol, True, whole
        for form in rule.forms:
            yield form, False, whole
        for form in rule.data.get("minor", ()):
            yield form, False, Unit(f"{code} minor", code, _HUNDREDTH, kind="money")


def _signed(text: str, start: int) -> tuple[bool, int]:
    """Whether a minus stands right before ``start``, and where the sign begins."""
    sign = text[start - 1 : start]
    if sign and (sign in _MINUS or sign == "+"):
        return sign != "+", start - 1
    return False, start


def _free(text: str, start: int) -> bool:
    """Whether a sign at ``start`` is one: a hyphen after a word, a number or a bracket joins."""
    return not start or not (text[start - 1].isalnum() or text[start - 1] in _JOINING)
