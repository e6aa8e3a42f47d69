"""Which groups of yes-or-no fields do the documents' records hold, such as the kinds of parking?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from raguard.evidence.attributes import AttributeReader, FreeText, pole
from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.records import Field
from raguard.text.blanks import Span
from raguard.text.spoken import Spoken
from raguard.text.words import camel_words, singular

__all__ = ["FieldGroup", "FieldGroups", "Member"]

_FEWEST = 2
"""A group has that many members."""


class Member(NamedTuple):
    """A field of a group with its key; where its value is None, it is unknown."""

    key: str
    value: bool | None
    place: Place

    def named_in(self, said: Set[str]) -> bool:
        """Whether a word of its key is among those of a sentence, in the singular."""
        return not said.isdisjoint(map(singular, camel_words(self.key)))


class FieldGroup(NamedTuple):
    """The word sequences that name a group, in the singular, its members, and what else their document says."""

    forms: Sequence[tuple[str, ...]]
    members: Sequence[Member]
    free_text: FreeText


class FieldGroups:
    """The groups of a case, to be looked for in the answer; one that two records have is left out."""

    def __init__(self, reader: AttributeReader, sources: Sources) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], FieldGroup]]] = {}
        groups: dict[tuple[str, ...], list[FieldGroup]] = {}
        for chunk in sources.chunks:
            for keys, fields in _nested(chunk.reading.fields):
                words = reader.telling(keys[-1])
                if words and len(fields) >= _FEWEST and len(reader.yes_no(fields)) == len(fields):
                    groups.setdefault(words, []).append(_group(reader, chunk, words, fields))
        for same in groups.values():
            for form in same[0].forms if len(same) == 1 else ():
                self._by_first.setdefault(form[0], []).append((form, same[0]))
        self._written = {*self._by_first, *[f"{stem}s" for stem in self._by_first]}

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def mentions(self, spoken: Spoken) -> Iterator[tuple[Span, Span, FieldGroup]]:
        """Where a sentence names a group: the spans of the sentence and of the name, and the group."""
        for first in spoken.places(self._written):
            for form, group in self._by_first.get(singular(spoken.words[first]), ()):
                last = first + len(form)
                sentence = spoken.sentence(first)
                if sentence and last <= sentence.last and tuple(map(singular, spoken.words[first:last])) == form:
                    yield sentence.span, spoken.span(first, last), group


def _nested(fields: Iterable[Field]) -> list[tuple[tuple[str, ...], list[Field]]]:
    """The fields of each object inside another one, or of each indented block, with the keys that lead to it."""
    found: dict[tuple[tuple[str, ...], int], list[Field]] = {}
    for field in fields:
        if len(field.keys) > 1 and not field.cell:
            found.setdefault((field.keys[:-1], field.record), []).append(field)
    return [(keys, inside) for (keys, _), inside in found.items()]


def _group(reader: AttributeReader, chunk: Chunk, words: tuple[str, ...], fields: Sequence[Field]) -> FieldGroup:
    members = [Member(field.keys[-1], pole(field), Place(chunk, field.start, field.end)) for field in fields]
    return FieldGroup(reader.forms(words)[1], members, FreeText(chunk))
