"""Which words does a text hold, when all of them are listed for every question?"""

from __future__ import annotations

import re

from raguard.text.words import lowered

_DOTTED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z]\.){2,6}")
_CAPITAL_WORD = re.compile(r"(?<!\w)[A-Z]\w{0,60}(?!\w)")
_CAPITALS = re.compile(r"(?<!\w)[A-Z][A-Z0-9]{1,9}(?=s?(?!\w))")


def plain_words(text: str) -> str:
    """``text`` in lower case with a space for all that is no letter or digit, one character after the other."""
    return "".join(character if character.isalnum() else " " for character in lowered(text))


def odd_words(text: str) -> str:
    """The words that are neither small nor simply capitalised, each once."""
    words = dict.fromkeys(text.split())
    return " ".join(word for word in words if "." in word or not (word.islower() or word.istitle()))


def words(text: str) -> frozenset[str]:
    """Every word in lower case, also the parts of camelCase words and dotted initials written together."""
    odd = odd_words(text)
    parted = plain_words(re.sub(r"[a-z0-9](?=[A-Z])", r"\g<0> ", odd)).split()
    dotted = (match.group().replace(".", "").lower() for match in _DOTTED.finditer(odd))
    return frozenset([*plain_words(text).split(), *parted, *dotted])


def capitals(text: str) -> frozenset[str]:
    """Every word written in capitals, dotted initials without dots."""
    odd = odd_words(text)
    dotted = (match.group().replace(".", "") for match in _DOTTED.finditer(odd))
    return frozenset([*_CAPITALS.findall(odd), *(word for word in dotted if word[0].isupper())])


def capital(text: str, word: str) -> tuple[int, int] | None:
    """Where a word that begins with a capital stands first, as it is written or with a dot behind each letter."""
    places: dict[str, tuple[int, int]] = {}
    for pattern in (_CAPITAL_WORD, _DOTTED):
        for match in pattern.finditer(text):
            places.setdefault(match.group(), match.span())
    return places.get(word, places.get(".".join(word) + "."))
