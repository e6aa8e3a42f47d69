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

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raguard.case import Case, Check, Finding
    from raguard.client import Client, ServiceError
    from raguard.config import Config
    from raguard.documents import Document
    from raguard.errors import ConfigError, ModelError, RaguardError, RuleError
    from raguard.pipeline.flow import Raguard as Raguard
    from raguard.result import (
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
    from raguard.verifier import Verifier, verify
    from raguard.version import __version__

__all__ = [
    "Case",
    "Check",
    "CheckedClaim",
    "CheckedFact",
    "ClaimsResult",
    "Client",
    "Config",
    "ConfigError",
    "Document",
    "Evidence",
    "Finding",
    "ModelError",
    "RaguardError",
    "RuleError",
    "Ruleset",
    "ServiceError",
    "Summary",
    "Unchecked",
    "Verifier",
    "VerifyResult",
    "Warning",
    "__version__",
    "verify",
]

_MODULES = {
    "case": ("Case", "Check", "Finding"),
    "client": ("Client", "ServiceError"),
    "config": ("Config",),
    "documents": ("Document",),
    "errors": ("ConfigError", "ModelError", "RaguardError", "RuleError"),
    # of a layer: not in __all__, so that only those load it who ask for it
    "pipeline.flow": ("Raguard",),
    "result": (
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
    "verifier": ("Verifier", "verify"),
    "version": ("__version__",),
}
_HOMES = {name: f"raguard.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: importing the package alone costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'raguard' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *_HOMES})
