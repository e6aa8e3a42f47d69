"""What does one chunk hold? Read lazily, only for what the answer needs, and kept by content for the next call."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import filterfalse
from operator import add, attrgetter
from typing import NamedTuple

from raguard.evidence.kept import Kept, gathered
from raguard.evidence.near_facts import NearFacts
from raguard.evidence.word_places import WordPlaces
from raguard.language import LanguageGuesser
from raguard.reading import Reader, read
from raguard.reading.enumeration import enumerators
from raguard.reading.listings import find_listings, find_records
from raguard.reading.names import name_spans
from raguard.reading.quotes import Quote, QuoteReader
from raguard.reading.records import Field, find_fields
from raguard.reading.statements import Statement, StatementReader
from raguard.reading.tables import Table, find_tables
from raguard.result import Evidence
from raguard.text.folding import fold
from raguard.text.hyphens import HyphenJoiner
from raguard.text.markup import undress
from raguard.text.words import beginning, camel_words
from raguard.values.value import Fact

__all__ = ["Chunk", "Readers", "Reading", "ReadingCache"]

_LONGEST_FACT = 400
_SHOWS_LANGUAGE = (160, 600)
_DOTTED = re.compile(r"(?<![A-Za-z])(?:[A-Za-z]\.){2,6}")
_TWO_DOTS = re.compile(r"\.[A-Za-z]\.")
"""What dotted initials hold; it begins with a dot, so that large texts are searched fast."""
_CAPITAL_WORD = re.compile(r"[A-Z]\w{0,60}")
_CAPITALS = re.compile(r"[A-Z](?<!\w[A-Z])[A-Z0-9]{1,9}(?=s?(?!\w))")
_INNER_CAPITAL = re.compile(r"[A-Z](?<=[a-z0-9][A-Z])")
_MOST_INITIALS = 6
_FEW_ASKED = 40
"""So many words are looked for one by one; listing all words of a text costs as much."""
_INNER_S = re.compile(r"'[sS](?=[A-Za-z0-9'])")


class Readers(NamedTuple):
    """What a chunk is read with: its language, its words at line ends, its values, its sentences, its quotations."""

    languages: LanguageGuesser
    hyphens: HyphenJoiner
    values: Sequence[Reader]
    statements: StatementReader
    quotes: QuoteReader


class Reading:
    """The content of one chunk, whatever place it has among the documents; everything is computed once, when asked."""

    def __init__(self, source: str, readers: Readers, fallback: str) -> None:
        self.view = readers.hyphens.join(undress(fold(source), keep_code=True))
        self._readers = readers
        self._fallback = fallback
        self._said: dict[int, Statement] = {}
        self._asked = 0

    @property
    def text(self) -> str:
        """The folded text without Markdown marks."""
        return self.view.text

    def prepare(self) -> None:
        """Reads all that the chunk holds."""
        gathered(self)
        self._asked = _FEW_ASKED
        self.places.prepare()
        for start in self.sentences:
            self.statement(start)

    @cached_property
    def shown(self) -> str | None:
        """The language that the text shows."""
        # two lines show English; what they do not show is looked at again
        for length in _SHOWS_LANGUAGE:
            if shown := self._readers.languages.shown(self.text[:length]):
                return shown
        return None

    @property
    def lang(self) -> str:
        """The language of the text; the one that it is asked in where it shows none."""
        return self.shown or self._fallback

    @cached_property
    def places(self) -> WordPlaces:
        """Where the text has which words."""
        return WordPlaces(self.text)

    @property
    def plain(self) -> str:
        """The text as lower-case words between spaces, with one space before and after it."""
        return self.places.plain

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in lower case, also the parts of camelCase words and dotted initials written together."""
        return frozenset(self.plain.split()) | self._inner

    @cached_property
    def _inner(self) -> frozenset[str]:
        """The words that stand inside others: parts of camelCase words, dotted initials written together."""
        parts = list[str]()
        if _INNER_CAPITAL.search(self.text):
            mixed = filterfalse(str.islower, self.text.split())
            parts = camel_words(" ".join([word for word in mixed if "." in word or not word.istitle()]))
        return self._initials.union(parts)

    @cached_property
    def _initials(self) -> frozenset[str]:
        """Dotted initials in lower case without dots."""
        return frozenset([initials.replace(".", "").lower() for initials in self._dotted])

    def has(self, word: str) -> bool:
        """Whether ``word`` is one of ``words``, without listing them for a few questions."""
        if self._asked >= _FEW_ASKED:
            return word in self.words
        self._asked += 1
        plain = self.places.plain
        if word in plain:
            return f" {word} " in plain or word in self._inner
        # the letters of initials do not stand together
        return len(word) <= _MOST_INITIALS and word in self._initials

    def begins(self, prefix: str) -> bool:
        """Whether one of ``words`` begins with ``prefix``."""
        if f" {prefix}" in self.places.plain:
            return True
        may_begin = any(prefix in text for text in self.written)
        return may_begin and any(word.startswith(prefix) for word in self._inner)

    @property
    def written(self) -> tuple[str, ...]:
        """Texts in which every one of ``words`` stands, alone or inside another."""
        return (self.places.plain, *self._initials)

    @cached_property
    def stems(self) -> frozenset[str]:
        """How every word begins, so that inflection does not count."""
        return frozenset(map(beginning, self.words))

    def has_stem(self, stem: str) -> bool:
        """Whether ``stem`` is one of ``stems``, without listing them for a few questions."""
        if self._asked >= _FEW_ASKED:
            return stem in self.stems
        self._asked += 1
        cut = beginning(f"{stem}-") == stem
        return self.begins(stem) if cut else self.has(stem)

    @cached_property
    def _capitals(self) -> frozenset[str]:
        """Every word written in capitals, dotted initials without dots."""
        dotted = (initials.replace(".", "") for initials in self._dotted if initials[0].isupper())
        return frozenset([*_CAPITALS.findall(self.text), *dotted])

    def shouts(self, letters: str) -> bool:
        """Whether the letters stand as a word in capitals, dotted or not: AIMS is not *aims*, US is not *us*."""
        told = self._asked < _FEW_ASKED and letters not in self.text and ".".join(letters) not in self.text
        return not told and letters in self._capitals

    @cached_property
    def _dotted(self) -> dict[str, tuple[int, int]]:
        """The dotted initials as they are written, each where it stands first."""
        places: dict[str, tuple[int, int]] = {}
        if _TWO_DOTS.search(self.text):
            for match in _DOTTED.finditer(self.text):
                places.setdefault(match.group(), match.span())
        return places

    def capital(self, word: str) -> tuple[int, int] | None:
        """Where a word that begins with a capital stands first, as it is written or with a dot behind each letter."""
        place = self.text.find(word) if _CAPITAL_WORD.fullmatch(word) else -1
        while place >= 0:
            end = place + len(word)
            if not _joined(self.text[place - 1 : place]) and not _joined(self.text[end : end + 1]):
                return place, end
            place = self.text.find(word, place + 1)
        dotted = ".".join(word) + "."
        return self._dotted.get(dotted) if dotted in self.text else None

    @cached_property
    def joined(self) -> frozenset[str]:
        """Each pair of neighbouring words written as one, so that Wi-Fi supports WiFi."""
        plain, parted = self.plain.split(), self._parted
        return frozenset({*map(add, plain, plain[1:]), *map(add, parted, parted[1:])})

    @cached_property
    def _odd(self) -> str:
        """The words that are neither small nor simply capitalised, each once: where abbreviations and camelCase are."""
        words = dict.fromkeys(self.text.split())
        return " ".join([word for word in words if "." in word or not (word.islower() or word.istitle())])

    @cached_property
    def _parted(self) -> list[str]:
        """The odd words with camelCase taken apart."""
        return camel_words(self._odd)

    @cached_property
    def names(self) -> tuple[tuple[int, int], ...]:
        """The spans of the capitalised runs: what the chunk may call by name."""
        return tuple(name_spans(self.text))

    @cached_property
    def sentences(self) -> tuple[int, ...]:
        """Where each sentence begins."""
        return self._readers.statements.starts(self.text)

    def statement(self, place: int) -> Statement:
        """What the sentence around ``place`` says."""
        return self.said(*self.sentence(place))

    def said(self, start: int, end: int) -> Statement:
        """What the sentence at ``start`` to ``end`` says."""
        if start not in self._said:
            self._said[start] = self._readers.statements.sentence(self.text[start:end], start, end)
        return self._said[start]

    def sentence(self, place: int) -> tuple[int, int]:
        """Where the sentence around ``place`` begins and ends."""
        span = self._readers.statements.around(self.text, place)
        if span is not None:
            return span
        number = bisect_right(self.sentences, place)
        end = self.sentences[number] if number < len(self.sentences) else len(self.text)
        return self.sentences[number - 1], end

    def may_say(self, words: Iterable[str]) -> bool:
        """Whether a sentence may have all of these words of a statement: a quick look at a short text."""
        plain = self.plain
        return self.places.filed or all(word in plain for word in words if word.isalnum()) or self._parts_words

    @cached_property
    def _parts_words(self) -> bool:
        """Whether some word of a statement may not stand in ``plain`` as it is: O'Sullivan is *oullivan* there."""
        return _INNER_S.search(self.text) is not None or "\u0130" in self.text

    @cached_property
    def denials(self) -> tuple[Statement, ...]:
        """The sentences that deny a verb."""
        found = {
            self.statement(place).start: self.statement(place)
            for place in self._readers.statements.negations(self.text)
        }
        return tuple(found.values())

    @cached_property
    def denied(self) -> Mapping[str, Sequence[int]]:
        """How the words begin that a negation may deny, each with the places of the negations."""
        found: dict[str, list[int]] = {}
        for word, place in self._readers.statements.denied(self.text):
            found.setdefault(word, []).append(place)
        return found

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the records that the chunk holds."""
        return tuple(find_fields(self.text, self.ruled))

    @cached_property
    def quotes(self) -> tuple[Quote, ...]:
        """Whatever the chunk puts into quotation marks."""
        return tuple(self._readers.quotes.find(self.text))

    @cached_property
    def _read(self) -> tuple[Fact, ...]:
        return tuple(read(self.text, self._readers.values, lang=self.lang)[0])

    def facts_at(self, place: int) -> Sequence[Fact]:
        """The settled values that stand over ``place``; of a long text only the sentence around it is read for them."""
        near = self._near
        if "_read" not in vars(self):
            sentence = self.sentence(place)
            if near.worth(sentence):
                return [fact for fact in near.within(sentence) if fact.start <= place < fact.end]
        facts = self.facts_in(place - _LONGEST_FACT, place + 1)
        return [fact for fact in facts if place < fact.end and near.settled(fact)]

    @cached_property
    def _near(self) -> NearFacts:
        return NearFacts(self.text, lambda text: read(text, self._readers.values, lang=self.lang)[0])

    @cached_property
    def enumerators(self) -> tuple[Fact, ...]:
        """The numbers that only number the chunk's items or point to a source."""
        return enumerators(self.text, self._read)

    @cached_property
    def ruled(self) -> tuple[Table, ...]:
        """The tables with columns that the chunk holds."""
        return tuple(find_tables(self.text))

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables that the chunk holds, and what else gives values to names as their rows do."""
        records = find_records(self.text, self.fields) if "{" in self.text else ()
        return (*self.ruled, *find_listings(self.text), *records)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Every value that the chunk states, certain or tentative."""
        numerals = frozenset(self.enumerators)
        return tuple(fact for fact in self._read if fact not in numerals) if numerals else self._read

    def facts_in(self, start: int, end: int) -> Sequence[Fact]:
        """The values that begin at ``start`` or behind it and before ``end``."""
        first = bisect_left(self.facts, start, key=attrgetter("start"))
        return self.facts[first : bisect_left(self.facts, end, key=attrgetter("start"))]


