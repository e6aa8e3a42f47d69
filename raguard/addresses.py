"""How do people write where a service of raguard is? As an address, or as that of a Unix socket."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote

from raguard.endpoints import is_this_machine, read_address
from raguard.errors import ConfigError

__all__ = ["Address"]

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
        parts = read_address(url, "url", "http://localhost:8080", schemes=_SCHEMES)
        prefix = parts.path.rstrip("/").removesuffix("/embeddings").removesuffix("/v1").rstrip("/")
        shown = f"{parts.scheme}://{parts.netloc}{prefix}"
        if parts.scheme != "http+unix":
            return cls(shown, shown, None, is_this_machine(parts.hostname or ""))
        file = unquote(parts.netloc)
        if not file.isprintable() or not file:
            raise ConfigError(f"url must name a socket by its percent-encoded path, as in {_SOCKET}")
        return cls(shown, f"http://{_LOCAL}{prefix}", file, True)
