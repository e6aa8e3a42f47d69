"""Which weights fit labelled claims best? The formula of raguard/evidence/claim_weights.py on arrays, and its fitting.

The loss is that of answers (risk against label) plus that of claims (probability against marks), with a pull towards
small weights. Sets besides the first have an offset of their own: how many answers are unsupported differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from claim_measures import Measured, Numbers

__all__ = ["DAMPING", "PROSE", "RECORDS", "Model", "answer_risk", "auroc", "fit", "folds", "likeliest", "probabilities"]

PROSE = (
    "novelty",
    "missing",
    "unseen_pairs",
    "names",
    "tail",
    "high",
    "listed",
)
RECORDS = (
    "novelty",
    "missing",
    "names",
    "high",
    "low",
    "conflict",
    "doubtful_conflict",
    "unknown",
)
DAMPING = {"absent": 0.7, "heads": 0.8, "introduces": 0.5, "asks": 0.5, "addresses": 0.9}
FIXED = {
    "prose": {"all_new": 0.5, "conflict": 0.9, "doubtful_conflict": 0.75},
    "records": {"all_new": 0.5},
}
"""Weights that no set shows often enough to fit them, chosen by hand."""
_STEPS, _RATE = 600, 0.03
_FIRST = {"slope": 7.0, "offset": -4.0}
_BOUNDS = {"slope": (3.0, 9.0), "offset": (-7.0, 0.0)}
_CLIP = 1e-4
_TOP = 0.75
"""The share of the likeliest claim in an answer's risk: half of the maximum and half of the mean of the two first."""


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of both formulas with their calibrations."""

    prose: Mapping[str, float]
    records: Mapping[str, float]
    prose_calibration: Mapping[str, float]
    records_calibration: Mapping[str, float]


class _Set:
    """One set of claims, ready for the fit: which claims it takes, and where the two likeliest of each answer are."""

    def __init__(self, data: Measured, taken: npt.NDArray[np.bool_], scale: Mapping[str, Numbers]) -> None:
        self.owner = data.owner[taken]
        self.answers, self.inverse = np.unique(self.owner, return_inverse=True)
        self.starts = np.searchsorted(self.inverse, np.arange(len(self.answers)))
        self.labels = data.labels[self.answers].astype(float)
        self.marked = data.marked[taken]
        self.records = data.measures["records"][taken] > 0
        self.damping = _damping(data)[taken]
        self.added = _fixed(data)[taken]
        self.prose = _columns(data, PROSE)[taken] / scale["prose"]
        self.kept = _columns(data, RECORDS)[taken] / scale["records"]


def _columns(data: Measured, names: Sequence[str]) -> Numbers:
    return np.stack([data.measures[name] for name in names], axis=1)


def _fixed(data: Measured) -> Numbers:
    """What the weights that are not fitted add to each claim."""
    sums = {
        kind: sum((weight * data.measures[name] for name, weight in weights.items()), np.zeros(len(data.owner)))
        for kind, weights in FIXED.items()
    }
    added: Numbers = np.where(data.measures["records"] > 0, sums["records"], sums["prose"])
    return added


def _damping(data: Measured) -> Numbers:
    factors = [1 - share * data.measures[name] for name, share in DAMPING.items()]
    product: Numbers = np.prod(factors, axis=0)
    return product


def fit(
    sets: Sequence[Measured],
    taken: Sequence[npt.NDArray[np.bool_]],
    *,
    others: float = 0.2,
    ridge: float = 0.05,
    claims: float = 0.5,
) -> Model:
    """The model that fits the ``taken`` claims of the sets best; the first set decides, ``others`` is their weight."""
    first = sets[0]
    is_record = first.measures["records"][taken[0]] > 0
    scale = {
        "prose": np.maximum(_columns(first, PROSE)[taken[0]][~is_record].std(axis=0), 0.05),
        "records": np.maximum(_columns(first, RECORDS)[taken[0]][is_record].std(axis=0), 0.05)
        if is_record.any()
        else np.ones(len(RECORDS)),
    }
    prepared = [_Set(data, mask, scale) for data, mask in zip(sets, taken, strict=True) if mask.any()]
    prose, records = len(PROSE), len(RECORDS)
    values = np.full(prose + records, 0.08)
    calibration = np.array([_FIRST["slope"], _FIRST["offset"]] * 2 + [-2.0] * (len(prepared) - 1))
    lowest = np.array(
        [0.0] * len(values) + [_BOUNDS["slope"][0], _BOUNDS["offset"][0]] * 2 + [-8.0] * (len(prepared) - 1)
    )
    highest = np.array(
        [np.inf] * len(values) + [_BOUNDS["slope"][1], _BOUNDS["offset"][1]] * 2 + [2.0] * (len(prepared) - 1)
    )
    point = np.concatenate([values, calibration])
    mean, square = np.zeros_like(point), np.zeros_like(point)
    for step in range(1, _STEPS + 1):
        slope = _gradient(point, prepared, others, ridge, claims)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        rate = _RATE * (1 - step / _STEPS) + 1e-4
        point = point - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        point = np.clip(point, lowest, highest)
    weights = point[:prose] / scale["prose"], point[prose : prose + records] / scale["records"]
    ends = point[prose + records :]
    return Model(
        prose=dict(zip(PROSE, map(float, weights[0]), strict=True)),
        records=dict(zip(RECORDS, map(float, weights[1]), strict=True)),
        prose_calibration={"slope": float(ends[0]), "offset": float(ends[1])},
        records_calibration={"slope": float(ends[2]), "offset": float(ends[3])},
    )


def _gradient(point: Numbers, sets: Sequence[_Set], others: float, ridge: float, claims: float) -> Numbers:
    """The slope of the loss at a point: weights of prose and records, slope and offset of each, other offsets."""
    prose, records = len(PROSE), len(RECORDS)
    wide, kept, ends = point[:prose], point[prose : prose + records], point[prose + records :]
    slope = np.zeros_like(point)
    slope[: prose + records] = 2 * ridge * point[: prose + records]
    for number, data in enumerate(sets):
        # the calibration of records belongs to the first set alone
        is_record = data.records if number == 0 else np.zeros_like(data.records)
        lacking = (np.where(is_record, data.kept @ kept, data.prose @ wide) + data.added) * data.damping
        left = np.exp(-lacking)
        own = ends[1] if number == 0 else ends[3 + number]
        logit = np.where(is_record, ends[2], ends[0]) * (1 - left) + np.where(is_record, ends[3], own)
        chance = np.clip(1 / (1 + np.exp(-logit)), _CLIP, 1 - _CLIP)
        weight = 1.0 if number == 0 else others
        pull = np.zeros_like(chance)
        if number == 0:
            pull += claims * (chance - data.marked) / (chance * (1 - chance)) / len(chance)
        top, second = _two_likeliest(chance, data)
        risk = _TOP * chance[top] + (1 - _TOP) * chance[second]
        force = weight * (risk - data.labels) / (risk * (1 - risk)) / len(risk)
        np.add.at(pull, top, _TOP * force)
        np.add.at(pull, second, (1 - _TOP) * force)
        pull *= chance * (1 - chance)
        inner = pull * np.where(is_record, ends[2], ends[0]) * left * data.damping
        slope[:prose] += data.prose[~is_record].T @ inner[~is_record]
        slope[prose : prose + records] += data.kept[is_record].T @ inner[is_record]
        at = prose + records
        slope[at] += (pull * (1 - left))[~is_record].sum()
        slope[at + (1 if number == 0 else 3 + number)] += pull[~is_record].sum()
        slope[at + 2] += (pull * (1 - left))[is_record].sum()
        slope[at + 3] += pull[is_record].sum()
    return slope


def _two_likeliest(chance: Numbers, data: _Set) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of each answer, the numbers of its likeliest claim and of the next one (the same where there is one alone)."""
    order = np.lexsort((-chance, data.inverse))
    counts = np.bincount(data.inverse)
    top = order[data.starts]
    second = order[data.starts + np.minimum(1, counts - 1)]
    return top, second


