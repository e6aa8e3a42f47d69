"""What happens to a question? The whole flow: screen, retrieve, screen the chunks, rerank, generate, check, score."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from raguard import ConfigError, Document, Verifier
from raguard.claims.chunking import CorpusChunk
from raguard.claims.guard import HallucinationGuard
from raguard.claims.retrieval import ChunkFinder
from raguard.claims.running import run
from raguard.metrics.built_in import METRICS
from raguard.metrics.metric import Metric
from raguard.metrics.scoring import score
from raguard.metrics.slices import EvalSlice, checked_ids
from raguard.pipeline.embedding import Embedder
from raguard.pipeline.outside import Outside
from raguard.pipeline.parts import PartOptions, Parts, Rerank, keep, read_answer, read_chunks, read_found
from raguard.pipeline.providers import LLMProvider
from raguard.pipeline.retrieving import Retrieval, retriever_of
from raguard.pipeline.run_report import RunReport
from raguard.pipeline.screening import Screened, Screens, read_report, read_reports
from raguard.pipeline.stages import Stages
from raguard.pipeline.stores import VectorStore
from raguard.rails.adapters import decision_of_guard
from raguard.rails.decision import Decision
from raguard.rails.rails import Rails
from raguard.rails.settling import RailsDecision, settled

__all__ = ["Raguard"]

_RETRIEVAL_METRICS = tuple(metric for metric in METRICS if metric.name.startswith("retrieval_"))
"""What is defined without an answer."""


class Raguard:
    """A RAG application for experiments and evaluation: each question gets an answer, verdicts and scores.

    ``retriever`` finds the chunks, as ``raguard.claims.Retriever`` does; ``from_documents`` builds one. All other parts
    have defaults that run on this machine:

    - ``provider``: an ``LLMProvider``, or a function of question and chunks; by default an ``ExtractiveProvider``.
    - ``screens``: looks at the question and at the retrieved chunks; by default a ``raguard.screens.GuardrailSuite``.
    - ``rerank``: a function of question and chunks that returns these chunks, or some of them, in another order. It
      sees ``candidates`` chunks (by default four times ``top_k``), and the provider gets the first ``top_k`` of them.
    - ``verifier``, ``guard``: by default a ``Verifier``, and a ``HallucinationGuard`` that reads with it.
    - ``rails``: further rails, such as a ``GroundingJudge``, which are asked about an answer that these two let pass.
    - ``extra_metrics``: scored after those of ``raguard.metrics``.

    Each part has ``timeout_s`` for one call. Provider, rerank and rails may be async. Any number of threads and event
    loops can share one pipeline if its parts can be shared. A part of the wrong kind raises ConfigError.

    >>> pipeline = Raguard.from_documents(["The fee is $5 a month. Pets are welcome.", "The office is in Leeds."])
    >>> report = pipeline.run("What is the monthly fee?", gold_chunk_ids=["doc-0::chunk-0::e4b17200"])
    >>> report.answer, report.scores["retrieval_recall"]
    ('The fee is $5 a month [1].', 1.0)
    """

    def __init__(
        self,
        retriever: ChunkFinder,
        *,
        provider: LLMProvider | Callable[[str, Sequence[CorpusChunk]], str | Awaitable[str]] | None = None,
        screens: Screens | None = None,
        rerank: Rerank | None = None,
        verifier: Verifier | None = None,
        guard: HallucinationGuard | None = None,
        rails: Rails | Sequence[Any] = (),
        extra_metrics: Sequence[Metric] = (),
        top_k: int = 5,
        candidates: int | None = None,
        timeout_s: float = 30.0,
        tenant_id: str = "default",
    ) -> None:
        self._parts = Parts.checked(
            retriever=retriever,
            provider=provider,
            screens=screens,
            rerank=rerank,
            verifier=verifier,
            guard=guard,
            rails=rails,
            extra_metrics=extra_metrics,
            top_k=top_k,
            candidates=candidates,
            timeout_s=timeout_s,
            tenant_id=tenant_id,
        )
        self._outside = Outside(self._parts.timeout_s)

    @classmethod
    def from_documents(
        cls,
        docs: Sequence[str | Document],
        *,
        chunker: Any = None,
        embedder: Embedder | None = None,
        store: VectorStore | None = None,
        retrieval: Retrieval = "vectors",
        **parts: Unpack[PartOptions],
    ) -> Raguard:
        """A pipeline over documents, which are cut, embedded and stored now; ``parts`` are those of the class.

        ``retrieval`` is "vectors" (of the ``embedder``, by default a HashingEmbedder, kept in the ``store``, by default
        a MemoryStore), "words" (BM25), or "hybrid", which ranks both as one; the latter two need the extra
        ``retrieval``. ``chunker`` is anything with ``chunk(documents)``, by default ``Chunker()``. Raises ConfigError
        for what cannot be used, EncoderError for an embedder that fails, and whatever a store raises.

        >>> Raguard.from_documents("The fee is $5.")
        Traceback (most recent call last):
        raguard.errors.ConfigError: documents must be a list of strings or Documents, not str; put the one text into \
