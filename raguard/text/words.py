"""What are the words of a text, when case and punctuation do not count?"""

from __future__ import annotations

__all__ = ["plain_words"]

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
