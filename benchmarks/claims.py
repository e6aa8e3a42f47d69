"""Does the claim guard find what is unsupported, and how does it compare? Five folds, no test fold in its fit.

    python benchmarks/claims.py ragtruth.jsonl --others wice_claims.jsonl mtrag_human.jsonl factcheckbench_claims.jsonl

Answers about one source stay in one fold; weights, calibrations and thresholds come from the other four. Beside the
EvidenceScorer stand the lexical baseline, retrieve-and-vote, and what needs no reading at all: flagging everything,
every record, every long answer.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from answers import Answer, DataError, read_answers
from claim_measures import Measured, Numbers, measured
from claim_model import Model, answer_risk, auroc, fit, folds, likeliest, probabilities
from fit_claims import PRECISE, best_threshold, f1, profiles, reliability
from machine import describe, digest, line
from report import append_row, number, percent, table
from scoring import generator_group
from timing import Times, steady

from raguard import Config, Verifier
from raguard.checks import DEFAULT_CHECKS
from raguard.checks.claims import SOLID
from raguard.claims import (
    EvidenceScorer,
    GuardConfig,
    HallucinationGuard,
    LexicalNLIScorer,
    NLIScorer,
    split_into_claims,
)

Verdicts = npt.NDArray[np.bool_]

PUBLISHED = {"qa": 900, "summary": 900, "data2text": 900}
"""How many answers of each task RAGTruth's published test set has (Niu et al., 2024, table 3)."""
CHUNK = 400
FLAGGED = ("high", "medium", "conflict", "doubtful_conflict", "unknown")
"""The measures that say that a check has found something worth a warning in a claim."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A way to judge answers: its risk of each, and its verdict by a threshold from the other folds."""

    name: str
    risk: Numbers
    flagged: Verdicts


def out_of_fold(sets: Sequence[Measured]) -> tuple[list[Numbers], Numbers, dict[str, Numbers]]:
    """The probabilities of every set's claims, and each answer's thresholds by profile, none seen in its fitting."""
    parts = [folds(data.groups) for data in sets]
    chances = [np.zeros(len(data.owner)) for data in sets]
    best = np.zeros(len(sets[0].answers))
    thresholds = {name: np.zeros(len(sets[0].answers)) for name in ("precise", "balanced", "strict")}
    for fold in range(5):
        trained = [part[data.owner] != fold for part, data in zip(parts, sets, strict=True)]
        model: Model = fit(sets, trained)
        for part, data, found in zip(parts, sets, chances, strict=True):
            tested = part[data.owner] == fold
            found[tested] = probabilities(model, data)[tested]
        seen = parts[0] != fold
        chance = probabilities(model, sets[0])
        best[~seen] = best_threshold(answer_risk(chance, sets[0])[seen], sets[0].labels[seen])
        for name, at in profiles(likeliest(chance, sets[0])[seen], sets[0].labels[seen]).items():
            thresholds[name][~seen] = at
    return chances, best, thresholds


def by_threshold(risk: Numbers, labels: Verdicts, groups: npt.NDArray[np.str_]) -> Verdicts:
    """The verdict by the threshold from the other folds; scores are put as shares of the answers below them."""
    order = np.searchsorted(np.sort(risk), risk, side="right") / len(risk)
    part = folds(groups)
    flagged = np.zeros(len(risk), dtype=bool)
    for fold in range(5):
        seen = part != fold
        flagged[~seen] = order[~seen] > best_threshold(order[seen], labels[seen])
    return flagged


def guarded(answers: Sequence[Answer], scorer: NLIScorer, *, votes: int) -> Numbers:
    """The risk of each answer by a guard: each claim against each passage, or by the mean of the best chunks.

    With ``votes`` the chunks are retrieved, five for each claim, and so many of them have a say.
    """
    config = GuardConfig(min_claim_chars=0, max_claims=1_000, min_entail_votes=max(1, votes), timeout_s=60.0)

    async def judged() -> list[float]:
        risks = []
        for answer in answers:
            if votes:
                options = {"scorer": scorer, "config": config, "size": CHUNK, "overlap": 0}
                result, _ = await HallucinationGuard.from_documents(answer.docs, **options).check(None, answer.response)
            else:
                result, _ = await HallucinationGuard(scorer, config=config).check(None, answer.response, answer.docs)
            supports = [claim.support_score for claim in result.claims if claim.support_score is not None]
            top = np.sort([1 - support for support in supports])[::-1][:2]
            risks.append((top[0] + top.mean()) / 2 if len(top) else 0.0)
        return risks

    return np.array(asyncio.run(judged()))


