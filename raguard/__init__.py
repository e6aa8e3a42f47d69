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

from raguard.case import Case, Check, Finding
from raguard.config import Config
from raguard.documents import Document
from raguard.errors import ConfigError, ModelError, RaguardError, RuleError
from raguard.result import CheckedFact, Evidence, Ruleset, Summary, Unchecked, VerifyResult, Warning
from raguard.verifier import Verifier, verify
from raguard.version import __version__

__all__ = [
    "Case",
    "Check",
    "CheckedFact",
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
