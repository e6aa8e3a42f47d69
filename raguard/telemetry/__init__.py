"""What did the rails decide, how often and how fast? Spans, metrics and events of OpenTelemetry, and never a text.

>>> from raguard import Verifier
>>> from raguard.telemetry import instrumented
>>> told = []
>>> verifier = instrumented(Verifier(), on_result=told.append)
>>> verifier.verify("When?", ["It closed on 4 May 2024."], "On 9 May 2024.").action
'review'
>>> told[0].rail, told[0].state, told[0].attributes["raguard.warnings.high"]
('verify', 'block', 1)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raguard.telemetry.instrumenting import instrumented
    from raguard.telemetry.passing_on import Traced, continued, evaluating, outgoing
    from raguard.telemetry.told import Told

__all__ = ["Told", "Traced", "continued", "evaluating", "instrumented", "outgoing"]

_MODULES = {
    "instrumenting": ("instrumented",),
    "passing_on": ("Traced", "continued", "evaluating", "outgoing"),
    "told": ("Told",),
}
_HOMES = {name: f"raguard.telemetry.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: importing the package alone costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'raguard.telemetry' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
