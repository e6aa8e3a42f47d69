"""Is this input something that can be checked? Types, sizes and broken text; faults are collected, never raised."""

from __future__ import annotations

from typing import NamedTuple

from raguard.config import Config
from raguard.guard.documents import Retrieved, admit_documents
from raguard.guard.faults import Faults
from raguard.guard.history import Turn, admit_history
from raguard.language import base_language
from raguard.result import Unchecked

__all__ = ["Admitted", "Given", "admit"]


class Given(NamedTuple):
    """The arguments of one ``verify`` as they came, of whatever type."""

    query: object
    docs: object
    response: object
    lang: object = "auto"
    history: object = None


class Admitted(NamedTuple):
    """What of the input can be used, and a sentence for everything that cannot.

    ``response`` is empty and ``retrieved`` has no document where nothing usable was given; ``lang`` is a base language
    or "auto".
    """

    query: str
    retrieved: Retrieved
    turns: tuple[Turn, ...]
    response: str
    lang: str
    faults: tuple[str, ...]
    unread: tuple[Unchecked, ...]

    @property
    def asked(self) -> tuple[str, ...]:
        """The query, and what the user and the operator wrote before: what an answer may echo."""
        return (self.query, *(turn.text for turn in self.turns if turn.part == "asked"))

    @property
    def told(self) -> tuple[Turn, ...]:
        """The results of tools, which are evidence like the documents."""
        return tuple(turn for turn in self.turns if turn.part == "told")

    @property
    def evidence(self) -> bool:
        """Whether there is anything to check the answer against."""
        return bool(self.retrieved.documents or self.told)


def admit(given: Given, config: Config, known: frozenset[str]) -> Admitted:
    """Looks at every argument of ``verify``; ``known`` are the language codes that have rules."""
    faults = Faults(config)
    query = faults.short("query", faults.text("query", given.query), "max_query_chars")
    response = faults.text("llm_response", given.response)
    if isinstance(given.response, str) and not response.strip():
        faults.add("llm_response is empty; there is nothing to check.")
    response = faults.short("llm_response", response, "max_response_chars")
    retrieved = admit_documents(given.docs, faults)
    turns, unread = admit_history(given.history, faults)
    lang = _language(given.lang, faults, known)
    return Admitted(
        query=query,
        retrieved=retrieved,
        turns=turns,
        response=response if response.strip() else "",
        lang=lang,
        faults=tuple(faults.sentences),
        unread=(*retrieved.unread, *unread),
    )


def _language(lang: object, faults: Faults, known: frozenset[str]) -> str:
    code = base_language(lang) if isinstance(lang, str) else None
    if lang == "auto":
        return "auto"
    if code is None or code not in known:
        faults.add(f'lang must be "auto" or one of {", ".join(sorted(known))}, not {lang!r:.40}; English was taken.')
        return "en"
    return code
