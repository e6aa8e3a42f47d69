"""What is remembered from one question to the next, and for how long? Always within limits, and safe to share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar

__all__ = ["Kept", "Memo", "gathered"]

Key = TypeVar("Key")
Thing = TypeVar("Thing")

_UNKNOWN: Any = object()
_MOST = 2_000


class Kept(Generic[Key, Thing]):
    """The things used last, by key, within limits: the one used longest ago goes first.

    Each thing has as many sizes as there are ``limits``, and the sum of each stays within its limit; what is larger
    than a limit by itself is not kept.

    >>> kept = Kept[str, int](2, 10)
    >>> [kept.keep(word, len(word), 1, len(word)) for word in ("one", "three", "extraordinarily", "two")]
    [3, 5, 15, 3]
    >>> [kept.get(word) for word in ("one", "three", "extraordinarily", "two")]
    [None, 5, None, 3]
    """

    def __init__(self, *limits: int) -> None:
        self._limits = limits
        self._sums = [0] * len(limits)
        self._kept: OrderedDict[Key, tuple[Thing, tuple[int, ...]]] = OrderedDict()
        self._lock = Lock()
        self.keeps = all(limits)
        """Whether it keeps anything at all."""

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Thing | None:
        """What is kept under the key, or None."""
        with self._lock:
            known = self._kept.get(key)
            if known is None:
                return None
            self._kept.move_to_end(key)
            return known[0]

    def keep(self, key: Key, thing: Thing, *sizes: int) -> Thing:
        """Keeps ``thing`` and returns it; another one when a thread was faster to make it for the same key."""
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                return known[0]
            if all(size <= limit for size, limit in zip(sizes, self._limits, strict=True)):
                self._kept[key] = thing, sizes
                self._add(sizes, 1)
                while any(total > limit for total, limit in zip(self._sums, self._limits, strict=True)):
                    _, (_, dropped) = self._kept.popitem(last=False)
                    self._add(dropped, -1)
            return thing

    def forget(self) -> None:
        """Drops everything."""
        with self._lock:
            self._kept.clear()
            self._sums = [0] * len(self._limits)

    def _add(self, sizes: tuple[int, ...], sign: int) -> None:
        self._sums = [total + sign * size for total, size in zip(self._sums, sizes, strict=True)]


class Memo(dict[Key, Thing]):
    """The answers to questions that come again; when there are 2,000 of them it begins anew.

    It holds no lock: of two threads that ask the same at once both may work it out, and either answer is right.

    >>> squares = Memo[int, int]()
    >>> squares.of(3, lambda number: number * number), squares.of(3, lambda number: 0)
    (9, 9)
    """

    __slots__ = ()

    def of(self, question: Key, work: Callable[[Key], Thing]) -> Thing:
        """What ``work`` says to the question, now or when it was asked before."""
        known = self.get(question, _UNKNOWN)
        if known is not _UNKNOWN:
            answer: Thing = known
            return answer
        answer = work(question)
        if len(self) >= _MOST:
            self.clear()
        self[question] = answer
        return answer


def gathered(thing: object) -> list[Any]:
    """What every cached property of ``thing`` holds, worked out now for those who ask later."""
    names = [
        name for kind in type(thing).__mro__ for name, held in vars(kind).items() if isinstance(held, cached_property)
    ]
    return [getattr(thing, name) for name in names]