def probabilities(model: Model, data: Measured) -> Numbers:
    """How likely each claim is unsupported, (claims,) from 0 to 1."""
    is_record = data.measures["records"] > 0
    wide = _columns(data, PROSE) @ np.array([model.prose[name] for name in PROSE])
    kept = _columns(data, RECORDS) @ np.array([model.records[name] for name in RECORDS])
    lacking = (np.where(is_record, kept, wide) + _fixed(data)) * _damping(data)
    prose, records = model.prose_calibration, model.records_calibration
    slope = np.where(is_record, records["slope"], prose["slope"])
    offset = np.where(is_record, records["offset"], prose["offset"])
    chance: Numbers = 1 / (1 + np.exp(-(slope * (1 - np.exp(-lacking)) + offset)))
    return chance


def answer_risk(chance: Numbers, data: Measured) -> Numbers:
    """The risk of each answer, (answers,): half of its likeliest claim, half of the mean of its two; 0 without any."""
    risk = np.zeros(len(data.answers))
    bounds = np.searchsorted(data.owner, np.arange(len(data.answers) + 1))
    for number, (start, end) in enumerate(pairwise(bounds)):
        top = np.sort(chance[start:end])[::-1][:2]
        if len(top):
            risk[number] = (top[0] + top.mean()) / 2
    return risk


def likeliest(chance: Numbers, data: Measured) -> Numbers:
    """The probability of each answer's likeliest claim, (answers,); 0 without any."""
    most = np.zeros(len(data.answers))
    np.maximum.at(most, data.owner, chance)
    return most


def auroc(labels: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """The share of pairs, one positive and one negative, in which the positive has the higher score; ties count half.

    >>> auroc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    positive = np.asarray(labels).astype(bool)
    _, inverse, counts = np.unique(np.asarray(scores, float), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    many, few = int(positive.sum()), int((~positive).sum())
    return float((ranks[positive].sum() - many * (many + 1) / 2) / (many * few))


def folds(groups: Sequence[str] | npt.NDArray[np.str_], count: int = 5) -> npt.NDArray[np.int64]:
    """A fold for each answer; answers of one group share it, and the folds are about equally large.

    >>> folds(["a", "b", "a", "c"], 2).tolist()
    [0, 1, 0, 1]
    """
    names, inverse, sizes = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    fold = np.zeros(len(names), dtype=np.int64)
    filled = np.zeros(count)
    for name in np.argsort(-sizes, kind="stable"):
        fold[name] = int(filled.argmin())
        filled[fold[name]] += sizes[name]
    chosen: npt.NDArray[np.int64] = fold[inverse]
    return chosen
