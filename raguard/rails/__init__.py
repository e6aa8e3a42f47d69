"""May this answer be shown, asked of one or several judges?

>>> from raguard.rails import Decision
>>> Decision("unchecked", "there are no documents").state
'unchecked'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_MODULES = {
    "adapters": ("GuardRail", "JudgeRail", "VerifyRail"),
    "decision": ("Decision", "PartialDecision", "Rail", "State"),
    "rails": ("Rails",),
    "settling": ("RailsDecision",),
}
_HOMES = {name: f"raguard.rails.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: importing the package alone costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'raguard.rails' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
