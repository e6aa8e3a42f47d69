"""How does an application of FastAPI check its answers? Run: uvicorn --app-dir examples fastapi_route:app

Needs `pip install 'raguard-verify[fastapi]' uvicorn`.
Watch in the shadow first (RAGUARD_MODE=shadow): routes answer as before, and the log counts what would have changed.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from raguard import Config, Document
from raguard.gate import Gate, Gated
from raguard.integrations.asgi import CheckedRoute, RaguardMiddleware
from raguard.integrations.fastapi import CheckedAnswer, Checker, checked, checker
from raguard.modes import Modes

CHUNKS = [Document("Q2 project was delivered on June 15. Next milestone is Q4 planning.", id="status.md#1")]
LOG = logging.getLogger("uvicorn.error")

gate = Gate(config=Config(modes=Modes.read({"mode": os.environ.get("RAGUARD_MODE", "enforce")})), on_review="annotate")


def watch(gated: Gated) -> None:
    """Counts and no text."""
    summary = gated.verdict.summary
    LOG.info("raguard: %s, high %d, medium %d", gated.verdict.action, summary.high, summary.medium)


def model(query: str) -> str:
    """Stands for the language model of the application."""
    if "Q3" in query:
        return "The Q3 2024 deadline is September 30, 2024."
    return "The Q2 project was delivered on June 15."


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Loads the language model of raguard before the first answer."""
    gate.verifier.warm_up()
    yield


app = FastAPI(lifespan=lifespan)
# routes that know nothing of raguard are checked from outside
app.add_middleware(
    RaguardMiddleware, gate=gate, routes=[CheckedRoute(path="/stream", query="parameter:query", delta="/delta")]
)


@app.get("/ask")
@checked(gate, on_result=watch)
async def ask(query: str) -> tuple[str, list[Document]]:
    """The answer with its documents; the decorator checks it."""
    return model(query), CHUNKS


class Question(BaseModel):
    """A question and the turns before it."""

    query: str
    history: list[dict[str, str]] = []


@app.post("/chat")
async def chat(question: Question, check: Annotated[Checker, Depends(checker(gate, on_result=watch))]) -> CheckedAnswer:
    """The same by hand, where more is done with the answer."""
    return await check.ajudge(question.query, CHUNKS, model(question.query), history=question.history)


@app.get("/stream")
async def stream(query: str) -> StreamingResponse:
    """An answer that is written word by word, as server-sent events."""

    async def events() -> AsyncIterator[str]:
        parts: list[dict[str, Any]] = [{"documents": [{"text": chunk.text, "id": chunk.id} for chunk in CHUNKS]}]
        for data in [*parts, *({"delta": f"{word} "} for word in model(query).split())]:
            yield f"data: {json.dumps(data)}\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")
