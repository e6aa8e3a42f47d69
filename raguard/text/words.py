"""What are the words of a text, when case and punctuation do not count?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

__all__ = [
    "CONTRACTED",
    "beginning",
    "beginnings",
    "camel_words",
    "camel_words_of_each",
    "is_plural",
    "letter_runs",
    "letter_words",
    "lowered",
    "occurrences",
    "plain_words",
    "singular",
    "spoken_forms",
]

_BEGINNING = 5

CONTRACTED = frozenset({"s", "t", "ve", "re", "ll", "d", "m"})
"""What stands after the apostrophe of I'll, don't or Alice's, and what plain words leave of such a word."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LETTERS_ONLY = bytes(code if chr(code).islower() and code < 128 else 32 for code in range(256))
_SPACED = bytes(code if chr(code).isalnum() and code < 128 else 32 for code in range(256))
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_NO_LETTER = re.compile(r"[\W_]")


def lowered(text: str) -> str:
    """``text`` in lower case with every character at its place, also those whose lower case is longer.

    >>> lowered("İst MAY")
    'İst may'
    """
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def camel_words(text: str) -> list[str]:
    """The lower-case words of ``text``, also those that are written as one.

    >>> camel_words("BusinessParking.valet_lot")
    ['business', 'parking', 'valet', 'lot']
    """
    return plain_words(text if text.islower() else _CAMEL.sub(" ", text)).split()


def camel_words_of_each(texts: Collection[str]) -> dict[str, list[str]]:
    """The ``camel_words`` of each text, read as the lines of one.

    >>> camel_words_of_each(["valetLot", "WiFi"])
    {'valetLot': ['valet', 'lot'], 'WiFi': ['wi', 'fi']}
    """
    parted = _CAMEL.sub(" ", "\n".join(texts))
    lengths = list(map(len, parted.split("\n")))
    if len(lengths) != len(texts):
        return {text: camel_words(text) for text in texts}
    plain, done = plain_words(parted), 0
    words = {}
    for text, length in zip(texts, lengths, strict=True):
        words[text] = plain[done : done + length].split()
        done += length + 1
    return words


def plain_words(text: str) -> str:
    """``text`` in lower case, with a space for everything but letters and digits; every character keeps its place.

    >>> plain_words("U.S. plan: A-1")
    'u s  plan  a 1'
    """
    low = lowered(text)
    if low.isascii():
        return _spaced(low)
    pieces: list[str] = []
    done = 0
    for match in _NOT_ASCII.finditer(low):
        run = match.group()
        pieces += _spaced(low[done : match.start()]), run if run.isalnum() else _NO_LETTER.sub(" ", run)
        done = match.end()
    return "".join([*pieces, _spaced(low[done:])])


def _spaced(text: str) -> str:
    """An ASCII text with a space for everything that is not a letter or digit."""
    return text.encode("ascii").translate(_SPACED).decode("ascii")


def letter_runs(text: str) -> list[str]:
    """The unbroken runs of the small letters a to z in ``text``, from left to right.

    >>> letter_runs("it's 20kg – a café")
    ['it', 's', 'kg', 'a', 'caf']
    """
    return text.encode("ascii", "replace").translate(_LETTERS_ONLY).decode("ascii").split()


def letter_words(text: str) -> frozenset[str]:
    """The ``letter_runs`` of a text, each once: a quick look at which words it may hold."""
    return frozenset(letter_runs(text))


def occurrences(text: str, piece: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Every place where ``piece`` stands in ``text[start:end]``, from left to right.

    >>> list(occurrences("banana", "an")), list(occurrences("banana", "an", 2))
    ([1, 3], [3])
    """
    place = text.find(piece, start, end)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1, end)


def beginning(word: str) -> str:
    """The first letters of a word, by which its inflected forms are alike.

    >>> beginning("increased") == beginning("increasing")
    True
    """
    return word[:_BEGINNING]


def beginnings(words: Iterable[str]) -> list[str]:
    """The ``beginning`` of each word.

    >>> beginnings(["the", "increase"])
    ['the', 'incre']
    """
    return [word[:_BEGINNING] for word in words]


def singular(word: str) -> str:
    """A lower-case word without the s of a plural.

    >>> singular("groups"), singular("glass")
    ('group', 'glass')
    """
    return word[:-1] if word[-1:] == "s" and word[-2:] != "ss" and len(word) > 3 else word


def spoken_forms(stem: str) -> Sequence[str]:
    """The words whose ``singular`` is ``stem``.

    >>> spoken_forms("group"), spoken_forms("groups"), spoken_forms("glass")
    (['group', 'groups'], [], ['glass'])
    """
    return [word for word in (stem, f"{stem}s") if singular(word) == stem]


def is_plural(word: str) -> bool:
    """Whether a lower-case noun ends as plurals do.

    >>> is_plural("users"), is_plural("campus"), is_plural("people")
    (True, False, False)
    """
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))
