"""How is an answer guarded? The whole flow: extract ─► retrieve ─► score ─► decide ─► act ─► report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from raguard import Document
from raguard.claims.asking import Fault, ask, read
from raguard.claims.config import GuardConfig
from raguard.claims.context import Context
from raguard.claims.deciding import TOO_SHORT, Checked, decide, unjudged, withheld
from raguard.claims.extraction import PlacedClaim, extract
from raguard.claims.judging import Demand, Judgment, judge
from raguard.claims.parts import (
    check_on_event,
    checked_config,
    checked_extractor,
    checked_retriever,
    checked_scorer,
    scorer_name,
)
from raguard.claims.passages import Passage, read_evidence, retrieve
from raguard.claims.running import run
from raguard.claims.scoring import NLIScorer
from raguard.claims.telemetry import OnEvent, guard_span, tell, tell_span
from raguard.claims.verdicts import GuardResult

if TYPE_CHECKING:
    from raguard.claims.encoders import Encoder
    from raguard.claims.retrieval import ChunkFinder, Mode, Progress
    from raguard.claims.splitting import ClaimExtractor

__all__ = ["HallucinationGuard"]

_NO_EVIDENCE = Fault("there is no evidence")
_TOO_MANY = Fault("beyond max_claims")


class HallucinationGuard:
    """Judges every claim of an answer against its evidence, and annotates, redacts or blocks what falls short.

    The default scorer is the EvidenceScorer, and by default each sentence is a claim. Any number of tenants, threads
    and event loops can share one guard if its parts can be shared. Raises ConfigError for a part of the wrong kind,
    including an NLIScorer whose ``score`` is not async.

    >>> import asyncio
    >>> from raguard.claims import Context, GuardAction, LexicalNLIScorer, SentenceClaimExtractor
    >>> guard = HallucinationGuard(scorer=LexicalNLIScorer(), extractor=SentenceClaimExtractor(),
    ...                            config=GuardConfig(threshold=0.5, action=GuardAction.ANNOTATE))
    >>> async def example():
    ...     return await guard.check(
    ...         Context(tenant_id="acme"), answer="Paris is the capital of France. The moon is made of cheese.",
    ...         evidence=["Paris is the capital of France, on the Seine."], question=None)
    >>> result, answer = asyncio.run(example())
    >>> result.verdict, result.blocked_n, [claim.supported for claim in result.claims]
    (<GuardVerdict.FLAGGED: 'flagged'>, 1, [True, False])
    >>> answer
    'Paris is the capital of France. The moon is made of cheese.'
    """

    def __init__(
        self,
        scorer: NLIScorer | None = None,
        extractor: ClaimExtractor | None = None,
        config: GuardConfig | None = None,
        retriever: ChunkFinder | None = None,
        on_event: OnEvent | None = None,
    ) -> None:
        """``on_event`` is called with a GuardEvent after each check in which claims fell short."""
        self.scorer = checked_scorer(scorer)
        self.extractor = checked_extractor(extractor)
        self.config = checked_config(config)
        self.retriever = checked_retriever(retriever)
        check_on_event(on_event)
        self.on_event = on_event
        self._close: Callable[[], None] = _close_nothing

    @classmethod
    def from_documents(
        cls,
        documents: Sequence[str | Document],
        encoder: Encoder | None = None,
        scorer: NLIScorer | None = None,
        extractor: ClaimExtractor | None = None,
        config: GuardConfig | None = None,
        on_event: OnEvent | None = None,
        *,
        size: int = 1_000,
        overlap: int | None = None,
        mode: Mode = "auto",
        progress: Progress | None = None,
    ) -> HallucinationGuard:
        """A guard that finds the evidence of each claim in a corpus, which is cut into chunks and indexed now.

        ``encoder`` is anything with ``encode(list of strings)``; without one the words decide (BM25). ``size`` and
        ``overlap`` are those of ``chunk_corpus``, ``mode`` and ``progress`` those of the Retriever. Raises ConfigError
        for what cannot be indexed and when a library is missing, EncoderError for an encoder that fails.

        >>> from raguard.claims import LexicalNLIScorer
        >>> rooms = ["The rent is $900.", "Rome is far away."]
        >>> guard = HallucinationGuard.from_documents(rooms, scorer=LexicalNLIScorer())
        >>> guard.check_sync(None, "The rent is $900.")[0].claims[0].evidence
        (ChunkRef(index=0, id='doc-0::chunk-0::89150e78'),)
        """
        from raguard.claims.chunking import chunk_corpus
        from raguard.claims.retrieval import Retriever

        config = checked_config(config)
        retriever = Retriever(
            chunk_corpus(documents, size, overlap),
            encoder=encoder,
            mode=mode,
            cosine_threshold=config.cosine_threshold,
            progress=progress,
        )
        return cls(scorer, extractor, config, retriever, on_event)

    @classmethod
    def from_daemon(
        cls,
        documents: Sequence[str | Document],
        daemon_url: str,
        scorer: NLIScorer | None = None,
        extractor: ClaimExtractor | None = None,
        config: GuardConfig | None = None,
        on_event: OnEvent | None = None,
        *,
        size: int = 1_000,
        overlap: int | None = None,
        mode: Mode = "auto",
        progress: Progress | None = None,
    ) -> HallucinationGuard:
        """A guard over a corpus whose vectors come from a service, ``http://…``, ``https://…`` or ``http+unix://…``.

        All else is as in ``from_documents``; for a key or the name of a model, give that a RemoteEncoder of your own.
        Raises EncoderError, at once, for a service that cannot be reached or is not well. ``close`` the guard at last.

        >>> HallucinationGuard.from_daemon(["The rent is $900."], "http+unix://%2Fno%2Fsuch.sock")
        Traceback (most recent call last):
        raguard.claims.encoders.EncoderError: http+unix://%2Fno%2Fsuch.sock/healthz cannot be reached: \
