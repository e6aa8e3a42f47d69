"""What may each table below ``[service]`` hold? A bad value raises ConfigError naming its key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from raguard.endpoints import read_address
from raguard.errors import ConfigError
from raguard.service.tables import Paths, choice, flag, seconds, text, variable, whole
from raguard.streaming import OnReview

__all__ = [
    "ContextSettings",
    "KeySettings",
    "KeylessSettings",
    "StoreSettings",
    "TenantSettings",
    "UpstreamSettings",
]

Retrieval = Literal["vectors", "words", "hybrid"]
Role = Literal["system", "developer", "user", "tool", "function"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeylessSettings:
    """What callers without a key may do; they are admitted only where no key is configured (``[service.keyless]``)."""

    tenant: str = "default"
    """The tenant that their answers belong to."""
    may_name_tenant: bool = False
    """Whether a tenant named by a request counts instead."""
    texts: bool = False
    """Whether responses hold matched text and evidence, or only types, offsets, ids of documents and counts."""
    anywhere: bool = False
    """Whether they are admitted from other machines, too."""

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
    """What is shown to one tenant, in place of the general settings (``[service.tenants.NAME]``).

    The modes of a tenant are in ``[modes.tenants.NAME]``, its threshold in ``[guard.per_tenant_thresholds]``.
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
    """Its address, up to and including ``/v1``."""
    key_env: str | None = None
    key_file: Path | None = None
    """Where its key is, if it needs one; the keys of the service are never passed on."""
    model: str | None = None
    """The model that answers, whatever a request names; ``/v1/query`` needs it when a request names none."""
    timeout_s: float = 60.0
    """How many seconds may pass before it begins to answer, and between two pieces of a stream."""
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
    """Where the documents of a chat are when a request names none (``[service.documents]``).

    They are in the messages of ``roles``, between the marks ``begin`` and ``end``, or, when these are empty, they are
    the whole message; ``separator`` separates them. All three are plain strings.
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
    """By "vectors" of words, by "words" (BM25), or "hybrid", by both; the last two need the extra retrieval."""
    top_k: int = 5

    def __post_init__(self) -> None:
        """Checks every value."""
        object.__setattr__(self, "path", Paths.read("path", self.path))
        if self.path is None:
            raise ConfigError("path must name a file or a folder")
        choice("retrieval", self.retrieval, get_args(Retrieval))
        whole("top_k", self.top_k, 1)
