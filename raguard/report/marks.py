"""What is shown of a judged answer? Its text, spans of it with what is to be said of each, and what was not judged.

A span has a kind, and a kind a look; which verdict stands behind it is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

__all__ = [
    "KINDS",
    "LONGEST",
    "NAMES",
    "Kind",
    "MarkedSpan",
    "Passage",
    "Report",
    "Segment",
    "Tone",
    "clip",
    "emphasis",
    "in_order",
    "numbered",
    "passage",
    "segments",
    "shown",
]

Kind = Literal["high", "flagged", "medium", "low", "unchecked", "supported"]
Tone = Literal["good", "unsure", "bad"]

NAMES: dict[Kind, str] = {
    "high": "High",
    "flagged": "Unsupported",
    "medium": "Medium",
    "low": "Low",
    "unchecked": "Unchecked",
    "supported": "Supported",
}
KINDS = tuple(NAMES)
"""The worst first: where spans overlap, the text takes the look of the worst."""

_AROUND = 120
"""How many characters of a document stand before and after a passage."""
LONGEST = 600
"""How many characters of a passage or a sentence are shown."""

_EMPHASIS = re.compile(r"([^*:\n]{1,40}: )\*(?=[^\s*])(.+?)\*?", re.DOTALL)

_CONTROLS = {*range(32), *range(127, 160)} - {ord("\t"), ord("\n")}
_DIRECTIONS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_SHOWN = {code: f"⟨U+{code:04X}⟩" for code in (*_CONTROLS, *_DIRECTIONS, *range(0xD800, 0xE000))}


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in the evidence: ``source`` names it, ``before`` and ``after`` are what stands around ``text``."""

    source: str
    text: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedSpan:
    """What is said of ``text``: ``report.text[start:end]`` (characters), or of nothing there when both are None."""

    kind: Kind
    title: str
    text: str = ""
    start: int | None = None
    end: int | None = None
    lines: tuple[str, ...] = ()
    """Sentences, the most telling first."""
    passages: tuple[Passage, ...] = ()
    """The evidence, the best first."""
    origin: str = ""
    """What found it, such as the id of a rule or a score."""
    listed: bool = True
    """Whether it has a number and a row of its own, or is told at its place in the text alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a page shows of one judged answer; a span that does not lie in ``text`` raises ValueError.

    >>> Report(verdict="Review", tone="bad", told="", counts=(), legend={}, unmarked="", heading="", spans=(
    ...     MarkedSpan(kind="high", title="", start=0, end=3),), gaps=(), complete="", footer="", text="ab")
    Traceback (most recent call last):
        ...
    ValueError: span 1 is at 0-3, which is no part of a text of 2 characters
    """

    verdict: str
    """One word."""
    tone: Tone
    told: str
    """What the verdict means, in a sentence."""
    counts: tuple[str, ...]
    """The numbers behind it, a few words each."""
    text: str | None
    """The answer, or None when only the findings are known."""
    title: str = "Answer"
    """What the text is headed."""
    spans: tuple[MarkedSpan, ...]
    heading: str
    """What the listed spans are called."""
    legend: dict[Kind, str]
    """What each kind that can occur means, in the order of the legend."""
    unmarked: str
    """What it means that some text bears no mark."""
    gaps: tuple[str, ...]
    """What was not checked, a sentence each."""
    complete: str
    """What to say when there is no gap."""
    footer: str

    def __post_init__(self) -> None:
        length = len(self.text or "")
        for number, span in enumerate(self.spans, 1):
            if self.text is None or (span.start is None and span.end is None):
                continue
            if span.start is None or span.end is None or not 0 <= span.start <= span.end <= length:
                place = f"{span.start}-{span.end}"
                raise ValueError(f"span {number} is at {place}, which is no part of a text of {length} characters")


def numbered(spans: Sequence[MarkedSpan]) -> dict[int, int]:
    """The number of every listed span, from one, by its index."""
    listed = (index for index, span in enumerate(spans) if span.listed)
    return {index: number for number, index in enumerate(listed, 1)}


class Segment(NamedTuple):
    """A stretch of text that the same spans cover; ``spans`` are their indices, the worst first."""

    start: int
    end: int
    spans: tuple[int, ...]


def segments(spans: Sequence[MarkedSpan], length: int) -> Iterator[Segment]:
    """A text of ``length`` characters as stretches that neither overlap nor leave anything out, in order.

    >>> spans = [MarkedSpan(kind="low", title="", start=0, end=4), MarkedSpan(kind="high", title="", start=2, end=6)]
    >>> [tuple(segment) for segment in segments(spans, 9)]
    [(0, 2, (0,)), (2, 4, (1, 0)), (4, 6, (1,)), (6, 9, ())]
    """
    opening: dict[int, list[int]] = {}
    closing: dict[int, list[int]] = {}
    for index, span in enumerate(spans):
        if span.start is not None and span.end is not None and span.start < span.end:
            opening.setdefault(span.start, []).append(index)
            closing.setdefault(span.end, []).append(index)
    open_now: set[int] = set()
    for start, end in pairwise(sorted({0, length, *opening, *closing})):
        open_now.difference_update(closing.get(start, ()))
        open_now.update(opening.get(start, ()))
        worst_first = sorted(open_now, key=lambda index: (KINDS.index(spans[index].kind), index))
        yield Segment(start, end, tuple(worst_first))


def passage(source: str, text: str, start: int, end: int) -> Passage:
    """``text[start:end]`` with some words of what stands around it, cut at spaces.

    >>> passage("document 1", "The audit closed on 4 May 2024.", 20, 30)
    Passage(source='document 1', text='4 May 2024', before='The audit closed on ', after='.')
    """
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    if start > _AROUND:
        before = "…" + (before[before.find(" ") + 1 :] if " " in before[: _AROUND // 2] else before)
    if end + _AROUND < len(text):
        after = (after[: after.rfind(" ")] if " " in after[_AROUND // 2 :] else after) + "…"
    return Passage(source, clip(text[start:end]), before, after)


def in_order(name: str, given: Any) -> Sequence[Any]:
    """``given`` itself, a list or another sequence of texts; ValueError, which begins with ``name``, for all else.

    >>> in_order("docs", {"Pets are welcome."})
    Traceback (most recent call last):
        ...
    ValueError: docs must be a list of what was given, in the same order, not set
    """
    if isinstance(given, Sequence) and not isinstance(given, str | bytes | bytearray):
        return given
    raise ValueError(f"{name} must be a list of what was given, in the same order, not {type(given).__name__}")


def emphasis(line: str) -> tuple[str, str] | None:
    """A line that ends in words between asterisks as what stands before them, and the words; None for any other.

    >>> emphasis("new: *moon is cheese*"), emphasis("shorter than 12 characters")
    (('new: ', 'moon is cheese'), None)
    """
    found = _EMPHASIS.fullmatch(line)
    return (found[1], found[2]) if found else None


def clip(text: str, limit: int = LONGEST) -> str:
    """``text``, or its beginning and an ellipsis where it has more than ``limit`` characters.

    >>> clip("The audit closed on 4 May 2024.", 12)
    'The audit…'
    """
    if len(text) <= limit:
        return text
    head = text[:limit]
    cut = head.rfind(" ", limit // 2)
    return (head if cut < 0 else head[:cut]) + "…"


def shown(text: str) -> str:
    """``text`` with its control characters, turns of direction and lone surrogates (no file holds them) spelled out.

    Tabs stay, and every line end is a line feed.

    >>> shown("a\\x00b\\u202ec\\r\\n")
    'a⟨U+0000⟩b⟨U+202E⟩c\\n'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_SHOWN)
