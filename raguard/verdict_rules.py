"""What do the rules say of a finding: which type of warning is it, how serious, and how does its sentence open?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from raguard.result import Severity
from raguard.rulebook import Rulebook

__all__ = ["VerdictRule", "VerdictRules"]

_OPENINGS = {"contradiction": "is not what the documents say"}
_OPENING = "not found in retrieved documents"


class VerdictRule(NamedTuple):
    """The warning's type, its severity as shipped and how its suggestion opens."""

    type: str
    severity: Severity
    opening: str


class VerdictRules:
    """The family ``warnings`` by rule id."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rules = {
            rule.id: VerdictRule(str(rule.data["type"]), rule.data["severity"], _opening(rule.data))
            for rule in rulebook["warnings"].rules
        }

    def of(self, kind: str, rule: str | None) -> VerdictRule:
        """What is said of a finding of that kind by that rule; a rule without an entry of its own takes its kind's."""
        return self._rules.get(rule or "") or self._rules[f"{kind}.default"]

    def knows(self, kind: str, rule: str) -> bool:
        """Whether there is an entry for such a finding."""
        return bool({rule, f"{kind}.default"} & self._rules.keys())


def _opening(rule: Mapping[str, object]) -> str:
    """What a suggestion says of the span first: by the rule, else by its type."""
    return str(rule.get("opening") or _OPENINGS.get(str(rule["type"]), _OPENING))
