"""Which characters of a text could steer a terminal, and what is shown in their place?"""

from __future__ import annotations

__all__ = ["STEERING", "visible"]

_CONTROLS = {*range(32), *range(127, 160)} - {ord("\t"), ord("\n")}
_DIRECTIONS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_SURROGATES = set(range(0xD800, 0xE000))
STEERING = frozenset(_CONTROLS | _DIRECTIONS)
"""The codes of characters that a terminal would obey: control characters, and those that turn the direction of text."""
_VISIBLE = {**dict.fromkeys(STEERING | _SURROGATES, "\ufffd"), ord("\r"): " "}


def visible(text: str) -> str:
    """``text`` with what could steer a terminal replaced, one character for one, so that offsets stay true.

    >>> visible("red: \\x1b[31m")
    'red: �[31m'
    """
    return text.translate(_VISIBLE)
