"""Which words does a text have, in small letters or in capitals? One is looked for before all are listed."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import filterfalse
from operator import add

from raguard.evidence.kept import gathered
from raguard.text.words import beginning, camel_words, occurrences

__all__ = ["Words"]

_DOTTED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z]\.){2,6}")
_INNER_DOT = re.compile(r"\.(?=[A-Za-z]\.)")
"""What stands behind the first letter of dotted initials, so that large texts are searched fast."""
_CAPITAL_WORD = re.compile(r"[A-Z]\w{0,60}")
_CAPITALS = re.compile(r"[A-Z](?<!\w[A-Z])[A-Z0-9]{1,9}(?=s?(?!\w))")
_INNER_CAPITAL = re.compile(r"[A-Z](?<=[a-z0-9][A-Z])")
_MOST_INITIALS = 6
_NONE: frozenset[str] = frozenset()
_FEW_ASKED = 40
"""How many words are looked for one by one; listing all words of a text costs as much."""


class Words:
    """The words of a text, also those that stand inside others."""

    def __init__(self, text: str, plain: str) -> None:
        """``plain`` is the text as lower-case words between spaces."""
        self._text = text
        self._plain = plain
        self._asked = 0

    def prepare(self) -> None:
        """Lists all words now."""
        gathered(self)
        self._asked = _FEW_ASKED

    @cached_property
    def all(self) -> frozenset[str]:
        """Every word in lower case, also the parts of camelCase words and dotted initials written together."""
        return frozenset(self._plain.split()) | self._inner

    @cached_property
    def _inner(self) -> frozenset[str]:
        """The words that stand inside others: parts of camelCase words, dotted initials written together."""
        parts = list[str]()
        if _INNER_CAPITAL.search(self._text):
            mixed = list(filterfalse(str.islower, self._text.split()))
            dotted = [word for word in mixed if "." in word]
            parts = camel_words(" ".join([*filterfalse(str.istitle, mixed), *dotted]))
        return self._initials.union(parts)

    @property
    def _initials(self) -> frozenset[str]:
        """Dotted initials in lower case without dots."""
        return self._undotted if self._dotted else _NONE

    @cached_property
    def _undotted(self) -> frozenset[str]:
        return frozenset([initials.replace(".", "").lower() for initials in self._dotted])

    def has(self, word: str) -> bool:
        """Whether ``word`` is one of ``all``, without listing them for a few questions."""
        if self._asked >= _FEW_ASKED:
            return word in self.all
        self._asked += 1
        plain = self._plain
        if word in plain:
            return f" {word} " in plain or word in self._inner
        # the letters of initials do not stand together
        return len(word) <= _MOST_INITIALS and word in self._initials

    def begins(self, prefix: str) -> bool:
        """Whether one of ``all`` begins with ``prefix``."""
        if f" {prefix}" in self._plain:
            return True
        may_begin = any(prefix in text for text in self.written)
        return may_begin and any(word.startswith(prefix) for word in self._inner)

    @property
    def written(self) -> tuple[str, ...]:
        """Texts in which every one of ``all`` stands, alone or inside another."""
        return (self._plain, *self._initials)

    @cached_property
    def stems(self) -> frozenset[str]:
        """How every word begins, so that inflection does not count."""
        return frozenset(map(beginning, self.all))

    def has_stem(self, stem: str) -> bool:
        """Whether ``stem`` is one of ``stems``, without listing them for a few questions."""
        if self._asked >= _FEW_ASKED:
            return stem in self.stems
        self._asked += 1
        cut = beginning(f"{stem}-") == stem
        return self.begins(stem) if cut else self.has(stem)

    @cached_property
    def _capitals(self) -> frozenset[str]:
        """Every word written in capitals, dotted initials without dots."""
        dotted = (initials.replace(".", "") for initials in self._dotted if initials[0].isupper())
        return frozenset([*_CAPITALS.findall(self._text), *dotted])

    def shouts(self, letters: str) -> bool:
        """Whether the letters stand as a word in capitals, dotted or not: AIMS is not *aims*, US is not *us*."""
        told = self._asked < _FEW_ASKED and letters not in self._text and ".".join(letters) not in self._text
        return not told and letters in self._capitals

    @cached_property
    def _dotted(self) -> dict[str, tuple[int, int]]:
        """The dotted initials as they are written, each where it stands first."""
        places: dict[str, tuple[int, int]] = {}
        done = 0
        for inner in _INNER_DOT.finditer(self._text):
            start = inner.start() - 1
            match = _DOTTED.match(self._text, start) if start >= done else None
            if match is not None:
                done = match.end()
                places.setdefault(match.group(), match.span())
        return places

    def capital(self, word: str) -> tuple[int, int] | None:
        """Where a word that begins with a capital stands first, as it is written or with a dot behind each letter."""
        for place in occurrences(self._text, word) if _CAPITAL_WORD.fullmatch(word) else ():
            end = place + len(word)
            if not _joined(self._text[place - 1 : place]) and not _joined(self._text[end : end + 1]):
                return place, end
        dotted = ".".join(word) + "."
        return self._dotted.get(dotted) if dotted in self._text else None

    @cached_property
    def joined(self) -> frozenset[str]:
        """Each pair of neighbouring words written as one, so that Wi-Fi supports WiFi."""
        plain, parted = self._plain.split(), self._parted
        return frozenset({*map(add, plain, plain[1:]), *map(add, parted, parted[1:])})

    @cached_property
    def _odd(self) -> str:
        """The words that are neither small nor simply capitalised, each once: where abbreviations and camelCase are."""
        words = dict.fromkeys(self._text.split())
        return " ".join([word for word in words if "." in word or not (word.islower() or word.istitle())])

    @cached_property
    def _parted(self) -> list[str]:
        """The odd words with camelCase taken apart."""
        return camel_words(self._odd)


def _joined(character: str) -> bool:
    """Whether a character beside a word is a part of it."""
    return character.isalnum() or character == "_"
