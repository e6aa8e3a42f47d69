"""What does one chunk hold? Read lazily, only for what the answer needs, and kept by content for the next call."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter
from typing import NamedTuple

from raguard.evidence.kept import Kept, gathered
from raguard.evidence.near_facts import NearFacts
from raguard.evidence.word_places import WordPlaces
from raguard.evidence.wording import Wording
from raguard.evidence.words import Words
from raguard.language import LanguageGuesser
from raguard.reading import Reader, facts
from raguard.reading.claim_words import ClaimWords
from raguard.reading.enumeration import enumerators
from raguard.reading.listings import find_listings, find_records
from raguard.reading.names import name_spans
from raguard.reading.nouns import may_count, numbers_by_noun
from raguard.reading.quotes import Quote, QuoteReader
from raguard.reading.records import Field, find_fields
from raguard.reading.statements import PARTED, Statement, StatementReader
from raguard.reading.tables import Table, find_tables
from raguard.result import Evidence
from raguard.text.folding import fold
from raguard.text.hyphens import HyphenJoiner
from raguard.text.markup import undress
from raguard.values.value import Fact

__all__ = ["Chunk", "Readers", "Reading", "ReadingCache"]

_LONGEST_FACT = 400
_SHOWS_LANGUAGE = (160, 600)
_PER_SENTENCE = 700
"""To look for one sentence takes as long as to find all of so many characters."""


class Readers(NamedTuple):
    """What a chunk is read with: its language, its words at line ends, its values, its sentences, its quotations,
    the words of its claims."""

    languages: LanguageGuesser
    hyphens: HyphenJoiner
    values: Sequence[Reader]
    statements: StatementReader
    quotes: QuoteReader
    claims: ClaimWords


class Reading:
    """The content of one chunk, whatever place it has among the documents; everything is computed once, when asked."""

    def __init__(self, source: str, readers: Readers, fallback: str) -> None:
        self.view = readers.hyphens.join(undress(fold(source), keep_code=True))
        self.text = self.view.text
        """The folded text without Markdown marks."""
        self._readers = readers
        self._fallback = fallback
        self._said: dict[int, Statement] = {}
        self._looked = 0

    def prepare(self) -> None:
        """Reads all that the chunk holds."""
        gathered(self)
        self.words.prepare()
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

    def serves(self, fallback: str) -> bool:
        """Whether the text is read alike for answers in the language ``fallback``."""
        return fallback == self._fallback or self.shown is not None

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
    def words(self) -> Words:
        """Which words the text has."""
        return Words(self.text, self.places.plain)

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
        if "sentences" not in vars(self) and self._looked * _PER_SENTENCE < len(self.text):
            self._looked += 1
            span = self._readers.statements.around(self.text, place)
            if span is not None:
                return span
        number = bisect_right(self.sentences, place)
        end = self.sentences[number] if number < len(self.sentences) else len(self.text)
        return self.sentences[number - 1], end

    def may_say(self, words: Iterable[str]) -> bool:
        """Whether a sentence may have all of these words of a statement: a quick look at a short text."""
        places = self.places
        return places.filed or all(map(places.plain.__contains__, words)) or self._parts_words

    @cached_property
    def _parts_words(self) -> bool:
        """Whether some word of a statement may not stand in ``plain`` as it is: O'Sullivan is *oullivan* there."""
        return PARTED.search(self.text) is not None or "\u0130" in self.text

    @cached_property
    def denials(self) -> tuple[Statement, ...]:
        """The sentences that deny a verb."""
        found = {
            self.statement(place).start: self.statement(place)
            for place in self._readers.statements.negations(self.text)
        }
        return tuple(found.values())

    @cached_property
    def denied(self) -> Sequence[tuple[str, int]]:
        """How the words begin that a negation may deny, each with the place of the negation."""
        return self._readers.statements.denied(self.text)

    def counted(self, noun: str) -> Collection[str]:
        """The numbers before words that begin like ``noun``; a short text where none can stand is not read."""
        if "_counted" in vars(self) or self.places.filed or may_count(self.text, noun):
            return self._counted.get(noun, ())
        return ()

    @cached_property
    def counts(self) -> frozenset[str]:
        """The numbers before words of any kind."""
        return frozenset().union(*self._counted.values())

    @cached_property
    def _counted(self) -> Mapping[str, Collection[str]]:
        return numbers_by_noun(self.text)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the records that the chunk holds."""
        return tuple(find_fields(self.text, self.ruled))

    @cached_property
    def wording(self) -> Wording:
        """In which words the text speaks."""
        # without this reading in it, which would make a cycle
        openings = partial(self._readers.statements.starts, self.text)
        return Wording(self.text, openings, self.fields, self._readers.claims)

    @cached_property
    def quotes(self) -> tuple[Quote, ...]:
        """Whatever the chunk puts into quotation marks."""
        return tuple(self._readers.quotes.find(self.text))

    @cached_property
    def _read(self) -> tuple[Fact, ...]:
        return tuple(facts(self.text, self._readers.values, lang=self.lang))

    def facts_at(self, place: int) -> Sequence[Fact]:
        """The settled values that stand over ``place``; of a long text only the sentence around it is read for them."""
        near = self._near
        part = None if "_read" in vars(self) else near.part(self.sentence(place), place)
        if part is not None and near.worth(part):
            found = near.within(part)
        else:
            found = self.facts_in(place - _LONGEST_FACT, place + 1)
        return [fact for fact in found if fact.start <= place < fact.end and near.settled(fact)]

    def facts_of(self, start: int, end: int) -> Sequence[Fact]:
        """What ``facts_in`` gives; of a long text only that part is read for them, where that is enough."""
        if "_read" not in vars(self) and self._near.worth((start, end)):
            found = [fact for fact in self._near.within((start, end)) if start <= fact.start]
            if all(map(self._near.settled, found)):
                return found
        return self.facts_in(start, end)

    @cached_property
    def _near(self) -> NearFacts:
        return NearFacts(self.text, self._readers.values, self.lang)

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
        if not self._kept.keeps:
            return Reading(source, self._readers, fallback)
        first = self._reading(source, None, fallback)
        return first if first.serves(fallback) else self._reading(source, fallback, fallback)

    def _reading(self, source: str, apart: str | None, fallback: str) -> Reading:
        """The reading kept for the texts whose language makes no difference, or ``apart`` for those of one language."""
        known = self._kept.get((source, apart))
        if known is not None:
            return known
        return self._kept.keep((source, apart), Reading(source, self._readers, fallback), 1, len(source))

    def forget(self) -> None:
        """Drops all readings."""
        self._kept.forget()
