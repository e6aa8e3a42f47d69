"""How is the model behind the gateway asked? Within bounds of time and memory, and whatever is wrong is an error."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from raguard.endpoints import AnswerError, is_this_machine, refuse_encoding
from raguard.service.gateway.events import data_of
from raguard.service.keys import read_secret
from raguard.service.problems import ProblemError
from raguard.service.sections import UpstreamSettings
from raguard.telemetry import outgoing

__all__ = ["DONE", "Upstream", "broken", "frame_of", "strict_json"]

DONE = object()
"""The end of a stream, as the upstream tells it."""
_FRAME = frozenset({"id", "object", "created", "model", "system_fingerprint", "service_tier"})
_CHAT = "/chat/completions"
_MOST_MESSAGE = 1_000
_CONNECT_S = 10.0
_PASSED_ON = (400, 404, 413, 422, 429)
"""What is wrong with the request, or comes too often, the caller can mend; all else is between gateway and upstream."""
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=1.5)
"""What is idle for longer is not used again: servers close it, gunicorn after 2 s, and no question is asked twice."""


class Upstream:
    """An endpoint that speaks OpenAI's chat API. Raises ConfigError when its key cannot be read."""

    def __init__(self, settings: UpstreamSettings) -> None:
        self.settings = settings
        self._headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        if settings.key_env or settings.key_file:
            secret = read_secret("service.upstream.key_", settings.key_env, settings.key_file)
            self._headers["Authorization"] = f"Bearer {secret}"
        self._http: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The whole completion; raises ProblemError."""
        completion = await self._object("POST", _CHAT, body)
        _refuse_error(completion)
        if not isinstance(completion.get("choices"), list):
            raise broken("it answered with something that is no completion")
        return completion

    async def models(self) -> dict[str, Any]:
        """Its list of models; raises ProblemError."""
        return await self._object("GET", "/models", None)

    @asynccontextmanager
    async def stream(self, body: Mapping[str, Any]) -> AsyncIterator[AsyncIterator[Any]]:
        """The chunks of a completion, and DONE when the upstream says so; entering and reading raise ProblemError."""
        async with self._asked("POST", _CHAT, body) as response:
            kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if kind != "text/event-stream":
                raise broken("it was asked for a stream and answered with something else")
            yield self._chunks(response)

    async def close(self) -> None:
        """Closes the connections."""
        if self._http is not None and self._loop is asyncio.get_running_loop():
            await self._http.aclose()

    async def _object(self, method: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        """The JSON object that it answers with, whole in time."""
        try:
            async with asyncio.timeout(self.settings.timeout_s), self._asked(method, path, body) as response:
                content = await self._content(response)
        except TimeoutError:
            raise self._late() from None
        try:
            answer = strict_json(content)
        except (ValueError, RecursionError):
            raise broken("it answered with something that is no JSON") from None
        if not isinstance(answer, dict):
            raise broken("it answered with something that is no JSON object")
        return answer

    @asynccontextmanager
    async def _asked(self, method: str, path: str, body: Mapping[str, Any] | None) -> AsyncIterator[httpx.Response]:
        """The response of a status 200, whose body is not read yet."""
        url = f"{self.settings.url}{path}"
        with self._faults_as_problems():
            # in ASCII alone: a string may hold half a surrogate pair, which no other way of writing it can
            content = None if body is None else json.dumps(body, allow_nan=False).encode("ascii")
            headers = outgoing(self._headers)
            async with self._client().stream(method, url, content=content, headers=headers) as response:
                if response.status_code != 200:
                    raise await self._refusal(response)
                refuse_encoding(response.headers)
                yield response

    @contextmanager
    def _faults_as_problems(self) -> Iterator[None]:
        """Within, what httpx raises, and an answer that is not read, becomes a ProblemError."""
        try:
            yield
        except AnswerError as error:
            raise broken(f"it {error}") from None
        except httpx.TimeoutException:
            raise self._late() from None
        except httpx.HTTPError as error:
            raise broken(f"it cannot be reached, or broke off ({type(error).__name__})") from None
        except httpx.InvalidURL:
            raise broken("its address is none") from None

    def _client(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._http is None or self._loop is not loop:
            # connections belong to the loop that opened them
            timeout = httpx.Timeout(self.settings.timeout_s, connect=min(_CONNECT_S, self.settings.timeout_s))
            is_local = is_this_machine(urlsplit(self.settings.url).hostname or "")
            self._http = httpx.AsyncClient(
                timeout=timeout, follow_redirects=False, trust_env=not is_local, limits=_LIMITS
            )
            self._loop = loop
        return self._http

    async def _content(self, response: httpx.Response) -> bytes:
        return b"".join([part async for part in self._bounded(response)])

    async def _chunks(self, response: httpx.Response) -> AsyncIterator[Any]:
        async for data in self._data(response):
            if data == b"[DONE]":
                yield DONE
                return
            try:
                chunk = strict_json(data)
            except (ValueError, RecursionError):
                raise broken("it sent a chunk that is no JSON") from None
            _refuse_error(chunk)
            yield chunk

    async def _data(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The data of its events, each in time: what comes between them, such as comments, is no answer."""
        events = data_of(self._bounded(response))
        with self._faults_as_problems():
            while True:
                try:
                    async with asyncio.timeout(self.settings.timeout_s):
                        data = await anext(events, None)
                except TimeoutError:
                    raise self._late() from None
                if data is None:
                    return
                yield data

    async def _bounded(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """Its body in parts; raises ProblemError for one that is too long."""
        read = 0
        async for part in response.aiter_raw():
            read += len(part)
            if read > self.settings.max_bytes:
                raise broken(f"it answered with more than {self.settings.max_bytes:,} bytes")
            yield part

    async def _refusal(self, response: httpx.Response) -> ProblemError:
        status = response.status_code
        try:
            answer = json.loads(await self._content(response))
        except (ValueError, RecursionError):
            answer = None
        if status not in _PASSED_ON:
            return ProblemError(502, "upstream_error", f"The upstream answered with status {status}.")
        after = response.headers.get("Retry-After", "")
        headers = {"Retry-After": after} if after.isdecimal() and len(after) < 6 else {}
        message = f"The upstream answered with status {status}{_message(answer)}."
        return ProblemError(status, "upstream_refused", message, headers=headers)

    def _late(self) -> ProblemError:
        return ProblemError(
            504, "upstream_timeout", f"The upstream did not answer within {self.settings.timeout_s:g} seconds."
        )


def broken(why: str) -> ProblemError:
    """The upstream's answer cannot be used."""
    return ProblemError(502, "upstream_broken", f"The upstream's answer cannot be used: {why}.")


def frame_of(frame: Mapping[str, Any], *more: str) -> dict[str, Any]:
    """What of a completion or chunk says nothing of the text, and ``more``; any other key may repeat the text.

    >>> frame_of({"id": "c-1", "choices": [], "verbose": "It closed."}, "choices")
    {'id': 'c-1', 'choices': []}
    """
    return {key: value for key, value in frame.items() if key in _FRAME or key in more}


def strict_json(content: bytes) -> Any:
    """What JSON says; raises ValueError, or RecursionError, also for numbers that Python reads and JSON cannot hold.

    >>> strict_json(b"[1e999]")
    Traceback (most recent call last):
    ValueError: 1e999 is beyond all numbers
    """
    return json.loads(content, parse_constant=_number, parse_float=_number)


def _number(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written:.40} is beyond all numbers")
    return number


def _refuse_error(answer: Any) -> None:
    """An error may come with the status 200, and with a part of an answer beside it."""
    if isinstance(answer, dict) and answer.get("error"):
        raise ProblemError(502, "upstream_error", f"The upstream failed while it answered{_message(answer)}.")


def _message(answer: Any) -> str:
    """What an upstream says is wrong, in its own words."""
    error = answer.get("error") if isinstance(answer, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return f": {message[:_MOST_MESSAGE].rstrip('.')}" if isinstance(message, str) and message else ""
