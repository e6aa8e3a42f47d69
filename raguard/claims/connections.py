"""How is a service asked within bounds of time and memory? Each request in a thread, whose socket can be shut."""

from __future__ import annotations

import socket
from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

__all__ = ["AnswerError", "Connection"]

_CONNECTED = ("connect_tcp.complete", "connect_unix_socket.complete", "start_tls.complete")


class AnswerError(Exception):
    """A service answered with what is not read; the message goes on from the name of the service."""


class Connection:
    """One connection to a service, used by one request at a time and kept for the next; ``client`` is its own.

    A connection that raised is closed and of no more use.
    """

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._lock = Lock()
        self._stream: Any = None
        self._is_over = False

    def ask(self, method: str, url: str, content: str | None, *, within_s: float, at_most: int) -> bytes:
        """The body of a successful answer, of at most ``at_most`` bytes and whole ``within_s`` seconds of the call.

        Raises TimeoutError, AnswerError, and what httpx raises. The body must come as it is, in no encoding.
        """
        answer: Future[bytes] = Future()
        Thread(target=copy_context().run, args=(self._work, answer, method, url, content, at_most), daemon=True).start()
        try:
            wait([answer], within_s)
        finally:
            with self._lock:
                is_late = self._is_over = not answer.done()
                if is_late:
                    self._shut()
        if is_late:
            raise TimeoutError
        return answer.result()

    def close(self) -> None:
        """Ends it; no request may be under way."""
        self._client.close()

    def _work(self, answer: Future[bytes], method: str, url: str, content: str | None, at_most: int) -> None:
        try:
            body = self._exchange(method, url, content, at_most)
        except BaseException as error:
            with suppress(Exception):
                self.close()
            answer.set_exception(error)
        else:
            with self._lock:
                is_late = self._is_over
                answer.set_result(body)
            if is_late:
                self.close()

    def _exchange(self, method: str, url: str, content: str | None, at_most: int) -> bytes:
        headers = {"Accept-Encoding": "identity"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        body = bytearray()
        extensions = {"trace": self._watch}
        with self._client.stream(method, url, content=content, headers=headers, extensions=extensions) as response:
            if not response.is_success:
                raise AnswerError(f"answered with status {response.status_code}")
            if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("identity", ""):
                raise AnswerError("answered with a Content-Encoding, though it was asked for none")
            for part in response.iter_raw():
                body += part
                if len(body) > at_most:
                    raise AnswerError(f"answered with more than {at_most:,} bytes")
        return bytes(body)

    def _watch(self, event: str, told: dict[str, Any]) -> None:
        """Keeps the stream of a connection as soon as there is one; httpcore calls this at each step."""
        if event.endswith(_CONNECTED):
            with self._lock:
                self._stream = told["return_value"]
                if self._is_over:
                    self._shut()

    def _shut(self) -> None:
        """Lets the thread that waits for the service go on, to find that there is nothing to wait for."""
        if self._stream is not None:
            # an SSL socket's own method would take its session away from the thread that reads
            with suppress(OSError):
                socket.socket.shutdown(self._stream.get_extra_info("socket"), socket.SHUT_RDWR)
