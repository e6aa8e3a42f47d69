"""May this answer be shown, asked of one or several judges?

>>> from raguard.rails import Decision
>>> Decision("unchecked", "there are no documents").state
'unchecked'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.rails.adapters import GuardRail, JudgeRail, VerifyRail
    from raguard.rails.decision import Decision, PartialDecision, Rail, State
    from raguard.rails.rails import Rails
    from raguard.rails.settling import RailsDecision

__all__ = [
    "Decision",
    "GuardRail",
    "JudgeRail",
    "PartialDecision",
    "Rail",
    "Rails",
    "RailsDecision",
    "State",
    "VerifyRail",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "adapters": ("GuardRail", "JudgeRail", "VerifyRail"),
        "decision": ("Decision", "PartialDecision", "Rail", "State"),
        "rails": ("Rails",),
        "settling": ("RailsDecision",),
    },
)
