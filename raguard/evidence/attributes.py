"""Which yes-or-no fields do the documents' records hold, and by which words does an answer speak of them?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.records import Field
from raguard.rulebook import Rulebook
from raguard.text.blanks import Span
from raguard.text.words import camel_words, plain_words, singular

__all__ = ["Attribute", "AttributeReader", "Attributes", "Mention"]

_LONG_VALUE = 60
_SHARED = 3
"""A word of that many keys, such as Restaurants, names none of them."""
_WORD = re.compile(r"[A-Za-z0-9]{1,40}")


class FreeText:
    """The long values of a chunk's records, as plain words."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._spoken: dict[tuple[str, ...], bool] = {}

    def speaks_of(self, form: tuple[str, ...]) -> bool:
        """Whether the words of ``form`` stand in it, the last one with any ending."""
        if form not in self._spoken:
            self._spoken[form] = self._may_hold(form) and f" {' '.join(form)}" in self._text
        return self._spoken[form]

    def _may_hold(self, form: tuple[str, ...]) -> bool:
        place = bisect_left(self._words, form[-1])
        return place < len(self._words) and self._words[place].startswith(form[-1])

    @cached_property
    def _text(self) -> str:
        values = (str(field.value) for field in self._chunk.reading.fields)
        return f" {plain_words(' '.join(value for value in values if len(value) > _LONG_VALUE))}"

    @cached_property
    def _words(self) -> list[str]:
        return sorted(set(self._text.split()))


class Attribute(NamedTuple):
    """A field that is true, false or unknown (None): the word sequences that name it and, for a common word such as
    *street*, the words of its group of which the sentence must hold one."""

    forms: tuple[tuple[str, ...], ...]
    own: frozenset[tuple[str, ...]]
    group: frozenset[str]
    value: bool | None
    place: Place
    free_text: FreeText


class Mention(NamedTuple):
    """A span of the answer that names an attribute."""

    attribute: Attribute
    start: int
    end: int
    own_words: bool
    """Whether it uses the words of the key, and no synonym."""


class AttributeReader:
    """Builds the attributes of a case by the family ``records``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["records"]
        self._generic = family.words("generic_key")
        self._says_yes = family.words("says_yes")
        self._longest = max(map(len, self._says_yes), default=0)
        self._joints = family.words("joint")
        self._synonyms: dict[str, tuple[tuple[str, ...], ...]] = {}
        for rule in family.role("synonym"):
            forms = tuple(tuple(map(singular, form.split())) for form in rule.forms)
            for form in rule.forms:
                self._synonyms[form.replace(" ", "")] = forms

    def attributes(self, sources: Sources) -> Attributes:
        """The attributes of all records of ``sources``; a key with different values in several records is left out."""
        yes_no = [(chunk, field) for chunk in sources.chunks for field in chunk.reading.fields if self._says(field)]
        words = {key: camel_words(key) for key in {field.keys[-1] for _, field in yes_no}}
        shared = Counter(word for _, field in yes_no for word in set(words[field.keys[-1]]))
        telling = {
            key: [word for word in each if word not in self._generic and shared[word] < _SHARED]
            for key, each in words.items()
        }
        values: dict[tuple[str, ...], set[bool | None]] = {}
        for _, field in yes_no:
            values.setdefault(field.keys, set()).add(_pole(field))
        free_texts: dict[int, FreeText] = {}
        groups: dict[str, frozenset[str]] = {}
        found = []
        for chunk, field in yes_no:
            own_words = telling[field.keys[-1]]
            if own_words and len(values[field.keys]) == 1:
                place = Place(chunk, field.start, field.end)
                value = next(iter(values[field.keys]))
                own = frozenset({tuple(map(singular, own_words)), (singular("".join(own_words)),)})
                forms = tuple(sorted(own.union(self._synonyms.get("".join(own_words), ()))))
                # a leaf of one word needs a word of its group beside it
                parent = field.keys[-2] if len(own_words) == 1 and len(field.keys) > 1 else ""
                if parent not in groups:
                    groups[parent] = self._group(parent)
                if chunk.index not in free_texts:
                    free_texts[chunk.index] = FreeText(chunk)
                found.append(Attribute(forms, own, groups[parent], value, place, free_texts[chunk.index]))
        return Attributes(found, self._joints)

    def _says(self, field: Field) -> bool:
        """Whether a field says yes, no or nothing, and is no cell."""
        value = field.value
        if isinstance(value, str):
            return len(value) <= self._longest and not field.cell and value.lower() in self._says_yes
        return not field.cell and (value is None or isinstance(value, bool))

    def _group(self, key: str) -> frozenset[str]:
        """The words of a group's key and their synonyms."""
        parents = [word for word in camel_words(key) if word not in self._generic]
        synonyms = (self._synonyms.get(word, ((singular(word),),)) for word in parents)
        return frozenset(form[0] for forms in synonyms for form in forms if len(form) == 1)


def _pole(field: Field) -> bool | None:
    """What a field says: a word that says so is a yes."""
    return field.value if field.value is None or isinstance(field.value, bool) else True


class Attributes:
    """The attributes of a case, to be looked for in the answer's sentences."""

    def __init__(self, attributes: Iterable[Attribute], joints: frozenset[str]) -> None:
        self._joints = joints
        self._by_first: dict[str, list[tuple[tuple[str, ...], Attribute]]] = {}
        for attribute in attributes:
            for form in attribute.forms:
                self._by_first.setdefault(form[0], []).append((form, attribute))

        self._written = frozenset(written for stem in self._by_first for written in (stem, f"{stem}s"))

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def mentions(self, sentence: str, offset: int) -> Iterator[Mention]:
        """Where ``sentence``, which begins at ``offset`` of the answer, names an attribute; the longest form wins."""
        words = list(map(str.lower, _WORD.findall(sentence)))
        if self._written.isdisjoint(words):
            return
        spans = [match.span() for match in _WORD.finditer(sentence)]
        stems = list(map(singular, words))
        for index, stem in enumerate(stems):
            hits = [
                (form, attribute)
                for form, attribute in self._by_first.get(stem, ())
                if tuple(stems[index : index + len(form)]) == form
                and (
                    not attribute.group
                    or (
                        not attribute.group.isdisjoint(stems)
                        and self._describes(attribute.group, sentence, spans, index)
                    )
                )
            ]
            for form, attribute in hits:
                end = spans[index + len(form) - 1][1]
                yield Mention(attribute, offset + spans[index][0], offset + end, form in attribute.own)

    def _describes(self, group: frozenset[str], sentence: str, spans: Sequence[Span], index: int) -> bool:
        """Whether the word does not stand before a noun of another kind: a casual dinner is no casual atmosphere."""
        if index + 1 == len(spans):
            return True
        start, end = spans[index + 1]
        following = sentence[start:end].lower()
        return singular(following) in group or following in self._joints or sentence[spans[index][1] : start] != " "
