"""What is known of words as such? Common words, parts of names, and what else means the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import repeat
from string import ascii_lowercase, digits
from typing import NamedTuple

from raguard.rulebook import Rule, Rulebook
from raguard.text.words import letter_words, plain_words

__all__ = ["Form", "Lexicon"]

_MOST_KEPT = 20_000
_TWO_CAPITALS = re.compile("[A-Z]{2}")


class Form(NamedTuple):
    """One way to write a name: its lower-case words, or an abbreviation that counts only in capitals."""

    words: tuple[str, ...]
    capitals: str | None = None


class Lexicon:
    """The families ``words``, ``names``, ``aliases`` and ``places`` as look-ups."""

    def __init__(self, rulebook: Rulebook, aliases: Iterable[Iterable[str]] = ()) -> None:
        self._common = _roles(rulebook, "words", "common")
        self.function_words = _roles(rulebook, "words", "function")
        self.layout = self.function_words | _roles(rulebook, "words", "heading")
        """Small words and what stands in headings: they need no support."""
        self.acronyms = rulebook["words"].words("acronym")
        self.mixed_acronyms = frozenset(word.lower() for word in self.acronyms if not _TWO_CAPITALS.search(word))
        """Those in which no two capitals stand together, such as PhD, in lower case."""
        endings = sorted(_roles(rulebook, "words", "open_class"))
        self._open_endings = tuple(endings)
        self._tail = min(map(len, endings), default=1)
        self._open_tails = frozenset(ending[-self._tail :] for ending in endings)
        """By its last letters a word is told from most that have no ending of an open class."""
        forms = "|".join(map(re.escape, endings))
        self.open_class = re.compile(rf"(?<![\w'-])[a-z]{{2,20}}(?:{forms})(?![\w'-])")
        """Matches a lower-case word with the ending of an open class of terms, such as the drug name metoprolol."""
        self._suffixes = _roles(rulebook, "words", "suffix")
        self._prefixes = _roles(rulebook, "words", "prefix")
        self.titles = _roles(rulebook, "names", "title")
        self.unsaid = self.layout | self.titles | frozenset(ascii_lowercase + digits)
        """The words of which no name consists."""
        self.legal_suffixes = _roles(rulebook, "names", "legal_suffix")
        self.particles = _roles(rulebook, "names", "particle")
        self.unnaming = self.legal_suffixes | self.particles | self.function_words
        """The words of a name that do not make it."""
        self.given_names = _roles(rulebook, "names", "given_name")
        self.weak_suffixes = _roles(rulebook, "names", "weak_suffix")
        """Legal forms that are common words too, such as *company*: alone they make no firm of common words."""
        self.firm_suffixes = self.legal_suffixes - self.weak_suffixes
        self.kinds = _roles(rulebook, "names", "organisation_word") | _roles(rulebook, "names", "area_word")
        """What an organisation or area is as its name says: University, County."""
        self.scene_words = _roles(rulebook, "names", "scene")
        self.asking_words = _roles(rulebook, "names", "asking")
        self._derived: dict[str, bool] = {}
        self._places: set[str] = set()
        # the first form of a country or region names it; what else is one word names its people or manner
        self._demonyms = frozenset(
            plain_words(form)
            for rule in rulebook["places"].rules
            if rule.data.get("role") in ("country", "region")
            for form in rule.forms[1:]
            if " " not in form and not form.isupper()
        )
        self._same: dict[str, list[tuple[Form, ...]]] = {}
        self._parts: dict[str, list[Form]] = {}
        self._file(rulebook, aliases)

    def _file(self, rulebook: Rulebook, aliases: Iterable[Iterable[str]]) -> None:
        """Files all names by their forms: places, aliases of the rules, nicknames, and aliases of one's own."""
        for rule in rulebook["places"].rules:
            if rule.data.get("role") == "part":
                self._add_parts(rule)
            else:
                self._add(rule.forms, place=True)
        for rule in rulebook["aliases"].rules:
            self._add(rule.forms)
        for rule in rulebook["names"].role("nickname"):
            self._add(rule.forms or sorted(rule.words))
        for group in aliases:
            self._add(group)

    def _add(self, forms: Iterable[str], *, place: bool = False) -> None:
        group = tuple(_form(form) for form in forms)
        for form in group:
            self._same.setdefault(_key(form), []).append(group)
            if place:
                self._places.add(_key(form))

    def _add_parts(self, rule: Rule) -> None:
        parts = [_form(form) for form in rule.forms]
        self._parts.setdefault(_key(_form(rule.data["within"])), []).extend(parts)
        self._places.update(map(_key, parts))

    def parts(self, place: str) -> Iterator[Form]:
        """The places that lie in ``place``, a known one under any of its names, and the parts of those."""
        wholes, seen = [_form(place), *self.same(place)], set[str]()
        while wholes:
            key = _key(wholes.pop())
            if key not in seen:
                seen.add(key)
                parts = self._parts.get(key, ())
                wholes += parts
                yield from parts

    def same(self, text: str) -> tuple[Form, ...]:
        """Other ways to write ``text``: the members of every group that holds it."""
        if text.isalpha() and text.isascii() and text.lower() not in self._same and text not in self._same:
            return ()
        form = _form(text)
        groups = self._same.get(_key(form)) or self._same.get(" ".join(form.words))
        return tuple([other for group in groups for other in group if other != form]) if groups else ()

    def is_abbreviation(self, token: str) -> bool:
        """Whether a token in capitals is a known abbreviation such as US or WHO."""
        return token in self._same

    def is_place(self, text: str) -> bool:
        """Whether ``text`` is a known country, state, region, city or demonym."""
        form = _form(text)
        return _key(form) in self._places or " ".join(form.words) in self._places

    def is_demonym(self, text: str) -> bool:
        """Whether ``text`` names the people or the manner of a known place, such as French."""
        return plain_words(text) in self._demonyms

    def is_common(self, word: str) -> bool:
        """Whether a lower-case word is common English, also by derivation (``re`` + ``open`` + ``ing``)."""
        known = self._derived.get(word)
        if known is None:
            if len(self._derived) >= _MOST_KEPT:
                self._derived.clear()
            known = word in self._common or (word not in self.given_names and _derived(word, self))
            # another thread may clear it meanwhile
            self._derived[word] = known
        return known

    def holds_open_class(self, text: str) -> bool:
        """Whether a run of small letters in ``text`` has the ending of an open class."""
        tail, tails = -self._tail, self._open_tails
        likely = [word for word in letter_words(text) if word[tail:] in tails]
        return any(map(str.endswith, likely, repeat(self._open_endings)))

    def is_base(self, word: str) -> bool:
        """Whether a lower-case word stands in the list of common words itself."""
        return word in self._common

    @property
    def affixes(self) -> tuple[frozenset[str], frozenset[str]]:
        """The suffixes and prefixes that make common words out of common words."""
        return self._suffixes, self._prefixes


