"""What follows from the judgments on the claims for the answer? Its verdict, its risk, the prose, what is shown."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from raguard.claims.actions import BLOCK_NOTICE, redacted
from raguard.claims.asking import Fault
from raguard.claims.config import GuardAction, GuardConfig
from raguard.claims.extraction import PlacedClaim
from raguard.claims.judging import Judgment
from raguard.claims.verdicts import ClaimStatus, ClaimVerdict, GuardResult, GuardVerdict
from raguard.text.blanks import merge

__all__ = ["TOO_SHORT", "Checked", "decide", "unjudged", "withheld"]

_WORD = re.compile(r"[^\W\d_]{2,}")
TOO_SHORT = Fault("too short to be judged")
"""Why a short claim is unchecked: the one reason that does not degrade a check."""


@dataclass(frozen=True, slots=True)
class Checked:
    """All that a check has found: the claims, what is said of each, and what of the input could not be used."""

    claims: Sequence[PlacedClaim]
    judgments: Sequence[Judgment | Fault]
    faults: tuple[str, ...] = ()


def decide(answer: str, found: Checked, config: GuardConfig, threshold: float) -> tuple[GuardResult, str]:
    """The result, and the answer as the config's action leaves it."""
    verdicts = tuple(map(_verdict, found.claims, found.judgments))
    judged = [claim.entailment for claim in verdicts if claim.entailment is not None]
    short = [judgment is TOO_SHORT for judgment in found.judgments]
    # what nobody looked at is no pass, however short it is
    excused = bool(judged)
    left_out = [
        claim.status is ClaimStatus.UNCHECKED and not (is_short and excused)
        for claim, is_short in zip(verdicts, short, strict=True)
    ]
    acts = config.on_unchecked == "act"
    falling = [
        claim
        for claim, is_left_out in zip(verdicts, left_out, strict=True)
        if claim.status is ClaimStatus.HALLUCINATION_FLAG or (acts and is_left_out)
    ]
    degraded = bool(found.faults) or any(left_out)
    left_over = _words_outside(answer, verdicts)
    shown = _shown(answer, verdicts, falling, config.action)
    verdict = GuardVerdict.FLAGGED if falling or degraded else GuardVerdict.PASS
    if falling and config.action is not GuardAction.ANNOTATE:
        verdict = GuardVerdict.BLOCKED
    result = GuardResult(
        verdict=verdict,
        action=config.action,
        threshold=threshold,
        claims_n=len(verdicts),
        blocked_n=len(falling),
        unchecked_n=sum(claim.status is ClaimStatus.UNCHECKED for claim in verdicts),
        claims=verdicts,
        reason=_reason(verdicts, found, threshold, left_over) + _act(falling, config.action),
        risk=_risk(judged),
        degraded=degraded,
        words_left_out=left_over,
    )
    return result, shown


def unjudged(answer: str, why: Fault, faults: tuple[str, ...] = ()) -> Checked:
    """The whole answer as one claim that nobody judged."""
    return Checked([PlacedClaim(answer, 0, len(answer))], [why], faults)


def withheld(config: GuardConfig, threshold: float, why: str) -> tuple[GuardResult, str]:
    """The result of an answer that cannot be read at all: a notice stands in its place, whatever the action is."""
    reason = f"Nothing was checked: {why}. The answer is withheld."
    return GuardResult(GuardVerdict.BLOCKED, config.action, threshold, 0, 0, 0, (), reason, 0.0, True), BLOCK_NOTICE


def _verdict(claim: PlacedClaim, judgment: Judgment | Fault) -> ClaimVerdict:
    if isinstance(judgment, Fault):
        return ClaimVerdict(
            claim.text,
            ClaimStatus.UNCHECKED,
            label=None,
            entailment=None,
            support_score=None,
            supported=False,
            start=claim.start,
            end=claim.end,
            evidence=(),
            votes="0/0",
            reasons=(judgment.why,),
        )
    return ClaimVerdict(
        claim.text,
        ClaimStatus.SUPPORTED if judgment.supported else ClaimStatus.HALLUCINATION_FLAG,
        label=judgment.label,
        entailment=judgment.entailment,
        support_score=judgment.support_score,
        supported=judgment.supported,
        start=claim.start,
        end=claim.end,
        evidence=judgment.evidence,
        votes=judgment.votes,
        reasons=judgment.reasons,
    )


