"""What is a scorer? Something that says how far a premise entails a hypothesis."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from raguard import Document
from raguard.claims.context import Context

__all__ = ["EvidenceReader", "NLILabel", "NLIScore", "NLIScorer", "NoopNLIScorer"]


class NLILabel(StrEnum):
    """How a hypothesis stands to its premise (Bowman et al., 2015, SNLI).

    >>> NLILabel("neutral") is NLILabel.NEUTRAL, [label.value for label in NLILabel]
    (True, ['entailment', 'neutral', 'contradiction'])
    """

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class NLIScore:
    """How far a premise entails a hypothesis; a value that cannot be used raises ValueError naming the field.

    >>> NLIScore("neutral", 0.25)
    NLIScore(label=<NLILabel.NEUTRAL: 'neutral'>, entailment=0.25, contradiction=0.0, reasons=(), evidence=(), \
unchecked='')
    >>> NLIScore("entailment", float("nan"))
    Traceback (most recent call last):
        ...
    ValueError: entailment must be a number from 0 to 1, not nan
    """

    label: NLILabel
    """The enum or its string."""
    entailment: float
    """From 0 to 1: the number that the threshold is compared with."""
    contradiction: float = 0.0
    """From 0 to 1; 0.0 from scorers that do not separate it."""
    reasons: tuple[str, ...] = ()
    """What speaks for or against the hypothesis, the weightiest first."""
    evidence: tuple[int, ...] = ()
    """Of a ``score_claims``: the indices (from 0) of the passages that the score rests on, the best first."""
    unchecked: str = ""
    """Why the hypothesis could not be judged, in words; empty when it was. A claim of such a score is *unchecked*."""

    def __post_init__(self) -> None:
        """Checks every value."""
        if not isinstance(self.label, str) or self.label not in list(NLILabel):
            raise ValueError(f"label must be one of {', '.join(NLILabel)}, not {type(self.label).__name__}")
        object.__setattr__(self, "label", NLILabel(self.label))
        for key in ("entailment", "contradiction"):
            object.__setattr__(self, key, _share(key, getattr(self, key)))
        if isinstance(self.reasons, str) or not all(isinstance(reason, str) for reason in self.reasons):
            raise ValueError("reasons must be strings")
        object.__setattr__(self, "reasons", tuple(self.reasons))
        if not all(isinstance(index, int) and index >= 0 for index in self.evidence):
            raise ValueError("evidence must be indices of passages, from 0")
        object.__setattr__(self, "evidence", tuple(self.evidence))
        if not isinstance(self.unchecked, str):
            raise ValueError(f"unchecked must be a string, not {type(self.unchecked).__name__}")


def _share(key: str, value: Any) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise ValueError(f"{key} must be a number from 0 to 1, not {type(value).__name__}")
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{key} must be a number from 0 to 1, not {type(value).__name__}") from None
    if not math.isfinite(share) or not 0 <= share <= 1:
        raise ValueError(f"{key} must be a number from 0 to 1, not {share}")
    return share


class NLIScorer(ABC):
    """Scores pairs of premise and hypothesis; a subclass implements ``score`` and may do better than looping over it.

    One scorer serves many checks at once, from several threads and event loops. If it raises, or returns something
    other than a score, the claims concerned are unchecked. It must yield to the event loop: code that never awaits
    cannot be interrupted when its time is up, so long work belongs in ``asyncio.to_thread``. A scorer that also has
    ``score_claims`` (see ``EvidenceReader``) is asked through that method.
    """

    name: str = ""
    """What it is called in spans and events; empty takes the name of its class."""
    wants_question: bool = False
    """Whether the premise is to be given as "Question: …\\nContext: …"."""

    @abstractmethod
    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        """How far ``premise`` entails ``hypothesis``."""

    async def score_batch(self, ctx: Context | None, pairs: Sequence[tuple[str, str]]) -> Sequence[NLIScore]:
        """The scores of pairs (premise, hypothesis), one for each in their order."""
        return [await self.score(ctx, premise, hypothesis) for premise, hypothesis in pairs]

    async def health(self) -> bool:
        """Whether it can score; False or an exception for one that is missing its model or its service."""
        return True


@runtime_checkable
class EvidenceReader(Protocol):
    """A scorer that reads the whole evidence at once, since a claim may rest on several passages."""

    async def score_claims(
        self, ctx: Context | None, claims: Sequence[str], evidence: Sequence[str | Document]
    ) -> Sequence[NLIScore]:
        """The scores of the claims, one for each in their order; the question is ``ctx.question``."""
        ...


class NoopNLIScorer(NLIScorer):
    """Entails everything by 1.0: it shows what a guard costs, and what a tenant without one would get.

    >>> import asyncio
    >>> asyncio.run(NoopNLIScorer().score(None, "Paris is in France.", "The moon is made of cheese.")).entailment
    1.0
    """

    name = "noop"

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        """Entailment of 1.0 for any pair."""
        return NLIScore(NLILabel.ENTAILMENT, 1.0)
