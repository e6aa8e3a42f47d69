"""What are the words of a text, when case and punctuation do not count?"""

from __future__ import annotations

__all__ = ["beginning", "plain_words", "singular"]

_BEGINNING = 5

_SPACED = {code: " " for code in range(128) if not chr(code).isalnum()}


def plain_words(text: str) -> str:
    """``text`` in lower case with a space for everything that is no letter or digit; every character keeps its place.

    >>> plain_words("U.S. plan: A-1")
    'u s  plan  a 1'
    """
    low = text.lower()
    if len(low) != len(text):
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    if low.isascii():
        return low.translate(_SPACED)
    return "".join(character if character.isalnum() else " " for character in low)


def beginning(word: str) -> str:
    """The first letters of a word, by which its inflected forms are alike.

    >>> beginning("increased") == beginning("increasing")
    True
    """
    return word[:_BEGINNING]


def singular(word: str) -> str:
    """A lower-case word without the s of a plural.

    >>> singular("groups"), singular("glass")
    ('group', 'glass')
    """
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
