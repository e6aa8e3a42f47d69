"""Which groups of inputs is the time of a verdict stated for?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from inputs import asked, invented_questions, long_answers, resized, spread
from invented import LENGTHS, shaped
from timing import Question

__all__ = ["NAMES", "USUAL", "Group", "groups"]

USUAL = (*(f"{words}-words" for words in LENGTHS), "data")
"""What is timed when nothing is named."""
_SIZED: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "12-chunks": ("12 chunks of 2 KB", (2_000,) * 12),
    "64-KB": ("64 KB", (2_000,) * 32),
    "1-MB": ("1 MB", (2_000,) * 500),
    "1-MB-prepared": ("1 MB prepared", (2_000,) * 500),
}
"""Titles and documents of the groups that differ by their documents."""
_LONG = "2000-unsupported"
_DENSE = "dense"
NAMES = (*USUAL, "data-prepared", *_SIZED, _DENSE, _LONG)
"""All groups, in the order of the table."""
_PREPARED = "-prepared"
_WORDS, _LONG_WORDS = 100, 2_000
_LARGE = 1_000_000
_FEWER = 5
"""So many times fewer answers are timed with very large documents, and very long ones."""


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs of one kind; ``questions`` are those of a run, ``prepared`` tells whether their chunks are read before."""

    title: str
    questions: Callable[[int], list[Question]]
    prepared: bool = False


def groups(names: Sequence[str], answers: int, data: Mapping[str, list[Question]]) -> list[Group]:
    """The groups named, each with so many answers; those of ``data`` have as many as there are.

    Large documents and long answers are made of the data when there are any, and invented otherwise; dense documents
    are always invented. Invented answers are new in every run, so that none is known from before.
    """
    return [group for name in NAMES if name in names for group in _named(name, answers, data)]


def _named(name: str, answers: int, data: Mapping[str, list[Question]]) -> list[Group]:
    prepared = name.endswith(_PREPARED)
    known = [question for questions in data.values() for question in questions]
    fewer = max(2, answers // _FEWER)
    if name.removesuffix(_PREPARED) == "data":
        return [_of_file(title, questions, prepared) for title, questions in data.items()]
    if name == _LONG:
        return [Group("2,000 words, all unsupported", lambda run: _long(known, fewer, run))]
    if name == _DENSE:
        return [Group("16 KB of values", lambda run: asked(shaped(_WORDS, (2_000,) * 8, answers, run, values=1.0)))]
    if name in _SIZED:
        title, sizes = _SIZED[name]
        count = fewer if sum(sizes) >= _LARGE else answers
        return [Group(title, lambda run: _sized(known, sizes, count, run), prepared)]
    words = int(name.partition("-")[0])
    return [Group(f"{words} words", lambda run: invented_questions(words, answers, run))]


def _of_file(title: str, questions: list[Question], prepared: bool) -> Group:
    return Group(f"{title} prepared" if prepared else title, lambda run: questions, prepared)


def _sized(known: Sequence[Question], sizes: Sequence[int], count: int, run: int) -> list[Question]:
    if known:
        return resized(spread(known, count), sizes, known)
    return asked(shaped(_WORDS, sizes, count, run))


def _long(known: Sequence[Question], count: int, run: int) -> list[Question]:
    if known:
        return long_answers(known, _LONG_WORDS, count)
    return asked(shaped(_LONG_WORDS, (2_000,) * 8, count, run, unsupported=1.0))
