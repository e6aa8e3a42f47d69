"""Where do the lines of a text begin?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, count
from operator import add

__all__ = ["placed_lines"]


def placed_lines(text: str) -> Iterator[tuple[int, str]]:
    """Every line of ``text``, without its break, behind the place where it begins.

    >>> list(placed_lines("one\\n\\ntwo"))
    [(0, 'one'), (4, ''), (5, 'two')]
    """
    lines = text.split("\n")
    return zip(map(add, accumulate(map(len, lines), initial=0), count()), lines, strict=False)
