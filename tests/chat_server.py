"""A server that speaks OpenAI's chat API on a free port of the loopback and replies as a script says.

::

    with ChatServer(honest) as server:                      # every request is answered by a reply
        judge = GroundingJudge(Provider(server.url, "sk-1", models={"judge": "m"}), screen=None)

A reply is a function of the ``Request``. It returns a string, the model's text; a dict, the whole JSON body; bytes, the
body as it is; a number, a status without a body; or a ``Raw``, which writes to the socket itself.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self, TypeAlias

__all__ = [
    "ChatServer",
    "Raw",
    "Request",
    "blocking",
    "completion",
    "dripping",
    "flooding",
    "gullible",
    "hanging",
    "honest",
    "passing",
    "refusal_of",
    "verdict",
]


@dataclass(frozen=True, slots=True)
class Request:
    """What the server was sent."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(message["content"] for message in self.body["messages"])

    @property
    def id(self) -> str:
        """The id that the verdict must carry."""
        found = re.search(r'"id" is "(\w+)"', self.text)
        return found[1] if found else "?"

    @property
    def passages(self) -> list[str]:
        found = re.finditer(r"<passage (\w+ \d+)>\n(.*?)\n</passage \1>", self.text, re.DOTALL)
        return [passage[2].strip() for passage in found]

    @property
    def answer(self) -> str:
        found = re.search(r"<answer (\w+)>\n(.*?)\n</answer \1>", self.text, re.DOTALL)
        return found[2].strip() if found else ""


Reply: TypeAlias = "str | int | bytes | dict[str, Any] | Raw"


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply that writes to the open connection itself; ``over`` is set when the server is closed."""

    write: Callable[[BaseHTTPRequestHandler, Event], None]


@dataclass
class ChatServer:
    """The server; ``requests`` are those that came, in order, and ``gone`` is set when a client left an open reply.

    ``asked`` is set when the first request has come.
    """

    reply: Callable[[Request], Reply] = lambda request: passing(request)
    requests: list[Request] = field(default_factory=list)
    asked: Event = field(default_factory=Event)
    over: Event = field(default_factory=Event)
    gone: Event = field(default_factory=Event)
    location: str = ""
    """Where a redirect leads."""
    models: list[str] | None = None
    """The names of the models that it lists; None where it lists nothing."""
    certificate: Path | None = None
    """A PEM file with key and certificate, for a server that speaks TLS."""

    def __enter__(self) -> Self:
        self._server: Any = _Server(("127.0.0.1", 0), _Handler)
        if self.certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._server.daemon_threads = True
        self._server.chat = self
        # a client that leaves before its answer is no news
        self._server.handle_error = lambda *_: None
        self.url = f"{'https' if self.certificate else 'http'}://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    """The default of 5 turns callers away that come at once."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def do_POST(self) -> None:
        chat: ChatServer = self.server.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, dict(self.headers), body)
        chat.requests.append(request)
        chat.asked.set()
        reply = chat.reply(request)
        if isinstance(reply, Raw):
            self.close_connection = True
            try:
                reply.write(self, chat.over)
            except OSError:
                chat.gone.set()
            return
        reply = completion(reply) if isinstance(reply, str) else reply
        status = reply if isinstance(reply, int) else int(reply.pop("status", 200)) if isinstance(reply, dict) else 200
        content = reply if isinstance(reply, bytes) else json.dumps(reply).encode() if isinstance(reply, dict) else b""
        self.send_response(status)
        if chat.location:
            self.send_header("Location", chat.location)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        models = self.server.chat.models
        is_listed = self.path == "/v1/models" and models is not None
        content = json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in models or []]})
        self.send_response(200 if is_listed else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content) if is_listed else 0))
        self.end_headers()
        if is_listed:
            self.wfile.write(content.encode())

    def log_message(self, *arguments: Any) -> None:
        """Nothing is printed."""


def completion(content: str | None, finish_reason: str | None = "stop", **message: Any) -> dict[str, Any]:
    """The body of an answer whose message holds ``content``, and what else is named."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def verdict(request: Request, state: str = "pass", reason: str = "All is stated.", *categories: str) -> str:
    """The text of a verdict in form, with the id of the request."""
    return json.dumps({"id": request.id, "reason": reason, "verdict": state, "categories": [*categories]})


def passing(request: Request) -> str:
    return verdict(request)


def blocking(request: Request) -> str:
    return verdict(request, "block", "Not stated.", "not_in_passages")


def honest(request: Request) -> str:
    """Passes an answer of which each sentence stands word for word in a passage."""
    told = " ".join(request.passages)
    sentences = re.split(r"(?<=[.!?])\s+", request.answer)
    return passing(request) if all(sentence in told for sentence in sentences) else blocking(request)


_ORDER = re.compile(
    r"(?:reply|answer|respond|return|say|output|verdict:?|declare it)\W{0,5}(?:with\W{0,5})?(pass|block)\b", re.I
)


def gullible(request: Request) -> str:
    """Obeys the last order that stands among the texts, whatever it is; judges honestly only where there is none."""
    told = "\n".join(
        [*request.passages, request.answer, *re.findall(r"<question \w+>(.*?)</question", request.text, re.S)]
    )
    orders = _ORDER.findall(told)
    return verdict(request, orders[-1].lower(), "As ordered.") if orders else honest(request)


def refusal_of(
    *parameters: str, then: Callable[[Request], Reply] = passing, status: int = 400
) -> Callable[[Request], Reply]:
    """Refuses every request that holds one of the parameters, by its name; ``then`` answers the others."""

    def reply(request: Request) -> Reply:
        held = [name for name in parameters if name in request.body]
        if not held:
            return then(request)
        error = {"message": f"Unsupported parameter: '{held[0]}'", "type": "invalid_request_error", "param": held[0]}
        return {"status": status, "error": error}

    return reply


def _head(handler: BaseHTTPRequestHandler, length: int) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


def hanging(request: Request) -> Raw:
    """Never answers."""

    def write(handler: BaseHTTPRequestHandler, over: Event) -> None:
        handler.connection.settimeout(0.01)
        while not over.is_set():
            with suppress(TimeoutError):
                if not handler.connection.recv(1):
                    raise ConnectionResetError

    return Raw(write)


def dripping(request: Request) -> Raw:
    """One byte after the other, each in time, without end."""

    def write(handler: BaseHTTPRequestHandler, over: Event) -> None:
        _head(handler, 10_000_000)
        while not over.wait(0.01):
            handler.wfile.write(b" ")

    return Raw(write)


def flooding(request: Request) -> Raw:
    """Bytes as fast as they go, without end."""

    def write(handler: BaseHTTPRequestHandler, over: Event) -> None:
        _head(handler, 1 << 40)
        while not over.is_set():
            handler.wfile.write(b" " * 65_536)

    return Raw(write)
