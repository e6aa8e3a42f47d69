"""How is one answer judged with nothing to keep? By a Verifier that all calls with the same config share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from raguard.config import Config
from raguard.documents import Document
from raguard.result import VerifyResult
from raguard.verifier import Verifier

__all__ = ["verify"]


def verify(
    query: str,
    retrieved_docs: Sequence[str | Document],
    llm_response: str,
    *,
    lang: str = "auto",
    history: Sequence[Mapping[str, Any]] | None = None,
    config: Config | None = None,
) -> VerifyResult:
    """The verdict on one answer, by one Verifier that all calls with the same config share. Never raises.

    ``retrieved_docs`` holds strings and Documents; ``lang`` is a language code or "auto"; ``history`` the turns before,
    ``{"role", "content"}``.

    >>> from raguard import verify
    >>> result = verify("When?", ["The audit closed on 4 May 2024."], "It closed on 9 May 2024.")
    >>> result.action, result.warnings[0].text
    ('review', '9 May 2024')
    """
    try:
        verifier = _shared(config) if isinstance(config, Config | None) else Verifier(config)
    except Exception as fault:
        return _shared(None).refuse(f"config cannot be used: {fault}")
    return verifier.verify(query, retrieved_docs, llm_response, lang=lang, history=history)


@lru_cache(maxsize=16)
def _shared(config: Config | None) -> Verifier:
    return Verifier(config)
