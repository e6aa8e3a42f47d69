"""What becomes of an answer with unsupported claims? Exact spans are cut out of it, and nothing else moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raguard.claims.markdown import Wholes
from raguard.claims.seams import Seam, find_seams, stretches

__all__ = ["BLOCK_NOTICE", "REDACTION_MARKER", "redacted"]

REDACTION_MARKER = "(unsupported claim removed)"
"""What stands in place of each removed run of claims. In brackets it could become a link with what follows."""

BLOCK_NOTICE = "This answer is withheld: the evidence does not support it."
"""What stands in place of an answer that is withheld."""


def redacted(answer: str, spans: Iterable[tuple[int, int]]) -> str:
    """``answer`` without ``answer[start:end]`` (characters) of each span, a marker in place of each run of them.

    Claims of one block with only white space between them are one run. Code, comments, links, emphasis, tags and
    addresses that a span would cut in two go whole; blank lines, the marks of items, headings and quotations and the
    borders of a table stay. All else is as it was.

    >>> answer = "Paris is old. The moon is cheese. Mars is soap.\\n- Mice fly.\\n- Rome is old."
    >>> redacted(answer, [(14, 33), (34, 47), (50, 59)])
    'Paris is old. (unsupported claim removed)\\n- (unsupported claim removed)\\n- Rome is old.'
    """
    wholes = Wholes(answer)
    seams = find_seams(answer, wholes)
    whole_spans = _joined(wholes.around(start, end) for start, end in spans if start < end)
    pieces = [piece for start, end in whole_spans for piece in _pieces(answer, start, end, seams)]
    parts: list[str] = []
    done = 0
    marked = False
    for start, end in pieces:
        between = answer[done:start]
        goes_on = marked and _is_gap(answer, done, start, seams)
        if goes_on and not between.strip():
            between = ""
        parts += [between] if goes_on else [between, REDACTION_MARKER]
        done, marked = end, True
    return "".join([*parts, answer[done:]])


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, overlapping ones as one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _pieces(answer: str, start: int, end: int, seams: list[Seam]) -> Iterator[tuple[int, int]]:
    """What of a span goes: all between its seams, without the white space around it."""
    for first, last in stretches(start, end, seams)[0]:
        words = answer[first:last].strip()
        if words:
            opening = answer.index(words, first)
            yield opening, opening + len(words)


def _is_gap(answer: str, start: int, end: int, seams: list[Seam]) -> bool:
    """Whether nothing but white space and borders of cells lies in ``answer[start:end]``."""
    between, parting = stretches(start, end, seams)
    return not parting and not any(answer[first:last].strip() for first, last in between)
