"""Which rules judged? One hash over all that decides a verdict, and over nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import fields

from raguard.case import Check
from raguard.config import Config
from raguard.result import Ruleset
from raguard.version import __version__

__all__ = ["ruleset"]

_DECIDED_ELSEWHERE = frozenset(
    {"cache_chars", "cache_chunks", "cache_sets", "checks", "model", "modes", "rules_dir", "trusted_models"}
)
"""Settings that decide nothing (what is kept) or decide by what they lead to: checks, a model, rules."""
_ORDERLESS = frozenset({"aliases", "allow", "vague_phrases"})


def ruleset(config: Config, checks: Iterable[Check], model_sha256: str | None) -> Ruleset:
    """The ruleset of a Verifier: two with the same hash judge alike, whatever they cache and wherever their files lie.

    A check is told by its module and name: its code is not hashed.
    """
    settings = {
        entry.name: sorted(map(_sorted, value)) if entry.name in _ORDERLESS else value
        for entry in fields(config)
        if entry.init and entry.name not in _DECIDED_ELSEWHERE
        for value in [getattr(config, entry.name)]
    }
    deciding = {
        "version": __version__,
        "rules": config.rulebook().hash,
        "settings": settings,
        "checks": [_origin(check) for check in checks],
        "model": model_sha256,
    }
    text = json.dumps(deciding, sort_keys=True, default=dict)
    return Ruleset(__version__, hashlib.sha256(text.encode()).hexdigest())


def _sorted(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else sorted(value)


def _origin(check: Check) -> str:
    named = check if hasattr(check, "__qualname__") else type(check)
    return f"{named.__module__}.{named.__qualname__}"
