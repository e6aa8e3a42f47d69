"""What must stand under a key of a rule? The kinds of values, and what an own rule has in common with shipped ones.

A rule of one's own is read by the same code as the shipped rules of its family and role, so that it must be made like
them: matched by the same key, with every key that all of them have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from raguard.text.folding import fold

__all__ = [
    "CHOICE",
    "COUNTS",
    "INTEGER",
    "NEEDS",
    "NUMBER",
    "OFFSET",
    "RARITY",
    "SHIPPED_ALONE",
    "STRING",
    "SWITCH",
    "TABLE",
    "TEXT",
    "TEXTS",
    "Kind",
    "unlike",
]

_MATCHING = ("forms", "pattern", "words")
"""The keys that say what a rule matches; a rule has one of them."""


_LARGEST = 1e300
_RAREST = 20


class Kind(NamedTuple):
    """What a value must be, in words and as a test."""

    due: str
    holds: Callable[[Any], bool]
    optional: bool = False
    """Whether a rule may do without, though all shipped ones have it."""


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    # what is left of other text tells only its folded form
    plain = value.isascii() and value.isprintable()
    return bool(value.strip() if plain else fold(value).text.strip())


def _is_number(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= _LARGEST and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _has_word(text: object) -> bool:
    return isinstance(text, str) and any(map(str.isalnum, text))


TEXT = Kind("a string that is not blank", _is_text)
CHOICE = Kind("a string that is not blank", _is_text)
"""One of the values that the shipped rules of the family have."""
TEXTS = Kind(
    "a list of strings that are not blank", lambda value: isinstance(value, list) and all(map(_is_text, value))
)
NEEDS = Kind(
    "a list of words",
    lambda value: isinstance(value, list) and bool(value) and all(map(_has_word, value)),
    optional=True,
)
INTEGER = Kind("a whole number", _is_count)
"""A whole number between the least and the greatest of the shipped rules of the role."""
RARITY = Kind(f"a number from 0 to {_RAREST}", lambda value: _is_number(value) and 0 <= value <= _RAREST)
"""In nats: one text of so many holds the word."""
SHIPPED_ALONE = Kind("a string that is not blank", _is_text)
"""Of a key that own rules may not have, since the shipped rules that have it are made together."""
NUMBER = Kind("a number of at least 0", lambda value: _is_number(value) and value >= 0)
OFFSET = Kind("a number", _is_number)
SWITCH = Kind("true or false", lambda value: isinstance(value, bool))
TABLE = Kind(
    "a table of lists of strings that are not blank",
    lambda value: isinstance(value, dict) and bool(value) and all(map(TEXTS.holds, value.values())),
)
STRING = Kind("a string", lambda value: isinstance(value, str))
COUNTS = Kind(
    "a table of whole numbers",
    lambda value: isinstance(value, dict) and all(map(_is_count, value.values())),
    optional=True,
)


def unlike(entry: Mapping[str, Any], shipped: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind]) -> str | None:
    """What sets an own rule apart from the ``shipped`` ones of its family, or None; all are given as tables.

    What stands under the family's own keys is known to be of the given ``kinds``.
    """
    for key, kind in kinds.items():
        if kind is SHIPPED_ALONE and key in entry:
            return f"key {key} is for shipped rules alone: their values are fitted together"
        known = {rule[key] for rule in shipped if key in rule} if kind is CHOICE else ()
        due = key in entry or all(key in rule for rule in shipped)
        if known and due and entry.get(key) not in known:
            got = f"not {entry[key]!r}" if key in entry else "and is missing"
            return f"key {key} must be one of {', '.join(sorted(known))}, {got}"
    peers = [rule for rule in shipped if rule.get("role") == entry.get("role")]
    return _otherwise_matched(entry, peers) or _incomplete(entry, peers, kinds) or _out_of_range(entry, peers, kinds)


def _otherwise_matched(entry: Mapping[str, Any], peers: Sequence[Mapping[str, Any]]) -> str | None:
    """What is wrong with the key that says what the rule matches."""
    keys = [key for key in _MATCHING if entry.get(key)]
    used = [key for key in _MATCHING if any(key in rule for rule in peers)]
    if not used:
        return f"key {keys[0]} says nothing here: such a rule matches no text by itself" if keys else None
    if len(keys) != 1 or keys[0] not in used:
        got = " and ".join(keys) or "nothing"
        return f"key {' or '.join(used)} must say what the rule matches, as in the shipped ones like it, not {got}"
    for key in ("needs", "needs_too"):
        if key in entry and keys != ["pattern"]:
            return f"key {key} is only for a pattern"
    if keys == ["forms"] and all(map(_has_word, _forms(peers))) and not all(map(_has_word, entry["forms"])):
        return "key forms must hold words"
    return None


def _forms(rules: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (form for rule in rules for form in rule.get("forms", ()))


def _incomplete(entry: Mapping[str, Any], peers: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind]) -> str | None:
    for key, kind in kinds.items():
        if key not in entry and not kind.optional and all(key in rule for rule in peers):
            return f"key {key} is missing; it must be {kind.due}"
    return None


def _out_of_range(
    entry: Mapping[str, Any], peers: Sequence[Mapping[str, Any]], kinds: Mapping[str, Kind]
) -> str | None:
    for key, kind in kinds.items():
        known = [rule[key] for rule in peers if key in rule]
        if kind is INTEGER and key in entry and known and not min(known) <= entry[key] <= max(known):
            return f"key {key} must lie between {min(known)} and {max(known)}, not be {entry[key]}"
    return None
