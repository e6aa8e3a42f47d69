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

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.telemetry.instrumenting import instrumented
    from raguard.telemetry.passing_on import Traced, continued, evaluating, outgoing
    from raguard.telemetry.told import Told

__all__ = ["Told", "Traced", "continued", "evaluating", "instrumented", "outgoing"]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "instrumenting": ("instrumented",),
        "passing_on": ("Traced", "continued", "evaluating", "outgoing"),
        "told": ("Told",),
    },
)
