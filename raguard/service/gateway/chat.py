"""How does a chat completion pass through? As OpenAI's API has it, with ``rag`` in the request and in the response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, nullcontext
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from raguard.service.bodies import DocumentOrText, documents_of
from raguard.service.examples import COMPLETION, responses
from raguard.service.gateway.asking import asked_of
from raguard.service.gateway.judging import UNREADABLE, Judged, Judging
from raguard.service.gateway.pieces import CALLS, fault_of, text_of, unread_of
from raguard.service.gateway.relay import Relay
from raguard.service.gateway.upstream import Upstream, broken, frame_of, strict_json
from raguard.service.parts import Parts
from raguard.service.problems import Json, ProblemError
from raguard.service.routes import caller_of, ends_of, parts_of
from raguard.telemetry import evaluating

__all__ = ["router", "upstream_of"]

router = APIRouter()


class RagBody(BaseModel):
    """What raguard needs to know of a chat; it is not sent on."""

    model_config = ConfigDict(extra="forbid")

    documents: list[DocumentOrText] | None = Field(default=None, description="The retrieved documents.")
    question: str | None = Field(default=None, description="The question, where it is not the user's last message.")
    lang: str = Field(default="auto", description='The language of the answer, or "auto".')
    tenant_id: str | None = Field(default=None, max_length=200)


class ChatBody(BaseModel):
    """A request of OpenAI's chat API; what is not named here is sent on as it is."""

    model_config = ConfigDict(extra="allow")

    messages: list[dict[str, Any]] = Field(
        min_length=1, examples=[[{"role": "user", "content": "When did the audit close?"}]]
    )
    model: str | None = None
    stream: bool | None = None
    rag: RagBody | None = Field(None, examples=[{"documents": ["The audit closed on 4 May 2024."]}])


def upstream_of(parts: Parts) -> Upstream:
    """The model behind the gateway; raises ProblemError 501 where there is none."""
    if parts.upstream is None:
        raise ProblemError(501, "not_configured", "No upstream is configured; add a table [service.upstream].")
    return parts.upstream


@router.post(
    "/v1/chat/completions", tags=["gateway"], summary="A model's answer, guarded", responses=responses(COMPLETION)
)
async def chat(request: Request, body: ChatBody) -> Response:
    """A completion of the upstream, as the modes of the tenant let it through; ``rag`` says what was found."""
    parts, caller = parts_of(request), caller_of(request)
    upstream = upstream_of(parts)
    rag = body.rag or RagBody()
    asked = asked_of(
        body.messages,
        parts.config.documents,
        docs=None if rag.documents is None else documents_of(rag.documents),
        question=rag.question,
        lang=rag.lang,
    )
    judging = Judging(parts, caller, caller.tenant_of(rag.tenant_id), asked)
    sent = await _sent(request)
    if upstream.settings.model is not None:
        sent["model"] = upstream.settings.model
    if body.stream:
        n = sent.get("n")
        return await _streamed(upstream, sent, judging, n if type(n) is int else 1)
    whole = await upstream.complete(sent)
    completion, status = await completed(whole, judging, judging.deadline(ends_of(request)))
    # in the shadow no header changes
    return Json(completion, headers={"raguard-status": status} if judging.modes.may_enforce else None)


@router.get("/v1/models", tags=["gateway"], summary="The models of the upstream")
async def models(request: Request) -> Response:
    """What the upstream says; many programs ask for it before they chat."""
    return Json(await upstream_of(parts_of(request)).models())


async def _sent(request: Request) -> dict[str, Any]:
    """The request as it is sent on; raises ProblemError 400 for a number that JSON cannot hold, which Python reads."""
    try:
        told = strict_json(await request.body())
    except ValueError:
        raise ProblemError(400, "invalid_json", "The body holds a number that JSON cannot hold.") from None
    return {key: value for key, value in told.items() if key != "rag"}


async def _streamed(upstream: Upstream, sent: dict[str, Any], judging: Judging, n: int) -> Response:
    """The chunks as they are let through; what goes wrong before the first is still an error of HTTP."""
    async with AsyncExitStack() as stack:
        chunks = await stack.enter_async_context(upstream.stream(sent))
        lines = Relay(judging, n).lines(chunks)
        return _Streamed(lines, stack.pop_all())


class _Streamed(StreamingResponse):
    """Server-sent events; what they come from is left when they end, and also when nobody has read one."""

    def __init__(self, lines: AsyncIterator[bytes], held: AsyncExitStack) -> None:
        super().__init__(lines, media_type="text/event-stream", headers={"Cache-Control": "no-cache"})
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._held:
            await super().__call__(scope, receive, send)


async def completed(completion: dict[str, Any], judging: Judging, until: float) -> tuple[dict[str, Any], str]:
    """A completion with its choices judged until a time of the loop, and the status of the one that needs most care."""
    id = completion.get("id")
    with evaluating(id) if isinstance(id, str) else nullcontext():
        judged = await _together(completion["choices"], judging, until)
    told = [rag for rag, _ in judged] or [_passed_over("it holds no choice", judging)]
    shown = frame_of(completion, "choices", "usage") if any(is_removed for _, is_removed in judged) else completion
    first = max(told, key=_care)
    rag = first if len(told) == 1 else {**first, "choices": told}
    return {**shown, "rag": rag}, first["status"]


async def _together(choices: list[Any], judging: Judging, until: float) -> list[tuple[dict[str, Any], bool]]:
    """What is told of each choice, and whether something was removed; the choices share their time.

    The error of one ends the judging of all.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_judged(choice, judging, until)) for choice in choices]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def _fault(choice: Any) -> str | None:
    """Why a choice cannot be read; None where it can."""
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return "a choice holds no message"
    fault = fault_of(message, choice.get("finish_reason"))
    return None if fault is None else f"a choice holds {fault}"


def _passed_over(fault: str, judging: Judging) -> dict[str, Any]:
    """What is told of something unreadable that passes, for nothing may change; raises ProblemError where it may."""
    if judging.modes.may_enforce:
        raise broken(fault)
    return judging.unread(UNREADABLE)


def _care(rag: dict[str, Any]) -> int:
    """How much care a choice needs: the verdict on all is no better than that on the worst."""
    guard = rag["guard"] or {"blocked_n": 0, "degraded": False}
    if rag["verify"]["action"] == "review" or guard["blocked_n"]:
        return 2
    return int(rag["status"].startswith("unchecked") or guard["degraded"])


async def _judged(choice: Any, judging: Judging, until: float) -> tuple[dict[str, Any], bool]:
    """Puts what may be shown into a choice; returns what is told of it, and whether something was removed."""
    if fault := _fault(choice):
        return _passed_over(fault, judging), False
    message = choice["message"]
    unread, content = unread_of(choice, "message"), text_of(message.get("content"))
    if not content:
        return _with_unread(judging.unread(), unread), False
    judged: Judged = await judging.judged(content, until)
    if judged.text != content:
        message["content"] = judged.text
    if judged.is_removed:
        # the words that are gone stand in these as well, or nobody has read them
        kept = frozenset() if judged.is_blocked else CALLS
        for key in (*unread, *CALLS):
            choice.pop(key, None)
            if key not in kept:
                message.pop(key, None)
        choice["logprobs"] = None
        if "tool_calls" not in message or judged.is_blocked:
            choice["finish_reason"] = "content_filter"
    return _with_unread(judged.rag, unread), judged.is_removed


def _with_unread(rag: dict[str, Any], unread: tuple[str, ...]) -> dict[str, Any]:
    """Names the parts of a message that nobody has judged."""
    return {**rag, "unread": [*unread]} if unread else rag
