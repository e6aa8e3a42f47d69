"""How is groundedness best reckoned from an answer's claims, what do the metrics find, and what does a score cost?

    python benchmarks/score_metrics.py ragtruth.jsonl

Each way to make one number of the probabilities of an answer's claims is measured by AUROC, with the shipped weights,
which were fitted on answers of RAGTruth, and out of fold: probabilities from weights that have not seen the answer.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from answers import Answer, DataError, read_answers
from claim_measures import Measured, Numbers, measured
from claims import out_of_fold
from machine import describe, digest, line
from report import append_row, number, table
from timing import Times, steady

from raguard import Config, Verifier
from raguard.metrics import EvalSlice, ScoredSlice, citation_faithfulness, score, summarize
from raguard.metrics.statistics import auroc

WAYS: dict[str, Callable[[Numbers], float]] = {
    "guard's risk: half the worst, half the mean of the two worst": lambda chance: float(
        (chance.max() + np.sort(chance)[-2:].mean()) / 2
    ),
    "the worst claim": lambda chance: float(chance.max()),
    "any claim, as if independent": lambda chance: float(1 - np.prod(1 - chance)),
    "mean of all claims": lambda chance: float(chance.mean()),
    "share of claims above 0.5": lambda chance: float((chance > 0.5).mean()),
}
"""How the probabilities of an answer's claims become its risk; groundedness is 1 minus that."""


def ways(data: Measured, chances: Numbers) -> dict[str, float | None]:
    """The AUROC of each way over the answers of a set, 0 being the risk of one without a claim."""
    found = {}
    for name, way in WAYS.items():
        risks = [0.0] * len(data.answers)
        for owner in np.unique(data.owner):
            risks[owner] = way(chances[data.owner == owner])
        found[name] = auroc(list(data.labels), risks)
    return found


def scored(answers: Sequence[Answer], verifier: Verifier) -> tuple[list[ScoredSlice], dict[str, list[float]]]:
    """The scores of each answer with how many seconds they took, beside ``verify`` and ``claims``; nothing is kept."""
    slices, seconds = [], dict[str, list[float]]({"verify()": [], "claims()": [], "score()": []})
    with steady():
        for answer in answers:
            parts = (answer.query, answer.docs, answer.response)
            told = EvalSlice(question=parts[0], chunks=parts[1], answer=parts[2], verifier=verifier)
            calls: Sequence[Callable[[], object]] = (
                lambda parts=parts: verifier.verify(*parts),
                lambda parts=parts: verifier.claims(*parts),
                lambda told=told: score(told),
            )
            for name, call in zip(seconds, calls, strict=True):
                start = time.perf_counter()
                result: Any = call()
                seconds[name].append(time.perf_counter() - start)
            slices.append(ScoredSlice(answer.id, result, len(answer.response.split()), answer.label))
    return slices, seconds


def miscited(answers: Sequence[Answer], verifier: Verifier) -> tuple[list[float], list[float]]:
    """Faithfulness of clean answers that cite, as they are and with each document in the place of the one before."""
    right: list[float] = []
    wrong: list[float] = []
    for answer in answers:
        if answer.label or len(answer.docs) < 2:
            continue
        turned = (*answer.docs[1:], answer.docs[0])
        pair = [citation_faithfulness(answer.response, docs, verifier=verifier) for docs in (answer.docs, turned)]
        if pair[0] is not None and pair[1] is not None:
            right.append(pair[0])
            wrong.append(pair[1])
    return right, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description="Ways to reckon groundedness, AUROC of the metrics, and their cost.")
    parser.add_argument("path", type=Path, help="answers with labels and marked spans (RAGTruth)")
    parser.add_argument("--json", type=Path, help="append the figures as one JSON row")
    options = parser.parse_args()
    verifier = Verifier(Config(cache_sets=0, cache_chunks=0))
    verifier.warm_up()
    try:
        answers = list(read_answers(options.path))
    except DataError as error:
        parser.error(str(error))
    data = measured(answers, verifier)
    print(line(describe()))
    shipped = ways(data, np.array([claim.unsupported for claim in data.claims]))
    (unseen, *_), *_ = out_of_fold([data])
    fresh = ways(data, unseen)
    print(
        table(
            ["groundedness by", "AUROC, shipped", "out of fold"],
            [[name, number(shipped[name]), number(fresh[name])] for name in WAYS],
        )
    )
    slices, seconds = scored(answers, verifier)
    metrics = summarize(slices).metrics
    rows = [
        [each.name, str(each.n), number(each.mean), number(each.auroc), number(each.length_auroc)] for each in metrics
    ]
    print("\n" + table(["metric", "answers", "mean", "AUROC", "by length"], rows))
    right, wrong = miscited(answers, verifier)
    apart = auroc([False] * len(right) + [True] * len(wrong), [1 - value for value in (*right, *wrong)])
    print(f"\nciting the wrong document: {len(right)} clean answers, faithfulness {number(float(np.mean(right)))},")
    print(f"with the documents turned {number(float(np.mean(wrong)))}, AUROC {number(apart)}")
    times = {name: Times.of(each) for name, each in seconds.items()}
    told = [[name, f"{each.p50:.2f}", f"{each.p95:.2f}"] for name, each in times.items()]
    print("\n" + table(["an answer takes", "p50 ms", "p95 ms"], told))
    if options.json:
        row = {
            "shipped": shipped,
            "out_of_fold": fresh,
            "metrics": {cells[0]: cells[1:] for cells in rows},
            "times": told,
        }
        append_row(options.json, {**describe(), "data": digest([options.path]), **row})


if __name__ == "__main__":
    main()