a list
        """
        return cls(retriever_of(docs, chunker, embedder, store, retrieval), **parts)

    def run(self, question: str, gold_chunk_ids: Sequence[str] | None = None) -> RunReport:
        """The report on one question; ``gold_chunk_ids`` name the chunks that should be found, for the metrics.

        Never raises for what a part does: when a part fails, hangs or returns nonsense, the report says so in
        ``errors``. A question that the screens block, or that could not be screened, is neither searched nor answered;
        likewise, such a chunk is not passed on. Raises ConfigError for arguments of the wrong kind. Called within a
        running event loop, it waits for a thread with its own loop; use ``arun`` there.
        """
        return run(self.arun(question, gold_chunk_ids))

    async def arun(self, question: str, gold_chunk_ids: Sequence[str] | None = None) -> RunReport:
        """``run`` for an event loop; being cancelled and KeyboardInterrupt propagate to the caller."""
        gold = _checked(question, gold_chunk_ids)
        stages = Stages(self._outside)
        report = await self._screened(RunReport(question=question), stages)
        if report.screens.question is not None and not report.blocked:
            report = await self._retrieved(report, stages)
            report = await self._answered(report, stages)
            # a search that broke off says nothing of how good the search is
            if not stages.failed("retrieve"):
                report = await self._judged(report, gold, stages)
        return replace(report, errors=tuple(stages.errors), timings=stages.times())

    async def _screened(self, report: RunReport, stages: Stages) -> RunReport:
        """What the screens say of the question."""
        asked = await stages.ask("screen", "the screens", read_report, self._parts.screens.check, report.question)
        return replace(report, screens=Screened(asked), blocked=asked is not None and asked.blocked)

    async def _retrieved(self, report: RunReport, stages: Stages) -> RunReport:
        """The chunks for the provider: found, without those that the screens block, in the reranker's order."""
        parts = self._parts
        found = await stages.ask(
            "retrieve",
            "the retriever",
            partial(read_found, most=parts.candidates),
            parts.retriever.retrieve,
            report.question,
            parts.candidates,
        )
        report = replace(report, found=found or ())
        if not found:
            return report
        texts = [each.chunk.text for each in found]
        reports = await stages.ask(
            "screen_chunks",
            "the screens",
            partial(read_reports, count=len(texts)),
            parts.screens.check_documents,
            texts,
        )
        # without a report on them none may be handed on
        clean = [False] * len(found) if reports is None else [not one.blocked for one in reports]
        kept = tuple(each.chunk for each, is_clean in zip(found, clean, strict=True) if is_clean)
        report = replace(
            report,
            screens=replace(report.screens, chunks=reports),
            left_out=tuple(each.chunk.id for each, is_clean in zip(found, clean, strict=True) if not is_clean),
        )
        if parts.rerank is not None and kept:
            chosen = await stages.ask(
                "rerank", "the reranker", partial(read_chunks, given=kept), parts.rerank, report.question, kept
            )
            kept = kept if chosen is None else chosen
        return replace(report, chunks=kept[: parts.top_k])

    async def _answered(self, report: RunReport, stages: Stages) -> RunReport:
        """What the provider makes of the chunks; without any it is not asked."""
        if not report.chunks:
            stages.errors.append("the provider was not asked: there is no chunk to answer from")
            return report
        answer = await stages.ask(
            "generate", "the provider", read_answer, self._parts.generate, report.question, report.chunks
        )
        return replace(report, answer=answer, shown=answer)

    async def _judged(self, report: RunReport, gold: Sequence[str] | None, stages: Stages) -> RunReport:
        """What verifier, claim guard, further rails and metrics say of the answer."""
        parts, question = self._parts, report.question
        slice = EvalSlice(
            question=question,
            answer=report.answer or "",
            chunks=report.chunks,
            gold_chunk_ids=gold,
            verifier=parts.verifier,
        )
        metrics = partial(score, metrics=_RETRIEVAL_METRICS)
        if report.answer is not None:
            metrics = partial(score, extra_metrics=parts.extra_metrics)
            verdict = await stages.ask(
                "verify", "the verifier", keep, parts.verifier.verify, question, slice.documents, report.answer
            )
            guarded = await stages.ask(
                "claims",
                "the claim guard",
                keep,
                parts.guard.check,
                parts.context,
                report.answer,
                slice.documents,
                question,
            )
            slice = replace(slice, verdict=verdict)
            result, shown = (None, None) if guarded is None else guarded
            report = replace(report, verdict=verdict, claims=result, shown=shown)
            report = replace(report, decision=await self._decided(report, slice.documents, stages))
        scores = await stages.ask("metrics", "the metrics", keep, metrics, slice)
        if scores is None and report.answer is not None and parts.extra_metrics:
            # one that hangs takes none but the other extra metrics with it
            scores = await stages.ask("metrics", "the metrics", keep, score, slice)
        return replace(report, metrics=scores or ())

    async def _decided(self, report: RunReport, docs: Sequence[str | Document], stages: Stages) -> RailsDecision:
        """The decision of all rails; the dearer ones are asked where verifier and guard have not blocked."""
        parts, failed = self._parts, Decision("unchecked", "it failed")
        verify = failed if report.verdict is None else parts.decision_of(report.verdict)
        guard = failed if report.claims is None else decision_of_guard(report.claims)
        asked: list[tuple[str, Decision]] = [
            ("verify", replace(verify, latency_ms=stages.took("verify"))),
            ("claim_guard", replace(guard, latency_ms=stages.took("claims"))),
        ]
        not_asked: Sequence[str] = ()
        if parts.rails is not None:
            if any(decision.state == "block" for _, decision in asked):
                not_asked = parts.rails.order
            else:
                further = await stages.ask(
                    "rails", "the rails", keep, parts.rails.adecide, report.question, docs, report.answer
                )
                asked += [("rails", failed)] if further is None else further.decisions
                not_asked = () if further is None else further.not_asked
        return settled(asked, not_asked, sum(decision.latency_ms for _, decision in asked))


def _checked(question: object, gold_chunk_ids: object) -> Sequence[str] | None:
    """The gold ids; ConfigError for anything but a question and a list of ids."""
    if not isinstance(question, str):
        raise ConfigError(f"question must be a string, not {type(question).__name__}")
    return None if gold_chunk_ids is None else checked_ids(gold_chunk_ids, "gold_chunk_ids")
