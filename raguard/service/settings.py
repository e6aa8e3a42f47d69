"""What can an operator set? One file, read and checked at the start; a bad value names its key and its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from raguard.claims.config import GuardConfig
from raguard.config import Config, read_settings
from raguard.endpoints import is_this_machine
from raguard.errors import ConfigError
from raguard.modes import Modes
from raguard.service.sections import (
    ContextSettings,
    KeylessSettings,
    KeySettings,
    StoreSettings,
    TenantSettings,
    UpstreamSettings,
)
from raguard.service.tables import Paths, choice, flag, read_named, read_table, seconds, text, whole
from raguard.showing import NOTICE
from raguard.streaming import OnReview

__all__ = ["ServiceConfig", "as_service_config"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceConfig:
    """Settings of a service: frozen, keyword-only; a bad value raises ConfigError naming the key and its table.

    >>> config = ServiceConfig(keys={"acme": {"env": "ACME_KEY", "tenant": "acme"}}, max_requests=8)
    >>> config.host, config.keys["acme"].tenant, config.config.modes.mode
    ('127.0.0.1', 'acme', 'enforce')
    >>> ServiceConfig(keys={"acme": {"env": "ACME_KEY", "tennant": "acme"}})
    Traceback (most recent call last):
    raguard.errors.ConfigError: keys.acme: unknown key tennant; known are env, file, may_name_tenant, tenant, texts
    """

    config: Config = field(default_factory=Config)
    """How answers are checked: the keys at the top of the file, with ``[modes]``."""
    guard: GuardConfig = field(default_factory=GuardConfig)
    """The claim guard's settings: the table ``[guard]``."""
    host: str = "127.0.0.1"
    port: int = 8000
    """0 takes any free one."""
    uds: Path | None = None
    """The Unix socket to listen on, in place of host and port."""
    workers: int = 1
    """How many processes serve; each loads the language model and has limits of its own."""
    threads: int = 2
    """How many answers a process judges at the same time."""
    max_requests: int = 64
    """How many requests a process works on or keeps waiting; one more is refused with 429."""
    max_body_bytes: int = 10_000_000
    """How long the body of a request may be, in bytes."""
    max_cases: int = 100
    """How many cases a batch may hold."""
    max_texts: int = 256
    """How many texts a request for embeddings may hold."""
    timeout_s: float = 30.0
    """How many seconds a request may take until its response begins; what its upstream takes counts apart."""
    shutdown_s: float = 10.0
    """How many seconds the requests under way have to end when the service is stopped."""
    keep_alive_s: float = 75.0
    """For how many whole seconds, of at least 1, a connection is kept for its next request; a proxy keeps less."""
    on_review: OnReview = "annotate"
    """What happens to an answer with a high warning in the gateway, where the modes enforce it."""
    notice: str = NOTICE
    """What is shown in place of an answer that is blocked."""
    open_metrics: bool = False
    """Whether ``/metrics`` needs no key where keys are configured."""
    playground: bool = False
    """Whether ``/playground`` is a page on which a person can try it."""
    warm_up: bool = True
    """Whether the language model is loaded at the start, before ``/readyz`` says that it is ready."""
    encoder: str | Path | None = None
    """What makes the vectors of ``/v1/embeddings``: "hashing", or the folder of a sentence-transformers model."""
    keys: Mapping[str, KeySettings] = field(default_factory=dict, hash=False)
    keyless: KeylessSettings = field(default_factory=KeylessSettings)
    tenants: Mapping[str, TenantSettings] = field(default_factory=dict, hash=False)
    upstream: UpstreamSettings | None = None
    documents: ContextSettings | None = None
    store: StoreSettings | None = None

    def __post_init__(self) -> None:
        """Checks every value and freezes the mappings."""
        for key, kind in (("config", Config), ("guard", GuardConfig)):
            if not isinstance(getattr(self, key), kind):
                raise ConfigError(f"{key} must be a {kind.__name__}, not {type(getattr(self, key)).__name__}")
        self._check_values()
        for key, cls in (("upstream", UpstreamSettings), ("documents", ContextSettings), ("store", StoreSettings)):
            if getattr(self, key) is not None:
                self._freeze(key, read_table(cls, getattr(self, key), key))
        self._freeze("keyless", read_table(KeylessSettings, self.keyless, "keyless"))
        self._freeze("keys", MappingProxyType(read_named(KeySettings, self.keys, "keys")))
        self._freeze("tenants", MappingProxyType(read_named(TenantSettings, self.tenants, "tenants")))
        if not (self.keys or self.uds or is_this_machine(self.host.strip("[]")) or self.keyless.anywhere):
            raise ConfigError(
                f"host {self.host} lets other machines in, which needs a key: add a table [service.keys.NAME], "
                "or set anywhere = true in [service.keyless]"
            )

    def _check_values(self) -> None:
        text("host", self.host)
        whole("port", self.port, 0, 65_535)
        self._freeze("uds", Paths.read("uds", self.uds))
        for key, least in (("workers", 1), ("threads", 1), ("max_requests", 1), ("max_body_bytes", 1_000)):
            whole(key, getattr(self, key), least)
        for key in ("max_cases", "max_texts"):
            whole(key, getattr(self, key), 1)
        for key in ("timeout_s", "shutdown_s", "keep_alive_s"):
            seconds(key, getattr(self, key))
        choice("on_review", self.on_review, get_args(OnReview))
        text("notice", self.notice)
        for key in ("open_metrics", "playground", "warm_up"):
            flag(key, getattr(self, key))
        if self.encoder is not None and self.encoder != "hashing":
            self._freeze("encoder", Paths.read("encoder", self.encoder))

    def _freeze(self, key: str, value: object) -> None:
        object.__setattr__(self, key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its settings, which are checked again."""
        settings = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return _built, ({**settings, "keys": dict(self.keys), "tenants": dict(self.tenants)},)

    def modes(self, tenant_id: str) -> Modes:
        """What verdicts may do for a tenant."""
        return self.config.modes.of(tenant_id)

    def shown_to(self, tenant_id: str) -> tuple[OnReview, str]:
        """What happens to a tenant's answers that need review, and the notice that replaces them."""
        own = self.tenants.get(tenant_id, TenantSettings())
        return own.on_review or self.on_review, own.notice or self.notice

    @classmethod
    def from_toml(cls, path: str | Path) -> ServiceConfig:
        """Reads all of a TOML file: the keys of ``Config`` at its top, ``[guard]`` and ``[service]``.

        Paths are relative to the file. Tables that are left out have their defaults. Raises ConfigError naming table,
        key and file.
        """
        if not isinstance(path, str | Path):
            raise ConfigError(f"path must be the path of a TOML file, not {type(path).__name__}")
        path = Path(path)
        given = read_settings(path)
        config = Config.from_toml(path)
        guard = GuardConfig.from_toml(path) if "guard" in given else GuardConfig()
        table = "tool.raguard.service" if path.name == "pyproject.toml" else "service"
        own = {"config", "guard"}
        known = {entry.name for entry in fields(cls)} - own
        values = given.get("service", {})
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: {table} must be a table")
        for key in values:
            if key not in known:
                raise ConfigError(f"{path}: unknown key {table}.{key}; known are {', '.join(sorted(known))}")
        try:
            return cls(config=config, guard=guard, **Paths(path.parent).placed(values))
        except ConfigError as error:
            raise ConfigError(f"{path}: {table}.{error}") from error


def _built(settings: dict[str, Any]) -> ServiceConfig:
    return ServiceConfig(**settings)


def as_service_config(given: Any) -> ServiceConfig:
    """Settings as given, made of just a ``Config``, read from a file, or the defaults for None."""
    if isinstance(given, ServiceConfig):
        return given
    if isinstance(given, Config):
        return ServiceConfig(config=given)
    if given is None:
        return ServiceConfig()
    if isinstance(given, str | Path):
        return ServiceConfig.from_toml(given)
    raise ConfigError(f"config must be a ServiceConfig, a Config or the path of a file, not {type(given).__name__}")
