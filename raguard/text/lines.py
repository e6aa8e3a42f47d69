"""Which lines of a text hold a mark?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.text.blanks import Span

__all__ = ["lines_with"]


def lines_with(text: str, mark: str) -> Iterator[Span]:
    """Where each line that holds ``mark`` begins and ends.

    >>> list(lines_with("one\\nA: 2\\nB: 3: 4", ":"))
    [(4, 8), (9, 16)]
    """
    end, place = 0, text.find(mark)
    while place >= 0:
        start = text.rfind("\n", end, place) + 1
        end = text.find("\n", place)
        end = end if end >= 0 else len(text)
        yield start, end
        place = text.find(mark, end)
