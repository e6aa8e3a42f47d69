"""What may an agent ask, and what is it told? The tools' arguments and results, as their schemas show them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from raguard.modes import Mode
from raguard.service.bodies import DocumentOrText

__all__ = [
    "GuardArguments",
    "GuardTold",
    "QueryArguments",
    "QueryTold",
    "VerifyArguments",
    "VerifyTold",
]

_TEXT = "Only where the caller may be told texts."


class _Arguments(BaseModel):
    """Unknown keys are refused: a misspelt one would go unnoticed."""

    model_config = ConfigDict(extra="forbid")


class VerifyArguments(_Arguments):
    """A question, the documents that were retrieved for it, and the answer."""

    query: str = Field("", description="The question.")
    docs: list[DocumentOrText] = Field(description="The retrieved documents: texts, or objects with text and id.")
    response: str = Field(description="The answer to check.")
    lang: str = Field("auto", description='The language of the answer, or "auto".')
    history: list[dict[str, Any]] | None = Field(
        None, description='The turns before, objects with "role" and "content"; what a tool returned is evidence.'
    )


class GuardArguments(_Arguments):
    """An answer whose claims are judged one by one."""

    answer: str = Field(description="The answer to check.")
    evidence: list[DocumentOrText] = Field(description="The passages: texts, or objects with text and id.")
    question: str | None = Field(None, description="What was asked.")


class QueryArguments(_Arguments):
    """A question to the documents of the server, or to those that are given."""

    question: str = Field(description="The question.", min_length=1)
    docs: list[DocumentOrText] | None = Field(
        None, description="The documents to search; without them the configured ones are."
    )
    top_k: int = Field(5, ge=1, le=50, description="How many chunks the answer is made of, at most.")


class EvidenceTold(BaseModel):
    """A place in a document, ``docs[doc][start:end]``, or in what a tool returned in the turn ``history[doc]``."""

    doc: int
    doc_id: str | None
    start: int
    end: int
    source: Literal["docs", "history"]
    text: str | None = Field(None, description=_TEXT)


class WarningTold(BaseModel):
    """A span of the answer, ``[start:end]``, that the documents do not carry."""

    severity: Literal["high", "medium", "low"]
    type: str
    rule: str
    start: int
    end: int
    evidence: EvidenceTold | None
    text: str | None = Field(None, description=_TEXT)
    suggestion: str | None = Field(None, description=_TEXT)


class VerifyTold(BaseModel):
    """The verdict on an answer: "review" exactly when a high warning exists."""

    action: Literal["proceed", "review"]
    warnings: list[WarningTold]
    summary: dict[str, int] = Field(description="How many warnings of each severity.")
    facts: dict[str, int] = Field(description="How many facts of the answer were checked, by what was found.")
    unchecked: list[str] = Field(description="What was not checked; it is not clean.")
    ruleset: dict[str, str] = Field(description="Which rules judged: version and hash.")


class SourceTold(BaseModel):
    """A passage by its place in what was given, and its id."""

    index: int
    id: str | None


class ClaimTold(BaseModel):
    """A claim of the answer, ``[start:end]`` where the answer holds it word for word."""

    status: Literal["supported", "hallucination_flag", "unchecked"]
    supported: bool
    label: str | None
    entailment: float | None
    support_score: float | None
    start: int | None
    end: int | None
    evidence: list[SourceTold]
    votes: str
    claim: str | None = Field(None, description=_TEXT)
    reasons: list[str] | None = Field(None, description=_TEXT)


class GuardTold(BaseModel):
    """The verdict on each claim, and the answer to show: changed only where the mode is "enforce"."""

    answer: str
    mode: Mode
    verdict: Literal["pass", "flagged", "blocked"]
    action: Literal["annotate", "redact", "block"]
    threshold: float
    claims_n: int
    blocked_n: int
    unchecked_n: int
    claims: list[ClaimTold]
    reason: str
    risk: float
    degraded: bool
    words_left_out: int
    min_entailment: float | None


class ChunkTold(BaseModel):
    """A chunk that the answer is made of; its ``number`` is what the marks in the answer name."""

    number: int
    id: str
    doc: int
    doc_id: str | None
    start: int
    end: int
    text: str | None = Field(None, description=_TEXT)


class QueryTold(BaseModel):
    """An answer that quotes the documents, and what was found of it."""

    state: Literal["pass", "block", "unchecked"]
    reason: str
    answer: str | None = Field(description="What may be shown; None when there is no answer.")
    mode: Mode
    verdict: VerifyTold | None
    sources: list[ChunkTold]
    left_out: list[str] = Field(description="The ids of chunks that were found, and left out for giving orders.")
    errors: list[str] = Field(description="What went wrong, a sentence for each stage.")