[Errno 2] No such file or directory
        """
        from raguard.claims.encoders import RemoteEncoder

        encoder = RemoteEncoder(daemon_url)
        try:
            guard = cls.from_documents(
                documents,
                encoder,
                scorer,
                extractor,
                config,
                on_event,
                size=size,
                overlap=overlap,
                mode=mode,
                progress=progress,
            )
        except BaseException:
            encoder.close()
            raise
        guard._close = encoder.close
        return guard

    def close(self) -> None:
        """Closes the connections of a guard ``from_daemon``, which then retrieves nothing more; else does nothing."""
        self._close()

    async def check(
        self,
        ctx: Context | None,
        answer: str,
        evidence: Iterable[str | Document] | None = None,
        question: str | None = None,
    ) -> tuple[GuardResult, str]:
        """The verdict on an answer, and the answer to show.

        ``evidence`` are the passages for this answer, finite; None takes the guard's retriever, and without one nothing
        can be judged. Input of a wrong type never raises: what it leaves unread is unchecked, and an answer that is no
        string is withheld. Only cancellation and KeyboardInterrupt propagate to the caller.
        """
        started = perf_counter()
        name = scorer_name(self.scorer)
        tenant_id = ctx.tenant_id if isinstance(ctx, Context) else Context().tenant_id
        with guard_span() as span:
            result, shown = await self._checked(ctx, answer, evidence, question, self.config.threshold_for(tenant_id))
            tell_span(span, tenant_id, result, name, (perf_counter() - started) * 1000)
        tell(self.on_event, result, name)
        return result, shown

    def check_sync(
        self,
        ctx: Context | None,
        answer: str,
        evidence: Iterable[str | Document] | None = None,
        question: str | None = None,
    ) -> tuple[GuardResult, str]:
        """``check`` for code that is not async; within an event loop, it waits for a thread with its own loop.

        It waits for nothing that a part leaves behind: tasks are cancelled, and threads are abandoned.
        """
        return run(self.check(ctx, answer, evidence, question))

    async def health(self) -> bool:
        """Whether the scorer says that it can score; one that has no ``health`` can."""
        report = read(lambda: getattr(self.scorer, "health", None))
        if isinstance(report, Fault):
            return False
        return report is None or await ask(report, self.config.timeout_s) is True

    async def _checked(
        self, ctx: Any, answer: Any, evidence: Any, question: Any, threshold: float
    ) -> tuple[GuardResult, str]:
        """Extract, retrieve, score, decide and act."""
        config = self.config
        if not isinstance(answer, str):
            return withheld(config, threshold, f"the answer is {type(answer).__name__}, not a string")
        if not isinstance(ctx, Context | None):
            why = Fault(f"the context is {type(ctx).__name__}, not a Context")
            return decide(answer, unjudged(answer, why), config, threshold)
        asked, faults = _asked(ctx, question, config)
        # what an extractor returns may raise wherever it is read
        claims = await ask(lambda: extract(self.extractor, asked, answer, config.timeout_s), 2 * config.timeout_s)
        if isinstance(claims, Fault):
            return decide(answer, unjudged(answer, Fault(f"the extractor {claims.why}"), faults), config, threshold)
        # a string of another class may break in every method
        claims = [claim._replace(text=str.__str__(claim.text)) for claim in claims]
        if not claims and any(map(str.isalnum, answer)):
            return decide(answer, unjudged(answer, Fault("no claim was found in it"), faults), config, threshold)
        judgments, unread = await self._judgments(asked, claims, evidence, Demand.of(config, threshold))
        return decide(answer, Checked(claims, judgments, (*faults, *unread)), config, threshold)

    async def _judgments(
        self, ctx: Context, claims: Sequence[PlacedClaim], evidence: Any, demand: Demand
    ) -> tuple[list[Judgment | Fault], tuple[str, ...]]:
        """What is said of each claim, and what of the evidence could not be read."""
        config = self.config
        judgments: list[Judgment | Fault] = [TOO_SHORT] * len(claims)
        long = [place for place, claim in enumerate(claims) if len(claim.text.strip()) >= config.min_claim_chars]
        for place in long[config.max_claims :]:
            judgments[place] = _TOO_MANY
        places = long[: config.max_claims]
        texts = [claims[place].text for place in places]
        found, faults = await self._passages(texts, evidence)
        scored = [number for number, passages in enumerate(found) if not isinstance(passages, Fault)]
        judged = await judge(
            self.scorer,
            ctx,
            [texts[number] for number in scored],
            [passages for passages in found if not isinstance(passages, Fault)],
            demand,
            config.timeout_s,
            apart=evidence is None,
        )
        said = dict(zip(scored, judged, strict=True))
        for number, (place, passages) in enumerate(zip(places, found, strict=True)):
            judgments[place] = passages if isinstance(passages, Fault) else said[number]
        return judgments, faults

    async def _passages(
        self, claims: Sequence[str], evidence: Any
    ) -> tuple[Sequence[Sequence[Passage] | Fault], tuple[str, ...]]:
        """The passages for each claim, or why it has none."""
        if evidence is None and self.retriever is not None:
            return await retrieve(self.retriever, claims, self.config.top_k, self.config.timeout_s), ()
        passages, faults = read_evidence(evidence)
        return [passages or _NO_EVIDENCE] * len(claims), faults


def _asked(ctx: Context | None, question: Any, config: GuardConfig) -> tuple[Context, tuple[str, ...]]:
    """The context with the question that scorers may read, and what of it could not be used."""
    ctx = Context() if ctx is None else ctx
    faults: tuple[str, ...] = ()
    if not isinstance(question, str | None):
        question, faults = None, (f"the question is {type(question).__name__}, not a string",)
    asked = ctx.question if question is None else question
    return replace(ctx, question=asked if config.question_aware else None), faults


def _close_nothing() -> None:
    """A guard without a service holds no connection."""
