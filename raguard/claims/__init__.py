"""Is each claim of an answer carried by its evidence, and what becomes of the answer when one is not?

>>> from raguard.claims import GuardConfig, HallucinationGuard, LexicalNLIScorer
>>> guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(action="redact"))
>>> result, answer = guard.check_sync(
...     None,
...     answer="Paris is the capital of France. The moon is made of cheese.",
...     evidence=["Paris is the capital of France, on the Seine."],
... )
>>> result.verdict.value, answer
('blocked', 'Paris is the capital of France. (unsupported claim removed)')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.claims.actions import BLOCK_NOTICE, REDACTION_MARKER
    from raguard.claims.chunking import CorpusChunk, chunk_corpus
    from raguard.claims.config import GuardAction, GuardConfig
    from raguard.claims.context import Context
    from raguard.claims.cross_encoder import CrossEncoderScorer
    from raguard.claims.encoders import Encoder, EncoderError, RemoteEncoder
    from raguard.claims.evidence_scorer import EvidenceScorer
    from raguard.claims.guard import HallucinationGuard
    from raguard.claims.lexical import LexicalNLIScorer
    from raguard.claims.retrieval import ChunkFinder, Mode, Progress, Retrieved, Retriever
    from raguard.claims.scoring import EvidenceReader, NLILabel, NLIScore, NLIScorer, NoopNLIScorer
    from raguard.claims.splitting import Claim, ClaimExtractor, Granularity, SentenceClaimExtractor, split_into_claims
    from raguard.claims.telemetry import GuardEvent, OnEvent
    from raguard.claims.verdicts import ChunkRef, ClaimStatus, ClaimVerdict, GuardResult, GuardVerdict

__all__ = [
    "BLOCK_NOTICE",
    "REDACTION_MARKER",
    "ChunkFinder",
    "ChunkRef",
    "Claim",
    "ClaimExtractor",
    "ClaimStatus",
    "ClaimVerdict",
    "Context",
    "CorpusChunk",
    "CrossEncoderScorer",
    "Encoder",
    "EncoderError",
    "EvidenceReader",
    "EvidenceScorer",
    "Granularity",
    "GuardAction",
    "GuardConfig",
    "GuardEvent",
    "GuardResult",
    "GuardVerdict",
    "HallucinationGuard",
    "LexicalNLIScorer",
    "Mode",
    "NLILabel",
    "NLIScore",
    "NLIScorer",
    "NoopNLIScorer",
    "OnEvent",
    "Progress",
    "RemoteEncoder",
    "Retrieved",
    "Retriever",
    "SentenceClaimExtractor",
    "chunk_corpus",
    "split_into_claims",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "actions": ("BLOCK_NOTICE", "REDACTION_MARKER"),
        "chunking": ("CorpusChunk", "chunk_corpus"),
        "config": ("GuardAction", "GuardConfig"),
        "context": ("Context",),
        "cross_encoder": ("CrossEncoderScorer",),
        "encoders": ("Encoder", "EncoderError", "RemoteEncoder"),
        "evidence_scorer": ("EvidenceScorer",),
        "guard": ("HallucinationGuard",),
        "lexical": ("LexicalNLIScorer",),
        "retrieval": ("ChunkFinder", "Mode", "Progress", "Retrieved", "Retriever"),
        "scoring": ("EvidenceReader", "NLILabel", "NLIScore", "NLIScorer", "NoopNLIScorer"),
        "splitting": ("Claim", "ClaimExtractor", "Granularity", "SentenceClaimExtractor", "split_into_claims"),
        "telemetry": ("GuardEvent", "OnEvent"),
        "verdicts": ("ChunkRef", "ClaimStatus", "ClaimVerdict", "GuardResult", "GuardVerdict"),
    },
)
