"""How is a number meant? What the words around it say: about, over, fell by, first of all."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence, Set

from raguard.reading.forms import FormTable
from raguard.rulebook import Rulebook
from raguard.text.words import is_plural, occurrences
from raguard.values.rounding import Hedge

__all__ = ["NumberCues"]

_REACH = 70
_REACH_AFTER = 30
_WORD = re.compile(r"[a-z]{1,20}")
_DECADE = re.compile(r"(?P<century>1[0-9]|20)?[0-9]0'?s(?!\w)")
_FIRST = re.compile(r"[a-z0-9]{1,20}")
_NOUN = re.compile(r"[ -]([a-z]{3,20})(?![\w'])")
_SENTENCE_ENDS = (". ", "\n", "; ", "? ", "! ")


class NumberCues:
    """The hedges, directions, ranks and idioms of the family ``numbers``; texts are given in lower case."""

    def __init__(self, rulebook: Rulebook) -> None:
        numbers = rulebook["numbers"]
        self._hedges: dict[str, list[tuple[str, Hedge]]] = {}
        for rule in numbers.role("hedge"):
            for form in rule.forms:
                last = form.rpartition(" ")[2]
                self._hedges.setdefault(last, []).append((form, rule.data["direction"]))
        self._after: FormTable[Hedge] = FormTable(
            (form, False, rule.data["direction"]) for rule in numbers.role("hedge_after") for form in rule.forms
        )
        self.last_hedge_words = frozenset(self._hedges)
        """The last word of every hedge that stands before its number."""
        self.after_words = self._after.first_tokens
        """The first word of every hedge that stands after its number."""
        self._declines, self._rises, self._ranks, self._decades = (
            numbers.words(role) for role in ("decline", "rise", "rank", "decade")
        )
        no_noun = rulebook["words"].words("function") | numbers.words("uncounted")
        self._uncounted = no_noun | self._declines | self._rises
        self._counted = numbers.words("counted")
        idioms: dict[str, dict[int, list[str]]] = {}
        for rule in numbers.role("idiom"):
            for form in rule.forms:
                for word in _FIRST.finditer(form):
                    idioms.setdefault(word.group(), {}).setdefault(word.start(), []).append(form)
        self._idioms = {word: [(at, tuple(forms)) for at, forms in places.items()] for word, places in idioms.items()}
        """For each word of a set phrase where in which phrases it stands."""

    def hedge(self, lower: str, start: int, end: int) -> Hedge:
        """What the words right before ``start``, else right after ``end``, bound the number with."""
        before = lower[max(0, start - 24) : start].rstrip(" (\n")
        last = before.rpartition(" ")[2].lstrip("(\n")
        best: tuple[int, Hedge] = (0, "exact")
        for form, direction in self._hedges.get(last) or self._hedges.get(before[-1:]) or ():
            rest = before[: len(before) - len(form)]
            if before.endswith(form) and not (form[0].isalnum() and rest[-1:].isalnum()):
                best = max(best, (len(form), direction))
        if best[0]:
            return best[1]
        after = self._after.match(lower, end)
        return after.meanings[0] if after else "exact"

    def bounds(self, lower: str, end: int) -> bool:
        """Whether the words right after ``end`` bound the number before: 5 and above."""
        return self._after.match(lower, end) is not None

    def falls(self, lower: str, words: Set[str]) -> list[int]:
        """Where a word for falling may stand in a text with these ``words``, in order of position."""
        return sorted(place for word in self._declines & words for place in occurrences(lower, word))

    def declines(self, lower: str, falls: Sequence[int], start: int, end: int) -> bool:
        """Whether the last word of direction before the number in its sentence, or one after it, falls."""
        place = max(0, start - _REACH)
        first = bisect_left(falls, place)
        if first == len(falls) or falls[first] >= end + _REACH_AFTER:
            return False
        place = max(place, *(lower.rfind(mark, place, start) for mark in _SENTENCE_ENDS))
        for word in reversed(_WORD.findall(lower, place, start)):
            if word in self._declines:
                return True
            if word in self._rises:
                break
        return not self._declines.isdisjoint(_WORD.findall(lower, end, end + _REACH_AFTER)[:2])

    def ranks(self, lower: str, start: int) -> bool:
        """Whether the word before ``start`` makes an ordinal a rank: finished, the, ranked."""
        return _previous(lower, start) in self._ranks

    def decade(self, lower: str, start: int) -> bool:
        """Whether the number at ``start`` counts years of life or of a century: her 20s, the 1980s."""
        match = _DECADE.match(lower, start)
        return match is not None and (match["century"] is not None or _previous(lower, start) in self._decades)

    def counts(self, text: str, end: int) -> bool:
        """Whether a plural that is not a unit follows a number: 20 users, 5 people."""
        noun = _NOUN.match(text, end)
        if noun is None or noun[1] in self._uncounted:
            return False
        return noun[1] in self._counted or is_plural(noun[1])

    def idiomatic(self, lower: str, start: int, end: int) -> bool:
        """Whether the number at ``start`` is a word of a set phrase: first of all, at first, 24/7."""
        first = _FIRST.match(lower, start, end)
        for offset, phrases in self._idioms.get(first.group(), ()) if first else ():
            place = start - offset
            if place >= 0 and lower.startswith(phrases, place):
                found = (phrase for phrase in phrases if lower.startswith(phrase, place))
                if any(_stands_alone(lower, place, place + len(phrase)) for phrase in found):
                    return True
        return False


def _stands_alone(lower: str, start: int, end: int) -> bool:
    """Whether no letter or digit runs into the span."""
    return not (lower[start - 1 : start].isalnum() or lower[end : end + 1].isalnum())


def _previous(lower: str, start: int) -> str:
    """The word before ``start``, when only one space or hyphen lies between."""
    before = lower[max(0, start - 16) : start]
    word = before.rstrip(" -\n")
    if len(before) - len(word) != 1:
        return ""
    return word[max(word.rfind(" "), word.rfind("\n"), word.rfind("(")) + 1 :]
