"""How does admitted input become a case? The answer is folded and laid out, the documents become chunks."""

from __future__ import annotations

from dataclasses import dataclass

from raguard.answer import Answer, read_answer
from raguard.case import Case
from raguard.documents import Document
from raguard.evidence.chunk import Chunk, ReadingCache
from raguard.evidence.references import NAME_KEYS, References
from raguard.evidence.sources import Sources
from raguard.guard import Admitted
from raguard.knowledge import Knowledge
from raguard.model import EntityFinder
from raguard.result import Unchecked
from raguard.text.folding import fold
from raguard.unread import unread

__all__ = ["Built", "CaseBuilder"]

_LONGEST_LABEL = 500
_SHOWS_LANGUAGE = 1_500
_LARGEST_CITED = 1e15
_CITED = frozenset([*NAME_KEYS, "section", "page", "chapter"])
"""The keys of metadata by whose values an answer may cite a document."""


@dataclass(frozen=True, slots=True)
class Built:
    """A case, what in it was not looked at, and a sentence for what ought to be mended."""

    case: Case
    unchecked: tuple[Unchecked, ...]
    faults: tuple[str, ...]


class CaseBuilder:
    """Builds cases of one config and remembers the chunks that it has read."""

    def __init__(self, known: Knowledge, model: EntityFinder) -> None:
        self._known = known
        self._model = model
        self._cache = ReadingCache(known.readers, known.config.cache_chunks, known.config.cache_chars)

    def build(self, given: Admitted) -> Built:
        """The case of ``given``."""
        documents = given.retrieved.documents
        count = given.retrieved.count or 0
        references = References(documents, count)
        answer = read_answer(given.response, self._known, references)
        lang = self._language(given, answer)
        other_script, translated = lang in self._known.languages.scripted, lang in self._known.translated
        gaps = unread(answer.dressed, lang, other_script=other_script, translated=translated)
        unchecked = [*given.unread, *gaps, *answer.unread()]
        fault = self._model.fault if lang == "en" else None
        if fault:
            unchecked.append(Unchecked("names", "judged by presence alone: the language model cannot be used"))
        told = [self._chunk(count + turn.index, turn.text, lang, turn=turn.index) for turn in given.told]
        case = Case(
            query=given.query,
            lang=lang,
            view=answer.view,
            outline=self._known.outliner.outline(answer.view.text, answer.judged(), answer.sentences()),
            sources=Sources([*(self._chunk(i, document.text, lang, document.id) for i, document in documents), *told]),
            asked=Sources([self._chunk(i, text, lang) for i, text in enumerate(given.asked) if text]),
            labels=Sources([self._chunk(i, label, lang) for i, document in documents if (label := _label(document))]),
            references=references,
            marks=answer.marks,
            structure=answer.structure,
            currencies=tuple(answer.leaves("currency")),
            known=self._known,
            see=self._model.entities if lang == "en" and not fault else None,
        )
        return Built(case, tuple(unchecked), (fault,) if fault else ())

    def _language(self, given: Admitted, answer: Answer) -> str:
        if given.lang != "auto":
            return given.lang
        first = next((document.text for _, document in given.retrieved.documents), "")[:_SHOWS_LANGUAGE]
        return self._known.languages.guess(answer.view.text, fold(given.query).text, fold(first).text)

    def _chunk(self, index: int, text: str, lang: str, id: str | None = None, turn: int | None = None) -> Chunk:
        return Chunk(index, id, self._cache.reading(text, lang), turn)


def _label(document: Document) -> str:
    """What names the document: its id, and the short values of its metadata that an answer may cite."""
    cited = ((key, (document.metadata or {}).get(key)) for key in sorted(_CITED))
    values = (f"{key} {value}" for key, value in cited if isinstance(value, str) or _is_number(value))
    lines = [document.id or "", *(value for value in values if len(value) < _LONGEST_LABEL)]
    return "\n".join(line for line in lines if line)


def _is_number(value: object) -> bool:
    """Whether a value is a number short enough to be written out."""
    return isinstance(value, int | float) and abs(value) < _LARGEST_CITED
