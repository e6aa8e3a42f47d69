"""How is hallucination-check asked? By ``check`` without embeddings: each sentence against the sources."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serving import Check, Entry, serve


def load() -> Check:
    """Its ``check`` with its default threshold and granularity."""
    module = import_module("hallucination_check")

    def check(query: str, docs: list[str], response: str) -> Any:
        return module.check(response, docs)

    return check


def read(report: Any) -> list[Entry]:
    """The sentences that it calls unsupported."""
    return [("high", "unsupported_claim", claim.text, claim.reason) for claim in report.unsupported]


if __name__ == "__main__":
    serve("hallucination-check", load, read)
