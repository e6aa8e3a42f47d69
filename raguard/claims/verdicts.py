"""What comes back from a check? Frozen, plain data that everybody only reads; the answer to show is no part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from raguard.claims.config import GuardAction
from raguard.claims.scoring import NLILabel

__all__ = ["ChunkRef", "ClaimStatus", "ClaimVerdict", "GuardResult", "GuardVerdict"]


class ClaimStatus(StrEnum):
    """What was found of one claim.

    >>> ClaimStatus("unchecked") is ClaimStatus.UNCHECKED, f"{ClaimStatus.HALLUCINATION_FLAG}"
    (True, 'hallucination_flag')
    """

    SUPPORTED = "supported"
    HALLUCINATION_FLAG = "hallucination_flag"
    """The evidence does not carry it."""
    UNCHECKED = "unchecked"
    """Nobody judged it; it is not supported."""


class GuardVerdict(StrEnum):
    """What was found of the whole answer.

    >>> GuardVerdict("pass") is GuardVerdict.PASS, GuardVerdict.BLOCKED == "blocked"
    (True, True)
    """

    PASS = "pass"
    """It was looked at, and nothing in it is unsupported."""
    FLAGGED = "flagged"
    """Something is unsupported or could not be checked, and the answer was left whole."""
    BLOCKED = "blocked"
    """It was redacted or withheld."""


@dataclass(frozen=True, slots=True)
class ChunkRef:
    """One passage: its place in the evidence or the corpus (from 0) and its id, when it has one.

    >>> ChunkRef(2, "rent.md"), ChunkRef(0)
    (ChunkRef(index=2, id='rent.md'), ChunkRef(index=0, id=None))
    """

    index: int
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """One claim and what its evidence says; ``supported`` is True exactly when the status is supported.

    ``answer[start:end] == claim`` (characters), or both are None when the answer does not hold the claim word for word.

    >>> from raguard.claims import HallucinationGuard, LexicalNLIScorer
    >>> answer, evidence = "Yes! The rent is $900.", ["Pets are welcome.", "The rent is $900."]
    >>> result, _ = HallucinationGuard(LexicalNLIScorer()).check_sync(None, answer, evidence)
    >>> claim = result.claims[1]
    >>> answer[claim.start : claim.end], claim.supported, claim.entailment, claim.evidence, claim.votes
    ('The rent is $900.', True, 1.0, (ChunkRef(index=1, id=None),), '1/2')
    """

    claim: str
    status: ClaimStatus
    label: NLILabel | None
    """The scorer's label for the best passage; None for an unchecked claim."""
    entailment: float | None
    """The best entailment, from 0 to 1: what the threshold is compared with; None for an unchecked claim."""
    support_score: float | None
    """The mean entailment of the best passages, as many as must vote, from 0 to 1; with one vote the entailment."""
    supported: bool
    start: int | None
    end: int | None
    evidence: tuple[ChunkRef, ...]
    """The passages that entail it, else the one that comes closest; the best first.

    A scorer that reads the whole evidence (``score_claims``) names them itself, and may name none.
    """
    votes: str
    """How many passages entail it by themselves, of how many: "3/5".

    Where a scorer reads the whole evidence and one vote is enough, nobody asks passage by passage: then it is the
    passages that the score names as what it rests on, "0/5" when it names none or falls short.
    """
    reasons: tuple[str, ...]
    """What the scorer says of it, or why nobody judged it."""


@dataclass(frozen=True, slots=True)
class GuardResult:
    """The verdict on one answer, claim by claim; it holds no answer to show.

    >>> result = GuardResult(GuardVerdict.PASS, GuardAction.ANNOTATE, 0.5, 0, 0, 0, (), "No claim.", 0.0)
    >>> result.to_dict()["verdict"], result.min_entailment
    ('pass', None)
    """

    verdict: GuardVerdict
    action: GuardAction
    """What the config asks for; the verdict says whether it came to that."""
    threshold: float
    """The tenant's: the least entailment of a supported claim."""
    claims_n: int
    blocked_n: int
    """How many claims count as unsupported, with ``on_unchecked="act"`` also those that could not be checked."""
    unchecked_n: int
    """How many claims nobody judged."""
    claims: tuple[ClaimVerdict, ...]
    """In the order of the extractor."""
    reason: str
    """The verdict in prose, for people: never to be parsed, and without any text of the answer."""
    risk: float
    """Half the largest and half the mean of the two largest (1 - entailment), from 0 to 1; 0.0 when none was judged."""
    degraded: bool = False
    """Whether a claim was not checked for another reason than being short, or there are claims and none was judged."""
    words_left_out: int = 0
    """How many words of the answer stand in no claim, as those of code do; nobody checked them."""

    @property
    def min_entailment(self) -> float | None:
        """The entailment of the weakest claim that was judged, from 0 to 1; None when none was."""
        return min((claim.entailment for claim in self.claims if claim.entailment is not None), default=None)

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists, strings, numbers and None, as ``json.dumps`` takes them."""
        return {
            "verdict": self.verdict.value,
            "action": self.action.value,
            "threshold": self.threshold,
            "claims_n": self.claims_n,
            "blocked_n": self.blocked_n,
            "unchecked_n": self.unchecked_n,
            "claims": [_plain(claim) for claim in self.claims],
            "reason": self.reason,
            "risk": self.risk,
            "degraded": self.degraded,
            "words_left_out": self.words_left_out,
            "min_entailment": self.min_entailment,
        }

    def to_markdown(self, answer: str | None = None, evidence: Sequence[Any] | None = None) -> str:
        """A report in Markdown: the claims alone, with ``answer`` (the one that was checked) also where they stand.

        ``evidence`` is what the answer was checked against, strings or whatever has a ``text``, and shows the passages.
        ValueError when either is not what was checked.

        >>> result = GuardResult(GuardVerdict.PASS, GuardAction.ANNOTATE, 0.5, 0, 0, 0, (), "No claim.", 0.0)
        >>> print(result.to_markdown()[:17])
        # Pass
        <BLANKLINE>
        No claim.
        """
        from raguard.report import to_markdown
        from raguard.report.guard_report import guard_report

        return to_markdown(guard_report(self, answer, evidence))

    def to_html(self, answer: str | None = None, evidence: Sequence[Any] | None = None) -> str:
        """A page for a browser: the claims alone, with ``answer`` (the one that was checked) also where they stand.

        ``evidence`` as in ``to_markdown``, and as there ValueError when either is not what was checked. The page needs
        nothing else: no script, font or network. It holds the texts that it is given; encode it as UTF-8.

        >>> result = GuardResult(GuardVerdict.PASS, GuardAction.ANNOTATE, 0.5, 0, 0, 0, (), "No claim.", 0.0)
        >>> result.to_html().startswith("<!doctype html>")
        True
        """
        from raguard.report import to_html
        from raguard.report.guard_report import guard_report

        return to_html(guard_report(self, answer, evidence))


def _plain(claim: ClaimVerdict) -> dict[str, Any]:
    return {
        "claim": str(claim.claim),
        "status": claim.status.value,
        "label": None if claim.label is None else claim.label.value,
        "entailment": claim.entailment,
        "support_score": claim.support_score,
        "supported": claim.supported,
        "start": claim.start,
        "end": claim.end,
        "evidence": [asdict(ref) for ref in claim.evidence],
        "votes": claim.votes,
        "reasons": list(claim.reasons),
    }
