"""What do the measures of every claim say, for whole sets of answers at once? Arrays for fitting and for figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from answers import Answer

from raguard import CheckedClaim, Verifier

__all__ = ["Measured", "Numbers", "is_marked", "measured"]

Numbers = npt.NDArray[np.float64]

_LETTERS = re.compile(r"\w")
_LEAST_SHARE, _LEAST_LETTERS, _ENOUGH_LETTERS = 0.3, 4, 12


@dataclass(frozen=True, slots=True)
class Measured:
    """The claims of ``answers`` in their order: measures by name, (claims,) each, the number of the answer of each
    claim, and which claims people marked (-1 where the set marks no places)."""

    answers: Sequence[Answer]
    measures: dict[str, Numbers]
    owner: npt.NDArray[np.int64]
    marked: npt.NDArray[np.int64]
    claims: Sequence[CheckedClaim]

    @property
    def labels(self) -> npt.NDArray[np.bool_]:
        """Which answers hold something unsupported."""
        return np.array([answer.label for answer in self.answers])

    @property
    def groups(self) -> npt.NDArray[np.str_]:
        """What the answers about one source share."""
        return np.array([answer.source or answer.id for answer in self.answers])

    @property
    def tasks(self) -> npt.NDArray[np.str_]:
        """The task of each answer."""
        return np.array([answer.task for answer in self.answers])


def measured(answers: Sequence[Answer], verifier: Verifier) -> Measured:
    """Every claim of every answer, judged by ``verifier``."""
    claims: list[CheckedClaim] = []
    owner: list[int] = []
    marked: list[int] = []
    for number, answer in enumerate(answers):
        for claim in verifier.claims(answer.query, answer.docs, answer.response, lang="en").claims:
            claims.append(claim)
            owner.append(number)
            marked.append(-1 if answer.spans is None else int(is_marked(answer, claim.start, claim.end)))
    names = claims[0].measures if claims else ()
    measures = {name: np.array([claim.measures[name] for claim in claims]) for name in names}
    return Measured(answers, measures, np.array(owner), np.array(marked), claims)


def is_marked(answer: Answer, start: int, end: int) -> bool:
    """Whether people marked something in a span of the answer, or a good part of it."""
    for span in answer.spans or ():
        shared = _letters(answer.response[max(start, span.start) : min(end, span.end)])
        whole = _letters(answer.response[span.start : span.end])
        if shared >= min(_LEAST_LETTERS, whole) and (shared >= _LEAST_SHARE * whole or shared >= _ENOUGH_LETTERS):
            return bool(shared)
    return False


def _letters(text: str) -> int:
    return len(_LETTERS.findall(text))
