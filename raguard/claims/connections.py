"""How is a service asked within bounds of time and memory? Each request in a thread, whose socket can be shut."""

from __future__ import annotations

from concurrent.futures import Future, wait
from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from raguard.endpoints import AnswerError, Attempt, Wire, bounded, refuse_encoding

if TYPE_CHECKING:
    import httpx

__all__ = ["Connection"]


class Connection:
    """One connection to a service, used by one request at a time and kept for the next; ``client`` is its own.

    A connection that raised is closed and of no more use. Where a kept one ends before the head of an answer, the
    service is asked once more, over a new one.
    """

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._wire = Wire()
        self._lock = Lock()
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
                    self._wire.cut()
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
        import httpx

        attempt = Attempt()
        try:
            return self._asked(attempt, method, url, content, at_most)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            if self._is_over or not attempt.was_unheard:
                raise
        return self._asked(attempt, method, url, content, at_most)

    def _asked(self, attempt: Attempt, method: str, url: str, content: str | None, at_most: int) -> bytes:
        def watch(event: str, told: dict[str, Any]) -> None:
            attempt.note(event)
            self._wire.watch(event, told)

        headers = {"Accept-Encoding": "identity"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        with self._client.stream(
            method, url, content=content, headers=headers, extensions={"trace": watch}
        ) as response:
            if not response.is_success:
                raise AnswerError(f"answered with status {response.status_code}")
            refuse_encoding(response.headers)
            return b"".join(bounded(response.iter_raw(), at_most))
