"""Which yes-or-no fields do the documents' records hold, and by which words does an answer speak of them?"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place, Sources
from raguard.reading.records import Field
from raguard.rulebook import Rulebook
from raguard.text.blanks import Span
from raguard.text.spoken import Spoken, SpokenSentence
from raguard.text.words import camel_words, camel_words_of_each, plain_words, singular, spoken_forms

__all__ = ["Attribute", "AttributeReader", "Attributes", "FreeText", "Mention", "pole"]

_LONG_VALUE = 60
_SHARED = 3
"""A word of that many keys, such as Restaurants, names none of them."""
Forms = tuple[Set[tuple[str, ...]], Sequence[tuple[str, ...]]]
Told = tuple[Chunk, Field, tuple[str, ...]]
"""A field that says yes, no or nothing, with the words of its key that tell it from others."""


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

    forms: Sequence[tuple[str, ...]]
    own: Set[tuple[str, ...]]
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
        self.joints = family.words("joint")
        """What may stand behind an attribute and is not a noun."""
        self._synonyms: dict[str, tuple[tuple[str, ...], ...]] = {}
        for rule in family.role("synonym"):
            forms = tuple(tuple(map(singular, form.split())) for form in rule.forms)
            for form in rule.forms:
                self._synonyms[form.replace(" ", "")] = forms

    def attributes(self, sources: Sources) -> Attributes:
        """The attributes of all records of ``sources``; a key with different values in several records is left out."""
        yes_no = [(chunk, field) for chunk in sources.chunks for field in self.yes_no(chunk.reading.fields)]
        words = camel_words_of_each({field.keys[-1] for _, field in yes_no})
        shared = Counter([word for _, field in yes_no for word in {*words[field.keys[-1]]}])
        telling = {
            key: tuple([word for word in each if word not in self._generic and shared[word] < _SHARED])
            for key, each in words.items()
        }
        torn = _torn([field for _, field in yes_no])
        told = [(chunk, field, telling[field.keys[-1]]) for chunk, field in yes_no if field.keys not in torn]
        return Attributes(self, [each for each in told if each[2]])

    def yes_no(self, fields: Sequence[Field]) -> list[Field]:
        """The fields that say yes, no or nothing, and are not cells."""
        says_yes, longest = self._says_yes, self._longest
        return [
            field
            for field in fields
            if not field.cell
            and (
                (value := field.value) is None
                or value is True
                or value is False
                or (isinstance(value, str) and len(value) <= longest and value.lower() in says_yes)
            )
        ]

    def forms(self, words: tuple[str, ...]) -> Forms:
        """How an answer may write the telling words of a key, apart or as one, and these with their synonyms."""
        joined = "".join(words)
        whole = (singular(joined),)
        own = {whole} if len(words) == 1 else {whole, tuple(map(singular, words))}
        return own, sorted({*own, *self._synonyms.get(joined, ())})

    def telling(self, key: str) -> tuple[str, ...]:
        """The words of a key that name something."""
        return tuple(word for word in camel_words(key) if word not in self._generic)

    def group(self, key: str) -> frozenset[str]:
        """The words of a group's key and their synonyms, in every form in which an answer may use them."""
        synonyms = (self._synonyms.get(word, ((singular(word),),)) for word in self.telling(key))
        stems = {form[0] for forms in synonyms for form in forms if len(form) == 1}
        return frozenset(word for stem in stems for word in spoken_forms(stem))


def pole(field: Field) -> bool | None:
    """What a field says: a word that says so is a yes."""
    return field.value if field.value is None or isinstance(field.value, bool) else True


def _torn(fields: Sequence[Field]) -> Set[tuple[str, ...]]:
    """The keys to which several records give different values."""
    if len({field.keys for field in fields}) == len(fields):
        return frozenset()
    poles: dict[tuple[str, ...], bool | None] = {}
    return {field.keys for field in fields if poles.setdefault(field.keys, pole(field)) is not pole(field)}


class Attributes:
    """The attributes of a case, to be looked for in the answer; each is built when the answer has its words."""

    def __init__(self, reader: AttributeReader, told: Sequence[Told]) -> None:
        self._reader = reader
        self._told = told
        self._by_first: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        forms = {words: reader.forms(words) for words in {words for _, _, words in told}}
        for number, (_, _, words) in enumerate(told):
            for form in forms[words][1]:
                self._by_first.setdefault(form[0], []).append((form, number))
        self._forms = forms
        self._written = {*self._by_first, *[f"{stem}s" for stem in self._by_first]}
        self._built: dict[int, Attribute] = {}
        self._groups: dict[str, frozenset[str]] = {"": frozenset()}
        self._free_texts: dict[int, FreeText] = {}

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def mentions(self, spoken: Spoken) -> Iterator[tuple[Span, Mention]]:
        """Where a sentence names an attribute, with the sentence."""
        for first in spoken.places(self._written):
            hits = self._by_first.get(singular(spoken.words[first]), ())
            sentence = spoken.sentence(first) if hits else None
            if sentence is None:
                continue
            for form, number in hits:
                last = first + len(form)
                if len(form) > 1 and (last > sentence.last or tuple(map(singular, spoken.words[first:last])) != form):
                    continue
                attribute = self._attribute(number)
                if not attribute.group or self._describes(attribute.group, spoken, sentence, first):
                    start, end = spoken.span(first, last)
                    yield sentence.span, Mention(attribute, start, end, form in attribute.own)

    def _attribute(self, number: int) -> Attribute:
        if number not in self._built:
            chunk, field, words = self._told[number]
            # a leaf of one word needs a word of its group beside it
            parent = field.keys[-2] if len(words) == 1 and len(field.keys) > 1 else ""
            if parent not in self._groups:
                self._groups[parent] = self._reader.group(parent)
            free_text = self._free_texts.setdefault(chunk.index, FreeText(chunk))
            place = Place(chunk, field.start, field.end)
            own, forms = self._forms[words]
            self._built[number] = Attribute(forms, own, self._groups[parent], pole(field), place, free_text)
        return self._built[number]

    def _describes(self, group: frozenset[str], spoken: Spoken, sentence: SpokenSentence, first: int) -> bool:
        """Whether the sentence has a word of the group, and the attribute stands before no noun of another kind.

        A casual dinner is no casual atmosphere.
        """
        if group.isdisjoint(spoken.words[sentence.first : sentence.last]):
            return False
        following = spoken.words[first + 1] if first + 1 < sentence.last else ""
        return not following or following in group or following in self._reader.joints or spoken.gaps[first] != " "
