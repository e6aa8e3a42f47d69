"""How is text taken out without moving the rest?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["BLANK", "Span", "blank", "merge", "trimmed"]

Span = tuple[int, int]

BLANK = "\x00"
"""Stands where text was taken out; no reader's pattern matches it."""


def blank(text: str, spans: Sequence[Span]) -> str:
    """``text`` with the given spans (sorted, not overlapping) blanked out; every other character keeps its place.

    >>> blank("a bc d", [(2, 4)])
    'a \\x00\\x00 d'
    """
    if not spans:
        return text
    pieces, done = [], 0
    for start, end in spans:
        pieces += [text[done:start], BLANK * (end - start)]
        done = end
    return "".join([*pieces, text[done:]])


def merge(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, overlapping and touching ones joined, empty ones left out.

    >>> merge([(5, 9), (0, 2), (7, 12), (3, 3)])
    [(0, 2), (5, 12)]
    """
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends; of nothing but white space an empty one at its end.

    >>> trimmed("a  bc d ", 1, 6), trimmed("a  ", 1, 3)
    ((3, 5), (3, 3))
    """
    written = text[start:end]
    return end - len(written.lstrip()), max(end - len(written.lstrip()), start + len(written.rstrip()))
