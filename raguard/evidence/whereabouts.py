"""Does a place that no document holds only say where something of theirs lies? Then it is general knowledge."""

from __future__ import annotations

from raguard.evidence.presence import Presence
from raguard.evidence.sources import Place
from raguard.lexicon import Lexicon
from raguard.reading.names import NameRun, find_names

__all__ = ["Whereabouts"]

_REACH = 60
"""How many characters before a place the name may begin that it locates."""


class Whereabouts:
    """The places of an answer's names against what the documents name."""

    def __init__(self, documents: Presence, lexicon: Lexicon) -> None:
        self._documents = documents
        self._lexicon = lexicon

    def known(self, run: NameRun, text: str) -> Place | None:
        """The name of the documents that an unsupported run of ``text`` locates or is the place of, or None."""
        if self._lexicon.is_place(run.text):
            return self._located(run, text) or self._documents.part_of(run)
        return self._qualified(run)

    def _located(self, run: NameRun, text: str) -> Place | None:
        """Where the name before the comma stands: Eugene, Oregon."""
        before = text[max(0, run.start - _REACH) : run.start]
        named = list(find_names(before, self._lexicon)) if before.endswith(", ") else []
        return self._documents.whole(named[-1]) if named and named[-1].end == len(before) - 2 else None

    def _qualified(self, run: NameRun) -> Place | None:
        """Where the name after a place stands: the Senate of the US Senate, the Falcons of the Atlanta Falcons."""
        for cut in range(1, len(run.tokens)):
            place, name = NameRun.of(run.tokens[:cut]), NameRun.of(run.tokens[cut:])
            if place.tokens[0].capitals and self._lexicon.is_place(place.text):
                return self._documents.whole(name)
            if self._lexicon.is_place(place.text) and not self._lexicon.is_demonym(place.text):
                return None if self._lexicon.kinds.issuperset(name.words) else self._documents.alone(name)
        return None
