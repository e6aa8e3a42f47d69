"""How does one request and its response pass the middleware where an answer may be changed? Not before it is judged."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from raguard.gate import Gated
from raguard.integrations.asgi import Message
from raguard.integrations.exchange import NO_TEXT, Exchange, UnreadableError
from raguard.integrations.places import placed
from raguard.integrations.stream_bodies import Unit
from raguard.integrations.streamed_answer import StreamedAnswer
from raguard.integrations.telling import note_of, status_of, told

__all__ = ["Enforced"]

_OF_THE_OLD_BODY = (b"content-length", b"etag", b"content-md5", b"content-digest", b"repr-digest", b"digest")
"""Headers that are wrong when the body is another."""
_OURS = (b"raguard-status", b"raguard-verdict")
"""Headers that say what the middleware found; what the application says in them is not from here."""
_UNREAD = ("http.response.pathsend", "http.response.zerocopysend")
"""Ways to send a file that the server reads itself."""
_STREAMING = "streaming"
"""The status at the beginning of a body that is judged while it comes."""


class Enforced(Exchange):
    """A body that is JSON is held until it is judged; a streamed one goes on part by part."""

    _way: str = "begin"
    """What is done with the next message: "hold" or "stream" it, let it "pass", or "drop" it."""

    async def run(self) -> None:
        """Lets the application answer, with no way to send what cannot be read here."""
        extensions = self._scope.get("extensions") or {}
        allowed = {name: value for name, value in extensions.items() if name not in _UNREAD}
        # what stands around it may read in the scope what the application wrote there, so it is only copied at need
        if len(allowed) < len(extensions):
            self._scope = {**self._scope, "extensions": allowed}
        await super().run()

    async def _sent(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            await self._begin()
        elif message["type"] == "http.response.body" and self._way == "hold":
            await self._hold(message)
        elif message["type"] == "http.response.body" and self._way == "stream":
            await self._pass_on(message)
        elif self._way != "drop":
            await self._send(message)

    async def _begin(self) -> None:
        if not self._has_answer():
            self._way = "pass"
            await self._send(self._start)
            return
        try:
            body = self._reader()
        except UnreadableError as error:
            await self._unchecked(error)
            return
        if body is None:
            self._way = "hold"
            return
        self._way = "stream"
        self._stream = body
        self._answer = StreamedAnswer[bytes](self._site.gate, self._asked_once, self._tenant_id)
        await self._send(self._started({b"raguard-status": _STREAMING}, other_body=True))

    async def _hold(self, message: Message) -> None:
        """Takes a part of a JSON body; with its last one the body is judged and sent."""
        self._body += message.get("body", b"")
        try:
            if len(self._body) > self._site.max_body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                await self._judge(*self._read())
        except UnreadableError as error:
            await self._unchecked(error, {**message, "body": bytes(self._body)})

    async def _judge(self, value: Any, answer: str) -> None:
        """Sends the body with what may be shown of its answer, and what is told of it."""
        query, docs = self._asked(value)
        gated = await self._site.gate.ajudge(query, docs, answer, tenant_id=self._tenant_id)
        headers, changed = {b"raguard-status": status_of(gated)}, gated.text != answer
        if changed:
            value = placed(value, self._route.answer, gated.text)
        if self._site.tell == "body" and isinstance(value, dict) and "raguard" not in value:
            value, changed = {**value, "raguard": told(gated, texts=self._site.texts)}, True
        elif self._site.tell != "nothing":
            headers[b"raguard-verdict"] = _in_a_line(gated)
        body = json.dumps(value).encode() if changed else bytes(self._body)
        self._way = "pass"
        await self._send(self._started(headers, other_body=changed, length=len(body) if changed else None))
        await self._end(body)
        await self._tell(status_of(gated), gated)

    async def _pass_on(self, message: Message) -> None:
        """Takes a part of a streamed body."""
        await self._take(self._stream.feed(message.get("body", b"")))
        if max(self._answer.waiting + len(self._stream.open), self._answer.length) > self._site.max_body_bytes:
            await self._give_up(message.get("more_body", False))
        elif not message.get("more_body", False):
            await self._end_stream()

    async def _end_stream(self) -> None:
        await self._take(self._stream.finish())
        for part in await self._answer.finish():
            await self._part(part)
        self._unread = self._unread or ("" if self._answer.has_text else NO_TEXT)
        status, gated = self._told(self._answer.gated())
        verdict = {**told(gated, texts=self._site.texts), "status": status} if self._site.tell == "body" else None
        await self._end(self._stream.told(verdict, note_of(gated) if self._site.gate.on_review == "annotate" else ""))
        await self._tell(status, gated)

    async def _give_up(self, goes_on: bool) -> None:
        """Judges no more of a stream of which too much waits: it passes, or ends with the notice."""
        status = f"unchecked; {self._too_large()}"
        if self._site.on_unchecked == "pass":
            self._way = "pass"
            held = b"".join([*self._answer.abandon(), self._stream.open])
            await self._send({"type": "http.response.body", "body": held, "more_body": goes_on})
        else:
            self._way = "drop"
            await self._end(self._stream.told({"status": status}, self._site.gate.notice))
        await self._tell(status)

    async def _unchecked(self, why: UnreadableError, message: Message | None = None) -> None:
        """Lets pass what cannot be read, with its header, or sends the notice in its place; the policy says which."""
        status = f"unchecked; {why}"
        if self._site.on_unchecked == "pass":
            self._way = "pass"
            await self._send(self._started({b"raguard-status": status}))
            if message is not None:
                await self._send(message)
        else:
            self._way = "drop"
            body = json.dumps({"detail": self._site.gate.notice, "raguard": {"status": status}}).encode()
            headers = {b"content-type": "application/json", b"raguard-status": status}
            self._start = {"type": "http.response.start", "status": 502, "headers": []}
            await self._send(self._started(headers, other_body=True, length=len(body)))
            await self._end(body)
        await self._tell(status)

    def _started(self, more: dict[bytes, str], *, other_body: bool = False, length: int | None = None) -> Message:
        """The start of the response with more headers, and without those of ours or wrong for another body."""
        wrong = (*_OURS, *_OF_THE_OLD_BODY) if other_body else _OURS
        if length is not None:
            wrong = (*wrong, b"transfer-encoding")
        kept: Iterable[tuple[bytes, bytes]] = self._start.get("headers", ())
        sized = more if length is None else {**more, b"content-length": str(length)}
        added = ((name, text.encode("latin-1", "replace")) for name, text in sized.items())
        return {**self._start, "headers": [*(each for each in kept if each[0].lower() not in wrong), *added]}

    async def _take(self, units: Iterable[Unit]) -> None:
        for unit in units:
            self._unread = self._unread or unit.unread
            if unit.unread and self._site.on_unchecked == "block":
                continue
            async for part in self._answer.take(unit):
                await self._part(part)

    async def _part(self, body: bytes) -> None:
        if body:
            await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def _end(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


def _in_a_line(gated: Gated) -> str:
    """A verdict for a header: what to do, and how many warnings there are."""
    summary = told(gated)["summary"].items()
    return "; ".join([gated.verdict.action, *(f"{severity}={count}" for severity, count in summary)])
