"""Of what is a service made? Of what it is given, and of what its settings name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from raguard import ConfigError, Document, Verifier
from raguard.claims.context import Context
from raguard.gate import Gate
from raguard.kinds import has_methods
from raguard.service.keys import Keys
from raguard.service.metering import Metering
from raguard.service.settings import ServiceConfig
from raguard.service.store import store_retriever
from raguard.service.work import Work
from raguard.telemetry import instrumented

if TYPE_CHECKING:
    from raguard.claims import ChunkFinder, Encoder, GuardResult
    from raguard.pipeline import Screens
    from raguard.service.gateway.upstream import Upstream

__all__ = ["AnswerGuard", "Parts", "made_parts"]


class AnswerGuard(Protocol):
    """Whatever judges the claims of an answer, as a HallucinationGuard does."""

    async def check(
        self, ctx: Context, answer: str, evidence: Iterable[str | Document] | None, question: str | None, /
    ) -> tuple[GuardResult, str]:
        """The verdict on an answer, and the answer to show."""
        ...


@dataclass(slots=True)
class Parts:
    """What the routes of one app share."""

    config: ServiceConfig
    verifier: Verifier
    guard: AnswerGuard
    guards_answers: bool
    """Whether the gateway asks the guard."""
    screens: Screens | ConfigError
    """A ConfigError says why there are none."""
    encoder: Encoder | None
    retriever: ChunkFinder | None
    upstream: Upstream | None
    """The model behind the gateway."""
    keys: Keys
    work: Work
    metering: Metering
    is_ready: bool = False
    gates: dict[tuple[str, str], Gate] = field(default_factory=dict)

    def gate(self, tenant_id: str) -> Gate:
        """The gate of a tenant; tenants to whom the same is shown share one."""
        shown = self.config.shown_to(tenant_id)
        if shown not in self.gates:
            self.gates[shown] = instrumented(Gate(self.verifier, on_review=shown[0], notice=shown[1]))
        return self.gates[shown]


def made_parts(
    config: ServiceConfig, *, guard: Any, verifier: Verifier | None, screens: Any, encoder: Any, retriever: Any
) -> Parts:
    """The parts of a service; raises ConfigError for one that cannot be used."""
    if verifier is not None and not isinstance(verifier, Verifier):
        raise ConfigError(f"verifier must be a Verifier, not {type(verifier).__name__}")
    _refuse_unable("hallucination_guard", guard, "check")
    _refuse_unable("screens", screens, "check", "check_documents")
    _refuse_unable("encoder", encoder, "encode")
    _refuse_unable("retriever", retriever, "retrieve")
    keys = Keys(config)
    verifier = instrumented(Verifier(config.config) if verifier is None else verifier)
    return Parts(
        config=config,
        verifier=verifier,
        guard=_told(_default_guard(config, verifier) if guard is None else guard),
        guards_answers=guard is not None or config.guard.enabled,
        screens=_told(_or_why_not(_default_screens) if screens is None else screens),
        encoder=_encoder(config) if encoder is None else encoder,
        retriever=store_retriever(config.store) if retriever is None else retriever,
        upstream=_upstream(config),
        keys=keys,
        work=Work(config.threads, config.max_requests),
        metering=Metering(),
    )


def _default_guard(config: ServiceConfig, verifier: Verifier) -> AnswerGuard:
    from raguard.claims import EvidenceScorer, HallucinationGuard

    return HallucinationGuard(EvidenceScorer(verifier), config=config.guard)


def _told(part: Any) -> Any:
    """The part as one whose results are told to OpenTelemetry, unless it is somebody's own, of another class."""
    try:
        return instrumented(part)
    except ConfigError:
        return part


def _default_screens() -> Any:
    from raguard.screens import GuardrailSuite

    return GuardrailSuite()


def _or_why_not(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except ConfigError as error:
        return error


def _encoder(config: ServiceConfig) -> Any:
    if config.encoder is None:
        return None
    if config.encoder == "hashing":
        from raguard.pipeline import HashingEmbedder

        return HashingEmbedder()
    try:
        sentence_transformers = import_module("sentence_transformers")
    except ImportError as error:
        raise ConfigError(
            "the encoder of [service] needs sentence-transformers: pip install 'raguard-verify[embeddings]'"
        ) from error
    try:
        return sentence_transformers.SentenceTransformer(str(config.encoder), local_files_only=True)
    except Exception as error:
        raise ConfigError(f"service.encoder: {config.encoder} cannot be loaded ({type(error).__name__})") from error


def _upstream(config: ServiceConfig) -> Upstream | None:
    if config.upstream is None:
        return None
    from raguard.service.gateway.upstream import Upstream

    return Upstream(config.upstream)


def _refuse_unable(name: str, given: Any, *methods: str) -> None:
    # a string, the name of a model, has a method encode
    if given is not None and (isinstance(given, str) or not has_methods(given, *methods)):
        raise ConfigError(f"{name} must be an object with {' and '.join(methods)}, not {type(given).__name__}")
