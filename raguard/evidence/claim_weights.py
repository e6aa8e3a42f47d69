"""How likely is a claim unsupported, given what is lacking? A formula of few weights, for prose and for records."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import NamedTuple

from raguard.rulebook import Rulebook

__all__ = ["ClaimWeights"]


class _Formula(NamedTuple):
    weights: Mapping[str, float]
    damping: Mapping[str, float]
    slope: float
    offset: float

    def probability(self, measures: Mapping[str, float]) -> float:
        lack = sum([weight * measures[name] for name, weight in self.weights.items()])
        for name, share in self.damping.items():
            if measures[name]:
                lack *= 1 - share * measures[name]
        # one invention is enough: what comes on top of it adds less and less
        logit = self.slope * (1 - exp(-lack)) + self.offset
        return 1 / (1 + exp(-logit))


class ClaimWeights:
    """The weights of the family ``claims``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["claims"]
        values = {
            role: {str(rule.data["measure"]): float(rule.data["value"]) for rule in family.role(role)}
            for role in ("prose", "records", "damping", "prose_calibration", "records_calibration", "profile")
        }
        self._prose, self._records = (
            _Formula(values[kind], values["damping"], **values[f"{kind}_calibration"]) for kind in ("prose", "records")
        )
        self.profiles: Mapping[str, float] = values["profile"]
        """From which probability on a claim is a high warning, by profile."""

    def probability(self, measures: Mapping[str, float]) -> float:
        """How likely a claim is unsupported, from 0 to 1; the measure "records" tells by which formula."""
        return (self._records if measures["records"] else self._prose).probability(measures)
