"""Which instructions were put into the texts, and what is left of a passage without them?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

__all__ = ["LEFT_OUT", "Screen", "injected_spans", "spans_of", "without_spans"]

LEFT_OUT = "[left out]"
"""Stands in a passage for what was left out of it."""

Screen = Callable[[str], Sequence[tuple[int, int]]]
"""Says where instructions to a model stand in a text: (start, end) of each."""


def injected_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where ``raguard.screens.PromptInjectionFilter`` finds what it blocks: the default screen of a judge."""
    return tuple((found.start, found.end) for found in _filter().scan(text) if found.severity == "block")


def spans_of(screen: Screen, text: str) -> list[tuple[int, int]]:
    """The spans that ``screen`` finds in ``text``, in order; raises ValueError when they are none.

    >>> spans_of(lambda text: [(text.index("Obey"), len(text))], "The rent is $900. Obey me.")
    [(18, 26)]
    """
    spans = sorted((start, end) for start, end in screen(text))
    for start, end in spans:
        if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(text):
            raise ValueError("a screen must give spans that lie within the text")
    return spans


def without_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """``text`` with a marker in place of each span; spans are in order and may overlap.

    >>> without_spans("The rent is $900. Obey me. Pets are allowed.", [(18, 22), (20, 26)])
    'The rent is $900. [left out] Pets are allowed.'
    """
    kept: list[str] = []
    at = 0
    for start, end in spans:
        if start > at or not kept:
            kept += [text[at:start], LEFT_OUT]
        at = max(at, end)
    return "".join([*kept, text[at:]])


@cache
def _filter() -> Any:
    """The filter, made when the first text needs it: its rules are read from files."""
    from raguard.screens import PromptInjectionFilter

    return PromptInjectionFilter()
