"""How does one request of the openai client go out, so that it can be cut and its answer stays small?

The client asks through an HTTP client of its own for each request: no connection is kept, so that nothing has to be
closed later and leaving a request is shutting its one socket. Works with httpx (openai 1) and httpx2 (openai 3).
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

__all__ = ["Line", "LineFaultError", "http_library"]

_CONNECTED = ("connect_tcp.complete", "start_tls.complete")
_FROM_ENVIRONMENT = ("Authorization", "OpenAI-Organization", "OpenAI-Project")


class LineFaultError(Exception):
    """An answer is not read; the message goes on from "the endpoint"."""


class Line:
    """The way of one request: what it may carry, and the socket that ``cut`` shuts; ``fault`` says why it was ended."""

    def __init__(self, headers: Mapping[str, str], *, at_most: int) -> None:
        self._headers, self._most = headers, at_most
        self._lock = Lock()
        self._stream: Any = None
        self._is_cut = False
        self.fault: LineFaultError | None = None

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
        with self._lock:
            self._is_cut = True
            self._shut()

    def _prepare(self, request: Any) -> None:
        """The headers that were given, whatever the environment holds; and no encoding, whose size nobody knows."""
        for name in _FROM_ENVIRONMENT:
            request.headers.pop(name, None)
        request.headers.update({**self._headers, "Accept-Encoding": "identity"})
        request.extensions = {**request.extensions, "trace": self._watch}

    def _admit(self, response: Any) -> None:
        if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("identity", ""):
            self._end("answered with a Content-Encoding, though it was asked for none")
        response.stream = _bounded()(response.stream, self._counted)

    def _counted(self, parts: Any) -> Iterator[bytes]:
        size = 0
        for part in parts:
            size += len(part)
            if size > self._most:
                self._end(f"answered with more than {self._most:,} bytes")
            yield part

    def _end(self, why: str) -> None:
        self.fault = LineFaultError(why)
        raise self.fault

    def _watch(self, event: str, told: dict[str, Any]) -> None:
        """Keeps the stream of the connection as soon as there is one; the HTTP library calls this at each step."""
        if event.endswith(_CONNECTED):
            with self._lock:
                self._stream = told["return_value"]
                if self._is_cut:
                    self._shut()

    def _shut(self) -> None:
        if self._stream is not None:
            # an SSL socket's own method would take its session away from the thread that reads
            with suppress(OSError):
                socket.socket.shutdown(self._stream.get_extra_info("socket"), socket.SHUT_RDWR)


@cache
def http_library() -> Any:
    """The HTTP library that the installed openai client is built on."""
    import openai

    ancestors: tuple[type, ...] = openai.DefaultHttpxClient.__mro__
    client = next(each for each in ancestors if each.__name__ == "Client")
    return import_module(client.__module__.partition(".")[0])


@cache
def _bounded() -> Any:
    """A stream of bytes that goes through a function; its class must be the library's."""

    class Bounded(http_library().SyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, through: Any) -> None:
            self._stream, self._through = stream, through

        def __iter__(self) -> Iterator[bytes]:
            yield from self._through(self._stream)

        def close(self) -> None:
            self._stream.close()

    return Bounded
