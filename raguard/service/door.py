"""Who may come in, how much may they bring, and how long may it take? An ASGI middleware before all routes."""

from __future__ import annotations

import asyncio
import logging
from time import perf_counter
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from raguard.endpoints import is_this_machine
from raguard.service.keys import Caller, Keys
from raguard.service.metering import Metering
from raguard.service.problems import ProblemError
from raguard.service.settings import ServiceConfig
from raguard.service.work import Work, raised

__all__ = ["Door"]

_BEHIND_UPSTREAM = ("/v1/chat/completions", "/v1/query")
_METRICS = "/metrics"


class Door:
    """Admits a request that brings a key, finds a free place and is not too long, and ends it when its time is up.

    Every route except those of ``open_paths`` needs a key where one is configured. The whole body is read here, so that
    one without a length is bounded, too, and nothing is read from callers who are not admitted. What fails behind the
    door is reported by its type alone.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        config: ServiceConfig,
        keys: Keys,
        work: Work,
        metering: Metering,
        open_paths: frozenset[str],
    ) -> None:
        self._app, self._config, self._keys = app, config, keys
        self._work, self._metering, self._open = work, metering, open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or what else ASGI asks."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, answer = perf_counter(), _Answer(send, self._config.timeout_s)
        try:
            await self._let_in(scope, receive, answer)
        except ProblemError as problem:
            if not answer.status:
                await problem.response()(scope, receive, answer)
        except Exception as error:
            # never the message or the traceback: they may hold text
            logging.getLogger("raguard").error("a request failed with %s", raised(error))
            if not answer.status:
                failed = ProblemError(500, "failed", f"The request failed ({raised(error)}).")
                await failed.response()(scope, receive, answer)
        except asyncio.CancelledError:
            # the service ends before the request does
            if not answer.status:
                stopped = ProblemError(
                    503, "stopping", "The service ends; ask again later.", headers={"Retry-After": "1"}
                )
                await stopped.response()(scope, receive, answer)
            raise
        finally:
            route = getattr(scope.get("route"), "path", "other")
            # a client that goes away before it is answered gets no status
            self._metering.count_request(route, answer.status or 499, perf_counter() - started)
            self._metering.show_busy(self._work.busy)

    async def _let_in(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        # an app that is mounted in another one has its path behind that one's
        path, headers = scope["path"].removeprefix(scope.get("root_path", "")), Headers(scope=scope)
        if path in self._open:
            await self._app(scope, receive, answer)
            return
        scope.setdefault("state", {})["caller"] = self._caller(scope, headers)
        if path == _METRICS:
            await self._app(scope, receive, answer)
            return
        with self._work.place():
            self._metering.show_busy(self._work.busy)
            upstream = self._config.upstream
            extra = upstream.timeout_s if upstream is not None and path in _BEHIND_UPSTREAM else 0.0
            try:
                async with asyncio.timeout(self._config.timeout_s + extra) as clock:
                    answer.clock = clock
                    scope["state"]["ends"] = clock.when()
                    body = await self._body(headers, receive)
                    if body is not None:
                        await self._app(scope, _Replay(body, receive), answer)
            except TimeoutError:
                if not clock.expired():
                    raise
                raise ProblemError(
                    503, "timeout", f"The request took longer than {self._config.timeout_s + extra:g} seconds."
                ) from None
            finally:
                answer.clock = None

    def _caller(self, scope: Scope, headers: Headers) -> Caller:
        if not self._keys.are_needed:
            if not _is_own_page(headers.get("origin")):
                raise ProblemError(403, "foreign_page", "A page of another site may not ask; configure a key.")
            if not self._config.keyless.anywhere and not self._is_own_name(scope, headers.get("host")):
                message = "The service is not asked by this name; configure a key, or keyless.anywhere."
                raise ProblemError(403, "foreign_host", message)
        caller = self._keys.caller(_key(headers))
        if caller is None:
            raise ProblemError(
                401,
                "invalid_api_key",
                "A key is needed: Authorization: Bearer KEY, or X-API-Key: KEY.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return caller

    def _is_own_name(self, scope: Scope, host: str | None) -> bool:
        """Whether a request names this machine, the address at which it arrived, or the host of the settings.

        A page can make its own name resolve to this machine, and then does not count as a page of another site. No page
        reaches a Unix socket.
        """
        if host is None or self._config.uds is not None:
            return True
        name, (at, *_) = _name(f"//{host}"), scope.get("server") or (None,)
        return is_this_machine(name) or name in (at, self._config.host.strip("[]").lower())

    async def _body(self, headers: Headers, receive: Receive) -> bytes | None:
        """The whole body, or None when the client has gone; raises ProblemError 413 and 415."""
        most = self._config.max_body_bytes
        too_long = ProblemError(413, "too_large", f"The body is longer than {most:,} bytes.")
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise ProblemError(415, "encoded", "The body must come in no Content-Encoding.")
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > most:
            raise too_long
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if len(body) > most:
                raise too_long
            if not message.get("more_body", False):
                return bytes(body)


class _Answer:
    """Passes a response on and knows its status, 0 before it has begun; the clock stops when it begins.

    A reader that takes nothing for ``patience_s`` seconds is abandoned (TimeoutError): it would keep its place forever.
    """

    def __init__(self, send: Send, patience_s: float) -> None:
        self._send, self._patience_s = send, patience_s
        self.status = 0
        self.clock: asyncio.Timeout | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.clock is not None and not self.clock.expired():
                self.clock.reschedule(None)
        async with asyncio.timeout(self._patience_s):
            await self._send(message)


class _Replay:
    """Replays a body that has been read already, then passes on what follows."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _key(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key")


def _is_own_page(origin: str | None) -> bool:
    """Whether the request comes from no page, or from one of this machine."""
    return origin is None or is_this_machine(_name(origin))


def _name(address: str) -> str:
    """The name of a machine in an address, in small letters; empty where there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
