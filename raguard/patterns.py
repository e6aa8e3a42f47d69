"""Can a regular expression of a rule backtrack badly? Every repeat must be bounded; nested ones need a separator.

``(?:\\w{1,20}\\s){1,5}`` is fine because white space, which is no word character, tells the engine where one round
ends; ``(?:a{1,9}){1,9}`` can split the same text in thousands of ways and is refused.
"""

from __future__ import annotations

import re
from re import _parser  # type: ignore[attr-defined]
from typing import Any

__all__ = ["unbounded"]

_LONGEST = 200
_REPEATS = (_parser.MAX_REPEAT, _parser.MIN_REPEAT, _parser.POSSESSIVE_REPEAT)
_SAMPLE = "".join(map(chr, range(0x250))) + "\u2010\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u20ac"


def unbounded(pattern: str) -> str | None:
    """What is wrong with the repeats of a valid ``pattern``, or None.

    >>> unbounded(r"\\d{1,3} days")
    >>> unbounded(r"(?:\\w{1,20}\\s){1,5}left")
    >>> unbounded(r"(a{1,9}){1,9}b")
    'nests one repeat in another'
    >>> unbounded(r"no .* here")
    'repeats without a bound'
    """
    return _fault(_parser.parse(pattern))


def _fault(tokens: Any) -> str | None:
    for operator, argument in tokens:
        if operator in _REPEATS:
            _, most, body = argument
            if most is _parser.MAXREPEAT or most > _LONGEST:
                return "repeats without a bound"
            if most > 1 and not _separated(body):
                return "nests one repeat in another"
        for part in _parts(argument):
            fault = _fault(part)
            if fault:
                return fault
    return None


def _separated(body: Any) -> bool:
    """Whether one round of a repeat over ``body`` can only end in one place."""
    repeated = [
        argument[2] for operator, argument in _walk(body) if operator in _REPEATS and argument[1] - argument[0] > 1
    ]
    if not repeated:
        return True
    inner = set().union(*(_characters(part) for part in repeated))
    fixed = [_characters([token]) for token in _flat(body) if token[0] in (_parser.LITERAL, _parser.IN)]
    return any(characters and not characters & inner for characters in fixed)


def _flat(body: Any) -> list[Any]:
    """The tokens of ``body`` that every round must match, groups opened."""
    tokens = []
    for token in body:
        if token[0] is _parser.SUBPATTERN:
            tokens += _flat(token[1][3])
        else:
            tokens.append(token)
    return tokens


def _walk(body: Any) -> list[Any]:
    tokens = []
    for token in body:
        tokens.append(token)
        for part in _parts(token[1]):
            tokens += _walk(part)
    return tokens


def _characters(tokens: Any) -> set[str]:
    """The sampled characters that single-character tokens of ``tokens`` can match."""
    found: set[str] = set()
    for operator, argument in _walk(tokens):
        if operator is _parser.ANY:
            found.update(_SAMPLE)
        elif operator is _parser.LITERAL:
            found.add(chr(argument).lower())
        elif operator is _parser.NOT_LITERAL:
            found.update(set(_SAMPLE) - {chr(argument)})
        elif operator is _parser.IN:
            found.update(character for character in _SAMPLE if _in_set(character, argument))
    return found


def _in_set(character: str, items: Any) -> bool:
    negated = items[0][0] is _parser.NEGATE
    hit = any(_item_matches(character, operator, value) for operator, value in items if operator is not _parser.NEGATE)
    return hit != bool(negated)


def _item_matches(character: str, operator: Any, value: Any) -> bool:
    if operator is _parser.LITERAL:
        return bool(ord(character) == value)
    if operator is _parser.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    name = str(value).removeprefix("CATEGORY_")
    shorthand: dict[str, str] = {
        "DIGIT": r"\d",
        "NOT_DIGIT": r"\D",
        "SPACE": r"\s",
        "NOT_SPACE": r"\S",
        "WORD": r"\w",
        "NOT_WORD": r"\W",
    }
    return re.match(shorthand[name], character) is not None


def _parts(argument: Any) -> list[Any]:
    if isinstance(argument, _parser.SubPattern):
        return [argument]
    if isinstance(argument, (tuple, list)):
        return [part for item in argument for part in _parts(item)]
    return []
