"""What can an operator set? One file, read and checked at the start; a bad value names its key and its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from raguard.claims.config import GuardConfig
from raguard.config import Config, read_settings
from raguard.endpoints import is_this_machine, read_address
from raguard.errors import ConfigError
from raguard.modes import Modes
from raguard.service.tables import Paths, choice, flag, read_named, read_table, seconds, text, variable, whole
from raguard.showing import NOTICE
from raguard.streaming import OnReview

__all__ = [
    "ContextSettings",
    "KeySettings",
    "KeylessSettings",
    "ServiceConfig",
    "StoreSettings",
    "TenantSettings",
    "UpstreamSettings",
    "as_service_config",
]

Retrieval = Literal["vectors", "words", "hybrid"]
Role = Literal["system", "developer", "user", "tool", "function"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeylessSettings:
    """What those may do who bring no key; they are let in only where no key is configured (``[service.keyless]``)."""

    tenant: str = "default"
    """The tenant whose answers they are."""
    may_name_tenant: bool = False
    """Whether a tenant that a request names counts in place of it."""
    texts: bool = False
    """Whether responses hold matched text and evidence; else types, offsets, ids of documents and counts."""
    anywhere: bool = False
    """Whether they are let in from other machines as well."""

    def __post_init__(self) -> None:
        """Checks every value."""
        text("tenant", self.tenant)
        for key in ("may_name_tenant", "texts", "anywhere"):
            flag(key, getattr(self, key))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySettings:
    """An API key and what its bearer may do (``[service.keys.NAME]``). The key stands in ``env`` or in ``file``.

    >>> KeySettings(env="ACME_KEY", tenant="acme").texts
    False
    >>> KeySettings(tenant="acme")
    Traceback (most recent call last):
    raguard.errors.ConfigError: env or file must say where the key is, one of the two
    """

    env: str | None = None
    """The environment variable that holds the key."""
    file: Path | None = None
    """The file whose first line is the key, relative to the config file."""
    tenant: str = "default"
    may_name_tenant: bool = False
    texts: bool = False

    def __post_init__(self) -> None:
        """Checks every value."""
        if (self.env is None) == (self.file is None):
            raise ConfigError("env or file must say where the key is, one of the two")
        if self.env is not None:
            variable("env", self.env)
        object.__setattr__(self, "file", Paths.read("file", self.file))
        text("tenant", self.tenant)
        for key in ("may_name_tenant", "texts"):
            flag(key, getattr(self, key))


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSettings:
    """What is shown to one tenant in place of the general settings (``[service.tenants.NAME]``).

    A tenant's modes stand in ``[modes.tenants.NAME]``, its threshold in ``[guard.per_tenant_thresholds]``.
    """

    on_review: OnReview | None = None
    notice: str | None = None

    def __post_init__(self) -> None:
        """Checks every value."""
        if self.on_review is not None:
            choice("on_review", self.on_review, get_args(OnReview))
        if self.notice is not None:
            text("notice", self.notice)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamSettings:
    """The model behind the gateway (``[service.upstream]``): any endpoint that speaks OpenAI's chat API.

    >>> UpstreamSettings(url="http://127.0.0.1:11434/v1/").url
    'http://127.0.0.1:11434/v1'
    """

    url: str
    """Its address up to and with ``/v1``."""
    key_env: str | None = None
    key_file: Path | None = None
    """Where its key is, if it needs one; the keys of the service are never sent on."""
    model: str | None = None
    """The model that answers, whatever a request names; ``/v1/query`` needs it where a request names none."""
    timeout_s: float = 60.0
    """How many seconds may pass until it begins to answer, and between two pieces of a stream."""
    max_bytes: int = 20_000_000
    """How long an answer may be, in bytes."""

    def __post_init__(self) -> None:
        """Checks every value."""
        url, like = text("url", self.url).rstrip("/"), "http://127.0.0.1:8001/v1"
        try:
            read_address(url, "url", like)
        except ConfigError:
            raise ConfigError(
                f"url must begin with http:// or https:// and hold no user and no query, as {like} does"
            ) from None
        object.__setattr__(self, "url", url)
        if self.key_env is not None and self.key_file is not None:
            raise ConfigError("key_env or key_file may say where the key is, not both")
        if self.key_env is not None:
            variable("key_env", self.key_env)
        object.__setattr__(self, "key_file", Paths.read("key_file", self.key_file))
        if self.model is not None:
            text("model", self.model)
        seconds("timeout_s", self.timeout_s)
        whole("max_bytes", self.max_bytes, 1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """Where the documents of a chat stand when a request names none (``[service.documents]``).

    They are looked for in the messages of ``roles``: between the marks ``begin`` and ``end``, or, where these are
    empty, the whole message; and they are cut apart at ``separator``. All three are plain strings.
    """

    roles: tuple[Role, ...] = ("system",)
    begin: str = ""
    end: str = ""
    separator: str = ""

    def __post_init__(self) -> None:
        """Checks every value."""
        if not isinstance(self.roles, list | tuple) or not self.roles:
            raise ConfigError("roles must be a list of the roles whose messages hold documents")
        for role in self.roles:
            choice("roles", role, get_args(Role))
        object.__setattr__(self, "roles", tuple(self.roles))
        for key in ("begin", "end", "separator"):
            if not isinstance(getattr(self, key), str):
                raise ConfigError(f"{key} must be a string, not {type(getattr(self, key)).__name__}")
        if bool(self.begin) != bool(self.end):
            raise ConfigError("begin and end go together: the marks before and behind the documents")
        if "user" in self.roles and not self.begin:
            raise ConfigError("begin and end must say where in a message of the user the documents are")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """The documents that ``/v1/query`` searches (``[service.store]``): a file or a folder, read at the start."""

    path: Path
    retrieval: Retrieval = "vectors"
    """By "vectors" of words, by "words" (BM25) or "hybrid", by both; the last two need the extra retrieval."""
    top_k: int = 5

    def __post_init__(self) -> None:
        """Checks every value."""
        object.__setattr__(self, "path", Paths.read("path", self.path))
        if self.path is None:
            raise ConfigError("path must name a file or a folder")
        choice("retrieval", self.retrieval, get_args(Retrieval))
        whole("top_k", self.top_k, 1)


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
    """By what answers are checked: the keys at the top of the file, with ``[modes]``."""
    guard: GuardConfig = field(default_factory=GuardConfig)
    """The claim guard's: the table ``[guard]``."""
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
    on_review: OnReview = "annotate"
    """What becomes of an answer with a high warning in the gateway, where its modes enforce that."""
    notice: str = NOTICE
    """What is shown in place of an answer that is blocked."""
    open_metrics: bool = False
    """Whether ``/metrics`` needs no key where keys are configured."""
    playground: bool = False
    """Whether ``/playground`` is a page on which a person can try it."""
    warm_up: bool = True
    """Whether the language model is loaded at the start, before ``/readyz`` says that it is ready."""
    encoder: str | Path | None = None
    """Who makes the vectors of ``/v1/embeddings``: "hashing", or the folder of a sentence-transformers model."""
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
        for key in ("timeout_s", "shutdown_s"):
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
        """What becomes of a tenant's answers that need review, and the notice in their place."""
        own = self.tenants.get(tenant_id, TenantSettings())
        return own.on_review or self.on_review, own.notice or self.notice

    @classmethod
    def from_toml(cls, path: str | Path) -> ServiceConfig:
        """Reads all of a TOML file: the keys of ``Config`` at its top, ``[guard]`` and ``[service]``.

        Paths are taken relative to the file. Raises ConfigError naming table, key and file. Tables that are left out
        have their defaults.
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
    """Settings as they are, of a ``Config`` alone, of a file, or the defaults for None."""
    if isinstance(given, ServiceConfig):
        return given
    if isinstance(given, Config):
        return ServiceConfig(config=given)
    if given is None:
        return ServiceConfig()
    if isinstance(given, str | Path):
        return ServiceConfig.from_toml(given)
    raise ConfigError(f"config must be a ServiceConfig, a Config or the path of a file, not {type(given).__name__}")
