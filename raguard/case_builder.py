"""How does admitted input become a case? The answer is folded and laid out, the documents become chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from raguard.case import Case
from raguard.documents import Document
from raguard.evidence.chunk import Chunk, ReadingCache
from raguard.evidence.references import References
from raguard.evidence.sources import Sources
from raguard.guard import Admitted
from raguard.knowledge import Knowledge
from raguard.model import EntityFinder
from raguard.result import Unchecked
from raguard.text.blanks import Span
from raguard.text.folding import fold
from raguard.text.markup import undress
from raguard.text.structured import Structure, json_examples, read_json, spread
from raguard.text.view import View
from raguard.unread import unread

__all__ = ["Built", "CaseBuilder"]

_LONGEST_LABEL = 500
_SHOWS_LANGUAGE = 1_500
_LARGEST_CITED = 1e15
_CITED = frozenset(["title", "name", "source", "file", "filename", "url", "link", "section", "page", "chapter"])
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
        self._cache = ReadingCache(known.readers, known.config.cache_chunks)

    def build(self, given: Admitted) -> Built:
        """The case of ``given``."""
        structure = read_json(given.response)
        spoken = spread(given.response, structure, self._known.units) if structure else given.response
        folded = fold(spoken)
        lang = given.lang
        if lang == "auto":
            first = given.documents[0][1].text[:_SHOWS_LANGUAGE]
            lang = self._known.languages.guess(f"{folded.text}\n{fold(given.query).text}", fold(first).text)
        view = folded if structure else self._known.readers.hyphens.join(undress(folded, keep_code=False))
        examples = [] if structure else json_examples(view.text)
        view = view.edit((start, end, "\n") for start, end in examples) if examples else view
        unchecked = list(unread(folded.text, lang, other_script=lang in self._known.languages.scripted))
        if examples:
            unchecked.append(Unchecked("JSON", "an object inside prose is an example and no claim"))
        fault = self._model.fault if lang == "en" else None
        if fault:
            unchecked.append(Unchecked("names", "judged by presence alone: the language model cannot be used"))
        case = Case(
            query=given.query,
            lang=lang,
            view=view,
            outline=self._known.outliner.outline(view.text, _currencies(view, structure)),
            sources=self._sources(((index, document, document.text) for index, document in given.documents), lang),
            asked=self._sources([(0, Document(given.query), given.query)], lang),
            labels=self._sources(((index, document, _label(document)) for index, document in given.documents), lang),
            references=References(given.documents, given.count or 0),
            structure=structure,
            known=self._known,
            see=self._model.entities if lang == "en" and not fault else None,
        )
        return Built(case, tuple(unchecked), (fault,) if fault else ())

    def _sources(self, texts: Iterable[tuple[int, Document, str]], lang: str) -> Sources:
        return Sources(
            [Chunk(index, document.id, self._cache.reading(text, lang)) for index, document, text in texts if text]
        )


def _currencies(view: View, structure: Structure | None) -> Iterator[Span]:
    """Where a JSON answer names a currency under its key, which has a check of its own."""
    for leaf in structure.leaves if structure else ():
        if leaf.names_currency:
            yield view.place(leaf.start), view.place(leaf.end)


def _label(document: Document) -> str:
    """What names the document: its id, and the short values of its metadata that an answer may cite."""
    cited = ((key, (document.metadata or {}).get(key)) for key in sorted(_CITED))
    values = (f"{key} {value}" for key, value in cited if isinstance(value, str) or _is_number(value))
    lines = [document.id or "", *(value for value in values if len(value) < _LONGEST_LABEL)]
    return "\n".join(line for line in lines if line)


def _is_number(value: object) -> bool:
    """Whether a value is a number short enough to be written out."""
    return isinstance(value, int | float) and abs(value) < _LARGEST_CITED
