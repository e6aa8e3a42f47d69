"""Does a full stop end its sentence? It does unless an abbreviation, an initial, a number or a name needs it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from raguard import Config
from raguard.rulebook import Rulebook

__all__ = ["Stops", "shipped_stops"]

_CLOSERS = re.compile(r"[\"')\]}”’»」』】）*_~]{0,8}")
_RAISED = "[¹²³⁴-⁹⁰]{1,4}"
_SPACE = re.compile(r"\s*")
_NEXT = re.compile(r"[\"'“‘«„¿¡(\[*_「『~`$€£#-]{0,6}([^\W_](?:[^\W\d_]|['’](?=[^\W\d_])){0,24})")
_LAST = re.compile(r"(?:[^\W_]|[.&'’](?=[^\W_])){1,24}$")
_BEFORE = re.compile(r"([^\W\d_]{1,24})\s{1,3}\S{1,24}$")
_RUN_ON = re.compile(r"(?:[a-z]{2,20}|\d)[.!?][\"'”’)]{0,2}(?=(?:[A-Z][a-z]{1,20}|[AI])[\s,'’])")
_WORD_BEFORE = re.compile(r"(?:^|[^\W_]\W{0,4}\s)[^\s/@_=(){}<>\\.]{1,40}$")
_WORDS_BEFORE = re.compile(r"(?:[^\W_]\W{0,4}\s{1,3}\S{1,40}\s{1,3})[^\s/@_=(){}<>\\.]{1,40}$")
_LETTERS = re.compile(r"[^\W\d_](?:\.[^\W\d_]){1,6}")
_ZONE = re.compile(r"\w{1,20}\s(?:time|standard|daylight)\b", re.IGNORECASE)
_PARTICLE = re.compile("[\u3041-\u309f]")
"""Hiragana right behind a quotation goes on with the sentence around it."""
_VOWEL = re.compile(r"[aeiouyàáâãäåèéêëìíîïòóôõöùúûüæøœ]", re.IGNORECASE)
_COUNTED = re.compile(r"\d\s?[^\W\d_]{1,4}$")
"""What may be a unit in short: 5 ft. 6 in. tall."""
_DRESS = " \t\n\r*_(\"'"
_REACH = 48
_SHORT = 4


class Stops:
    """Tells which stops end a sentence, by the abbreviations, titles, months and small words of the rules."""

    def __init__(self, rulebook: Rulebook) -> None:
        layout = {rule.id: rule.words for rule in rulebook["layout"].rules}
        self._abbreviations = frozenset().union(*layout.values())
        self._leading = layout["layout.abbreviations_leading"] | {
            form.lower() for form in rulebook["names"].forms("title") if form.lower() in self._abbreviations
        }
        self._trailing = layout["layout.abbreviations_trailing"]
        self._numbered = frozenset(form[:-1] for form in rulebook["clauses"].forms("word") if form.endswith("."))
        self.small_words = rulebook["words"].words("function")
        self._common = rulebook["words"].words("common")
        self._starters = self.small_words | frozenset().union(
            *(rule.words for rule in rulebook["languages"].rules if rule.data["code"] != "en")
        )
        citation = next(rule.pattern for rule in rulebook["layout"].rules if rule.id == "layout.citation")
        self._cited = re.compile(rf"(?:\s?(?:{citation}|{_RAISED})){{1,8}}", re.IGNORECASE)
        self._german = next(rule.words for rule in rulebook["languages"].rules if rule.data["code"] == "de")
        self._months = frozenset(_months(rulebook))
        days = rulebook["dates"].forms("weekday")
        self._calendar = self._months | {day.lower() for day in days}

    def end(self, text: str, begin: int, start: int, stop: int, end: int, *, small: bool) -> int | None:
        """Where the sentence ends that the stop ``text[start:stop]`` may end; None when it goes on.

        ``text[begin:end]`` is the paragraph, and ``small`` tells that its sentences begin with small letters.
        """
        closed = _behind(_CLOSERS, text, stop, end)
        closed = _behind_symbols(text, closed, end)
        cited = self._cited.match(text, closed, end)
        behind = cited.end() if cited else closed
        if not text[start].isascii() and text[start] not in "…‼⁇⁈⁉":
            return None if closed > stop and _PARTICLE.match(text, closed, end) else behind
        place = _behind(_SPACE, text, behind, end)
        if place == end:
            return end
        if place == behind and not cited:
            return self._run_on(text, begin, start, stop, end)
        following = _NEXT.match(text, place, end)
        word = following[1] if following else ""
        lower = word[:1].islower()
        if cited and lower:
            behind = closed
        sign = text[start:stop]
        if start - begin < _REACH and text[begin:start].strip(_DRESS).isdigit():
            return None
        if closed > stop and text[place] in ",;:–—":
            return None
        if "!" in sign or "?" in sign or sign[0] in "‼⁇⁈⁉":
            goes_on = lower and not small and ("?" not in sign or closed > stop)
        elif len(sign) > 1 or sign == "…":
            goes_on = lower or (start > begin and text[start - 1].isspace() and not text[begin:start].isspace())
        elif lower and closed > stop and not small:
            goes_on = True
        else:
            counted = lower and not small and _COUNTED.search(text, max(begin, start - 8), start) is not None
            goes_on = closed == stop and (counted or self._needed(text, begin, start, place, end, word))
        return None if goes_on else _behind_symbols(text, behind, end, spaced=True)

    def _run_on(self, text: str, begin: int, start: int, stop: int, end: int) -> int | None:
        """The end of a sentence that no space parts from the next one; not inside an address, a name or code."""
        if not text[stop : stop + 1].isascii() and unicodedata.category(text[stop]) == "Lo":
            return stop
        first = max(begin, start - 21)
        chunk = text[first : min(end, stop + 24)]
        for match in _RUN_ON.finditer(chunk):
            if first + match.start() < start < first + match.end():
                last = _LAST.search(text[first:start])
                if last is not None and last.group().lower() in self._abbreviations:
                    return None
                following = _NEXT.match(text, first + match.end(), end)
                starter = following is not None and following[1].lower() in self._starters
                wanted = _WORD_BEFORE if starter else _WORDS_BEFORE
                before = wanted.search(text[max(begin, start - 3 * _REACH) : start])
                return first + match.end() if before else None
        return None

    def _needed(self, text: str, begin: int, start: int, place: int, end: int, word: str) -> bool:
        """Whether the full stop at ``start`` belongs to the word before it; ``word`` is the one that follows."""
        before = text[max(begin, start - _REACH) : start]
        found = _LAST.search(before)
        if found is None:
            return False
        last, following = found.group(), word.replace("’", "'")
        low, number, lower = last.lower(), word[:1].isdigit(), word[:1].islower()
        starter = not lower and following.lower() in self._starters
        if last.isdigit():
            return len(last) <= 2 and self._ordinal(before, following)
        if len(last) == 1 and last.isalpha():
            return self._initial(text, last, place, end, starter=starter, number=number)
        if number and low in self._numbered:
            return True
        if low not in self._abbreviations and not _LETTERS.fullmatch(last):
            return (lower or number) and self._is_shortened(last, number=number)
        if number:
            return low not in self._common or last[0].isupper() or low in self._leading
        if low in self.small_words or (low in self._common and last.islower() and not lower):
            return False
        if lower or low in self._leading:
            return True
        if starter:
            return False
        ends = low in self._trailing and following.lower() in self._common and following.lower() not in self._calendar
        return not ends or _ZONE.match(text, place, end) is not None

    def _is_shortened(self, word: str, *, number: bool) -> bool:
        """Whether an unknown word looks like an abbreviation: without a vowel, or short and before a number."""
        if not word.isalpha() or not word.isascii() or word.isupper():
            return False
        known = word.lower() in self._common or word.lower() in self.small_words
        return not _VOWEL.search(word) or (number and len(word) <= _SHORT and not known)

    def _ordinal(self, before: str, following: str) -> bool:
        """Whether a number with a full stop is an ordinal: am 3. Mai, im 19. Jahrhundert."""
        if following.lower() in self._months:
            return True
        previous = _BEFORE.search(before)
        return previous is not None and following[:1].isupper() and previous[1].lower() in self._german

    @staticmethod
    def _initial(text: str, letter: str, place: int, end: int, *, starter: bool, number: bool) -> bool:
        """Whether a lone letter before a full stop is an initial or part of an abbreviation with spaces."""
        another = text[place + 1 : place + 2] == "." and place + 1 < end
        if letter.islower():
            return number or another
        return letter.isupper() and (another or not starter)


def _behind(pattern: re.Pattern[str], text: str, place: int, end: int) -> int:
    """The place behind what the pattern takes from ``place`` on, which is the place itself where that is nothing."""
    found = pattern.match(text, place, end)
    return place if found is None else found.end()


def _behind_symbols(text: str, place: int, end: int, *, spaced: bool = False) -> int:
    """The place behind the symbols (emojis) that follow, with a space before them if ``spaced``."""
    first = place
    while spaced and first < end and text[first] in " \u00a0":
        first += 1
    last = first
    while last < end and (unicodedata.category(text[last]) in ("So", "Sk") or text[last] in "\ufe0f\u200d"):
        last += 1
    return last if last > first else place


def _months(rulebook: Rulebook) -> Iterator[str]:
    """The names of months in all languages, in lower case."""
    english = {form.lower() for form in rulebook["dates"].forms("month")}
    yield from english
    for rule in rulebook["translations"].rules:
        for plain, forms in rule.data.get("english", {}).items():
            if plain.lower() in english:
                yield from (form.lower().rstrip(".") for form in forms)


@lru_cache(maxsize=1)
def shipped_stops() -> Stops:
    """The stops by the shipped rules, read once."""
    return Stops(Config().rulebook())
