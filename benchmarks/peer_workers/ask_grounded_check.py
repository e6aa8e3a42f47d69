"""How is grounded-check asked? By its exact tier: quotations, numbers, citations and names looked up in the sources."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from serving import Check, Entry, serve


def load() -> Check:
    """Its ``check`` with its default kinds, on documents in memory instead of files."""
    grounded = import_module("grounded")
    kinds = {grounded.Kind(kind) for kind in ("quote", "number", "citation", "entity")}

    def check(query: str, docs: list[str], response: str) -> Any:
        sources = [grounded.Source(path=Path(str(place)), raw=doc) for place, doc in enumerate(docs)]
        return grounded.verify(grounded.extract(response, kinds=kinds), sources)

    return check


def read(result: Any) -> list[Entry]:
    """The places of its failures, which are what makes a result not ``passed``."""
    claims = [(finding.claim, finding.note) for finding in result.failures]
    return [("high", claim.kind.value, (claim.start, claim.end), note) for claim, note in claims]


if __name__ == "__main__":
    serve("grounded-check", load, read)
