"""Where is a service that layers ask over the network, what of its answer is read, and how is a request to it ended?

What is asked, and what an answer means, is the business of who asks.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from ipaddress import ip_address
from threading import Lock
from typing import Any
from urllib.parse import SplitResult, urlsplit

from raguard.errors import ConfigError

__all__ = [
    "AnswerError",
    "Attempt",
    "Wire",
    "bounded",
    "checked_key",
    "checked_seconds",
    "is_this_machine",
    "read_address",
    "refuse_encoding",
]

_DAY_S = 86_400
_CONNECTS = ("connect_tcp.started", "connect_unix_socket.started")
_ANSWERED = "receive_response_headers.complete"
_CONNECTED = ("connect_tcp.complete", "connect_unix_socket.complete", "start_tls.complete")


class AnswerError(Exception):
    """A service gave an answer that is not read; the message continues a sentence that begins with its name."""


class Wire:
    """The socket of a connection of httpx or httpx2, which ``watch`` is told of; ``cut`` shuts it.

    ``watch`` is passed as the extension "trace" of each request. Shutting is safe from any thread: code that waits for
    the service wakes up and finds that there is nothing left to wait for.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._stream: Any = None
        self._is_cut = False

    def watch(self, event: str, told: dict[str, Any]) -> None:
        """Keeps the stream of a connection as soon as there is one; the HTTP library calls this at each step."""
        if event.endswith(_CONNECTED):
            with self._lock:
                self._stream = told["return_value"]
                if self._is_cut:
                    self._shut()

    def cut(self) -> None:
        """Shuts the socket, now or as soon as there is one."""
        with self._lock:
            self._is_cut = True
            self._shut()

    def _shut(self) -> None:
        if self._stream is not None:
            # an SSL socket's own method would take its session away from the thread that reads
            with suppress(OSError):
                socket.socket.shutdown(self._stream.get_extra_info("socket"), socket.SHUT_RDWR)


class Attempt:
    """One attempt at a request, as httpx tells it to the extension "trace": was it unheard, and may be made again?

    A server ends a connection that has been idle for long, sometimes in the moment in which the next request is sent on
    it. Nothing tells this from a server that died over the request, so what is asked again must change nothing there.

    >>> attempt = Attempt()
    >>> attempt.note("http11.send_request_headers.complete")
    >>> attempt.was_unheard
    True
    >>> attempt.note("socks.connect_tcp.started")
    >>> attempt.was_unheard
    False
    """

    def __init__(self) -> None:
        self._is_new = self._is_answered = False

    def note(self, event: str) -> None:
        """Keeps what a step tells."""
        self._is_new |= event.endswith(_CONNECTS)
        self._is_answered |= event.endswith(_ANSWERED)

    @property
    def was_unheard(self) -> bool:
        """Whether it went out on a kept connection, and no head of an answer came whole."""
        return not (self._is_new or self._is_answered)


def refuse_encoding(headers: Mapping[str, str]) -> None:
    """Raises AnswerError for an answer in an encoding such as gzip, whose real size nobody knows.

    >>> refuse_encoding({"Content-Encoding": "gzip"})
    Traceback (most recent call last):
    raguard.endpoints.AnswerError: answered with a Content-Encoding, though it was asked for none
    """
    if headers.get("Content-Encoding", "identity").strip().lower() not in ("identity", ""):
        raise AnswerError("answered with a Content-Encoding, though it was asked for none")


def bounded(parts: Iterable[bytes], at_most: int) -> Iterator[bytes]:
    """The parts of an answer as they come; raises AnswerError as soon as they have more than ``at_most`` bytes.

    >>> list(bounded([b"ab", b"c"], 3))
    [b'ab', b'c']
    """
    size = 0
    for part in parts:
        size += len(part)
        if size > at_most:
            raise AnswerError(f"answered with more than {at_most:,} bytes")
        yield part


def read_address(
    url: object,
    name: str,
    like: str,
    *,
    schemes: tuple[str, ...] = ("http", "https"),
    error: type[ConfigError] = ConfigError,
) -> SplitResult:
    """The parts of a service's address; raises ``error``, which names the argument and an address that would do.

    For schemes other than http and https, the caller must check that the address names a place.

    >>> read_address("http://localhost:8080/v1", "url", "http://localhost").port
    8080
    """
    if not isinstance(url, str) or not url.isprintable() or " " in url:
        raise error(f"{name} must be a string without spaces, as in {like}")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise error(f"{name} is no address; write it as in {like}") from None
    if parts.scheme not in schemes:
        first, last = ", ".join(f"{scheme}://" for scheme in schemes[:-1]), schemes[-1]
        raise error(f"{name} must begin with {first} or {last}://, not {parts.scheme + '://'!r}")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise error(f"{name} must hold no user, query or fragment; a key is given as api_key")
    if not host and parts.scheme in ("http", "https"):
        raise error(f"{name} must name a host, as in {like}")
    return parts


def is_this_machine(host: str) -> bool:
    """Whether a host name or address is the loopback, before which no proxy may stand.

    >>> is_this_machine("127.0.0.1"), is_this_machine("judge.localhost"), is_this_machine("10.0.0.1")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked_key(key: object, *, error: type[ConfigError] = ConfigError) -> str | None:
    """``key`` when a header can hold it, or None; raises ``error``, which does not show it."""
    if key is None or (isinstance(key, str) and key.isascii() and key.isprintable() and key == key.strip()):
        return key
    raise error("api_key must be a string of printable ASCII characters, without a space at its ends, or None")


def checked_seconds(seconds: object, name: str, *, error: type[ConfigError] = ConfigError) -> float:
    """``seconds`` when it is a number above 0 and of at most a day, which every system can wait for; raises ``error``.

    >>> checked_seconds(1e300, "timeout_s")
    Traceback (most recent call last):
    raguard.errors.ConfigError: timeout_s must be a number of seconds above 0 and of at most a day, not 1e+300
    """
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds <= _DAY_S:
        return float(seconds)
    raise error(f"{name} must be a number of seconds above 0 and of at most a day, not {seconds!r:.40}")