def _joined(character: str) -> bool:
    """Whether a character beside a word is a part of it."""
    return character.isalnum() or character == "_"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One document at its place: index and id for the evidence, and its reading.

    ``turn`` is the place in the history of a tool's result; such a chunk comes after all documents.
    """

    index: int
    id: str | None
    reading: Reading
    turn: int | None = None

    def evidence(self, start: int, end: int) -> Evidence:
        """The place ``reading.text[start:end]`` in terms of the original document."""
        view = self.reading.view
        first, last = view.span(start, end)
        text = view.source[first:last]
        if self.turn is not None:
            return Evidence(self.turn, None, first, last, text, "history")
        return Evidence(self.index, self.id, first, last, text)


class ReadingCache:
    """The readings of the chunks seen last, by content; safe to share between threads.

    It keeps at most ``most`` of them with at most ``most_chars`` characters in all. A chunk that shows its language is
    read once for the answers of every language.
    """

    def __init__(self, readers: Readers, most: int, most_chars: int) -> None:
        self._readers = readers
        self._kept = Kept[tuple[str, str | None], Reading](most, most_chars)

    def __len__(self) -> int:
        return len(self._kept)

    def reading(self, source: str, fallback: str) -> Reading:
        """The reading of a chunk's text, kept or fresh; ``fallback`` is the answer's language."""
        known = self._kept.get((source, None)) or self._kept.get((source, fallback))
        if known is not None:
            return known
        fresh = Reading(source, self._readers, fallback)
        return self._kept.keep((source, None if fresh.shown else fallback), fresh, 1, len(source))

    def forget(self) -> None:
        """Drops all readings."""
        self._kept.forget()
