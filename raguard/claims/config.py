"""What can a tenant set, and what does a bad setting say? Everything is checked when the config is built."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from raguard.config import read_settings
from raguard.errors import ConfigError
from raguard.modes import tenant_named

__all__ = ["GuardAction", "GuardConfig"]

OnUnchecked = Literal["flag", "act"]


class GuardAction(StrEnum):
    """What becomes of an answer with unsupported claims.

    >>> GuardAction("redact") is GuardAction.REDACT
    True
    """

    ANNOTATE = "annotate"
    """It stays whole, and the verdict says what is unsupported."""
    REDACT = "redact"
    """The unsupported claims are cut out of it."""
    BLOCK = "block"
    """A notice stands in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardConfig:
    """Settings of a HallucinationGuard: frozen, keyword-only; a bad value raises ConfigError naming the key.

    >>> config = GuardConfig(threshold=0.5, per_tenant_thresholds={"acme": 0.8}, action="redact")
    >>> config.threshold_for("acme"), config.threshold_for("other"), config.action.value
    (0.8, 0.5, 'redact')
    >>> GuardConfig(threshold=1.5)
    Traceback (most recent call last):
        ...
    raguard.errors.ConfigError: threshold must be a number from 0 to 1, not 1.5
    """

    enabled: bool = False
    """Whether service and gateway guard their answers; a guard that is called checks in any case."""
    threshold: float = 0.5
    """The least entailment of a supported claim, from 0 to 1."""
    per_tenant_thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)
    """A threshold of their own for some tenants."""
    action: GuardAction = GuardAction.ANNOTATE
    """What becomes of an answer with unsupported claims; the enum or its string."""
    on_unchecked: OnUnchecked = "flag"
    """What a claim that could not be checked brings: "flag" marks the answer, "act" treats it as unsupported. Passages
    that could not be read mark the answer in either case: its claims are judged by those that could."""
    min_claim_chars: int = 12
    """Claims with fewer characters are not checked."""
    max_claims: int = 50
    """The most claims of an answer that are checked, in the order of the text."""
    top_k: int = 5
    """How many chunks a Retriever finds for a claim, at most."""
    cosine_threshold: float = 0.55
    """The least cosine similarity of a chunk that an encoder finds, from 0 to 1."""
    entail_threshold: float | None = None
    """The least entailment by which a passage votes for a claim, from 0 to 1; None takes the tenant's threshold."""
    min_entail_votes: int = 1
    """How many passages must entail a claim; never more than there are."""
    question_aware: bool = True
    """Whether scorers that want the question get it."""
    timeout_s: float = 10.0
    """How many seconds extraction, retrieval and all scoring of one check may each take; of scoring, all claims at once
    have half, and those that then lack a score the rest, by themselves."""

    def __post_init__(self) -> None:
        """Checks every value and freezes the containers."""
        for key in ("enabled", "question_aware"):
            if not isinstance(getattr(self, key), bool):
                raise ConfigError(f"{key} must be true or false, not {_shown(getattr(self, key))}")
        for key in ("threshold", "cosine_threshold"):
            self._freeze(key, _share(key, getattr(self, key)))
        if self.entail_threshold is not None:
            self._freeze("entail_threshold", _share("entail_threshold", self.entail_threshold))
        for key, least in (("min_claim_chars", 0), ("max_claims", 1), ("top_k", 1), ("min_entail_votes", 1)):
            value = getattr(self, key)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ConfigError(f"{key} must be a whole number of at least {least}, not {_shown(value)}")
        if not _is_number(self.timeout_s) or self.timeout_s <= 0:
            raise ConfigError(f"timeout_s must be a number of seconds above 0, not {_shown(self.timeout_s)}")
        if not isinstance(self.on_unchecked, str) or self.on_unchecked not in get_args(OnUnchecked):
            raise ConfigError(
                f"on_unchecked must be one of {', '.join(get_args(OnUnchecked))}, not {_shown(self.on_unchecked)}"
            )
        if not isinstance(self.action, str) or self.action not in list(GuardAction):
            raise ConfigError(f"action must be one of {', '.join(GuardAction)}, not {_shown(self.action)}")
        self._freeze("action", GuardAction(self.action))
        self._freeze("per_tenant_thresholds", MappingProxyType(_tenants(self.per_tenant_thresholds)))

    def _freeze(self, key: str, value: object) -> None:
        object.__setattr__(self, key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its settings, which are checked again."""
        settings = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return _built, ({**settings, "per_tenant_thresholds": dict(self.per_tenant_thresholds)},)

    def threshold_for(self, tenant_id: str | None) -> float:
        """The least entailment of a supported claim of this tenant's answers, from 0 to 1.

        Raises TypeError for an id that is neither a string nor None.
        """
        return self.per_tenant_thresholds.get(tenant_named(tenant_id), self.threshold)

    @classmethod
    def from_toml(cls, path: str | Path) -> GuardConfig:
        """Reads the table ``[guard]`` of a TOML file, or ``[tool.raguard.guard]`` of a ``pyproject.toml``.

        Raises ConfigError naming key and file, also when there is no such table.
        """
        if not isinstance(path, (str, Path)):
            raise ConfigError(f"path must be the path of a TOML file, not {type(path).__name__}")
        path = Path(path)
        table = "tool.raguard.guard" if path.name == "pyproject.toml" else "guard"
        try:
            values = read_settings(path).get("guard")
        except ValueError as error:  # a path with a NUL, a number of thousands of digits
            raise ConfigError(f"{str(path)!r} cannot be read: {error}") from error
        if values is None:
            raise ConfigError(f"{path}: has no table [{table}]")
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: {table} must be a table")
        known = {entry.name for entry in fields(cls)}
        for key in values:
            if key not in known:
                raise ConfigError(f"{path}: unknown key {table}.{key}; known are {', '.join(sorted(known))}")
        try:
            return cls(**values)
        except ConfigError as error:
            raise ConfigError(f"{path}: {table}.{error}") from error


def _built(settings: dict[str, Any]) -> GuardConfig:
    return GuardConfig(**settings)


def _is_number(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        return type(value).__name__


def _share(key: str, value: Any) -> float:
    if not _is_number(value) or not 0 <= value <= 1:
        raise ConfigError(f"{key} must be a number from 0 to 1, not {_shown(value)}")
    return float(value)


def _tenants(value: object) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"per_tenant_thresholds must map tenants to thresholds, not {_shown(value)}")
    for tenant in value:
        if not isinstance(tenant, str) or not tenant.strip():
            raise ConfigError(f"per_tenant_thresholds: a tenant must be a non-empty string, not {_shown(tenant)}")
    return {tenant: _share(f"per_tenant_thresholds.{tenant}", share) for tenant, share in value.items()}