def _derived(word: str, lexicon: Lexicon) -> bool:
    suffixes, prefixes = lexicon.affixes
    for cut in range(2, len(word)):
        stem, suffix = word[:cut], word[cut:]
        if suffix in suffixes and any(map(lexicon.is_base, _stems(stem))):
            return True
    return any(
        word[:cut] in prefixes and len(word) - cut >= 4 and any(map(lexicon.is_base, _stems(word[cut:])))
        for cut in range(2, min(len(word), 7))
    )


def _stems(stem: str) -> tuple[str, ...]:
    """The spellings a word may have before its suffix: mak(e), stop(p), happ(y)."""
    forms = [stem, stem + "e"]
    if len(stem) > 2 and stem[-1] == stem[-2]:
        forms.append(stem[:-1])
    if stem.endswith("i"):
        forms.append(stem[:-1] + "y")
    return tuple(forms)


def _roles(rulebook: Rulebook, family: str, role: str) -> frozenset[str]:
    known = rulebook[family]
    return frozenset(word.lower().rstrip(".") for word in (*known.words(role), *known.forms(role)))


def _form(text: str) -> Form:
    bare = text.replace(".", "")
    words = tuple(plain_words(text if "." not in text or " " in text else bare).split())
    capitals = bare if bare.isupper() and bare.isascii() and bare.isalpha() and len(bare) <= 6 else None
    return Form(words, capitals)


def _key(form: Form) -> str:
    return form.capitals or " ".join(form.words)
