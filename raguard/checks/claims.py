"""Which sentences say what the documents do not, though each of their facts may stand?"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case, Finding
from raguard.checks.judged_claims import JudgedClaim, claim_spans, judged_claims, unjudged
from raguard.result import Severity, Unchecked
from raguard.text.blanks import trimmed

__all__ = ["SOLID", "unsupported_claims"]

SOLID = 0.5
"""The novelty from which on a claim alone is worth a high warning of the precise profile: two rare words."""
_DOUBTFUL = 0.5
"""From here on it is more likely than not that a claim is unsupported."""


def unsupported_claims(case: Case) -> Iterator[Finding | Unchecked]:
    """One finding for each claim that is likely unsupported and holds nothing as serious that is flagged by itself."""
    gap = unjudged(case)
    if gap is not None:
        yield gap
        return
    high = case.known.claim_weights.profiles[case.known.config.profile]
    unless: tuple[Severity, ...] = ("high",) if high < _DOUBTFUL else ("high", "medium")
    for claim in judged_claims(case, claim_spans(case), above=min(high, _DOUBTFUL), unless=unless):
        if high < _DOUBTFUL:
            if claim.unsupported > high and claim.flagged != "high":
                yield _finding(case, claim, "claim.unsupported")
        elif claim.unsupported > _DOUBTFUL and claim.flagged is None:
            # by itself a claim is worth a high warning when what is new in it weighs enough
            sure = claim.unsupported > high and claim.measures["novelty"] >= SOLID
            yield _finding(case, claim, "claim.unsupported" if sure else "claim.doubtful")


def _finding(case: Case, claim: JudgedClaim, rule: str) -> Finding:
    start, end = trimmed(case.outline.text, *(claim.new or (claim.start, claim.end)))
    said = f"The sentence is unsupported with a probability of {claim.unsupported:.2f}."
    return Finding("claim", start, end, "flagged", rule=rule, said=said, place=claim.place)
