"""Of what is a pipeline made, and what may each part return? Checked when it is built, and when a part is read."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypedDict

from raguard import ConfigError, Verifier, VerifyResult
from raguard.claims.asking import Fault
from raguard.claims.chunking import CorpusChunk
from raguard.claims.context import Context
from raguard.claims.evidence_scorer import EvidenceScorer
from raguard.claims.guard import HallucinationGuard
from raguard.claims.retrieval import ChunkFinder, Retrieved
from raguard.kinds import has_methods, kind_of
from raguard.metrics.metric import Metric
from raguard.pipeline.providers import ExtractiveProvider, LLMProvider
from raguard.pipeline.screening import Screens
from raguard.rails.adapters import decision_of_result
from raguard.rails.decision import Decision
from raguard.rails.rails import Rails

__all__ = ["PartOptions", "Parts", "Rerank", "keep", "read_answer", "read_chunks", "read_found"]

Rerank: TypeAlias = Callable[[str, Sequence[CorpusChunk]], Sequence[CorpusChunk] | Awaitable[Sequence[CorpusChunk]]]
"""Returns the chunks, or some of them, in another order; may be async."""
_CANDIDATES = 4
"""How many times as many chunks are found for a reranker as the provider gets."""


class PartOptions(TypedDict, total=False):
    """The parts beside a retriever, each of which may be left to its default."""

    provider: LLMProvider | Callable[[str, Sequence[CorpusChunk]], str | Awaitable[str]] | None
    screens: Screens | None
    rerank: Rerank | None
    verifier: Verifier | None
    guard: HallucinationGuard | None
    rails: Rails | Sequence[Any]
    extra_metrics: Sequence[Metric]
    top_k: int
    candidates: int | None
    timeout_s: float
    tenant_id: str


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one pipeline, each of the right kind; ``generate`` is the provider's."""

    retriever: ChunkFinder
    generate: Callable[..., Any]
    screens: Any
    rerank: Rerank | None
    verifier: Verifier
    guard: HallucinationGuard
    rails: Rails | None
    extra_metrics: tuple[Metric, ...]
    top_k: int
    candidates: int
    timeout_s: float
    context: Context

    def decision_of(self, verdict: VerifyResult) -> Decision:
        """What the verifier's verdict says as a rail."""
        return decision_of_result(verdict, checked=len(self.verifier.checks) > 0)

    @classmethod
    def checked(
        cls,
        *,
        retriever: Any,
        provider: Any,
        screens: Any,
        rerank: Any,
        verifier: Any,
        guard: Any,
        rails: Any,
        extra_metrics: Any,
        top_k: Any,
        candidates: Any,
        timeout_s: Any,
        tenant_id: Any,
    ) -> Parts:
        """The parts with their defaults; raises ConfigError naming the one that cannot be used."""
        _check_able("retriever", retriever, ("retrieve",))
        screens = _default_screens() if screens is None else screens
        _check_able("screens", screens, ("check", "check_documents"))
        if rerank is not None and (isinstance(rerank, type) or not callable(rerank)):
            raise ConfigError(f"rerank must be a function of question and chunks, not {kind_of(rerank)}")
        verifier = Verifier() if verifier is None else verifier
        if not isinstance(verifier, Verifier):
            raise ConfigError(f"verifier must be a Verifier, not {kind_of(verifier)}")
        guard = HallucinationGuard(EvidenceScorer(verifier)) if guard is None else guard
        if not isinstance(guard, HallucinationGuard):
            raise ConfigError(f"guard must be a HallucinationGuard, not {kind_of(guard)}")
        if not isinstance(tenant_id, str) or not tenant_id:
            raise ConfigError("tenant_id must be a string that is not empty")
        _check_whole("top_k", top_k)
        if candidates is not None:
            _check_whole("candidates", candidates)
        return cls(
            retriever=retriever,
            generate=_generate(ExtractiveProvider() if provider is None else provider),
            screens=screens,
            rerank=rerank,
            verifier=verifier,
            guard=guard,
            rails=_rails(rails, tenant_id),
            extra_metrics=_metrics(extra_metrics),
            top_k=top_k,
            candidates=candidates or (top_k if rerank is None else _CANDIDATES * top_k),
            timeout_s=_seconds(timeout_s),
            context=Context(tenant_id=tenant_id),
        )


def keep(returned: Any) -> Any:
    """What a part of raguard's own returned, as it is.

    >>> keep(5)
    5
    """
    return returned


