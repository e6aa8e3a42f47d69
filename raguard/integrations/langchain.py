"""How does LangChain show what its documents support? Runnables at the end of a chain, and a middleware of agents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from raguard import ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.langchain_values import calls_of, results, retrieved, said, text_of, without_reasoning
from raguard.integrations.missing import needs
from raguard.integrations.released_text import ReleasedText
from raguard.integrations.telling import notify, notify_now, told
from raguard.modes import tenant_named

with needs("langchain", "langchain", "langchain_core", "langgraph"):
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.runnables import Runnable, RunnableConfig, RunnableGenerator, RunnableLambda

__all__ = ["RaguardMiddleware", "gated_answer", "gated_text"]

After: TypeAlias = Literal["agent", "model"]
Given: TypeAlias = Mapping[str, Any]
TenantOf: TypeAlias = Callable[[RunnableConfig], str | None]
OnResult: TypeAlias = Callable[[Gated], object]


def gated_answer(
    gate: Gate,
    *,
    query: str = "question",
    docs: str = "context",
    answer: str = "answer",
    tenant: TenantOf | None = None,
    on_result: OnResult | None = None,
) -> Runnable[Given, Gated]:
    """A runnable that takes a mapping and returns the Gated of the answer in it.

    The mapping holds the question, the retriever's documents (or strings) and the answer, a string or a message, under
    the keys that ``query``, ``docs`` and ``answer`` name. ``tenant`` returns the id of the tenant, given the config of
    the run; ``on_result`` is called with each Gated. Raises ConfigError for a bad option; the runnable raises TypeError
    for any other input.

    >>> given = {"question": "When?", "context": ["It closed on 4 May 2024."], "answer": "It closed on 9 May 2024."}
    >>> gated = gated_answer(Gate(on_review="redact")).invoke(given)
    >>> gated.text, gated.verdict.action
    ('(unsupported text removed)', 'review')
    """
    keys = _Keys(gate, query, docs, answer)

    def judge(given: Given, config: RunnableConfig) -> Gated:
        gated = gate.judge(*keys.read(given), tenant_id=_tenant_id(tenant, config))
        notify_now(on_result, gated)
        return gated

    async def ajudge(given: Given, config: RunnableConfig) -> Gated:
        gated = await gate.ajudge(*keys.read(given), tenant_id=_tenant_id(tenant, config))
        await notify(on_result, gated)
        return gated

    return RunnableLambda(judge, afunc=ajudge, name="gated_answer")


def gated_text(
    gate: Gate,
    *,
    query: str = "question",
    docs: str = "context",
    answer: str = "answer",
    tenant: TenantOf | None = None,
    on_result: OnResult | None = None,
) -> Runnable[Given, str]:
    """A runnable that takes a mapping and returns the text to show; both can be streamed.

    The parameters are those of ``gated_answer``. A gate that redacts or blocks releases each sentence once it has been
    judged; one that annotates releases all text at once and appends a paragraph.

    >>> given = {"question": "When?", "context": ["It closed on 4 May 2024."], "answer": "It closed on 9 May 2024."}
    >>> gated_text(Gate(on_review="redact")).invoke(given)
    '(unsupported text removed)'
    """
    keys = _Keys(gate, query, docs, answer)

    def transform(chunks: Iterator[Given], config: RunnableConfig) -> Iterator[str]:
        coming = _Coming(keys, _tenant_id(tenant, config))
        yield from filter(None, (coming.take(chunk) for chunk in chunks))
        yield coming.finish()
        notify_now(on_result, coming.gated())

    async def atransform(chunks: AsyncIterator[Given], config: RunnableConfig) -> AsyncIterator[str]:
        coming = _Coming(keys, _tenant_id(tenant, config))
        async for chunk in chunks:
            if text := await asyncio.to_thread(coming.take, chunk):
                yield text
        yield await asyncio.to_thread(coming.finish)
        await notify(on_result, coming.gated())

    return RunnableGenerator(transform, atransform, name="gated_text")


class RaguardMiddleware(AgentMiddleware):
    """Judges what an agent says: its last answer (``after="agent"``), or every text of its model (``after="model"``).

    Documents are what its tools have returned since the user's last message, both text and documents in an artifact, or
    what ``find_documents`` returns for the state. Earlier turns are the history. A message that is changed keeps its
    id, and its ``response_metadata`` holds the verdict as "raguard". ``tenant`` returns the id of the tenant, given the
    context of the run. Raises ConfigError for a bad option.
    """

    def __init__(
        self,
        gate: Gate,
        *,
        after: After = "agent",
        find_documents: Callable[[Given], Sequence[Any]] | None = None,
        tenant: Callable[[Any], str | None] | None = None,
        on_result: OnResult | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(gate, Gate):
            raise ConfigError(f"gate must be a Gate, not {type(gate).__name__}")
        if after not in get_args(After):
            raise ConfigError(f"after must be one of {', '.join(get_args(After))}, not {after!r}")
        self.gate, self.after, self.find_documents = gate, after, find_documents
        self.tenant, self.on_result = tenant, on_result
        self.tools: list[Any] = []

    def after_model(self, state: Given, runtime: Any) -> dict[str, Any] | None:
        """Judges what the model has just said."""
        return self._judge(state, runtime) if self.after == "model" else None

    async def aafter_model(self, state: Given, runtime: Any) -> dict[str, Any] | None:
        """``after_model`` for an event loop."""
        return await self._ajudge(state, runtime) if self.after == "model" else None

    def after_agent(self, state: Given, runtime: Any) -> dict[str, Any] | None:
        """Judges the last answer."""
        return self._judge(state, runtime) if self.after == "agent" else None

    async def aafter_agent(self, state: Given, runtime: Any) -> dict[str, Any] | None:
        """``after_agent`` for an event loop."""
        return await self._ajudge(state, runtime) if self.after == "agent" else None

    def _judge(self, state: Given, runtime: Any) -> dict[str, Any] | None:
        turn = self._turn(state)
        if turn is None:
            return None
        gated = self.gate.judge(*turn.asked, tenant_id=self._tenant_id(runtime), history=turn.history)
        notify_now(self.on_result, gated)
        return _update(turn.message, gated, is_cut=self.gate.on_review != "annotate")

    async def _ajudge(self, state: Given, runtime: Any) -> dict[str, Any] | None:
        turn = self._turn(state)
        if turn is None:
            return None
        gated = await self.gate.ajudge(*turn.asked, tenant_id=self._tenant_id(runtime), history=turn.history)
        await notify(self.on_result, gated)
        return _update(turn.message, gated, is_cut=self.gate.on_review != "annotate")

    def _turn(self, state: Given) -> _Turn | None:
        turn = _Turn.read(state.get("messages") or [])
        if turn is not None and self.find_documents is not None:
            turn.docs = retrieved(self.find_documents(state))
        return turn

    def _tenant_id(self, runtime: Any) -> str:
        return tenant_named(None if self.tenant is None else self.tenant(getattr(runtime, "context", None)))


@dataclass(slots=True)
class _Turn:
    """The last turn of a conversation: what was asked, what tools gave, and what the model said in the end."""

    message: AIMessage
    query: str
    docs: list[Any]
    history: list[dict[str, str]]

    @classmethod
    def read(cls, messages: Sequence[Any]) -> _Turn | None:
        """None when the last message is none of the model, or has no text."""
        message = messages[-1] if messages else None
        if not isinstance(message, AIMessage) or not text_of(message):
            return None
        places = [place for place, each in enumerate(messages) if isinstance(each, HumanMessage)]
        start = places[-1] if places else 0
        query = text_of(messages[start]) if places else ""
        tools = [each for each in messages[start:] if isinstance(each, ToolMessage) and each.status != "error"]
        roles = {"human": "user", "ai": "assistant", "tool": "tool"}
        before = [each for each in messages[:start] if each.type in roles]
        history = [{"role": roles[each.type], "content": text_of(each)} for each in before]
        return cls(message, query, [doc for each in tools for doc in results(each)], history)

    @property
    def asked(self) -> tuple[str, list[Any], str]:
        """Question, documents and answer."""
        return self.query, self.docs, text_of(self.message)


class _Keys:
    """Where in a mapping question, documents and answer stand."""

    def __init__(self, gate: Gate, query: str, docs: str, answer: str) -> None:
        if not isinstance(gate, Gate):
            raise ConfigError(f"gate must be a Gate, not {type(gate).__name__}")
        for option, key in (("query", query), ("docs", docs), ("answer", answer)):
            if not isinstance(key, str):
                raise ConfigError(f"{option} must be the key under which it stands, not {key!r}")
        self.gate, self.query, self.docs, self.answer = gate, query, docs, answer

    def read(self, given: Given) -> tuple[str, list[Any], Any]:
        """Question, documents and answer; a missing question is none, missing documents the verdict tells."""
        self.refuse_other(given)
        if self.answer not in given:
            raise TypeError(f"the mapping has no answer under {self.answer!r}; name its key with answer=")
        answer = given[self.answer]
        return text_of(given.get(self.query)), retrieved(given.get(self.docs)), said(answer)

    def refuse_other(self, given: object) -> None:
        """Raises TypeError for what is not a mapping."""
        if not isinstance(given, Mapping):
            raise TypeError(f"question, documents and answer must come in a mapping, not {type(given).__name__}")


@dataclass(slots=True)
class _Coming:
    """A mapping that comes in pieces; the text of its answer is judged when its documents are known."""

    keys: _Keys
    tenant_id: str
    given: dict[str, Any] = field(default_factory=dict)
    early: list[Any] = field(default_factory=list)
    """Text that came before the documents."""
    text: ReleasedText | None = None

    def take(self, chunk: Given) -> str:
        """What may be shown, given the next piece."""
        self.keys.refuse_other(chunk)
        for key in (self.keys.query, self.keys.docs):
            if key in chunk:
                self.given[key] = self.given[key] + chunk[key] if key in self.given else chunk[key]
        shown = self._begin() if self.text is None and self.keys.docs in self.given else ""
        if self.keys.answer not in chunk:
            return shown
        piece = said(chunk[self.keys.answer])
        if self.text is None:
            self.early.append(piece)
            return piece if self._passes and isinstance(piece, str) else ""
        return shown + self.text.feed(piece)

    def finish(self) -> str:
        """What may be shown at the end."""
        shown = self._begin() if self.text is None else ""
        assert self.text is not None
        return shown + self.text.finish()

    def gated(self) -> Gated:
        """What became of the answer."""
        assert self.text is not None
        return self.text.gated()

    @property
    def _passes(self) -> bool:
        """Whether text is shown before it is judged."""
        gate = self.keys.gate
        return gate.on_review == "annotate" or not gate.modes(self.tenant_id).may_enforce

    def _begin(self) -> str:
        query, docs = text_of(self.given.get(self.keys.query)), retrieved(self.given.get(self.keys.docs))
        self.text = ReleasedText(self.keys.gate, query, docs, self.tenant_id)
        shown = "".join([self.text.feed(piece) for piece in self.early])
        return "" if self._passes else shown


def _update(message: AIMessage, gated: Gated, *, is_cut: bool) -> dict[str, Any] | None:
    """The message in another wording, for the state to put in its place; None for no change."""
    if not gated.enforced:
        return None
    content: Any = gated.text
    if isinstance(message.content, list):
        kept = [block for block in message.content if not (isinstance(block, str) or block.get("type") == "text")]
        content = [{"type": "text", "text": gated.text}, *(without_reasoning(kept) if is_cut else kept)]
    change = {"content": content, "response_metadata": {**message.response_metadata, "raguard": told(gated)}}
    if is_cut:
        change["response_metadata"].pop("logprobs", None)
        change["additional_kwargs"] = calls_of(message)
    return {"messages": [message.model_copy(update=change)]}


def _tenant_id(tenant: TenantOf | None, config: RunnableConfig) -> str:
    return tenant_named(None if tenant is None else tenant(config))
