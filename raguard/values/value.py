"""What must a value type offer so that one check serves every kind?"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

__all__ = ["Alone", "Fact", "Point", "Value", "Window"]

Point: TypeAlias = float | str
Window: TypeAlias = tuple[Any, Any]


class Value(Protocol):
    """Something a text states: a date, a clock time, a quantity, an identifier. Frozen and hashable.

    ``points`` and ``windows`` only narrow the search on the value's ``axis`` (all numbers or all strings within one
    axis): a value of the documents is filed at each of its points; the values that may cover an answer's value lie
    within one of its windows (both ends included). ``covers`` alone decides.
    """

    axis: ClassVar[str]
    """Which values can be compared at all: "date", "clock", "quantity", "identifier"."""

    @property
    def kind(self) -> str:
        """What a reader of the result calls it: "date", "time", "money", "percent", "number", "identifier"."""
        ...

    def points(self) -> tuple[Point, ...]:
        """Where the documents' value is filed on its axis."""
        ...

    def windows(self) -> tuple[Window, ...]:
        """Where on that axis the values that cover this one may lie."""
        ...

    def covers(self, other: Any) -> bool:
        """Whether a document stating this value supports an answer stating ``other`` (a value of the same axis)."""
        ...

    def distance(self, other: Any) -> float:
        """How far ``other`` is from this value, for naming the nearest rival; ``inf`` when not comparable."""
        ...

    def ends(self) -> tuple[Any, ...]:
        """Values that state this one together wherever each of them stands: both ends of a range."""
        ...

    def in_context(self) -> tuple[Any, Any] | None:
        """The value without what a chunk may say once for all, and that: 4 May and 2024; None without such a part."""
        ...

    @property
    def needs_context(self) -> bool:
        """Whether it leaves that part to the text around it, as 4 May does."""
        ...


class Alone:
    """What a value answers that is one and leaves nothing to the text around it; the others override it."""

    __slots__ = ()

    def ends(self) -> tuple[Any, ...]:
        """No values that state it together."""
        return ()

    def in_context(self) -> tuple[Any, Any] | None:
        """No part that the text around it may say."""
        return None

    @property
    def needs_context(self) -> bool:
        """No."""
        return False


class Fact(NamedTuple):
    """A value with its place: ``text[start:end]`` states ``value``.

    A ``tentative`` fact is one that the text may mean: it counts as support in a document but is no claim in an answer,
    and it does not keep later readers from reading the same characters.
    """

    value: Value
    start: int
    end: int
    tentative: bool = False