def read_found(returned: Any, most: int) -> tuple[Retrieved, ...] | Fault:
    """What a retriever returned: the first ``most`` chunks with their scores, or why these are none."""
    if isinstance(returned, str) or not isinstance(returned, Sequence):
        return Fault(f"returned {type(returned).__name__} in place of a list of chunks")
    entries = tuple(returned[:most])
    for entry in entries:
        if not isinstance(entry, Retrieved) or not isinstance(entry.chunk, CorpusChunk):
            return Fault(f"returned {type(entry).__name__} in place of a Retrieved")
        if not _is_plain(entry.chunk):
            return Fault("returned a chunk that holds something else than texts and places")
    found = tuple(replace(entry, score=_number(entry.score)) for entry in entries)
    if not all(math.isfinite(each.score) for each in found):
        return Fault("returned a score that is no finite number")
    return found if _are_distinct([each.chunk for each in found]) else Fault("returned a chunk twice")


def read_chunks(returned: Any, given: Sequence[CorpusChunk]) -> tuple[CorpusChunk, ...] | Fault:
    """What a reranker returned of the chunks that it was given, each at most once.

    >>> chunk = CorpusChunk("a", "The fee is $5.", 0, None, 0, 14)
    >>> read_chunks([chunk, chunk], [chunk])
    Fault(why='returned a chunk twice')
    """
    if isinstance(returned, str) or not isinstance(returned, Sequence):
        return Fault(f"returned {type(returned).__name__} in place of a list of chunks")
    # its own object may be anything that says it is equal: handed on is the one that was screened
    own = {chunk.id: chunk for chunk in given}
    entries = [each for each in returned if isinstance(each, CorpusChunk) and each.id in own]
    chunks = tuple(own[each.id] for each in entries if own[each.id] == each)
    if len(chunks) != len(returned):
        return Fault("returned what is none of the chunks that it was given")
    return chunks if _are_distinct(chunks) else Fault("returned a chunk twice")


def read_answer(returned: Any) -> str | Fault:
    """What a provider returned: an answer that is not blank, or why it is none.

    >>> read_answer(None), read_answer(" ")
    (Fault(why='returned NoneType in place of a string'), Fault(why='returned an empty answer'))
    """
    if not isinstance(returned, str):
        return Fault(f"returned {type(returned).__name__} in place of a string")
    answer = str.__str__(returned)
    return answer if answer.strip() else Fault("returned an empty answer")


def _is_plain(chunk: CorpusChunk) -> bool:
    """Whether a chunk holds what it should, so that nobody behind stumbles over it."""
    texts = (chunk.id, chunk.text, "" if chunk.document_id is None else chunk.document_id)
    places = (chunk.document, chunk.start, chunk.end)
    return all(isinstance(text, str) for text in texts) and all(isinstance(place, int) for place in places)


def _number(given: Any) -> float:
    """A score as a float, which that of a database or of numpy may not be; NaN for what is not a number."""
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _are_distinct(chunks: Sequence[CorpusChunk]) -> bool:
    return len({chunk.id for chunk in chunks}) == len(chunks)


def _default_screens() -> Any:
    from raguard.screens import GuardrailSuite

    return GuardrailSuite()


def _generate(provider: Any) -> Callable[..., Any]:
    generate: Callable[..., Any] = getattr(provider, "generate", provider)
    if isinstance(provider, type) or not callable(generate):
        raise ConfigError(f"provider must be an object with generate(question, chunks), not {kind_of(provider)}")
    return generate


def _rails(rails: Any, tenant_id: str) -> Rails | None:
    if isinstance(rails, Rails):
        return rails
    if not isinstance(rails, list | tuple):
        raise ConfigError(f"rails must be a Rails or a list of rails, not {kind_of(rails)}")
    return Rails(rails, tenant_id=tenant_id) if rails else None


def _metrics(metrics: Any) -> tuple[Metric, ...]:
    if not isinstance(metrics, list | tuple):
        raise ConfigError(f"extra_metrics must be a list of metrics, not {kind_of(metrics)}")
    for place, metric in enumerate(metrics):
        _check_able(f"extra_metrics[{place}]", metric, ("score",))
    return tuple(metrics)


def _check_able(part: str, given: Any, methods: Sequence[str]) -> None:
    if not has_methods(given, *methods):
        raise ConfigError(f"{part} must be an object with {' and '.join(methods)}, not {kind_of(given)}")


def _check_whole(name: str, number: Any) -> None:
    if type(number) is not int or number < 1:
        raise ConfigError(f"{name} must be a whole number of at least 1, not {number!r:.40}")


def _seconds(number: Any) -> float:
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if not is_number or not 0 < number < math.inf:
        raise ConfigError(f"timeout_s must be a number of seconds above 0, not {number!r:.40}")
    return float(number)
