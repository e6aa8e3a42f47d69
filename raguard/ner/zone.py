"""How does spaCy forget the words of the texts it has seen? In memory zones, each closed after some texts."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

__all__ = ["RenewedZone"]

_TEXTS = 100
_CHARACTERS = 200_000


class RenewedZone:
    """A memory zone that spans many texts, since every unseen word costs spaCy some twenty calls.

    The caller holds one lock over ``enter`` and all that it does with the doc. Nothing of spaCy may be kept from one
    text to the next: the strings and words it points to are freed.
    """

    def __init__(self, nlp: Any) -> None:
        self._nlp = nlp
        self._zone: AbstractContextManager[Any] | None = None
        self._texts = self._characters = 0

    def enter(self, text: str) -> None:
        """Makes sure that ``text`` is read in a zone that has not seen too much yet."""
        self._texts += 1
        self._characters += len(text)
        if self._zone is None or self._texts > _TEXTS or self._characters > _CHARACTERS:
            self.close()
            self._texts, self._characters = 1, len(text)
            zone = self._nlp.memory_zone()
            zone.__enter__()
            self._zone = zone

    def close(self) -> None:
        """Frees what the texts since the last renewal have left."""
        zone, self._zone = self._zone, None
        if zone is not None:
            zone.__exit__(None, None, None)
