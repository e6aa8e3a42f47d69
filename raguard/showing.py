"""What of an answer that needs review is shown? Labels behind what is unsupported, the rest of it, or a notice."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from raguard.result import Warning

__all__ = ["NOTICE", "REDACTED", "annotated", "marked", "redacted"]

NOTICE = "This answer is withheld: the retrieved documents do not support all of it."
"""What is shown in place of an answer that is blocked."""

REDACTED = "(unsupported text removed)"
"""What is shown in place of a sentence that is redacted."""

_LABEL = " [unsupported]"

# a label inside one of these would break it: inline code, links and images, HTML tags and autolinks, bare addresses
_WHOLE = re.compile(
    r"""
      (?<!`)(?P<ticks>`{1,9})(?!`) [^\n]{1,1000}? (?<!`)(?P=ticks)(?!`)
    | (?:!?\[[^][\n]{1,1000})? \]
      (?: \([^()\n]{0,1000}(?:\([^()\n]{0,200}\)[^()\n]{0,200}){0,9}\) | \[[^][\n]{0,200}\] )
    | </?[A-Za-z][^<>\n]{0,1000}>
    | (?:\bhttps?://|\bwww\.) (?:[^\s<>()"`]|\([^\s<>()"`]{0,200}\)){1,2000} (?<![.,;:!?'*_])
    """,
    re.VERBOSE | re.IGNORECASE,
)


def annotated(answer: str, high: Sequence[Warning], notice: str) -> str:
    """The answer with a label behind the span of each warning, and a last line for what was not checked.

    A label would break an answer that is JSON, so the notice stands in its place.
    """
    if any(warning.pointer is not None for warning in high):
        return notice
    ends = _outside(answer, {warning.end for warning in high if warning.text})
    parts = [answer[start:end] for start, end in pairwise([0, *ends, len(answer)])]
    # "[unsupported](" and "[unsupported][" would be links
    text = _LABEL.join([parts[0], *(f" {part}" if part.startswith(("(", "[")) else part for part in parts[1:])])
    return "\n\n".join([text, *(f"[not checked: {warning.suggestion}]" for warning in high if not warning.text)])


def redacted(answer: str, high: Sequence[Warning], ends: Sequence[int], notice: str) -> str:
    """The answer with REDACTED in place of each sentence that a warning is about; ``ends`` are where sentences end.

    What could not be checked, and JSON that a marker would break, give the notice.
    """
    if any(warning.pointer is not None or not warning.text for warning in high):
        return notice
    spans = [(warning.start, warning.end) for warning in high]
    parts = []
    for start, end in pairwise(dict.fromkeys([0, *ends, len(answer)])):
        is_hit = any(first < end and last > start for first, last in spans)
        parts.append(marked(answer[start:end]) if is_hit else answer[start:end])
    return "".join(parts)


def marked(sentence: str) -> str:
    """The marker that stands for a sentence, with the white space around it.

    >>> marked(" It costs $5. ")
    ' (unsupported text removed) '
    """
    head, tail = len(sentence) - len(sentence.lstrip()), len(sentence.rstrip())
    return f"{sentence[:head]}{REDACTED}{sentence[tail:]}"


def _outside(answer: str, places: set[int]) -> list[int]:
    """The places in order, each that lies inside of a link, an address or code moved behind it."""
    spans = [match.span() for match in _WHOLE.finditer(answer)]
    moved = set()
    for place in places:
        before = bisect_left(spans, (place, 0))
        moved.add(max(place, spans[before - 1][1]) if before else place)
    return sorted(moved)
