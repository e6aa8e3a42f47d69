"""Where is the model that judges, and by which key and name is it asked?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from raguard import ConfigError

__all__ = ["JudgeConfigError", "Provider", "checked_seconds", "checked_whole", "is_this_machine"]


class JudgeConfigError(ConfigError, ValueError):
    """An argument of a judge, chat or provider cannot be used; the message names it and holds no key."""


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint that speaks OpenAI's chat API: its address, its key, and which model does what.

    ``base_url`` is the address up to and with the version, as the openai client takes it; ``models`` names a model for
    each part of raguard that asks one, ``"judge"`` for the judge. The key is never shown. Raises JudgeConfigError.

    >>> Provider("http://localhost:11434/v1", "sk-secret", models={"judge": "qwen3:8b"})
    Provider(base_url='http://localhost:11434/v1', models={'judge': 'qwen3:8b'})
    """

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    models: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _check_address(self.base_url)
        key = self.api_key
        if not (key is None or (isinstance(key, str) and key.isascii() and key.isprintable())):
            raise JudgeConfigError("api_key must be a string of printable ASCII characters or None")
        models = self.models
        if not isinstance(models, Mapping) or not all(_is_name(part) and _is_name(models[part]) for part in models):
            raise JudgeConfigError('models must name a model for each part, as in {"judge": "gpt-4.1-mini"}')
        # a copy: what its maker changes later changes nothing here
        object.__setattr__(self, "models", dict(models))

    @property
    def is_local(self) -> bool:
        """Whether the address is this machine's own, which no proxy may stand before."""
        return is_this_machine(urlsplit(self.base_url).hostname or "")


def is_this_machine(host: str) -> bool:
    """Whether a host name or address is the loopback.

    >>> is_this_machine("127.0.0.1"), is_this_machine("judge.localhost"), is_this_machine("10.0.0.1")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked_seconds(name: str, value: object) -> float:
    """``value`` when it is a number of seconds above 0; raises JudgeConfigError."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < math.inf:  # type: ignore[operator]
        raise JudgeConfigError(f"{name} must be a number of seconds above 0, not {value!r}")
    return float(value)  # type: ignore[arg-type]


def checked_whole(name: str, value: object) -> int:
    """``value`` when it is a whole number of at least 1; raises JudgeConfigError."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise JudgeConfigError(f"{name} must be a whole number of at least 1, not {value!r}")
    return value


def _is_name(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _check_address(url: object) -> None:
    if not isinstance(url, str) or not url.isprintable() or " " in url:
        raise JudgeConfigError("base_url must be a string without spaces, as in http://localhost:11434/v1")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise JudgeConfigError("base_url is no address; write it as in http://localhost:11434/v1") from None
    if parts.scheme not in ("http", "https"):
        raise JudgeConfigError(f"base_url must begin with http:// or https://, not {parts.scheme + '://'!r}")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise JudgeConfigError("base_url must hold no user, query or fragment; a key is given as api_key")
    if not host:
        raise JudgeConfigError("base_url must name a host, as in http://localhost:11434/v1")
