"""What must a text hold so that a pattern can match in it? Where a mark is missing, the pattern need not be tried."""

from __future__ import annotations

from functools import reduce
from typing import Any

from raguard.patterns import PARSER, REPEATS, SINGLE, characters

__all__ = ["DIGIT", "required"]

DIGIT = "0"
"""Stands for any digit among the marks."""
_DIGITS = frozenset("0123456789")
_NOTHING: frozenset[str] = frozenset()


def required(pattern: str) -> frozenset[str]:
    r"""The marks that stand in every match of ``pattern``, and DIGIT where a digit does.

    >>> sorted(required(r"(?<!\w)[a-z]{1,9}\.(?:com|org)(?:/\w{1,9})?")), sorted(required(r"v\.?\d|=\d"))
    (['.'], ['0'])
    """
    return _held(PARSER.parse(pattern))


def _held(tokens: Any) -> frozenset[str]:
    return reduce(frozenset.union, (_held_by(operator, argument) for operator, argument in tokens), _NOTHING)


def _held_by(operator: Any, argument: Any) -> frozenset[str]:
    if operator in SINGLE:
        read = characters(operator, argument)
        if read and read <= _DIGITS:
            return frozenset({DIGIT})
        return read if len(read) == 1 and not any(map(str.isalnum, read)) else _NOTHING
    if operator in REPEATS:
        least, _, body = argument
        return _held(body) if least else _NOTHING
    if operator is PARSER.BRANCH:
        return frozenset.intersection(*map(_held, argument[1]))
    return _held(argument[3]) if operator is PARSER.SUBPATTERN else _NOTHING
