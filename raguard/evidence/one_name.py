"""Do some words stand together as one name, in any order and with others between?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raguard.evidence.chunk import Reading
from raguard.text.blanks import Span
from raguard.text.words import occurrences, plain_words

__all__ = ["gathered_words", "is_one_name"]

_PARTING = re.compile(r"[,;:!?\n|]|(?<=[a-z]{3})\.\s|\s(?:and|or|with|said|says|told)\s", re.IGNORECASE)
_SHARED_SURNAME = re.compile(r"[A-Z]\w{1,30} and [A-Z]\w{1,30} [A-Z][\w'-]{1,30}")
_MOST_BETWEEN = 3


def is_one_name(text: str, words: Sequence[str]) -> bool:
    """Whether nothing in ``text``, which holds the words, parts them into two names.

    "Smith, John" is one, and "Ann and Bob Smith" holds Ann Smith.

    >>> is_one_name("Smith, John", ["john", "smith"]), is_one_name("Smith said John", ["john", "smith"])
    (True, False)
    """
    between = [word for word in plain_words(text).split() if word not in words]
    if _SHARED_SURNAME.fullmatch(text):
        return True
    if sum(word[0].isupper() and word.lower() not in words for word in text.split()) > 1:
        return False
    turned = len(words) == 2 and not between and plain_words(text).split() == [words[1], words[0]]
    return len(between) <= _MOST_BETWEEN and (turned or not _PARTING.search(text))


def gathered_words(reading: Reading, words: Sequence[str], gap: int) -> Iterator[Span]:
    """The spans with all words in them and at most ``gap`` characters between neighbours."""
    plain = reading.plain
    reach = sum(len(word) + gap + 2 for word in words)
    for first in reading.places.first_near_all(words, reach):
        start, end = first + 1, first + 1 + len(words[0])
        for word in words[1:]:
            near = _spans(plain, word, max(0, start - gap - len(word) - 1), end + gap + len(word) + 1)
            span = min(near, key=lambda span: min(abs(span[0] - end), abs(start - span[1])), default=None)
            if span is None:
                break
            start, end = min(start, span[0]), max(end, span[1])
        else:
            yield start - 1, end - 1


def _spans(plain: str, word: str, low: int, high: int) -> Iterator[Span]:
    """Where a whole word stands in ``plain[low:high]``."""
    for place in occurrences(plain, f" {word} ", low, high):
        yield place + 1, place + 1 + len(word)
