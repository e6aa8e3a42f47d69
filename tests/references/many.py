"""What do many documents tell, when each of them is asked, and each of their names compared?"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from raguard.evidence.passages import Passage, _passages
from raguard.evidence.sources import Sources


def nearest(names: Sequence[str], name: str, least: float) -> str | None:
    """The first of the names that are most alike to ``name``."""
    alike = [fuzz.token_set_ratio(name, other) for other in names]
    best = max(alike, default=0.0)
    return names[alike.index(best)] if best >= least else None


def fullest_passages(sources: Sources, words: Sequence[str]) -> list[Passage]:
    """The passages of all chunks that hold most of the words."""
    passages = [passage for chunk in sources.chunks for passage in _passages(chunk, words, 1)]
    most = max((passage.held for passage in passages), default=0)
    return [passage for passage in passages if passage.held == most]
