"""Where is a service? An address of this or another machine, or a Unix socket, as people write it."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from raguard.errors import ConfigError

__all__ = ["Address", "is_this_machine"]

_SCHEMES = ("http", "https", "http+unix")
_LOCAL = "localhost"
_SOCKET = "http+unix://%2Frun%2Fencoder.sock"


class Address(NamedTuple):
    """Where a service is: ``shown`` in messages, ``base`` for requests, ``socket`` when it is a file."""

    shown: str
    base: str
    socket: str | None
    is_local: bool

    def of(self, path: str) -> str:
        """A path of the service as messages name it."""
        return self.shown + path

    @classmethod
    def read(cls, url: object) -> Address:
        """The address that a url names, without ``/v1`` and ``/v1/embeddings``; ConfigError for what is none.

        >>> Address.read("http://localhost:8000/v1").base, Address.read("http+unix://%2Frun%2Fr.sock").socket
        ('http://localhost:8000', '/run/r.sock')
        """
        if not isinstance(url, str) or not url.isprintable() or " " in url:
            raise ConfigError("url must be a string without spaces, as in http://localhost:8080")
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise ConfigError(f"url is no address: {error}") from error
        if parts.scheme not in _SCHEMES:
            raise ConfigError(f"url must begin with http://, https:// or http+unix://, not {parts.scheme + '://'!r}")
        if parts.query or parts.fragment or "@" in parts.netloc:
            raise ConfigError("url must hold no user, query or fragment; a key is given as api_key")
        prefix = parts.path.rstrip("/").removesuffix("/embeddings").removesuffix("/v1").rstrip("/")
        shown = f"{parts.scheme}://{parts.netloc}{prefix}"
        if parts.scheme != "http+unix":
            if not host:
                raise ConfigError("url must name a host, as in http://localhost:8080")
            return cls(shown, shown, None, is_this_machine(host))
        file = unquote(parts.netloc)
        if not file.isprintable() or not file:
            raise ConfigError(f"url must name a socket by its percent-encoded path, as in {_SOCKET}")
        return cls(shown, f"http://{_LOCAL}{prefix}", file, True)


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine alone.

    >>> is_this_machine("127.0.0.1"), is_this_machine("::1"), is_this_machine("localhost"), is_this_machine("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == _LOCAL or host.endswith(f".{_LOCAL}")
