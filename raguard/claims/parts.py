"""Of what is a guard made, and is each part what it should be? Checked when the guard is built."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from raguard import ConfigError
from raguard.claims.asking import read
from raguard.claims.config import GuardConfig
from raguard.claims.scoring import NLIScorer
from raguard.kinds import kind_of

if TYPE_CHECKING:
    from raguard.claims.retrieval import ChunkFinder
    from raguard.claims.splitting import ClaimExtractor
    from raguard.claims.telemetry import OnEvent

__all__ = [
    "check_on_event",
    "checked_config",
    "checked_extractor",
    "checked_retriever",
    "checked_scorer",
    "scorer_name",
]


def checked_scorer(scorer: NLIScorer | None) -> NLIScorer:
    """The scorer, by default the EvidenceScorer; raises ConfigError for what cannot score."""
    if scorer is None:
        from raguard.claims.evidence_scorer import EvidenceScorer

        return EvidenceScorer()
    _refuse_unable("scorer", scorer, "score_batch", "an NLIScorer")
    _refuse_plain(scorer)
    return scorer


def checked_extractor(extractor: ClaimExtractor | None) -> ClaimExtractor:
    """The extractor, by default one that makes each sentence a claim; raises ConfigError for what cannot extract."""
    if extractor is None:
        from raguard.claims.splitting import SentenceClaimExtractor

        return SentenceClaimExtractor()
    _refuse_unable("extractor", extractor, "extract", "a ClaimExtractor")
    return extractor


def checked_config(config: GuardConfig | None) -> GuardConfig:
    """The config, by default one of default values; raises ConfigError for anything else."""
    if config is None:
        return GuardConfig()
    if not isinstance(config, GuardConfig):
        raise ConfigError(f"config must be a GuardConfig, not {type(config).__name__}")
    return config


def checked_retriever(retriever: ChunkFinder | None) -> ChunkFinder | None:
    """The retriever, if there is one; raises ConfigError for what cannot retrieve."""
    if retriever is not None:
        _refuse_unable("retriever", retriever, "retrieve", "a Retriever")
    return retriever


def check_on_event(on_event: OnEvent | None) -> None:
    """Raises ConfigError for a listener that is no plain function."""
    if on_event is not None and (not callable(on_event) or inspect.iscoroutinefunction(on_event)):
        raise ConfigError(f"on_event must be a plain function of a GuardEvent, not {type(on_event).__name__}")


def scorer_name(scorer: NLIScorer) -> str:
    """What a scorer is called in spans and events: its own name, or that of its class."""
    name = read(lambda: scorer.name)
    return name if type(name) is str and name else type(scorer).__name__


def _refuse_unable(part: str, given: Any, method: str, due: str) -> None:
    if isinstance(given, type) or not callable(read(lambda: getattr(given, method, None))):
        raise ConfigError(f"{part} must be {due}, not {kind_of(given)}")


def _refuse_plain(scorer: NLIScorer) -> None:
    """A plain ``score`` would fail at every claim: the loop of ``NLIScorer`` awaits it."""
    score: Any = read(lambda: scorer.score)
    is_ours = isinstance(scorer, NLIScorer) and inspect.isroutine(score)
    if is_ours and not inspect.iscoroutinefunction(inspect.unwrap(score)):
        raise ConfigError(f"{type(scorer).__name__}.score must be async: write async def score")