def figures(scored: Scored, labels: Verdicts, tasks: npt.NDArray[np.str_]) -> list[str]:
    """AUROC, F1, F1 of the published mix of tasks, and AUROC of each task."""
    cells = [number(auroc(labels, scored.risk)), number(f1(scored.flagged, labels))]
    cells.append(number(mixed_f1(scored.flagged, labels, tasks)))
    for task in PUBLISHED:
        inside = tasks == task
        cells.append(
            number(auroc(labels[inside], scored.risk[inside])) if 0 < labels[inside].sum() < inside.sum() else ""
        )
    return [scored.name, *cells]


def mixed_f1(flagged: Verdicts, labels: Verdicts, tasks: npt.NDArray[np.str_]) -> float:
    """F1 when each task has the share that it has in the published test set."""
    weight = np.zeros(len(labels))
    for task, count in PUBLISHED.items():
        inside = tasks == task
        weight[inside] = count / max(1, inside.sum())
    hits = weight[flagged & labels].sum()
    return float(2 * hits / max(1e-9, weight[flagged].sum() + weight[labels].sum()))


def tier(flagged: Verdicts, labels: Verdicts) -> list[str]:
    """Precision, recall, F1 and the share of clean answers that are flagged."""
    right = (flagged & labels).sum()
    return [
        str(int(flagged.sum())),
        percent(right / flagged.sum() if flagged.any() else None),
        percent(right / labels.sum() if labels.any() else None),
        number(f1(flagged, labels)),
        percent((flagged & ~labels).sum() / (~labels).sum() if not labels.all() else None),
    ]


def _sure(data: Measured) -> Verdicts:
    """Which claims the precise profile may call high: nothing in them is flagged, and what is new weighs enough."""
    told = sum((data.measures[name] for name in FLAGGED), np.zeros(len(data.owner)))
    return (told == 0) & (data.measures["novelty"] >= SOLID)


def timed(answers: Sequence[Answer]) -> list[list[str]]:
    """How long a verdict takes without and with the check, and the scorer for an answer's claims; nothing is kept."""
    config = Config(cache_sets=0, cache_chunks=0)
    without, with_check = Verifier(config, checks=DEFAULT_CHECKS[:-1]), Verifier(config)
    scorer = EvidenceScorer(Verifier(config))
    for verifier in (without, with_check):
        verifier.warm_up()
    seconds: dict[str, list[float]] = {"verify() without the check": [], "verify()": [], "EvidenceScorer": []}
    with steady(), asyncio.Runner() as runner:
        for answer in answers:
            claims = [str(claim) for claim in split_into_claims(answer.response)]
            asked: Sequence[Callable[[], object]] = (
                lambda answer=answer: without.verify(answer.query, answer.docs, answer.response),
                lambda answer=answer: with_check.verify(answer.query, answer.docs, answer.response),
                lambda answer=answer, claims=claims: runner.run(scorer.score_claims(None, claims, answer.docs)),
            )
            for name, call in zip(seconds, asked, strict=True):
                start = time.perf_counter()
                call()
                seconds[name].append(time.perf_counter() - start)
    times = {name: Times.of(each) for name, each in seconds.items()}
    first = times["verify() without the check"]
    return [[name, f"{each.p50:.2f}", f"{each.p95:.2f}", f"{each.p95 / first.p95:.2f}"] for name, each in times.items()]


