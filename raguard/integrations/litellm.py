"""How does LiteLLM show what the documents of a request support? A guardrail that its proxy and its client run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from raguard import Config, ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.litellm_values import (
    FILTERED,
    Chunk,
    cut,
    held,
    is_text,
    of_one_choice,
    offline,
    parted,
    unread,
)
from raguard.integrations.messages import TRUSTED_ROLES, asked, grounding
from raguard.integrations.missing import needs
from raguard.integrations.places import documents
from raguard.integrations.streamed_answer import StreamedAnswer
from raguard.integrations.telling import notify, told
from raguard.modes import tenant_named
from raguard.streaming import OnReview

with needs("litellm"), offline():
    from litellm.exceptions import GuardrailRaisedException
    from litellm.integrations.custom_guardrail import CustomGuardrail
    from litellm.types.guardrails import GuardrailEventHooks
    from litellm.types.utils import ModelResponse, ModelResponseStream

__all__ = ["RaguardGuardrail"]

OnUnchecked: TypeAlias = Literal["pass", "block"]

_METADATA = "raguard_documents"
"""Under which name the metadata of a request may hold its documents."""
_NO_COMPLETION = "it is no chat completion"
_NO_STRING = "the answer is no text"
_NO_TEXT = "the answer holds no text"


class RaguardGuardrail(CustomGuardrail):
    """Judges chat completions after the call, streamed ones while they come, by ``gate`` or one made of the rest.

    Documents are the blocks of type "grounding_source" in messages of ``roles``, or the list ``raguard_documents`` in
    the metadata of the request, or what ``find_documents`` gives of the request. ``tenant`` gives the id of the tenant
    from the key's ``UserAPIKeyAuth``. What is not a chat completion cannot be read: it passes, or
    GuardrailRaisedException is raised (``on_unchecked``; by default it passes only where the gate annotates). A blocked
    answer ends with "content_filter". Counts go into the log entry of the request, and each Gated to ``on_result``.
    Where nothing is enforced the response stays as it is. Raises ConfigError for what it cannot be built of.
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
            self._unchecked(data, modes.may_enforce, _NO_COMPLETION)
            return response
        query, docs = self._asked(data)
        for place, choice in enumerate(response.choices):
            answer, beside = choice.message.content, sorted(unread(choice.message))
            if not is_text(answer):
                self._unchecked(data, modes.may_enforce, _NO_STRING)
            elif not answer:
                self._without_text(data, beside)
            else:
                gated = await self.gate.ajudge(query, docs, answer, tenant_id=tenant_id)
                if gated.text != answer:
                    self._show(response, place, gated.text)
                await self._tell(data, gated, beside)
        return response

    def _show(self, response: ModelResponse, place: int, text: str) -> None:
        """Puts what may be shown into a choice."""
        if self.gate.on_review == "annotate":
            response.choices[place].message.content = text
        else:
            cut(response, place, text, is_blocked=self.gate.on_review == "block")

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
        beside: dict[int, set[str]] = {}
        others: dict[str, None] = {}
        async for chunk in response:
            yield chunk
            if (why := _unreadable(chunk)) is not None:
                others[why] = None
                continue
            for choice in chunk.choices:
                answers.setdefault(choice.index, []).append(choice.delta.content or "")
                beside.setdefault(choice.index, set()).update(unread(choice.delta))
        query, docs = self._asked(data)
        for index, parts in answers.items():
            if answer := "".join(parts):
                gated = await self.gate.ajudge(query, docs, answer, tenant_id=tenant_id)
                await self._tell(data, gated, sorted(beside[index]))
            else:
                self._without_text(data, sorted(beside[index]))
        for why in others:
            self._unchecked(data, False, why)

    async def _judged(self, response: Any, data: dict[str, Any], tenant_id: str) -> AsyncIterator[Any]:
        """Chunks whose text is judged; those that end a choice come when all of it is."""
        given = self._asked(data)
        answers: dict[int, _Answer] = {}
        last: list[Any] = []
        others: set[str] = set()
        async for chunk in response:
            if (why := _unreadable(chunk)) is not None:
                if why not in others:
                    self._unchecked(data, True, why)
                    others.add(why)
                yield chunk
                continue
            for one in of_one_choice(chunk):
                if not one.choices:
                    last.append(held(one)[0] if self._holds else one)
                    continue
                index = one.choices[0].index
                if index not in answers:
                    stream = StreamedAnswer[ModelResponseStream](self.gate, lambda data, is_end: given, tenant_id)
                    answers[index] = _Answer(stream)
                async for part in answers[index].passed(one, last, holds=self._holds):
                    yield part
        for answer in answers.values():
            for part in await answer.stream.finish():
                yield part
            for part in answer.calls if not answer.stream.is_blocked else ():
                yield part
            if answer.stream.has_text:
                await self._tell(data, answer.stream.gated(), sorted(answer.beside))
            else:
                self._without_text(data, sorted(answer.beside))
        for chunk in last:
            for choice in chunk.choices:
                if answers[choice.index].stream.is_blocked:
                    choice.finish_reason = FILTERED
            yield chunk

    @property
    def _holds(self) -> bool:
        """Whether text waits for its verdict, and what may say the same is left out."""
        return self.gate.on_review != "annotate"

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

    def _unchecked(self, data: dict[str, Any], may_enforce: bool, why: str) -> None:
        """Writes into the log entry that what cannot be read was not checked; raises where it may not pass."""
        is_refused = may_enforce and self.on_unchecked == "block"
        self._log(data, {"status": f"unchecked; {why}"}, is_refused)
        if is_refused:
            raise GuardrailRaisedException(guardrail_name=self.guardrail_name, message=self.gate.notice)

    def _without_text(self, data: dict[str, Any], beside: list[str]) -> None:
        """Writes into the log entry that an answer has no text to check, and what it has instead."""
        self._log(data, {"status": f"unchecked; {_NO_TEXT}", **_named(beside)}, False)

    def _log(self, data: dict[str, Any], told: dict[str, Any], is_changed: bool) -> None:
        self.add_standard_logging_guardrail_information_to_request_data(
            guardrail_json_response=told,
            request_data=data,
            guardrail_status="guardrail_intervened" if is_changed else "success",
            guardrail_provider="raguard",
            event_type=GuardrailEventHooks.post_call,
        )

    async def _tell(self, data: dict[str, Any], gated: Gated, beside: list[str]) -> None:
        """Writes status and counts into the log entry of the request, and tells the listener."""
        verdict = told(gated)
        counts = {key: verdict[key] for key in ("status", "action", "summary")}
        self._log(data, {**counts, **_named(beside)}, bool(gated.enforced))
        await notify(self.on_result, gated)


