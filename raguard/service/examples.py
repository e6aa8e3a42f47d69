"""How does a response look? Examples for the API's description."""

from __future__ import annotations

from typing import Any

__all__ = ["COMPLETION", "EMBEDDINGS", "GUARDED", "QUERIED", "SCREENED", "VERIFIED", "VERIFIED_MANY", "responses"]

VERIFIED: dict[str, Any] = {
    "action": "review",
    "warnings": [
        {
            "severity": "high",
            "type": "unsupported_date",
            "rule": "date.unsupported",
            "start": 13,
            "end": 23,
            "evidence": {"doc": 0, "doc_id": None, "start": 20, "end": 30, "source": "docs"},
        }
    ],
    "summary": {"high": 1, "medium": 0, "low": 0},
    "facts": {"unsupported": 1},
    "unchecked": [],
    "ruleset": {"version": "0.1.0", "hash": "0" * 64},
}
VERIFIED_MANY: dict[str, Any] = {"results": [VERIFIED]}
GUARDED: dict[str, Any] = {
    "result": {
        "verdict": "flagged",
        "action": "annotate",
        "threshold": 0.5,
        "claims_n": 1,
        "blocked_n": 1,
        "unchecked_n": 0,
        "claims": [
            {
                "status": "hallucination_flag",
                "label": "neutral",
                "entailment": 0.2,
                "support_score": 0.2,
                "supported": False,
                "start": 0,
                "end": 18,
                "evidence": [],
                "votes": "0/1",
            }
        ],
        "reason": "1 of 1 judged claims is unsupported at a threshold of 0.5.",
        "risk": 0.8,
        "degraded": False,
        "words_left_out": 0,
        "min_entailment": 0.2,
    },
    "answer": "It was led by Bob.",
}
_SCREEN: dict[str, Any] = {
    "severity": "block",
    "blocked": True,
    "passed": False,
    "findings": [
        {
            "rule": "screens.injection.override.previous",
            "category": "instruction_override",
            "start": 0,
            "end": 32,
            "severity": "block",
            "guidance": "The text tells a model to drop its instructions: do not process it, or leave this sentence "
            "out of what a model reads.",
            "screen": "prompt_injection",
            "doc": None,
        }
    ],
    "unchecked": [],
}
SCREENED: dict[str, Any] = {"blocked": True, "passed": False, "text": _SCREEN, "docs": None}
EMBEDDINGS: dict[str, Any] = {
    "object": "list",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.6, 0.8]}],
    "model": "default",
    "usage": {"prompt_tokens": 0, "total_tokens": 0},
}
COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "small",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "It closed on 9 May 2024 [unsupported]."},
            "finish_reason": "stop",
        }
    ],
    "rag": {"mode": "enforce", "status": "checked", "changed": True, "verify": VERIFIED, "guard": None},
}
QUERIED: dict[str, Any] = {
    "documents": [
        {"id": "audit.pdf::chunk-0::e4b17200", "document": 0, "document_id": "audit.pdf", "start": 0, "end": 31}
    ],
    "answer": {"text": "It closed on 4 May 2024 [1].", "finish_reason": "stop", **COMPLETION["rag"]},
}
_PROBLEM: dict[str, Any] = {
    "error": {
        "message": "docs: Field required",
        "type": "invalid_request_error",
        "param": "docs",
        "code": "invalid_request",
    }
}
_TOLD = {
    401: "No such key",
    413: "The body is too long",
    422: "The body is no request",
    429: "No room; Retry-After says when to come again",
    503: "The time is up",
}


def responses(example: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    """What a route may answer."""
    problem = {"application/json": {"example": _PROBLEM}}
    return {
        200: {"description": "The answer", "content": {"application/json": {"example": example}}},
        **{status: {"description": told, "content": problem} for status, told in _TOLD.items()},
    }
