"""How does LlamaIndex show what its nodes support? A query engine around another, and an evaluator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from raguard import ConfigError, Document, Verifier, VerifyResult
from raguard.gate import Gate, Gated
from raguard.integrations.missing import needs
from raguard.integrations.released_text import ReleasedText
from raguard.integrations.telling import notify, notify_now, told
from raguard.modes import tenant_named

with needs("llamaindex", "llama_index"):
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.response.schema import (
        AsyncStreamingResponse,
        PydanticResponse,
        Response,
        StreamingResponse,
    )
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

__all__ = ["RaguardEvaluator", "RaguardQueryEngine"]


class RaguardQueryEngine(BaseQueryEngine):
    """A query engine that shows the answers of another one as far as ``gate`` allows; source nodes are the documents.

    Responses keep their type and source nodes; a response that is changed has the verdict as "raguard" in its metadata.
    A streaming response releases each sentence once it has been judged, or everything at once where the gate annotates.
    A structured response that needs review becomes a plain one with the notice. Documents are read as the model saw
    them, with the metadata that the nodes show to models. Raises ConfigError for a bad argument, and TypeError for a
    tenant's id that is not a string.
    """

    def __init__(
        self,
        query_engine: BaseQueryEngine,
        gate: Gate,
        *,
        tenant_id: str = "default",
        on_result: Callable[[Gated], object] | None = None,
    ) -> None:
        if not isinstance(query_engine, BaseQueryEngine):
            raise ConfigError(f"query_engine must be a query engine, not {type(query_engine).__name__}")
        if not isinstance(gate, Gate):
            raise ConfigError(f"gate must be a Gate, not {type(gate).__name__}")
        self._query_engine, self._gate = query_engine, gate
        self._tenant_id, self._on_result = tenant_named(tenant_id), on_result
        super().__init__(query_engine.callback_manager)

    def retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """The nodes that the engine finds."""
        nodes: list[NodeWithScore] = self._query_engine.retrieve(query_bundle)
        return nodes

    def synthesize(self, query_bundle: QueryBundle, nodes: Sequence[NodeWithScore], *args: Any, **options: Any) -> Any:
        """An answer from these nodes, as it may be shown."""
        return self._shown(query_bundle, self._query_engine.synthesize(query_bundle, nodes, *args, **options))

    async def asynthesize(
        self, query_bundle: QueryBundle, nodes: Sequence[NodeWithScore], *args: Any, **options: Any
    ) -> Any:
        """``synthesize`` for an event loop."""
        response = await self._query_engine.asynthesize(query_bundle, nodes, *args, **options)
        return await self._ashown(query_bundle, response)

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {"query_engine": self._query_engine}

    def _query(self, query_bundle: QueryBundle) -> Any:
        return self._shown(query_bundle, self._query_engine.query(query_bundle))

    async def _aquery(self, query_bundle: QueryBundle) -> Any:
        return await self._ashown(query_bundle, await self._query_engine.aquery(query_bundle))

    def _shown(self, query: QueryBundle, response: Any) -> Any:
        if isinstance(response, StreamingResponse):
            return replace(response, response_gen=self._released(self._text(query, response), response.response_gen))
        answer = _answer(response)
        if answer is None:
            return response
        docs = _documents(response.source_nodes)
        gated = self._gate.judge(query.query_str, docs, answer, tenant_id=self._tenant_id)
        notify_now(self._on_result, gated)
        return _updated(response, gated)

    async def _ashown(self, query: QueryBundle, response: Any) -> Any:
        if isinstance(response, AsyncStreamingResponse):
            text = self._text(query, response)
            return replace(response, response_gen=self._areleased(text, response.response_gen))
        if isinstance(response, StreamingResponse):
            return self._shown(query, response)
        answer = _answer(response)
        if answer is None:
            return response
        docs = _documents(response.source_nodes)
        gated = await self._gate.ajudge(query.query_str, docs, answer, tenant_id=self._tenant_id)
        await notify(self._on_result, gated)
        return _updated(response, gated)

    def _text(self, query: QueryBundle, response: Any) -> ReleasedText:
        return ReleasedText(self._gate, query.query_str, _documents(response.source_nodes), self._tenant_id)

    def _released(self, text: ReleasedText, tokens: Iterator[str]) -> Iterator[str]:
        yield from filter(None, (text.feed(token) for token in tokens))
        yield text.finish()
        notify_now(self._on_result, text.gated())

    async def _areleased(self, text: ReleasedText, tokens: AsyncIterator[str]) -> AsyncIterator[str]:
        async for token in tokens:
            if shown := await asyncio.to_thread(text.feed, token):
                yield shown
        yield await asyncio.to_thread(text.finish)
        await notify(self._on_result, text.gated())


class RaguardEvaluator(BaseEvaluator):
    """Evaluates whether contexts support a response: passing with the score 1, or not with 0.

    ``feedback`` holds the texts of the warnings. If nothing could be checked, the result is invalid, with the reason.

    >>> told = RaguardEvaluator().evaluate("When?", "It closed on 9 May 2024.", ["It closed on 4 May 2024."])
    >>> told.passing, told.score
    (False, 0.0)
    """

    def __init__(self, verifier: Verifier | None = None) -> None:
        if not isinstance(verifier, Verifier | None):
            raise ConfigError(f"verifier must be a Verifier, not {type(verifier).__name__}")
        self._verifier = verifier or Verifier()

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """The evaluation of one response; other arguments are ignored."""
        verdict = self._verifier.verify(query or "", list(contexts or ()), response)  # type: ignore[arg-type]
        return _evaluation(query, response, contexts, verdict)

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """``evaluate`` for an event loop."""
        verdict = await self._verifier.averify(query or "", list(contexts or ()), response)  # type: ignore[arg-type]
        return _evaluation(query, response, contexts, verdict)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts_dict: dict[str, Any]) -> None:
        """There are no prompts."""


def _evaluation(
    query: str | None, response: str | None, contexts: Sequence[str] | None, verdict: VerifyResult
) -> EvaluationResult:
    gaps = [gap.why for gap in verdict.unchecked if gap.what == "everything"]
    passing = verdict.action == "proceed"
    return EvaluationResult(
        query=query,
        response=response,
        contexts=contexts,
        passing=None if gaps else passing,
        score=None if gaps else float(passing),
        feedback="\n".join(warning.suggestion for warning in verdict.warnings),
        invalid_result=bool(gaps),
        invalid_reason=gaps[0] if gaps else None,
    )


def _answer(response: Any) -> str | None:
    """The text to judge: of a structured response its JSON; None where there is none."""
    if isinstance(response, PydanticResponse):
        return None if response.response is None else str(response.response.model_dump_json())
    return response.response if isinstance(response, Response) else None


def _updated(response: Any, gated: Gated) -> Any:
    """The response in another wording; the same where nothing was changed."""
    if not gated.enforced:
        return response
    metadata = {**(response.metadata or {}), "raguard": told(gated)}
    return Response(gated.text, response.source_nodes, metadata)


def _documents(nodes: Sequence[NodeWithScore]) -> list[Document]:
    """What models see of the nodes."""
    return [
        Document(each.node.get_content(metadata_mode=MetadataMode.LLM), each.node.node_id, each.node.metadata)
        for each in nodes
    ]
