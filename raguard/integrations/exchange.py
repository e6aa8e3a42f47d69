"""How does one request and its response pass the middleware in the shadow? And what can be read of any response?"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

from raguard import Unchecked
from raguard.gate import Gated
from raguard.integrations.asgi import Checked, CheckedRoute, Message, RaguardMiddleware, Receive, Scope, Send
from raguard.integrations.places import NOWHERE, documents, found
from raguard.integrations.stream_bodies import Body, streamed
from raguard.integrations.streamed_answer import Asked
from raguard.integrations.telling import notify, status_of

__all__ = ["NO_TEXT", "Exchange", "UnreadableError", "Watched"]

NO_TEXT = "no text was found in the stream"
"""Why a stream was not checked that had no text where it should."""


_MOST_DIGITS = 18
"""A length that has more is too large, and perhaps no number that can be read."""


class UnreadableError(Exception):
    """Why no answer was read; the message holds no text of it."""


class Exchange(ABC):
    """What both ways have in common: the request is copied while the application reads it, and the body is read."""

    def __init__(
        self, site: RaguardMiddleware, route: CheckedRoute, scope: Scope, receive: Receive, send: Send, tenant_id: str
    ) -> None:
        self._site, self._route, self._scope, self._tenant_id = site, route, scope, tenant_id
        self._receive, self._send = receive, send
        self._request = bytearray()
        self._reads_request = any(place.source == "request" for place in route.places.values())
        self._body = bytearray()
        self._seen: dict[str, object] = {}
        """Question and documents that stood in parts of a streamed body."""
        self._unread = ""
        """Why a part of a streamed body could not be read, of the first such part."""
        self._start: Message = {}

    async def run(self) -> None:
        """Lets the application answer."""
        await self._site.app(self._scope, self._copy if self._reads_request else self._receive, self._sent)

    @abstractmethod
    async def _sent(self, message: Message) -> None:
        """Takes what the application sends."""

    async def _copy(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request" and len(self._request) <= self._site.max_body_bytes:
            self._request += message.get("body", b"")
        return message

    def _header(self, name: bytes) -> str:
        values = (value.strip() for key, value in self._start.get("headers", ()) if key.lower() == name)
        return b", ".join(values).decode("latin-1")

    def _has_answer(self) -> bool:
        """Whether a response with this status can hold an answer."""
        status: int = self._start["status"]
        return 200 <= status < 300 and status not in (204, 205)

    def _reader(self) -> Body | None:
        """How the body is cut when it is streamed; None for one that is JSON; raises for what cannot be read."""
        if self._start["status"] == 206:
            raise UnreadableError("the response is a part of a body")
        if self._header(b"content-encoding").lower() not in ("", "identity"):
            raise UnreadableError("the body is compressed")
        length = self._header(b"content-length")
        if length.isdecimal() and (len(length) > _MOST_DIGITS or int(length) > self._site.max_body_bytes):
            raise self._too_large()
        kind = self._header(b"content-type")
        media = kind.lower().partition(";")[0].strip()
        if media == "application/json" or media.endswith("+json"):
            return None
        body = streamed(kind, self._route.delta)
        if body is None:
            raise UnreadableError("the body is no JSON")
        return body

    def _too_large(self) -> UnreadableError:
        return UnreadableError(f"the body is larger than {self._site.max_body_bytes:,} bytes")

    def _read(self) -> tuple[Any, str]:
        """The JSON of the whole body and the answer in it."""
        try:
            value = json.loads(bytes(self._body))
        except (ValueError, RecursionError):
            raise UnreadableError("the body is no JSON") from None
        answer = found(value, self._route.answer)
        if not isinstance(answer, str):
            raise UnreadableError("no text stands where the answer should")
        return value, answer

    def _asked(self, response: Any) -> Asked:
        """Question and documents, given the JSON of the response."""
        try:
            request = json.loads(bytes(self._request)) if self._request else NOWHERE
        except (ValueError, RecursionError):
            request = NOWHERE
        bodies: dict[str, Any] = {"response": response, "request": request}
        places, address = self._route.places, self._scope.get("query_string", b"")
        query, docs = (self._seen.get(name, places[name].of(**bodies, address=address)) for name in ("query", "docs"))
        return query if isinstance(query, str) else "", documents(docs)

    def _asked_once(self, data: Any, is_end: bool) -> Asked | None:
        """Question and documents of a streamed answer, once they are known, given the JSON of a part of it."""
        awaited = [name for name in ("query", "docs") if self._route.places[name].source == "response"]
        for name in awaited:
            value = found(data, self._route.places[name].name)
            if value is not NOWHERE:
                self._seen.setdefault(name, value)
        return self._asked(data) if is_end or all(name in self._seen for name in awaited) else None

    def _told(self, gated: Gated) -> tuple[str, Gated]:
        """The status of a stream that was read, and its verdict, which names a part that could not be read."""
        if not self._unread:
            return status_of(gated), gated
        gaps = [*gated.verdict.unchecked, Unchecked("parts", self._unread)]
        return f"unchecked; {self._unread}", replace(gated, verdict=replace(gated.verdict, unchecked=gaps))

    async def _tell(self, status: str, gated: Gated | None = None) -> None:
        """Tells the application; a fault of what it does then is none of the response."""
        checked = Checked(self._scope["path"], self._tenant_id, status, gated)
        await notify(self._site.on_result, checked)


class Watched(Exchange):
    """The shadow: every message goes on as it is, and the answer is judged when the application is done."""

    async def run(self) -> None:
        """Lets the application answer, then judges."""
        await super().run()
        # not in send: servers end an application that is at work there when the client has its response
        if not self._start or not self._has_answer():
            return
        try:
            query, docs, answer = await self._whole()
        except UnreadableError as error:
            await self._tell(f"unchecked; {error}")
            return
        gated = await self._site.gate.ajudge(query, docs, answer, tenant_id=self._tenant_id)
        await self._tell(*self._told(gated))

    async def _sent(self, message: Message) -> None:
        await self._send(message)
        if message["type"] == "http.response.start":
            self._start = message
        elif len(self._body) <= self._site.max_body_bytes:
            self._body += message.get("body", b"")

    async def _whole(self) -> tuple[str, Any, str]:
        body = self._reader()
        if len(self._body) > self._site.max_body_bytes:
            raise self._too_large()
        if body is None:
            value, answer = self._read()
            return *self._asked(value), answer
        units = [*body.feed(bytes(self._body)), *body.finish()]
        self._unread = next((unit.unread for unit in units if unit.unread), "")
        answer = "".join(unit.text for unit in units)
        if not answer:
            raise UnreadableError(self._unread or NO_TEXT)
        asked = next(filter(None, (self._asked_once(unit.data, False) for unit in units)), None)
        return *(asked or self._asked(NOWHERE)), answer