def _shown(answer: str, verdicts: Sequence[ClaimVerdict], falling: Sequence[ClaimVerdict], action: GuardAction) -> str:
    if not falling or action is GuardAction.ANNOTATE:
        return answer
    spans = [(claim.start, claim.end) for claim in falling if claim.start is not None and claim.end is not None]
    # a claim that the answer does not hold word for word cannot be cut out of it
    if action is GuardAction.BLOCK or len(spans) < len(falling):
        return BLOCK_NOTICE
    taken = [(claim.start, claim.end) for claim in verdicts if claim.start is not None and claim.end is not None]
    return redacted(answer, [*spans, *_repetitions(answer, {claim.claim for claim in falling}, taken)])


def _repetitions(answer: str, claims: Iterable[str], taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where the answer says the same once more, outside of all claims: an extractor may name a claim only once."""
    merged = merge(taken)
    ends = [end for _, end in merged]
    for claim in claims:
        at = answer.find(claim) if claim else -1
        while at >= 0:
            end = at + len(claim)
            # the first one that ends behind this place
            nearest = bisect_right(ends, at)
            if nearest == len(merged) or merged[nearest][0] >= end:
                yield at, end
            at = answer.find(claim, end)


def _risk(judged: Sequence[float]) -> float:
    risks = sorted((1 - entailment for entailment in judged), reverse=True)[:2]
    return 0.5 * risks[0] + 0.5 * sum(risks) / len(risks) if risks else 0.0


def _act(falling: Sequence[ClaimVerdict], action: GuardAction) -> str:
    if not falling or action is GuardAction.ANNOTATE:
        return ""
    if action is GuardAction.REDACT and all(claim.start is not None for claim in falling):
        return " What falls short is cut out."
    if action is GuardAction.REDACT:
        return " The answer is withheld: what falls short does not stand in it word for word."
    return " The answer is withheld."


def _words_outside(answer: str, verdicts: Sequence[ClaimVerdict]) -> int:
    """How many words stand outside of all claims; none is told where a claim has no place in the answer."""
    spans = [(claim.start, claim.end) for claim in verdicts if claim.start is not None and claim.end is not None]
    if len(spans) < len(verdicts):
        return 0
    merged = merge(spans)
    gaps = zip([0, *(end for _, end in merged)], [*(start for start, _ in merged), len(answer)], strict=True)
    return sum(len(_WORD.findall(answer, end, start)) for end, start in gaps)


def _reason(verdicts: Sequence[ClaimVerdict], found: Checked, threshold: float, left_over: int) -> str:
    """The verdict in prose; it counts and names types, and holds no text of answer or evidence."""
    flagged = sum(claim.status is ClaimStatus.HALLUCINATION_FLAG for claim in verdicts)
    judged = sum(claim.entailment is not None for claim in verdicts)
    parts = []
    if not verdicts:
        parts.append("The answer makes no claim.")
    elif not judged:
        parts.append("No claim was judged.")
    elif flagged:
        parts.append(
            f"{flagged} of {_claims(judged, 'judged ')} {_is(flagged)} unsupported at a threshold of {threshold:g}."
        )
    else:
        parts.append(f"{'All ' if judged > 1 else ''}{_claims(judged, 'judged ')} {_is(judged)} supported.")
    whys = Counter(judgment.why for judgment in found.judgments if isinstance(judgment, Fault))
    parts += [f"{_claims(count)} {_was(count)} not checked: {why}." for why, count in whys.items()]
    if found.faults:
        parts.append(f"Not used: {'; '.join(found.faults)}.")
    if left_over:
        stand = "word stands" if left_over == 1 else "words stand"
        parts.append(f"{left_over} {stand} in no claim and {_was(left_over)} not checked.")
    return " ".join(parts)


def _claims(count: int, kind: str = "") -> str:
    return f"{count} {kind}claim" if count == 1 else f"{count} {kind}claims"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
