"""How is ancora-rag asked? By its grounding gate alone: the documents are retrieved, and relevance is not asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serving import Check, Entry, serve


def load() -> Check:
    """Its ``GroundingChecker`` with its default thresholds; each document is one chunk of the evidence."""
    ancora = import_module("ancora")
    checker = ancora.GroundingChecker()

    def check(query: str, docs: list[str], response: str) -> Any:
        chunks = [
            ancora.Chunk(id=str(place), doc_id=str(place), text=doc, start=0, end=len(doc))
            for place, doc in enumerate(docs)
        ]
        return checker.check_answer(response, chunks)

    return check


def read(checks: Any) -> list[Entry]:
    """The sentences without support; its default policy tolerates none."""
    return [("high", "unsupported_claim", check.claim, check.reason) for check in checks if not check.supported]


if __name__ == "__main__":
    serve("ancora-rag", load, read)
