"""What follows from a piece of an answer? Events: text that may be shown, warnings, what is withheld, and the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from raguard.result import VerifyResult, Warning

__all__ = ["Finished", "OnReview", "Released", "StreamEvent", "Warned", "Withheld"]

OnReview: TypeAlias = Literal["annotate", "redact", "block"]
"""What becomes of a sentence with a high warning."""


@dataclass(frozen=True, slots=True)
class Released:
    """Text that may be shown: ``text``, which is ``answer[start:end]`` or stands in its place."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning about a complete sentence, its offsets in the whole answer."""

    warning: Warning


@dataclass(frozen=True, slots=True)
class Withheld:
    """``answer[start:end]`` is not shown: it needs review, or it follows what does in an answer that is blocked."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The end: ``result`` is what ``verify`` says of the whole answer, ``shown`` the text that was released.

    ``late`` are high warnings of the result that no event announced before: the text they are about is already out.
    """

    result: VerifyResult
    shown: str
    late: tuple[Warning, ...] = ()


StreamEvent: TypeAlias = Released | Warned | Withheld | Finished
