"""How does admitted input become a case? The answer is folded and laid out, the documents become chunks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from raguard.answer import read_answer
from raguard.case import Case
from raguard.evidence.chunk import Chunk, Reading, ReadingCache
from raguard.evidence.given import GivenDocuments, identity
from raguard.evidence.kept import Kept
from raguard.evidence.sources import Sources
from raguard.guard import Admitted
from raguard.knowledge import Knowledge
from raguard.model import EntityFinder
from raguard.result import MODEL_UNUSABLE, Unchecked
from raguard.text.folding import fold
from raguard.unread import unread

__all__ = ["Built", "CaseBuilder"]

_SHOWS_LANGUAGE = 1_500


class Built(NamedTuple):
    """A case, what in it was not looked at, and a sentence for what ought to be mended."""

    case: Case
    unchecked: tuple[Unchecked, ...]
    faults: tuple[str, ...]


class CaseBuilder:
    """Builds cases of one config; it remembers the chunks that it has read and the documents that it has gathered."""

    def __init__(self, known: Knowledge, model: EntityFinder) -> None:
        config = known.config
        self._known = known
        self._model = model
        self._readings = ReadingCache(known.readers, config.cache_chunks, config.cache_chars)
        self._gathered = Kept[Hashable, GivenDocuments](config.cache_sets, config.cache_chunks, config.cache_chars)

    def build(self, given: Admitted) -> Built:
        """The case of ``given``."""
        gathered = self._documents(given)
        answer = read_answer(given.response, self._known, gathered.references)
        lang = self._language(given, answer.view.text)
        read = self._reader(lang)
        other_script, translated = lang in self._known.languages.scripted, lang in self._known.translated
        gaps = unread(answer.dressed, lang, other_script=other_script, translated=translated)
        unchecked = [*given.unread, *gaps, *answer.unread()]
        fault = self._model.fault if lang == "en" else None
        if fault:
            unchecked.append(Unchecked("names", MODEL_UNUSABLE))
        case = Case(
            query=given.query,
            lang=lang,
            view=answer.view,
            outline=self._known.outliner.outline(answer.places, answer.judged(), answer.sentences()),
            documents=gathered.documents(lang, read),
            asked=Sources([Chunk(i, None, read(text)) for i, text in enumerate(given.asked) if text]),
            references=gathered.references,
            marks=answer.marks,
            structure=answer.structure,
            currencies=answer.currencies,
            known=self._known,
            see=self._model.entities if lang == "en" and not fault else None,
        )
        return Built(case, tuple(unchecked), (fault,) if fault else ())

    def prepare(self, given: Admitted) -> int:
        """Reads the documents of ``given``, whose answer is still to come; returns how many chunks are kept for it."""
        if not min(self._known.config.cache_chunks, self._known.config.cache_chars):
            return 0
        gathered = self._documents(given)
        lang = self._language(given, "")
        read = self._reader(lang)
        gathered.documents(lang, read).prepare()
        for text in filter(None, given.asked):
            read(text)
        return gathered.count

    def forget(self) -> None:
        """Drops all that is kept of earlier cases."""
        self._readings.forget()
        self._gathered.forget()
        self._known.readers.claims.forget()

    def _documents(self, given: Admitted) -> GivenDocuments:
        """The documents of ``given``, kept or fresh."""
        if not self._gathered.keeps:
            return GivenDocuments(given.retrieved, given.told, self._known)
        key = identity(given.retrieved, given.told)
        kept = self._gathered.get(key)
        if kept is not None:
            return kept
        fresh = GivenDocuments(given.retrieved, given.told, self._known)
        return self._gathered.keep(key, fresh, 1, fresh.count, fresh.chars)

    def _reader(self, lang: str) -> Callable[[str], Reading]:
        """Reads the chunks of one case, each text once, also where nothing is kept for the next case."""
        known: dict[str, Reading] = {}

        def read(text: str) -> Reading:
            if text not in known:
                known[text] = self._readings.reading(text, lang)
            return known[text]

        return read

    def _language(self, given: Admitted, answer: str) -> str:
        if given.lang != "auto":
            return given.lang
        if shown := self._known.languages.shown(answer):
            return shown
        first = next((document.text for _, document in given.retrieved.documents), "")[:_SHOWS_LANGUAGE]
        return self._known.languages.guess(answer, fold(given.query).text, fold(first).text)
