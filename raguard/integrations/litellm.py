"""How does LiteLLM show what the documents of a request support? A guardrail that its proxy and its client run."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from raguard import Config, ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.messages import TRUSTED_ROLES, asked, grounding
from raguard.integrations.missing import needs
from raguard.integrations.places import NOWHERE, documents
from raguard.integrations.streamed_answer import StreamedAnswer
from raguard.integrations.telling import notify, told
from raguard.modes import tenant_named
from raguard.streaming import OnReview


@contextmanager
def _offline() -> Iterator[None]:
    """Lets LiteLLM take the price list that it brings; it would fetch one when it is imported."""
    name = "LITELLM_LOCAL_MODEL_COST_MAP"
    is_ours = name not in os.environ and "litellm" not in sys.modules
    if is_ours:
        os.environ[name] = "True"
    try:
        yield
    finally:
        if is_ours:
            del os.environ[name]


with needs("litellm"), _offline():
    from litellm.exceptions import GuardrailRaisedException
    from litellm.integrations.custom_guardrail import CustomGuardrail
    from litellm.types.guardrails import GuardrailEventHooks
    from litellm.types.utils import ModelResponse, ModelResponseStream

__all__ = ["RaguardGuardrail"]

OnUnchecked: TypeAlias = Literal["pass", "block"]

_METADATA = "raguard_documents"
"""Under which name the metadata of a request may hold its documents."""
_FILTERED = "content_filter"
"""Why an answer ended that is blocked."""


@dataclass(slots=True)
class _Chunk:
    """A chunk of a stream, of one choice at most."""

    raw: ModelResponseStream
    text: str
    data: Any = NOWHERE
    is_aside: bool = False

    @property
    def size(self) -> int:
        return len(self.text)

    def holding(self, text: str) -> ModelResponseStream | None:
        if text == self.text:
            return self.raw
        delta = self.raw.choices[0].delta
        if not text and not (delta.role or delta.tool_calls):
            return None
        chunk = self.raw.model_copy(deep=True)
        chunk.choices[0].delta.content = text
        return chunk


class RaguardGuardrail(CustomGuardrail):
    """Judges chat completions after the call, streamed ones while they come, by ``gate`` or one made of the rest.

    Documents are the blocks of type "grounding_source" in messages of ``roles``, or the list ``raguard_documents`` in
    the metadata of the request, or what ``find_documents`` gives of the request. ``tenant`` gives the id of the tenant
    from the key's ``UserAPIKeyAuth``. What is no chat completion cannot be read: it passes, or GuardrailRaisedException
    is raised (``on_unchecked``; by default it passes only where the gate annotates). A blocked answer ends with
    "content_filter". Counts go into the log entry of the request, and each Gated to ``on_result``. Where nothing is
    enforced the response stays as it is. Raises ConfigError for what it cannot be built of.
    """

    _HOOKS: ClassVar = ("async_post_call_success_hook", "async_post_call_streaming_iterator_hook")

    def __init__(
        self,
        guardrail_name: str = "raguard",
        *,
        gate: Gate | None = None,
        config_file: str | None = None,
        on_review: OnReview = "annotate",
        roles: Collection[str] = TRUSTED_ROLES,
        find_documents: Callable[[dict[str, Any]], Sequence[Any] | None] | None = None,
        tenant: Callable[[Any], str | None] | None = None,
        on_unchecked: OnUnchecked | None = None,
        on_result: Callable[[Gated], object] | None = None,
        event_hook: Any = GuardrailEventHooks.post_call,
        **options: Any,
    ) -> None:
        if gate is not None and not isinstance(gate, Gate):
            raise ConfigError(f"gate must be a Gate, not {type(gate).__name__}")
        if gate is not None and config_file is not None:
            raise ConfigError("config_file must be left out when gate is given; the gate has its config")
        if on_unchecked is not None and on_unchecked not in get_args(OnUnchecked):
            raise ConfigError(f"on_unchecked must be one of {', '.join(get_args(OnUnchecked))}, not {on_unchecked!r}")
        config = None if config_file is None else Config.from_toml(config_file)
        self.gate = gate or Gate(config=config, on_review=on_review)
        self.roles, self.find_documents, self.tenant, self.on_result = tuple(roles), find_documents, tenant, on_result
        self.on_unchecked = on_unchecked or ("pass" if self.gate.on_review == "annotate" else "block")
        super().__init__(
            guardrail_name=guardrail_name,
            supported_event_hooks=[GuardrailEventHooks.post_call],
            event_hook=event_hook,
            **options,
        )

    def __init_subclass__(cls, **options: Any) -> None:
        """Gives each subclass the hooks as its own, for LiteLLM looks for some of them in the class itself alone."""
        super().__init_subclass__(**options)
        for name in cls._HOOKS:
            if name not in cls.__dict__:
                setattr(cls, name, getattr(cls, name))

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """The response with what may be shown of its answers."""
        tenant_id = self._tenant_id(user_api_key_dict)
        modes = self.gate.modes(tenant_id)
        if modes.is_off:
            return response
        if not isinstance(response, ModelResponse):
            self._unchecked(data, modes.may_enforce)
            return response
        query, docs = self._asked(data)
        for choice in response.choices:
            answer = choice.message.content
            if not isinstance(answer, str) or not answer:
                continue
            gated = await self.gate.ajudge(query, docs, answer, tenant_id=tenant_id)
            if gated.text != answer:
                choice.message.content = gated.text
                if self.gate.on_review == "block":
                    choice.finish_reason = _FILTERED
            await self._tell(data, gated)
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """The chunks as they may be shown: each when its text is judged, or at once where the gate annotates."""
        tenant_id = self._tenant_id(user_api_key_dict)
        modes = self.gate.modes(tenant_id)
        if modes.is_off:
            async for chunk in response:
                yield chunk
            return
        way = self._judged if modes.may_enforce else self._watched
        async for chunk in way(response, request_data, tenant_id):
            yield chunk

    async def _watched(self, response: Any, data: dict[str, Any], tenant_id: str) -> AsyncIterator[Any]:
        """The shadow: every chunk at once, and the answers are judged when all are out."""
        answers: dict[int, list[str]] = {}
        is_other = False
        async for chunk in response:
            yield chunk
            if not isinstance(chunk, ModelResponseStream):
                is_other = True
                continue
            for choice in chunk.choices:
                answers.setdefault(choice.index, []).append(choice.delta.content or "")
        query, docs = self._asked(data)
        for parts in answers.values():
            if answer := "".join(parts):
                await self._tell(data, await self.gate.ajudge(query, docs, answer, tenant_id=tenant_id))
        if is_other:
            self._unchecked(data, False)

    async def _judged(self, response: Any, data: dict[str, Any], tenant_id: str) -> AsyncIterator[Any]:
        """Chunks whose text is judged; those that end a choice come when all of it is."""
        given = self._asked(data)
        answers: dict[int, StreamedAnswer[ModelResponseStream]] = {}
        last: list[Any] = []
        is_told = False
        async for chunk in response:
            if not isinstance(chunk, ModelResponseStream):
                if not is_told:
                    self._unchecked(data, True)
                    is_told = True
                yield chunk
                continue
            for one in _of_one_choice(chunk):
                if not one.choices:
                    last.append(one)
                    continue
                choice = one.choices[0]
                answer = answers.get(choice.index)
                if answer is None:
                    answer = answers[choice.index] = StreamedAnswer(self.gate, lambda data, is_end: given, tenant_id)
                before, end = _parted(one)
                last += [] if end is None else [end]
                if before is not None:
                    async for part in answer.take(_Chunk(before, before.choices[0].delta.content or "")):
                        yield part
        for answer in answers.values():
            for part in await answer.finish():
                yield part
            if answer.has_text:
                await self._tell(data, answer.gated())
        for chunk in last:
            for choice in chunk.choices:
                if answers[choice.index].is_blocked:
                    choice.finish_reason = _FILTERED
            yield chunk

    def _asked(self, data: dict[str, Any]) -> tuple[str, list[Any]]:
        """Question and documents of a request."""
        messages = data.get("messages")
        found = self.find_documents(data) if self.find_documents is not None else None
        for docs in (found, grounding(messages, self.roles), _in_metadata(data)):
            if docs:
                return asked(messages), documents(docs)
        return asked(messages), []

    def _tenant_id(self, user_api_key_dict: Any) -> str:
        return tenant_named(None if self.tenant is None else self.tenant(user_api_key_dict))

    def _unchecked(self, data: dict[str, Any], may_enforce: bool) -> None:
        """Writes into the log entry that what is no chat completion was not checked; raises where it may not pass."""
        is_refused = may_enforce and self.on_unchecked == "block"
        self._log(data, {"status": "unchecked; it is no chat completion"}, is_refused)
        if is_refused:
            raise GuardrailRaisedException(guardrail_name=self.guardrail_name, message=self.gate.notice)

    def _log(self, data: dict[str, Any], told: dict[str, Any], is_changed: bool) -> None:
        self.add_standard_logging_guardrail_information_to_request_data(
            guardrail_json_response=told,
            request_data=data,
            guardrail_status="guardrail_intervened" if is_changed else "success",
            guardrail_provider="raguard",
            event_type=GuardrailEventHooks.post_call,
        )

    async def _tell(self, data: dict[str, Any], gated: Gated) -> None:
        """Writes status and counts into the log entry of the request, and tells the listener."""
        verdict = told(gated)
        self._log(data, {key: verdict[key] for key in ("status", "action", "summary")}, bool(gated.enforced))
        await notify(self.on_result, gated)


def _of_one_choice(chunk: ModelResponseStream) -> list[ModelResponseStream]:
    if len(chunk.choices) < 2:
        return [chunk]
    return [chunk.model_copy(update={"choices": [choice]}) for choice in chunk.choices]


def _parted(chunk: ModelResponseStream) -> tuple[ModelResponseStream | None, ModelResponseStream | None]:
    """A chunk of one choice, as what comes before the end of the choice, and that end."""
    choice = chunk.choices[0]
    if choice.finish_reason is None:
        return chunk, None
    if not choice.delta.content:
        return None, chunk
    before, end = chunk.model_copy(deep=True), chunk.model_copy(deep=True)
    before.choices[0].finish_reason = None
    end.choices[0].delta.content = None
    return before, end


def _in_metadata(data: dict[str, Any]) -> Any:
    """The documents that the caller put beside the request; the proxy keeps what callers send in a place of its own."""
    for name in ("metadata", "litellm_metadata"):
        metadata = data.get(name)
        for place in (metadata, metadata.get("requester_metadata")) if isinstance(metadata, dict) else ():
            if isinstance(place, dict) and place.get(_METADATA):
                return place[_METADATA]
    return None
