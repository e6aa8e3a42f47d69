"""May a verdict change an answer? Off, shadow or enforced: per tenant and warning type, for a share of the answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args
from zlib import crc32

from raguard.errors import ConfigError
from raguard.result import Warning

__all__ = ["NOT_CHECKED", "Mode", "Modes", "tenant_named"]

Mode: TypeAlias = Literal["off", "shadow", "enforce"]

NOT_CHECKED = "the mode is off, or the answer is not in the sample"
"""Why nothing of an answer is checked that the modes leave out."""
_ALL = 1 << 32
"""How many values a CRC-32 can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """What verdicts may do: ``mode`` in general, ``types`` per warning type or rule id, ``tenants`` for single tenants.

    "off" checks nothing; "shadow" checks, but changes no text, header or finish reason; "enforce" lets high warnings
    change the answer. ``sample`` in [0, 1] is the share of answers that are checked, chosen by their content. The keys
    of a tenant, given as Modes or as a mapping, replace the general ones. Raises ConfigError naming the key.

    >>> modes = Modes(mode="shadow", tenants={"acme": {"mode": "enforce", "types": {"unsupported_claim": "off"}}})
    >>> modes.of("acme").mode, modes.of("acme").of_type("unsupported_claim"), modes.of("other").mode
    ('enforce', 'off', 'shadow')
    """

    mode: Mode = "enforce"
    sample: float = 1.0
    types: Mapping[str, Mode] = field(default_factory=dict, hash=False)
    tenants: Mapping[str, Modes] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Checks every value and freezes the mappings."""
        _refuse_mode("mode", self.mode)
        is_number = isinstance(self.sample, int | float) and not isinstance(self.sample, bool)
        if not is_number or not 0 <= self.sample <= 1:
            raise ConfigError(f"sample must be a number from 0 to 1, not {self.sample!r}")
        for key, mode in _mapping("types", self.types).items():
            _refuse_mode(f"types.{key}", mode)
        tenants = {key: self._tenant(key, given) for key, given in _mapping("tenants", self.tenants).items()}
        object.__setattr__(self, "types", MappingProxyType(dict(self.types)))
        object.__setattr__(self, "tenants", MappingProxyType(tenants))

    @classmethod
    def read(cls, given: object, where: str = "modes") -> Modes:
        """Modes as they are or of a mapping, as it stands in a file; raises ConfigError naming the key."""
        if isinstance(given, Modes):
            return given
        if not isinstance(given, Mapping):
            raise ConfigError(f"{where} must be a table, not {given!r}")
        known = [entry.name for entry in fields(cls)]
        for key in given:
            if key not in known:
                raise ConfigError(f"{where}: unknown key {key}; known are {', '.join(known)}")
        try:
            return cls(**given)
        except ConfigError as error:
            raise ConfigError(f"{where}.{error}") from None

    def of(self, tenant_id: str | None) -> Modes:
        """The modes of one tenant, without those of others; None is the tenant "default", as everywhere.

        Raises TypeError for an id that is neither a string nor None.
        """
        own = self.tenants.get(tenant_named(tenant_id))
        return own or Modes(mode=self.mode, sample=self.sample, types=self.types)

    def of_type(self, type: str, rule: str = "") -> Mode:
        """The mode of a type of warning; the one of its rule wins."""
        return self.types.get(rule) or self.types.get(type) or self.mode

    def checks(self, *content: object) -> bool:
        """Whether an answer is checked at all; ``content``, usually question and answer, decides about the sample.

        Whatever is not a string is ignored.

        >>> Modes(mode="off").checks("When?", "On 4 May."), Modes(sample=0).checks("When?", "On 4 May.")
        (False, False)
        """
        text = "\0".join(each for each in content if isinstance(each, str))
        return not self.is_off and crc32(text.encode("utf-8", "surrogatepass")) < self.sample * _ALL

    @property
    def is_off(self) -> bool:
        """Whether no answer is checked."""
        return {self.mode, *self.types.values()} == {"off"}

    @property
    def may_enforce(self) -> bool:
        """Whether some warning may change an answer."""
        return "enforce" in (self.mode, *self.types.values())

    def enforced(self, warnings: Iterable[Warning]) -> tuple[Warning, ...]:
        """Those high warnings that may change the answer.

        >>> from raguard import verify
        >>> warnings = verify("When?", ["It closed on 4 May 2024."], "On 9 May 2024.").warnings
        >>> [len(Modes(mode=mode).enforced(warnings)) for mode in ("enforce", "shadow", "off")]
        [1, 0, 0]
        """
        high = (warning for warning in warnings if warning.severity == "high")
        return tuple(warning for warning in high if self.of_type(warning.type, warning.rule) == "enforce")

    def _tenant(self, name: str, given: object) -> Modes:
        if isinstance(given, Modes):
            modes = given
        elif isinstance(given, Mapping):
            general: dict[str, Any] = {"mode": self.mode, "sample": self.sample, "types": self.types}
            modes = Modes.read({**general, **given}, f"tenants.{name}")
        else:
            raise ConfigError(f"tenants.{name} must be a table, not {given!r}")
        if modes.tenants:
            raise ConfigError(f"tenants.{name}.tenants: a tenant has no tenants")
        return modes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its settings, which are checked again."""
        return _built, (self.mode, self.sample, dict(self.types), dict(self.tenants))


def tenant_named(given: object) -> str:
    """The id of a tenant as it was given, "default" for None; raises TypeError for what is not a string.

    Otherwise a number given for the id in a file would match no tenant, and the general modes would apply.

    >>> tenant_named("42"), tenant_named(None)
    ('42', 'default')
    >>> tenant_named(42)
    Traceback (most recent call last):
    TypeError: the id of a tenant must be a string (or None for the default one), not int
    """
    if given is None:
        return "default"
    if not isinstance(given, str):
        raise TypeError(
            f"the id of a tenant must be a string (or None for the default one), not {type(given).__name__}"
        )
    return given


def _built(mode: Mode, sample: float, types: Mapping[str, Mode], tenants: Mapping[str, Modes]) -> Modes:
    return Modes(mode=mode, sample=sample, types=types, tenants=tenants)


def _mapping(key: str, given: object) -> Mapping[str, Any]:
    if not isinstance(given, Mapping) or not all(isinstance(name, str) and name for name in given):
        raise ConfigError(f"{key} must be a table with names as keys, not {given!r}")
    return given


def _refuse_mode(key: str, mode: object) -> None:
    if not isinstance(mode, str) or mode not in get_args(Mode):
        raise ConfigError(f"{key} must be one of {', '.join(get_args(Mode))}, not {mode!r}")
