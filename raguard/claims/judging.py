"""How do scores become verdicts on claims? Each claim against its passages, the best entailment wins, and votes count.

A scorer that reads the whole evidence at once (``score_claims``) gives the entailment, and the passages that it names
are the votes. Passages are asked one by one beside it only where the config asks for more than one vote.
"""

from __future__ import annotations

from asyncio import get_running_loop
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from raguard.claims.asking import Fault, Scores, ask_scores, read
from raguard.claims.config import GuardConfig
from raguard.claims.context import Context
from raguard.claims.passages import Passage
from raguard.claims.scoring import EvidenceReader, NLILabel, NLIScore, NLIScorer
from raguard.claims.verdicts import ChunkRef

__all__ = ["Demand", "Judgment", "judge"]


@dataclass(frozen=True, slots=True)
class Demand:
    """What a claim of one tenant must reach."""

    threshold: float
    entail_threshold: float
    votes: int

    @classmethod
    def of(cls, config: GuardConfig, threshold: float) -> Demand:
        """What a config demands for a tenant with this threshold."""
        entail = threshold if config.entail_threshold is None else config.entail_threshold
        return cls(threshold, entail, config.min_entail_votes)


@dataclass(frozen=True, slots=True)
class Judgment:
    """What the evidence says of one claim."""

    supported: bool
    label: NLILabel
    entailment: float
    support_score: float
    evidence: tuple[ChunkRef, ...]
    votes: str
    reasons: tuple[str, ...]


async def judge(
    scorer: Any,
    ctx: Context,
    claims: Sequence[str],
    evidence: Sequence[Sequence[Passage]],
    demand: Demand,
    seconds: float,
    *,
    apart: bool = False,
) -> list[Judgment | Fault]:
    """The judgment on each claim by its own passages, or why there is none.

    A claim without passages is unsupported: nothing speaks of it. ``seconds`` are for all scoring together. Passages
    that need not belong together, as a retriever finds them in a corpus, are to be read ``apart``: else words of one
    and words of another add up to what none of them says.
    """
    deadline = get_running_loop().time() + seconds
    asked = [place for place, passages in enumerate(evidence) if passages]
    texts, found = [claims[place] for place in asked], [evidence[place] for place in asked]
    whole: list[Scores | Fault] | None = None
    pairs: list[Scores | Fault] | None = None
    if not apart and callable(read(lambda: getattr(scorer, "score_claims", None))):
        whole = await _read_whole(cast("EvidenceReader", scorer), ctx, texts, found, seconds)
    if whole is None or demand.votes > 1:
        pairs = await _read_pairs(scorer, ctx, texts, found, deadline - get_running_loop().time())
    judgments: list[Judgment | Fault] = [_UNSPOKEN] * len(claims)
    for number, place in enumerate(asked):
        judgments[place] = _judged(
            found[number],
            None if whole is None else whole[number],
            None if pairs is None else pairs[number],
            demand,
        )
    return judgments


_UNSPOKEN = Judgment(False, NLILabel.NEUTRAL, 0.0, 0.0, (), "0/0", ("no chunk speaks of it",))


async def _read_pairs(
    scorer: NLIScorer, ctx: Context, claims: Sequence[str], evidence: Sequence[Sequence[Passage]], seconds: float
) -> list[Scores | Fault]:
    """Per claim the score of each of its passages."""
    wants = read(lambda: bool(getattr(scorer, "wants_question", False)))
    opening = f"Question: {ctx.question}\nContext: " if wants is True and ctx.question else ""
    # the passages are the same objects for every claim, and long
    premises = {id(passage): opening + passage.text for passages in evidence for passage in passages}
    groups = [
        [(premises[id(passage)], claim) for passage in passages]
        for claim, passages in zip(claims, evidence, strict=True)
    ]
    return await ask_scores(lambda pairs: scorer.score_batch(ctx, pairs), groups, seconds)


async def _read_whole(
    scorer: EvidenceReader, ctx: Context, claims: Sequence[str], evidence: Sequence[Sequence[Passage]], seconds: float
) -> list[Scores | Fault]:
    """Per claim one score by all of its passages."""
    if all(passages is evidence[0] for passages in evidence):
        given = [passage.given for passage in evidence[0]] if evidence else []
        return await ask_scores(
            lambda texts: scorer.score_claims(ctx, texts, given), [[claim] for claim in claims], seconds
        )
    groups = [[(claim, passages)] for claim, passages in zip(claims, evidence, strict=True)]
    return await ask_scores(_one_by_one(scorer, ctx), groups, seconds, together=False)


def _one_by_one(scorer: EvidenceReader, ctx: Context) -> Callable[[Sequence[tuple[str, Sequence[Passage]]]], Any]:
    def call(group: Sequence[tuple[str, Sequence[Passage]]]) -> Any:
        claim, passages = group[0]
        return scorer.score_claims(ctx, [claim], [passage.given for passage in passages])

    return call


def _judged(
    passages: Sequence[Passage], whole: Scores | Fault | None, pairs: Scores | Fault | None, demand: Demand
) -> Judgment | Fault:
    """One claim's judgment by a score over all passages, by a score for each, or by both."""
    for scores in (whole, pairs):
        if isinstance(scores, Fault):
            return Fault(f"the scorer {scores.why}")
    if isinstance(pairs, list):
        return _by_votes(passages, whole[0] if isinstance(whole, list) else None, pairs, demand)
    return _by_whole(passages, whole[0], demand) if isinstance(whole, list) else Fault("the scorer was not asked")


def _by_votes(passages: Sequence[Passage], whole: NLIScore | None, pairs: Scores, demand: Demand) -> Judgment:
    ranked = sorted(range(len(pairs)), key=lambda index: -pairs[index].entailment)
    voting = [index for index in ranked if pairs[index].entailment >= demand.entail_threshold]
    needed, told = min(demand.votes, len(pairs)), f"{len(voting)} of {len(pairs)} passages entail it"
    support = sum(pairs[index].entailment for index in ranked[:needed]) / needed
    refs = [passages[index].ref for index in voting or ranked[:1]]
    lacking = "" if len(voting) >= needed else f"{told} by {demand.entail_threshold:g}, {needed} must"
    best = pairs[ranked[0]] if whole is None else whole
    return _decided(best, support, refs, f"{len(voting)}/{len(pairs)}", lacking, demand)


def _by_whole(passages: Sequence[Passage], score: NLIScore, demand: Demand) -> Judgment | Fault:
    """Without pairs the whole evidence decides; only passages that the score names are votes."""
    indices = list(dict.fromkeys(score.evidence))
    if any(index >= len(passages) for index in indices):
        return Fault("the scorer named a passage that was not given")
    entails = score.entailment >= demand.entail_threshold
    refs = [passages[index].ref for index in indices]
    lacking = "" if entails else f"the evidence does not entail it by {demand.entail_threshold:g}"
    return _decided(score, score.entailment, refs, f"{len(indices) if entails else 0}/{len(passages)}", lacking, demand)


def _decided(
    score: NLIScore, support: float, refs: Sequence[ChunkRef], votes: str, lacking: str, demand: Demand
) -> Judgment:
    """The judgment; ``lacking`` is what is missing of the votes, empty when nothing is."""
    reaches = score.entailment >= demand.threshold
    told = (lacking,) if reaches and lacking else ()
    return Judgment(
        reaches and not lacking, score.label, score.entailment, support, tuple(refs), votes, (*told, *score.reasons)
    )
