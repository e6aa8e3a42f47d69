"""How does a LiteLLM proxy ask raguard over HTTP, with no Python of ours in it? By its generic guardrail API.

The proxy asks twice: before the call it sends the messages, in which the documents stand, and after it the answer, with
nothing but the id of the call. So the documents are remembered for a while.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Sequence
from threading import Lock
from typing import Any, Literal, TypeAlias

from raguard import ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.messages import TRUSTED_ROLES, asked, grounding, in_plain_blocks
from raguard.integrations.missing import needs
from raguard.integrations.places import documents
from raguard.integrations.telling import notify
from raguard.kinds import kind_of
from raguard.modes import tenant_named

with needs("fastapi"):
    from fastapi import APIRouter, Depends
    from pydantic import BaseModel, Field

__all__ = ["GuardrailAnswer", "GuardrailQuestion", "guardrail_router"]

Asked: TypeAlias = tuple[str, list[Any]]
Runner: TypeAlias = Callable[..., Awaitable[Any]]
_MOST_CHARS = 50_000_000
"""How many characters of documents are remembered at most."""


class GuardrailQuestion(BaseModel):
    """What the proxy asks; it may say more."""

    input_type: Literal["request", "response"]
    texts: list[str] | None = Field(None, description="the texts of the messages, or the answers")
    structured_messages: list[Any] | None = Field(None, description="the messages, before the call")
    litellm_call_id: str | None = Field(None, description="the same before and after the call")
    additional_provider_specific_params: dict[str, Any] | None = Field(
        None, description='settings of the guardrail in the proxy; "documents" may be a list of them'
    )


class GuardrailAnswer(BaseModel):
    """What the proxy is to do: nothing, use other texts or messages than those given, or stop."""

    action: Literal["NONE", "GUARDRAIL_INTERVENED", "BLOCKED"] = "NONE"
    blocked_reason: str | None = None
    texts: list[str] | None = None
    structured_messages: list[Any] | None = None


def guardrail_router(
    gate: Gate | Callable[[str], Gate],
    *,
    tenant: Callable[..., str | Awaitable[str]] | None = None,
    dependencies: Sequence[Any] = (),
    roles: Collection[str] = TRUSTED_ROLES,
    as_text: bool = True,
    remembered: int = 1_000,
    on_result: Callable[[Gated], object] | None = None,
    runner: Runner | None = None,
) -> APIRouter:
    """The route ``POST /beta/litellm_basic_guardrail_api``, to be included in an application.

    ``gate`` judges for all tenants, or is a function that returns the gate of a tenant, given its id. ``tenant`` is a
    dependency that provides this id; ``dependencies`` are further ones of the route, such as one that refuses unknown
    keys. Answers are judged in a worker thread, or by ``runner``, which is called like ``asyncio.to_thread``.

    Documents are the blocks of type "grounding_source" in messages of ``roles``, or the list ``documents`` in the
    guardrail's settings. With ``as_text`` the proxy is told to pass these blocks on as plain text, since most models
    know no other kind. The documents of the last ``remembered`` calls are kept, in this process. Raises ConfigError for
    a bad option.

    >>> [route.path for route in guardrail_router(Gate()).routes]
    ['/beta/litellm_basic_guardrail_api']
    """
    if not isinstance(gate, Gate) and (isinstance(gate, type) or not callable(gate)):
        raise ConfigError(f"gate must be a Gate, or a function that gives a tenant's, not {kind_of(gate)}")
    if isinstance(remembered, bool) or not isinstance(remembered, int) or remembered < 1:
        raise ConfigError(f"remembered must be a number of calls of at least 1, not {remembered!r}")
    calls = _Calls(remembered)
    router = APIRouter(dependencies=list(dependencies))

    @router.post("/beta/litellm_basic_guardrail_api", response_model_exclude_none=True)
    async def ask(
        question: GuardrailQuestion,
        tenant_id: str = Depends(tenant or _default_tenant),
    ) -> GuardrailAnswer:
        """Remembers the documents of a call, or judges its answers."""
        tenant_id = tenant_named(tenant_id)
        call = tenant_id, question.litellm_call_id or ""
        given = _given(question, roles)
        if question.input_type == "request":
            calls.keep(call, given)
            return _passed(question) if as_text else GuardrailAnswer()
        query, docs = given if given[1] else calls.of(call)
        own = gate if isinstance(gate, Gate) else gate(tenant_id)

        async def judge(answer: str) -> Gated:
            gated = await own.ajudge(query, docs, answer, tenant_id=tenant_id, runner=runner)
            await notify(on_result, gated)
            return gated

        return await _judged(question.texts or [], own, judge)

    return router


async def _judged(answers: list[str], gate: Gate, judge: Callable[[str], Awaitable[Gated]]) -> GuardrailAnswer:
    """What the proxy is to do with answers; after one that is blocked the others are not judged."""
    shown: list[str] = []
    for answer in answers:
        if not answer:
            shown.append(answer)
            continue
        gated = await judge(answer)
        if gated.enforced and gate.on_review == "block":
            return GuardrailAnswer(action="BLOCKED", blocked_reason=gate.notice)
        shown.append(gated.text)
    if shown == answers:
        return GuardrailAnswer()
    return GuardrailAnswer(action="GUARDRAIL_INTERVENED", texts=shown)


def _given(question: GuardrailQuestion, roles: Collection[str]) -> Asked:
    """Question and documents, as far as they are sent along."""
    messages, settings = question.structured_messages, question.additional_provider_specific_params or {}
    return asked(messages), [*grounding(messages, roles), *documents(settings.get("documents"))]


def _passed(question: GuardrailQuestion) -> GuardrailAnswer:
    """The messages with the blocks that only guardrails know as plain text."""
    messages = question.structured_messages or []
    plain = in_plain_blocks(messages)
    if plain == messages:
        return GuardrailAnswer()
    return GuardrailAnswer(action="GUARDRAIL_INTERVENED", texts=question.texts, structured_messages=plain)


async def _default_tenant() -> str:
    return "default"


class _Calls:
    """The questions and documents of the last calls; the oldest go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls: OrderedDict[tuple[str, str], tuple[Asked, int]] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def keep(self, call: tuple[str, str], given: Asked) -> None:
        query, docs = given
        size = len(query) + sum(len(str(getattr(doc, "text", doc))) for doc in docs)
        if not call[1] or not docs or size > _MOST_CHARS:
            return
        with self._lock:
            self._drop(call)
            self._calls[call] = given, size
            self._chars += size
            while len(self._calls) > self._most or self._chars > _MOST_CHARS:
                self._drop(next(iter(self._calls)))

    def of(self, call: tuple[str, str]) -> Asked:
        with self._lock:
            return self._calls[call][0] if call in self._calls else ("", [])

    def _drop(self, call: tuple[str, str]) -> None:
        _, size = self._calls.pop(call, (None, 0))
        self._chars -= size
