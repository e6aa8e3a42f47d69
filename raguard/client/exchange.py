"""How is a service asked within limits of time and memory, from any thread or event loop? By a loop of its own."""

from __future__ import annotations

import asyncio
import json
import os
import weakref
from collections.abc import Coroutine
from concurrent.futures import Future
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from raguard.addresses import Address
from raguard.endpoints import AnswerError, Attempt, refuse_encoding
from raguard.errors import ConfigError, RaguardError

if TYPE_CHECKING:
    import httpx

__all__ = ["Exchange", "ServiceError", "UnsendableError"]

_MOST_BYTES = 100_000_000
_MOST_MESSAGE = 300
_CLOSED = "the client is closed"

Value = TypeVar("Value")


class ServiceError(RaguardError):
    """A service cannot be reached, refuses, or gives an unreadable answer; ``status`` is the HTTP status, or None.

    ``retry_after_s`` is after how many seconds an overloaded service wants to be asked again. The message holds no text
    that was sent.
    """

    def __init__(self, message: str, status: int | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after_s = status, retry_after_s


class UnsendableError(ServiceError):
    """What was given cannot be written as JSON."""


class Exchange:
    """Requests to one service, made in a thread with an event loop that starts with the first request.

    In this way threads and event loops share the same connections, and ``timeout_s`` bounds a whole exchange. What
    found a kept connection ended is asked once more, over a new one.
    """

    def __init__(self, address: Address, api_key: str | None, timeout_s: float) -> None:
        try:
            import httpx
        except ImportError as error:
            raise ConfigError("Client needs httpx: pip install 'raguard-verify[client]'") from error
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        if api_key is not None:
            headers["Authorization"] = f"Bearer {api_key}"
        self._address, self._headers, self._timeout_s = address, headers, timeout_s
        try:
            self._http = self._client()
        except (httpx.InvalidURL, ValueError, ImportError) as error:
            raise ConfigError("a proxy that the environment names is no address that httpx can use") from error
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = os.getpid()
        self._is_closed = False

    def ask(self, path: str, body: Any) -> Any:
        """The JSON that the service answers; raises ServiceError."""
        return self._begun(self._exchange(path, body)).result()

    async def aask(self, path: str, body: Any) -> Any:
        """``ask`` for an event loop."""
        return await asyncio.wrap_future(self._begun(self._exchange(path, body)))

    def close(self) -> None:
        """Ends all requests and closes the connections; nothing can be asked afterwards."""
        with self._lock:
            self._is_closed = True
            loop, self._loop = self._loop, None
        if loop is not None:
            self._stop()

    def _begun(self, work: Coroutine[Any, Any, Value]) -> Future[Value]:
        with self._lock:
            if self._is_closed:
                work.close()
                raise ServiceError(_CLOSED)
            if self._process != os.getpid():
                self._begin_again()
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = Thread(target=_live, args=(self._loop,), daemon=True, name="raguard-client")
                thread.start()
                self._stop = weakref.finalize(self, _end, self._loop, thread, self._http)
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _begin_again(self) -> None:
        """A forked process has none of its parent's threads, and must share no connection with it."""
        if self._loop is not None:
            self._stop.detach()
        self._http, self._loop, self._process = self._client(), None, os.getpid()

    def _client(self) -> httpx.AsyncClient:
        import httpx

        # with a transport of its own a client looks for no proxy in the environment
        transport = httpx.AsyncHTTPTransport(uds=self._address.socket) if self._address.is_local else None
        return httpx.AsyncClient(
            headers=self._headers, timeout=self._timeout_s, follow_redirects=False, transport=transport
        )

    async def _exchange(self, path: str, body: Any) -> Any:
        import httpx

        source = self._address.of(path)
        try:
            content = json.dumps(body).encode("ascii")
        except (TypeError, ValueError, RecursionError) as error:
            raise UnsendableError(f"what was given cannot be sent as JSON ({type(error).__name__})") from None
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._answered(source, self._address.base + path, content)
        except asyncio.CancelledError:
            if self._is_closed:
                # callers that still wait are told
                raise ServiceError(_CLOSED) from None
            raise
        except AnswerError as error:
            raise ServiceError(f"{source} {error}") from None
        except (TimeoutError, httpx.TimeoutException):
            raise ServiceError(f"{source} did not answer within {self._timeout_s:g} s") from None
        except httpx.ConnectError:
            raise ServiceError(f"{source} cannot be reached") from None
        except httpx.HTTPError as error:
            raise ServiceError(f"{source} broke off its answer ({type(error).__name__})") from None
        except (httpx.InvalidURL, ValueError) as error:
            raise ServiceError(f"{source} is no address that can be asked ({type(error).__name__})") from None

    async def _answered(self, source: str, url: str, content: bytes) -> Any:
        import httpx

        attempt = Attempt()
        try:
            return await self._asked(self._http, attempt, source, url, content)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            if not attempt.was_unheard:
                raise
        # the other connections that are kept may have ended as well
        async with self._client() as new:
            return await self._asked(new, attempt, source, url, content)

    async def _asked(self, http: httpx.AsyncClient, attempt: Attempt, source: str, url: str, content: bytes) -> Any:
        async def watch(event: str, told: Any) -> None:
            attempt.note(event)

        body = bytearray()
        async with http.stream("POST", url, content=content, extensions={"trace": watch}) as response:
            refuse_encoding(response.headers)
            async for part in response.aiter_raw():
                body += part
                if len(body) > _MOST_BYTES:
                    raise ServiceError(f"{source} answered with more than {_MOST_BYTES:,} bytes")
        try:
            answer = json.loads(bytes(body))
        except (ValueError, RecursionError):
            answer = None
        if response.status_code != 200:
            raise _refusal(source, response, answer)
        if answer is None:
            raise ServiceError(f"{source} answered with something that is no JSON", 200)
        return answer


def _live(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


def _end(loop: asyncio.AbstractEventLoop, thread: Thread, http: httpx.AsyncClient) -> None:
    """Ends a loop with all that is under way in it."""

    async def leave() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        # whoever waits for them is told before the loop ends
        await asyncio.gather(*tasks, return_exceptions=True)
        await http.aclose()
        # a body that was left in the middle is closed by a task of its own, which begins in the loop's next turn
        await asyncio.sleep(0)
        await asyncio.get_running_loop().shutdown_asyncgens()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)

    asyncio.run_coroutine_threadsafe(leave(), loop).result(5)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)
    loop.close()


def _refusal(source: str, response: httpx.Response, answer: Any) -> ServiceError:
    """Why a service refuses, in its own words where they have the shape of its errors."""
    error = answer.get("error") if isinstance(answer, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    reason = f": {message[:_MOST_MESSAGE]}" if isinstance(message, str) else ""
    after = response.headers.get("Retry-After", "")
    retry_after_s = float(after) if after.isdecimal() and len(after) < 6 else None
    told = f"{source} answered with status {response.status_code}{reason.rstrip('.')}"
    return ServiceError(told, response.status_code, retry_after_s)
