"""raguard checks the answer of a RAG application against its retrieved documents before the user sees it.

>>> from raguard import verify
>>> result = verify(
...     "What is the Q3 2024 deadline?",
...     ["Q2 project was delivered on June 15. Next milestone is Q4 planning."],
...     "The Q3 2024 deadline is September 30, 2024.",
... )
>>> result.action, result.warnings[0].text
('review', 'September 30, 2024')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.case import Case, Check, Finding
    from raguard.client import Client as Client
    from raguard.client import ServiceError as ServiceError
    from raguard.config import Config
    from raguard.documents import Document
    from raguard.errors import ConfigError, ModelError, RaguardError, RuleError
    from raguard.pipeline.flow import Raguard as Raguard
    from raguard.result import (
        CheckedCitation,
        CheckedClaim,
        CheckedFact,
        ClaimsResult,
        Evidence,
        Ruleset,
        Summary,
        Unchecked,
        VerifyResult,
        Warning,
    )
    from raguard.shared import verify
    from raguard.verifier import Verifier
    from raguard.version import __version__

__all__ = [
    "Case",
    "Check",
    "CheckedCitation",
    "CheckedClaim",
    "CheckedFact",
    "ClaimsResult",
    "Config",
    "ConfigError",
    "Document",
    "Evidence",
    "Finding",
    "ModelError",
    "RaguardError",
    "RuleError",
    "Ruleset",
    "Summary",
    "Unchecked",
    "Verifier",
    "VerifyResult",
    "Warning",
    "__version__",
    "verify",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "case": ("Case", "Check", "Finding"),
        # of layers: not in __all__, so that only those load them who ask for them
        "client": ("Client", "ServiceError"),
        "pipeline.flow": ("Raguard",),
        "config": ("Config",),
        "documents": ("Document",),
        "errors": ("ConfigError", "ModelError", "RaguardError", "RuleError"),
        "result": (
            "CheckedCitation",
            "CheckedClaim",
            "CheckedFact",
            "ClaimsResult",
            "Evidence",
            "Ruleset",
            "Summary",
            "Unchecked",
            "VerifyResult",
            "Warning",
        ),
        "shared": ("verify",),
        "verifier": ("Verifier",),
        "version": ("__version__",),
    },
)
