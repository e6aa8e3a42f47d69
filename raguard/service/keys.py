"""Who asks? The bearer of a key, who has its tenant and rights, or anybody where no key is configured."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path

from raguard.errors import ConfigError
from raguard.files import read_bytes
from raguard.service.sections import KeylessSettings, KeySettings
from raguard.service.settings import ServiceConfig

__all__ = ["Caller", "Keys", "read_secret"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: ``name`` is the key's, for logs and never a secret."""

    name: str
    tenant: str
    may_name_tenant: bool
    texts: bool

    def tenant_of(self, named: str | None) -> str:
        """The tenant that counts: the one that the request names, if the caller may name one.

        >>> Caller("a", "acme", False, False).tenant_of("other"), Caller("b", "acme", True, False).tenant_of("other")
        ('acme', 'other')
        """
        return named if named and self.may_name_tenant else self.tenant


class Keys:
    """The keys of a service, all read when it is built; ConfigError names a key that cannot be read.

    >>> keys = Keys(ServiceConfig(keys={"acme": {"env": "ACME_KEY", "tenant": "acme"}}), {"ACME_KEY": "sk-acme"})
    >>> keys.caller("sk-acme").tenant, keys.caller("sk-acm"), keys.caller(None)
    ('acme', None, None)
    """

    def __init__(self, config: ServiceConfig, environment: Mapping[str, str] | None = None) -> None:
        self._callers: list[tuple[bytes, Caller]] = []
        for name, entry in config.keys.items():
            secret = read_secret(f"service.keys.{name}.", entry.env, entry.file, environment)
            digest = _digest(secret)
            if any(digest == other for other, _ in self._callers):
                raise ConfigError(f"service.keys.{name}: this key is another one's as well")
            self._callers.append((digest, _caller(name, entry)))
        self._anybody = _caller("", config.keyless)

    def caller(self, key: str | None) -> Caller | None:
        """The bearer of ``key``, or None. Takes as long for a wrong key as for a right one."""
        if not self._callers:
            return self._anybody
        digest, found = _digest(key or ""), None
        for known, caller in self._callers:
            if compare_digest(known, digest):
                found = caller
        return found

    @property
    def are_needed(self) -> bool:
        """Whether anybody needs a key."""
        return bool(self._callers)


def read_secret(where: str, env: str | None, file: Path | None, environment: Mapping[str, str] | None = None) -> str:
    """The secret in an environment variable or in the first line of a file.

    Raises ConfigError, which begins with ``where`` and never holds the secret.
    """
    if env is not None:
        secret, source = (os.environ if environment is None else environment).get(env, "").strip(), f"env: {env}"
    else:
        source = f"file: {file}"
        try:
            lines = read_bytes(Path(str(file))).decode("ascii").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{where}{source} cannot be read ({type(error).__name__})") from None
        secret = lines[0].strip() if lines else ""
    if not secret:
        raise ConfigError(f"{where}{source} holds no key")
    if not (secret.isascii() and secret.isprintable()) or " " in secret:
        raise ConfigError(f"{where}{source} must hold a key of printable ASCII characters without spaces")
    return secret


def _digest(secret: str) -> bytes:
    # of equal length, so that a comparison tells nothing of the key
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _caller(name: str, entry: KeySettings | KeylessSettings) -> Caller:
    return Caller(name, entry.tenant, entry.may_name_tenant, entry.texts)
