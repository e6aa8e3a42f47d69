"""How does one request of the openai client go out, so that it can be cut and its answer stays small?

The client asks through an HTTP client of its own for each request: no connection is kept, so that nothing has to be
closed later and leaving a request is shutting its one socket. Works with httpx (openai 1) and httpx2 (openai 3).
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from raguard.endpoints import Wire, bounded, refuse_encoding

__all__ = ["Line", "http_library"]

_FROM_ENVIRONMENT = ("Authorization", "OpenAI-Organization", "OpenAI-Project")


class Line:
    """The way of one request: what it may carry, and the socket that ``cut`` shuts.

    An answer in an encoding or of more than ``at_most`` bytes raises AnswerError in the client.
    """

    def __init__(self, headers: Mapping[str, str], *, at_most: int) -> None:
        self._headers, self._most = headers, at_most
        self._wire = Wire()

    def client(self, certificates: ssl.SSLContext, *, is_local: bool, timeout_s: float) -> Any:
        """An HTTP client for one request; for this machine it looks for no proxy in the environment."""
        http = http_library()
        return http.Client(
            timeout=timeout_s,
            follow_redirects=False,
            verify=certificates,
            transport=http.HTTPTransport(verify=certificates) if is_local else None,
            event_hooks={"request": [self._prepare], "response": [self._admit]},
        )

    def cut(self) -> None:
        """Shuts the socket, now or as soon as there is one, so that whoever reads from it goes on."""
        self._wire.cut()

    def _prepare(self, request: Any) -> None:
        """The headers that were given, whatever the environment holds; and no encoding, whose size nobody knows."""
        for name in _FROM_ENVIRONMENT:
            request.headers.pop(name, None)
        request.headers.update({**self._headers, "Accept-Encoding": "identity"})
        request.extensions = {**request.extensions, "trace": self._wire.watch}

    def _admit(self, response: Any) -> None:
        refuse_encoding(response.headers)
        response.stream = _bounded_stream()(response.stream, self._most)


@cache
def http_library() -> Any:
    """The HTTP library that the installed openai client is built on."""
    import openai

    ancestors: tuple[type, ...] = openai.DefaultHttpxClient.__mro__
    client = next(each for each in ancestors if each.__name__ == "Client")
    return import_module(client.__module__.partition(".")[0])


@cache
def _bounded_stream() -> Any:
    """A stream of at most so many bytes; its class must be the library's."""

    class Bounded(http_library().SyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, at_most: int) -> None:
            self._stream, self._most = stream, at_most

        def __iter__(self) -> Iterator[bytes]:
            return bounded(self._stream, self._most)

        def close(self) -> None:
            self._stream.close()

    return Bounded
