"""Which weights, calibrations and profiles does the claim formula have? Fits them and writes rules/claims_weights.toml.

    python benchmarks/fit_claims.py ragtruth.jsonl wice_claims.jsonl mtrag_human.jsonl … --out rules/claims_weights.toml

The first set decides, the others help with a fifth of its weight each. Only the values of rules are rewritten. Prints a
reliability table: of the claims and answers that get a probability, how many are unsupported.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answers import read_answers
from claim_measures import Measured, Numbers, measured
from claim_model import Model, answer_risk, fit, likeliest, probabilities
from machine import describe, line
from report import table

from raguard import Verifier

PRECISE = 0.8
STRICT_RECALL = 0.88
_THRESHOLDS = np.arange(0.05, 0.95, 0.01)
_AROUND = 10
_BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.65, 0.8, 1.0)
_RULE = re.compile(
    r"""(?<=\nid = "claims\.)(?P<id>[a-z_]+\.[a-z_]+)(?P<keys>"\n(?:[^\n[][^\n]*\n)*?value = )(?P<value>[-0-9.]+)"""
)
_SOURCE = re.compile(r'(?<=\nsource = ")[^"\n]*')


def best_threshold(scores: Numbers, unsupported: npt.NDArray[np.bool_]) -> float:
    """The threshold around which F1 is best: the curve is jagged, and what holds around a point holds elsewhere."""
    each = np.array([f1(scores > at, unsupported) for at in _THRESHOLDS])
    near = np.convolve(np.pad(each, _AROUND, mode="edge"), np.ones(2 * _AROUND + 1), mode="valid")
    return float(_THRESHOLDS[near.argmax()])


def profiles(likeliest: Numbers, unsupported: npt.NDArray[np.bool_]) -> dict[str, float]:
    """The thresholds of the profiles, for the likeliest claim of an answer: fixed, of the best F1, of enough recall."""
    enough = [float(at) for at in _THRESHOLDS if (likeliest > at)[unsupported].mean() >= STRICT_RECALL]
    return {
        "precise": PRECISE,
        "balanced": best_threshold(likeliest, unsupported),
        "strict": max(enough, default=float(_THRESHOLDS[0])),
    }


def f1(flagged: npt.NDArray[np.bool_], unsupported: npt.NDArray[np.bool_]) -> float:
    """The harmonic mean of precision and recall of a verdict."""
    return float(2 * (flagged & unsupported).sum() / max(1, flagged.sum() + unsupported.sum()))


def rewritten(content: str, values: Mapping[str, float], source: str) -> str:
    """The rule file with the values of the rules named; ValueError when one of them is missing."""
    done = set[str]()

    def value(match: re.Match[str]) -> str:
        if match["id"] not in values:
            return match.group()
        done.add(match["id"])
        return f"{match['id']}{match['keys']}{values[match['id']]:.3f}"

    content = _SOURCE.sub(source, _RULE.sub(value, content), count=1)
    if missing := sorted(values.keys() - done):
        raise ValueError(f"the file has no rule claims.{missing[0]} with a value")
    return content


def model_values(model: Model, thresholds: Mapping[str, float]) -> dict[str, float]:
    """The values of a model by the ends of their rules' ids."""
    parts = {
        "prose": model.prose,
        "records": model.records,
        "prose_calibration": model.prose_calibration,
        "records_calibration": model.records_calibration,
        "profile": thresholds,
    }
    return {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}


def reliability(scores: Numbers, unsupported: Numbers) -> list[list[str]]:
    """For each range of scores: how many there are, their mean, and the share that is unsupported."""
    rows = []
    for low, high in pairwise(_BINS):
        inside = (scores > low) & (scores <= high) if low else scores <= high
        if inside.any():
            share = f"{unsupported[inside].mean():.2f}"
            rows.append([f"{low:.2f} to {high:.2f}", str(int(inside.sum())), f"{scores[inside].mean():.2f}", share])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Fits the weights of the claim formula.")
    parser.add_argument("paths", type=Path, nargs="+", help="answer sets; the first one has marked spans")
    parser.add_argument("--out", type=Path, required=True, help="the rule file whose values are rewritten")
    options = parser.parse_args()
    verifier = Verifier()
    sets: list[Measured] = [measured(read_answers(path), verifier) for path in options.paths]
    model = fit(sets, [np.ones(len(data.owner), dtype=bool) for data in sets])
    first = sets[0]
    chance = probabilities(model, first)
    risk = answer_risk(chance, first)
    thresholds = profiles(likeliest(chance, first), first.labels)
    names = ", ".join(path.stem for path in options.paths)
    by_hand = "damping, all_new and conflicts in prose by hand"
    source = f"fitted by benchmarks/fit_claims.py on {names} (development halves); {by_hand}"
    content = options.out.read_text(encoding="utf-8")
    options.out.write_text(rewritten(content, model_values(model, thresholds), source), encoding="utf-8")
    print(line(describe()))
    headers = ["probability", "claims", "mean", "marked"]
    print(table(headers, reliability(chance, first.marked == 1)))
    print(table(["risk", "answers", "mean", "unsupported"], reliability(risk, first.labels)))
    print(", ".join(f"{name} {at:.2f}" for name, at in thresholds.items()))


if __name__ == "__main__":
    main()
