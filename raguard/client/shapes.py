"""Is a part of a service's answer what it should be? Each function gives it back, or raises UnreadableError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raguard.client.exchange import ServiceError

__all__ = ["UnreadableError", "count", "listed", "place", "share", "span", "text"]


class UnreadableError(ServiceError):
    """A service has answered with what is not a result; nothing of it is used."""

    def __init__(self, message: str = "the service answered with what is no result") -> None:
        super().__init__(message, 200)


def text(value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise UnreadableError
    return value


def listed(value: Any) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise UnreadableError
    return value


def count(value: Any) -> int:
    """A whole number of at least 0; true and false are none."""
    if type(value) is not int or value < 0:
        raise UnreadableError
    return value


def share(value: Any) -> float:
    """A number from 0 to 1.

    >>> share(1)
    1.0
    """
    # NaN is not
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise UnreadableError
    return float(value)


def place(value: Any) -> int | None:
    """The place of a document, or None."""
    return None if value is None else count(value)


def span(entry: Mapping[str, Any], whole: Any) -> tuple[int, int]:
    """Where something stands in a text, which holds nothing when it is not a string."""
    start, end = count(entry["start"]), count(entry["end"])
    if not start <= end <= (len(whole) if isinstance(whole, str) else 0):
        raise UnreadableError
    return start, end
