"""Is an answer a JSON value, and which leaves does it have? Each leaf becomes a line of its own; keys are no text.

Offsets still lead to the JSON as it was given: a leaf's escapes are undone one by one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from raguard.text.blanks import BLANK
from raguard.text.view import Edit, View

__all__ = ["Leaf", "Structure", "json_examples", "read_json", "spread"]

_FENCED = re.compile(r"\s{0,20}```(?:json|JSON)?[ \t]{0,8}\n(?P<inside>.*)\n[ \t]{0,8}```\s{0,20}", re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}\[\],:]')
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^u])")
_EXAMPLE = re.compile(r'[{\[]\s{0,20}(?:[{\[]\s{0,20})?"[^"\n]{1,80}"\s{0,4}:')
_KEY_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_APART = f"\n{BLANK}\n"
_LONGEST_WAY = 1_000
"""How many characters of a key are read, and how long a pointer may be: each leaf has its own."""
_MOST_EXAMPLES = 50
_LARGEST_EXAMPLE = 20_000


class Leaf(NamedTuple):
    """A string, number, boolean or null of a JSON value; ``text[start:end]`` of the source is it, without quotes."""

    pointer: str
    """Its JSON Pointer (RFC 6901); where that is too long, the pointer of what holds it."""
    key: tuple[str, ...]
    """The words of the nearest key in lower case, camelCase and underscores taken apart."""
    value: str | float | bool | None
    start: int
    end: int


class Structure(NamedTuple):
    """The leaves of a JSON answer, in order."""

    leaves: tuple[Leaf, ...]

    @property
    def telling_keys(self) -> bool:
        """Whether a key may say something itself, as "opened 9 May 2024" does: it holds a space or a digit."""
        parts = {part for leaf in self.leaves for part in leaf.pointer.split("/")}
        return any(" " in part or (not part.isdigit() and any(map(str.isdigit, part))) for part in parts)

    def at(self, place: int) -> Leaf | None:
        """The leaf that holds the source's character at ``place``."""
        index = bisect_right(self.leaves, place, key=lambda leaf: leaf.start) - 1
        return self.leaves[index] if index >= 0 and place < self.leaves[index].end else None


@dataclass(slots=True)
class _Open:
    """An object or array whose end is still to come: its pointer, the step to its current value, the nearest key."""

    pointer: str
    step: str | int
    key: tuple[str, ...]

    @property
    def way(self) -> str:
        """The pointer of the current value."""
        longer = f"{self.pointer}/{str(self.step).replace('~', '~0').replace('/', '~1')}"
        return longer if len(longer) <= _LONGEST_WAY else self.pointer


def read_json(text: str) -> Structure | None:
    """The structure of an answer that is one JSON object or array, bare or in a fence; None for any other text.

    >>> read_json('{"fee": {"amount": 49, "currency": "EUR"}}').leaves[1].pointer
    '/fee/currency'
    """
    begin = 1 if text.startswith("\ufeff") else 0
    fenced = _FENCED.fullmatch(text, begin)
    start, end = fenced.span("inside") if fenced else (begin, len(text))
    inside = text[start:end].strip()
    if not inside or inside[0] + inside[-1] not in ("{}", "[]"):
        return None
    try:
        value = json.loads(inside)
    except (ValueError, RecursionError):
        return None
    if not value or not _is_structured(value):
        return None
    return Structure(tuple(_leaves(text, start, end)))


def spread(source: str, structure: Structure, units: frozenset[str]) -> View:
    """The view of a JSON answer with one line for each leaf; a number whose key ends in a unit is followed by it."""
    return View(source, source).edit(_edits(source, structure, units))


def json_examples(text: str) -> list[tuple[int, int]]:
    """The spans of JSON objects inside prose.

    >>> json_examples('Send {"limit": 50} to the service.')
    [(5, 18)]
    """
    spans: list[tuple[int, int]] = []
    if "{" not in text and "[" not in text:
        return spans
    decoder = json.JSONDecoder()
    for match in _EXAMPLE.finditer(text):
        if len(spans) == _MOST_EXAMPLES:
            break
        if spans and match.start() < spans[-1][1]:
            continue
        try:
            _, length = decoder.raw_decode(text[match.start() : match.start() + _LARGEST_EXAMPLE])
        except (ValueError, RecursionError):
            continue
        spans.append((match.start(), match.start() + length))
    return spans


def _is_structured(value: Any) -> bool:
    """Whether a JSON value is more than a bracketed number such as a citation mark."""
    return isinstance(value, dict) or any(isinstance(item, (dict, list, str)) for item in value)


def _leaves(text: str, start: int, end: int) -> Iterator[Leaf]:
    """Follows the tokens of valid JSON."""
    opened: list[_Open] = []
    awaits_key = False
    for token in _TOKEN.finditer(text, start, end):
        sign = token.group()
        if sign in ("{", "["):
            above = (opened[-1].way, opened[-1].key) if opened else ("", ())
            opened.append(_Open(above[0], "" if sign == "{" else 0, above[1]))
            awaits_key = sign == "{"
        elif sign in ("}", "]"):
            opened.pop()
            awaits_key = False
        elif sign == ",":
            step = opened[-1].step
            if isinstance(step, int):
                opened[-1].step = step + 1
            awaits_key = isinstance(step, str)
        elif sign == ":":
            awaits_key = False
        elif awaits_key:
            key = json.loads(sign)
            opened[-1].step = key
            opened[-1].key = tuple(word.lower() for word in _KEY_WORD.findall(key[:_LONGEST_WAY]))
        else:
            value = json.loads(sign)
            quoted = isinstance(value, str)
            yield Leaf(opened[-1].way, opened[-1].key, value, token.start() + quoted, token.end() - quoted)


def _edits(source: str, structure: Structure, units: frozenset[str]) -> Iterator[Edit]:
    done, unit = 0, ""
    for leaf in structure.leaves:
        yield done, leaf.start, f"{unit}{_APART}" if done else ""
        if isinstance(leaf.value, str):
            for escape in _ESCAPE.finditer(source, leaf.start, leaf.end):
                yield *escape.span(), json.loads(f'"{escape.group()}"')
        number = isinstance(leaf.value, (int, float)) and not isinstance(leaf.value, bool)
        unit = f" {leaf.key[-1]}" if number and leaf.key and leaf.key[-1] in units else ""
        done = leaf.end
    yield done, len(source), unit
