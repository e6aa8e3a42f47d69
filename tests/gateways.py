"""What do the tests of the gateway share? One before a scripted model, with the official client of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import openai
from chat_server import ChatServer, Raw, Reply, Request, completion
from served import served

from raguard import Config
from raguard.service import ServiceConfig, build_app

__all__ = [
    "ASKED",
    "BAD",
    "CALL",
    "DOCS",
    "ENFORCE",
    "GOOD",
    "OFF",
    "RAG",
    "SHADOW",
    "UNREADABLE",
    "Gateway",
    "chunks_of",
    "delta",
    "gateway",
    "last",
    "pieces",
    "says",
    "sse",
    "text_of",
]

DOCS = ["The audit closed on 4 May 2024. It was cold."]
GOOD, BAD = "The audit closed on 4 May 2024.", "The audit closed on 9 May 2024."
ASKED = [{"role": "user", "content": "When did the audit close?"}]
RAG = {"rag": {"documents": DOCS}}
OFF, SHADOW, ENFORCE = (Config(modes={"mode": mode}) for mode in ("off", "shadow", "enforce"))
CALL = {"id": "call-1", "type": "function", "function": {"name": "search", "arguments": '{"q": "audit"}'}}
UNREADABLE = "unchecked; the answer, or a part of it, cannot be read"


def pieces(text: str) -> list[str]:
    """A token a word."""
    words = text.split(" ")
    return [word if place == 0 else f" {word}" for place, word in enumerate(words)]


def delta(reason: str | None = None, index: int = 0, **given: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": given, "finish_reason": reason}
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}


def chunks_of(text: str, index: int = 0, reason: str | None = "stop") -> list[dict[str, Any]]:
    told = [delta(None, index, role="assistant", content="")]
    told += [delta(None, index, content=piece) for piece in pieces(text)]
    return told if reason is None else [*told, delta(reason, index)]


def sse(*events: Any, done: bool = True, kind: str = "text/event-stream", wait: Event | None = None) -> Raw:
    """A stream of chunks (or of bytes as they are); with ``wait`` the rest follows when that is set."""

    def write(handler: Any, over: Event) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.end_headers()
        for place, event in enumerate(events):
            if wait is not None and place == len(events) - 1:
                wait.wait(30)
            line = event if isinstance(event, bytes) else f"data: {json.dumps(event)}\n\n".encode()
            handler.wfile.write(line)
            handler.wfile.flush()
        if done:
            handler.wfile.write(b"data: [DONE]\n\n")

    return Raw(write)


class Gateway:
    """A gateway before a scripted model, and the official client of it."""

    def __init__(self, url: str, upstream: ChatServer, app: Any) -> None:
        self.url, self.upstream, self.app = url, upstream, app
        self.client = openai.OpenAI(base_url=f"{url}/v1", api_key="sk-acme", max_retries=0)
        self.create: Any = self.client.chat.completions.create

    def ask(self, rag: Any = RAG, **options: Any) -> Any:
        return self.create(model="m", messages=options.pop("messages", ASKED), extra_body=rag, **options)

    def stream(self, rag: Any = RAG, **options: Any) -> list[Any]:
        with self.ask(rag, stream=True, **options) as chunks:
            return list(chunks)


@contextmanager
def gateway(
    reply: Callable[[Request], Reply], config: Config = ENFORCE, guard: Any = None, **service: Any
) -> Iterator[Gateway]:
    upstream_settings = service.pop("upstream", {})
    with ChatServer(reply) as upstream:
        settings_ = {"url": upstream.url, "timeout_s": 20, **upstream_settings}
        app = build_app(
            ServiceConfig(warm_up=False, config=config, upstream=settings_, **service), hallucination_guard=guard
        )
        with served(app) as url:
            made = Gateway(url, upstream, app)
            with made.client:
                yield made


def says(text: str, reason: str = "stop", **message: Any) -> Callable[[Request], Reply]:
    """A model that says the same whatever it is asked, whole or streamed."""

    def reply(request: Request) -> Reply:
        return (
            sse(*chunks_of(text, reason=reason)) if request.body.get("stream") else completion(text, reason, **message)
        )

    return reply


def text_of(chunks: list[Any]) -> str:
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


def last(chunks: list[Any]) -> Any:
    return next(chunk for chunk in reversed(chunks) if chunk.choices and chunk.choices[0].finish_reason)
