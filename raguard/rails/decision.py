"""What does a rail say of an answer? A decision: frozen, plain data, the same for rules, scorers and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

from raguard import ConfigError, Document

__all__ = ["Decision", "Docs", "PartialDecision", "Rail", "State"]

State: TypeAlias = Literal["pass", "block", "unchecked"]
Docs: TypeAlias = Sequence[str | Document]


@dataclass(frozen=True, slots=True)
class Decision:
    """What one rail says of one answer. "unchecked" is not a pass: the answer was not judged, and ``reason`` says why.

    ``categories`` name what was found, such as types of warnings; ``model`` is the model that judged, None for rules;
    ``latency_ms`` is how long it took, in milliseconds; ``raw`` is what a model wrote, if known. Raises ConfigError for
    an unknown state.

    >>> Decision("block", "a date is not in the documents", ("unsupported_date",)).state
    'block'
    """

    state: State
    reason: str
    categories: tuple[str, ...] = ()
    model: str | None = None
    latency_ms: float = 0.0
    raw: str | None = None

    def __post_init__(self) -> None:
        if self.state not in get_args(State):
            raise ConfigError(f"state must be one of {', '.join(get_args(State))}, not {self.state!r}")


@dataclass(frozen=True, slots=True)
class PartialDecision(Decision):
    """A decision that also says, in sentences, what it left unchecked; a pass may have such gaps, too.

    >>> PartialDecision("pass", "no high warning", unchecked=("code: fenced code blocks are no claims",)).unchecked
    ('code: fenced code blocks are no claims',)
    """

    unchecked: tuple[str, ...] = ()


class Rail(Protocol):
    """Anything that decides on an answer, given question and documents; ``cost_ms`` may say how long it usually takes.

    >>> class Short:
    ...     name = "short"
    ...     def decide(self, query, docs, answer):
    ...         return Decision("pass" if len(answer) < 200 else "block", f"{len(answer)} characters")
    >>> Short().decide("When?", ["On 4 May."], "On 4 May.")
    Decision(state='pass', reason='9 characters', categories=(), model=None, latency_ms=0.0, raw=None)
    """

    @property
    def name(self) -> str:
        """What the rail is called in decisions and reports."""
        ...

    def decide(self, query: str, docs: Docs, answer: str, /) -> Decision:
        """The decision; a rail should not raise, and one that does is *unchecked*. It may also be ``async``."""
        ...
