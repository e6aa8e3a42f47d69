"""How is a question answered? Documents are found or given, the model answers from them, and the answer is judged."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from starlette.responses import Response

from raguard.claims.chunking import CorpusChunk, whole_chunks
from raguard.documents import Document
from raguard.service.bodies import DocumentOrText, documents_of
from raguard.service.examples import QUERIED, responses
from raguard.service.gateway.asking import Asked
from raguard.service.gateway.chat import upstream_of
from raguard.service.gateway.judging import Judging
from raguard.service.gateway.pieces import fault_of, text_of
from raguard.service.gateway.upstream import Upstream, broken
from raguard.service.parts import Parts
from raguard.service.problems import Json, ProblemError
from raguard.service.routes import caller_of, ends_of, parts_of
from raguard.service.work import raised

__all__ = ["router"]

router = APIRouter()
_TOP_K = 5


class QueryBody(BaseModel):
    """A question, and the documents to answer from; without documents those of the store are searched."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(
        validation_alias=AliasChoices("query", "question"), min_length=1, examples=["When did the audit close?"]
    )
    documents: list[DocumentOrText] | None = Field(default=None, validation_alias=AliasChoices("documents", "docs"))
    generate: bool = Field(default=True, description="Whether the model answers; else documents are found alone.")
    model: str | None = None
    top_k: int | None = Field(default=None, ge=1, le=100, description="How many chunks are found, at most.")
    lang: str = "auto"
    tenant_id: str | None = Field(default=None, max_length=200)


@router.post("/v1/query", tags=["gateway"], summary="A question, answered and judged", responses=responses(QUERIED))
async def query(request: Request, body: QueryBody) -> Response:
    """The documents and the answer as it may be shown; ``answer`` is null where nothing was found to answer from."""
    parts, caller = parts_of(request), caller_of(request)
    chunks = await _chunks(parts, body)
    told: dict[str, Any] = {"documents": [_told(chunk, texts=caller.texts) for chunk in chunks], "answer": None}
    if body.generate and chunks:
        is_given = body.documents is not None
        docs = [Document(chunk.text, chunk.document_id if is_given else chunk.id) for chunk in chunks]
        judging = Judging(parts, caller, caller.tenant_of(body.tenant_id), Asked(body.query, [*docs], [], body.lang))
        answer, reason = await _written(upstream_of(parts), body, chunks)
        judged = await judging.judged(answer, judging.deadline(ends_of(request)))
        reason = "content_filter" if judged.is_removed else reason
        told["answer"] = {"text": judged.text, "finish_reason": reason, **judged.rag}
    return Json(told)


async def _chunks(parts: Parts, body: QueryBody) -> Sequence[CorpusChunk]:
    """The documents that are given, each as one chunk, or what the store holds on the question."""
    if body.documents is not None:
        return whole_chunks(documents_of(body.documents))
    if parts.retriever is None:
        raise ProblemError(
            501,
            "not_configured",
            "documents must be given: no store is configured in [service.store].",
            param="documents",
        )
    store = parts.config.store
    top_k = body.top_k or (store.top_k if store is not None else _TOP_K)
    try:
        found = await parts.work.run(parts.retriever.retrieve, body.query, top_k)
        return [each.chunk for each in found]
    except Exception as error:
        logging.getLogger("raguard").error("the retriever failed with %s", raised(error))
        raise ProblemError(500, "retriever_failed", f"The retriever failed ({raised(error)}).") from None


async def _written(upstream: Upstream, body: QueryBody, chunks: Sequence[CorpusChunk]) -> tuple[str, str | None]:
    """What the model answers, and why it ended."""
    from raguard.pipeline.openai_provider import answer_messages

    model = upstream.settings.model or body.model
    if model is None:
        raise ProblemError(422, "invalid_request", "model: the settings name none, so it must be given.", param="model")
    completion = await upstream.complete({"model": model, "messages": answer_messages(body.query, chunks)})
    choice = next(iter(completion["choices"]), None)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise broken("it wrote no answer")
    reason = choice.get("finish_reason")
    if fault := fault_of(message, reason):
        raise broken(f"it wrote {fault}")
    content = text_of(message.get("content"))
    if content is None or not content.strip():
        raise broken("it wrote no answer")
    return content, reason


def _told(chunk: CorpusChunk, *, texts: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"id": chunk.id, "document": chunk.document, "document_id": chunk.document_id}
    return {**told, "start": chunk.start, "end": chunk.end, **({"text": chunk.text} if texts else {})}
