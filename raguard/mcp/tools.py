"""What can an agent ask for? A verdict on an answer, on its claims, and an answer out of documents."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from raguard import ConfigError, Verifier, VerifyResult
from raguard.claims.context import Context
from raguard.claims.running import run
from raguard.gate import Gate, disclosed
from raguard.mcp.arguments import GuardArguments, GuardTold, QueryArguments, QueryTold, VerifyArguments, VerifyTold
from raguard.modes import NOT_CHECKED
from raguard.service.bodies import DocumentOrText, documents_of
from raguard.service.keys import Caller
from raguard.service.problems import ProblemError, invalid
from raguard.service.settings import ServiceConfig, as_service_config
from raguard.service.store import store_retriever
from raguard.service.telling import told_guard
from raguard.service.work import Work, raised
from raguard.telemetry import instrumented

__all__ = ["TOOLS", "Tools"]

TOOLS: Mapping[str, tuple[type[BaseModel], type[BaseModel], str]] = {
    "verify": (
        VerifyArguments,
        VerifyTold,
        "Checks an answer against the documents it should rest on: dates, numbers, names, quotes, claims. Each warning "
        'is a span of the answer that the documents do not carry; "review" means do not show it as it is.',
    ),
    "guard": (
        GuardArguments,
        GuardTold,
        "Judges every claim of an answer by passages: supported, not, or unchecked; with the answer to show.",
    ),
    "query": (
        QueryArguments,
        QueryTold,
        "Answers a question with sentences quoted from documents, with their sources, and checks the answer. "
        'Show it when the state is "pass".',
    ),
}
"""The tools by name: their arguments, their results, and what an agent reads of them."""


class Tools:
    """The tools behind a server, for one event loop; they judge in the ``threads`` of the config.

    ``config`` is a ServiceConfig, a Config, the path of a ``raguard.toml`` or None; ``query`` searches the documents of
    its ``store``. They are read, cut and indexed now. Raises ConfigError for what cannot be used, and where the extra
    ``mcp`` is missing.

    >>> import asyncio
    >>> case = {"docs": ["It closed on 4 May 2024."], "response": "On 9 May 2024."}
    >>> told = asyncio.run(Tools().call("verify", case))
    >>> told["action"], told["warnings"][0]["type"], "text" in told["warnings"][0]
    ('review', 'unsupported_date', False)
    """

    def __init__(self, config: Any = None, *, verifier: Verifier | None = None) -> None:
        from raguard.claims import EvidenceScorer, HallucinationGuard
        from raguard.screens import GuardrailSuite

        if not isinstance(verifier, Verifier | None):
            raise ConfigError(f"verifier must be a Verifier, not {type(verifier).__name__}")
        self.config: ServiceConfig = as_service_config(config)
        self.verifier = instrumented(verifier if verifier is not None else Verifier(self.config.config))
        self.work = Work(self.config.threads, self.config.max_requests)
        self._guard = instrumented(HallucinationGuard(EvidenceScorer(self.verifier), config=self.config.guard))
        self._screens = instrumented(GuardrailSuite())
        self._retriever = store_retriever(self.config.store)
        self._answers: Mapping[str, Callable[[Any, Caller], Awaitable[dict[str, Any]]]] = {
            "verify": self._verify_answer,
            "guard": self._guard_claims,
            "query": self._answer_question,
        }

    @property
    def names(self) -> tuple[str, ...]:
        """What can be called."""
        return tuple(TOOLS)

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller | None = None) -> dict[str, Any]:
        """The result of a tool, in the form of its schema; a call without a caller is told no texts.

        Raises ProblemError for wrong arguments and for failures; its message holds nothing of the arguments.
        """
        caller = Caller("", "default", False, False) if caller is None else caller
        if name not in TOOLS:
            raise ProblemError(404, "not_found", f"There is no such tool; there are {', '.join(TOOLS)}.")
        try:
            given: Any = TOOLS[name][0].model_validate(arguments)
        except ValidationError as error:
            raise invalid(error.errors()) from None
        try:
            async with asyncio.timeout(self.config.timeout_s):
                told = await self._answers[name](given, caller)
        except ProblemError:
            raise
        except TimeoutError:
            message = f"The tool took longer than {self.config.timeout_s:g} seconds."
            raise ProblemError(503, "timeout", message) from None
        except Exception as error:
            # never the message or the traceback: they may hold text
            logging.getLogger("raguard.mcp").error("the tool %s failed with %s", name, raised(error))
            raise ProblemError(500, "failed", f"The tool failed ({raised(error)}).") from None
        return told

    async def _verify_answer(self, given: VerifyArguments, caller: Caller) -> dict[str, Any]:
        result = await self.work.run(
            self.verifier.verify,
            given.query,
            documents_of(given.docs),
            given.response,
            lang=given.lang,
            history=given.history,
        )
        return _told(result, caller)

    async def _guard_claims(self, given: GuardArguments, caller: Caller) -> dict[str, Any]:
        context, evidence = Context(tenant_id=caller.tenant), documents_of(given.evidence)
        # in a thread with a loop of its own: the scorer never awaits
        result, shown = await self.work.run(
            lambda: run(self._guard.check(context, given.answer, evidence, given.question))
        )
        mode = self.config.modes(caller.tenant).mode
        answer = shown if mode == "enforce" else given.answer
        return {"answer": answer, "mode": mode, **told_guard(result, texts=caller.texts)}

    async def _answer_question(self, given: QueryArguments, caller: Caller) -> dict[str, Any]:
        retriever = self._retriever if given.docs is None else await self.work.run(self._index, given.docs)
        if retriever is None:
            raise ProblemError(422, "invalid_request", "docs: no documents are configured, so they must be given.")
        report = await self.work.run(self._answered, retriever, given, caller.tenant)
        gate, mode = self._gate(caller.tenant), self.config.modes(caller.tenant).mode
        answer, verdict = None, report.verdict
        if report.answer is not None:
            if not gate.modes(caller.tenant).checks(given.question, report.answer):
                verdict = self.verifier.skip(NOT_CHECKED)
            elif verdict is None:
                verdict = self.verifier.lost("the verifier failed or took too long.")
            answer = gate.settle(report.answer, verdict, caller.tenant).text
        sources = [
            {
                "number": number,
                "id": chunk.id,
                "doc": chunk.document,
                "doc_id": chunk.document_id,
                "start": chunk.start,
                "end": chunk.end,
                **({"text": chunk.text} if caller.texts else {}),
            }
            for number, chunk in enumerate(report.chunks, 1)
        ]
        return {
            "state": report.state,
            "reason": report.reason,
            "answer": answer,
            "mode": mode,
            "verdict": None if verdict is None else _told(verdict, caller),
            "sources": sources,
            "left_out": list(report.left_out),
            "errors": list(report.errors),
        }

    def _answered(self, retriever: Any, given: QueryArguments, tenant_id: str) -> Any:
        from raguard.pipeline import Raguard

        pipeline = Raguard(
            retriever,
            screens=self._screens,
            verifier=self.verifier,
            guard=self._guard,
            top_k=given.top_k,
            timeout_s=self.config.timeout_s,
            tenant_id=tenant_id,
        )
        return pipeline.run(given.question)

    def _index(self, docs: Sequence[DocumentOrText]) -> Any:
        """A retriever over documents that came with a question, within the config's limits."""
        from raguard.pipeline.retrieving import retriever_of

        limits = self.config.config
        texts = [document if isinstance(document, str) else document.text for document in docs]
        if len(texts) > limits.max_documents:
            raise ProblemError(413, "too_many", f"docs: at most {limits.max_documents:,} may come at once.")
        if any(len(text) > limits.max_document_chars for text in texts):
            most = f"{limits.max_document_chars:,} characters"
            raise ProblemError(413, "too_large", f"docs: one of them is longer than {most}.")
        if not any(text.strip() for text in texts):
            raise ProblemError(422, "invalid_request", "docs: they hold no text.")
        return retriever_of(documents_of(list(docs)), None, None, None, "vectors")

    def _gate(self, tenant_id: str) -> Gate:
        on_review, notice = self.config.shown_to(tenant_id)
        return instrumented(Gate(self.verifier, on_review=on_review, notice=notice))


def _told(result: VerifyResult, caller: Caller) -> dict[str, Any]:
    """A verdict for an agent: what is disclosed to anybody, with the words of the spans for who is told texts."""
    told = disclosed(result)
    if caller.texts:
        for entry, warning in zip(told["warnings"], result.warnings, strict=True):
            entry |= {"text": warning.text, "suggestion": warning.suggestion}
            if warning.evidence is not None:
                entry["evidence"]["text"] = warning.evidence.text
    return told