def _otherwise_high(answers: Sequence[Answer], verifier: Verifier) -> Verdicts:
    """Which answers get a high warning from another check than that of claims."""
    results = (verifier.verify(answer.query, answer.docs, answer.response, lang="en") for answer in answers)
    return np.array(
        [
            any(each.severity == "high" and each.type != "unsupported_claim" for each in result.warnings)
            for result in results
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Figures of the claim guard beside baselines, in five folds.")
    parser.add_argument("path", type=Path, help="the set with marked spans and tasks (RAGTruth)")
    parser.add_argument("--others", type=Path, nargs="*", default=[], help="sets that help the fit and are scored too")
    parser.add_argument("--json", type=Path, help="append the figures as one JSON row")
    options = parser.parse_args()
    verifier = Verifier()
    verifier.warm_up()
    try:
        sets = [measured(read_answers(path), verifier) for path in (options.path, *options.others)]
    except DataError as error:
        parser.error(str(error))
    first = sets[0]
    labels, tasks, groups = first.labels, first.tasks, first.groups
    chances, best, thresholds = out_of_fold(sets)
    risk = answer_risk(chances[0], first)
    print(line(describe()))
    print(f"{options.path.name}: {len(labels)} answers, {labels.sum()} unsupported, {len(first.owner)} claims\n")
    ways = [
        Scored("EvidenceScorer", risk, risk > best),
        *(_baseline(name, score(), labels, groups) for name, score in _baselines(first.answers)),
        Scored("flag all", np.zeros(len(labels)), np.ones(len(labels), dtype=bool)),
    ]
    headers = ["judged by", "AUROC", "F1", "F1 mixed", *(f"{task} AUROC" for task in PUBLISHED)]
    rows = [figures(way, labels, tasks) for way in ways]
    print(table(headers, rows))
    row: dict[str, Any] = {"figures": {cells[0]: dict(zip(headers[1:], cells[1:], strict=True)) for cells in rows}}
    row["sentence_auroc"] = auroc(first.marked, chances[0])
    print(f"\nsentence AUROC {row['sentence_auroc']:.3f}")
    others = {
        path.stem: auroc(data.labels, answer_risk(chance, data))
        for path, data, chance in zip(options.others, sets[1:], chances[1:], strict=True)
    }
    row["others"] = others
    print("\n".join(f"{name} AUROC {value:.3f}" for name, value in others.items()))
    strong = np.array([generator_group(answer) == "strong" for answer in first.answers])
    tiers = [
        *([f"risk > {at}", *tier(risk > at, labels)] for at in (0.5, PRECISE)),
        *([f"risk > {at}, strong generators", *tier((risk > at)[strong], labels[strong])] for at in (0.5, PRECISE)),
    ]
    most, otherwise = likeliest(chances[0], first), _otherwise_high(first.answers, verifier)
    tiers.append(["verify() without the check", *tier(otherwise, labels)])
    sure = likeliest(np.where(_sure(first), chances[0], 0.0), first)
    for name, at in thresholds.items():
        flagged = (sure if name == "precise" else most) > at
        tiers.append([f"verify(), {name}", *tier(otherwise | flagged, labels)])
    row["tiers"] = {cells[0]: cells[1:] for cells in tiers}
    print("\n" + table(["answers flagged by", "flagged", "right", "found", "F1", "clean flagged"], tiers))
    print("\n" + table(["probability", "claims", "mean", "marked"], reliability(chances[0], first.marked == 1)))
    times = timed(first.answers)
    row["times"] = {cells[0]: cells[1:] for cells in times}
    print("\n" + table(["an answer takes", "p50 ms", "p95 ms", "ratio at p95"], times))
    if options.json:
        append_row(
            options.json,
            {**describe(), "data": {path.name: digest([path]) for path in (options.path, *options.others)}, **row},
        )


def _baselines(answers: Sequence[Answer]) -> list[tuple[str, Callable[[], Numbers]]]:
    lexical = LexicalNLIScorer()
    return [
        ("LexicalNLIScorer", lambda: guarded(answers, lexical, votes=0)),
        ("retrieve and vote, lexical", lambda: guarded(answers, lexical, votes=2)),
        ("longer answers", lambda: np.array([float(len(answer.response.split())) for answer in answers])),
        ("more claims", lambda: np.array([float(len(split_into_claims(answer.response))) for answer in answers])),
        (
            "flag every record",
            lambda: np.array([float(any(doc.lstrip()[:1] in "{[" for doc in answer.docs)) for answer in answers]),
        ),
    ]


def _baseline(name: str, risk: Numbers, labels: Verdicts, groups: npt.NDArray[np.str_]) -> Scored:
    return Scored(name, risk, by_threshold(risk, labels, groups))


if __name__ == "__main__":
    main()