@dataclass(slots=True)
class _Answer:
    """One choice of a stream on its way."""

    stream: StreamedAnswer[ModelResponseStream]
    calls: list[ModelResponseStream] = field(default_factory=list)
    """Chunks with calls of tools, which wait for the verdict where the text does."""
    beside: set[str] = field(default_factory=set)
    """The names of what it holds beside its text."""

    async def passed(
        self, chunk: ModelResponseStream, last: list[Any], *, holds: bool
    ) -> AsyncIterator[ModelResponseStream]:
        """What of a chunk of this choice may go on; what ends the choice is added to ``last``."""
        self.beside.update(unread(chunk.choices[0].delta))
        if holds:
            chunk, calls = held(chunk)
            self.calls += [] if calls is None else [calls]
        before, end = parted(chunk)
        last += [] if end is None else [end]
        if before is not None:
            async for part in self.stream.take(Chunk(before, before.choices[0].delta.content or "")):
                yield part


def _unreadable(chunk: Any) -> str | None:
    """Why a chunk cannot be read, if so."""
    if not isinstance(chunk, ModelResponseStream):
        return _NO_COMPLETION
    return None if all(is_text(choice.delta.content) for choice in chunk.choices) else _NO_STRING


def _named(beside: list[str]) -> dict[str, Any]:
    return {"unread": beside} if beside else {}


def _in_metadata(data: dict[str, Any]) -> Any:
    """The documents that the caller put beside the request; the proxy keeps what callers send in a place of its own."""
    for name in ("metadata", "litellm_metadata"):
        metadata = data.get(name)
        for place in (metadata, metadata.get("requester_metadata")) if isinstance(metadata, dict) else ():
            if isinstance(place, dict) and place.get(_METADATA):
                return place[_METADATA]
    return None
