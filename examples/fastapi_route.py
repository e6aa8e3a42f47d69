"""How does a route keep an unchecked answer from its users? Run: uvicorn --app-dir examples fastapi_route:app"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from raguard import Document, Verifier
from raguard.hook import guarded

app = FastAPI()

CHUNKS = [Document("Q2 project was delivered on June 15. Next milestone is Q4 planning.", id="status.md#1")]


async def answer(query: str) -> tuple[str, list[Document]]:
    """Stands for the retriever and the language model of the application."""
    if "Q3" in query:
        return "The Q3 2024 deadline is September 30, 2024.", CHUNKS
    return "The Q2 project was delivered on June 15.", CHUNKS


verifier = Verifier()
verifier.warm_up()

checked = guarded(answer, on_review="annotate", verifier=verifier)


@app.get("/ask")
async def ask(query: str) -> dict[str, Any]:
    """The answer to show, and why it needs review where it does."""
    result = await checked(query)
    return {
        "answer": result.answer,
        "action": result.verdict.action,
        "warnings": [warning.suggestion for warning in result.verdict.warnings],
    }
