"""Do the documents hold this name, under the many ways to write it? Presence in the text decides, not a label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from raguard.evidence.kept import Memo
from raguard.evidence.sources import Place, Sources
from raguard.lexicon import Form, Lexicon
from raguard.reading.names import NameRun, Token
from raguard.text.words import plain_words

__all__ = ["Presence"]

_COUNTED = re.compile(r"(?=[A-Z]{0,4}[2-4])(?:[A-Z][2-4]?){1,5}")
_REPEATED = re.compile(r"([A-Z])(\d)")
_LONG = 4
"""From how many letters on a word in capitals is a word and no abbreviation when the documents write it otherwise."""


class Presence:
    """Asks the chunks for names and words under their variants."""

    def __init__(self, sources: Sources, lexicon: Lexicon) -> None:
        self._sources = sources
        self._vocabulary = sources.vocabulary
        self._lexicon = lexicon
        self._words: Memo[str, bool] = Memo()

    def whole(self, run: NameRun) -> Place | None:
        """Where the whole name stands: word for word, with words between or the other way round, or as an alias."""
        if not run.simple and any(self._only_otherwise(token) for token in run.tokens if token.capitals is not None):
            return self._alias(run.text) or self._as_one_word(run.words)
        pieces = run.words if run.simple else " ".join(run.words).replace("&", " ").split()
        unnaming = self._lexicon.unnaming
        # without particles and legal suffixes, unless nothing else is left
        kept = pieces if unnaming.isdisjoint(pieces) else [word for word in pieces if word not in unnaming]
        words = kept or pieces
        if not words:
            return None
        place = self._sources.find(words) or self._alias(run.text)
        if place is not None or len(words) == 1:
            return place
        return self._loosely(words) or self._as_one_word(words)

    def _loosely(self, words: Sequence[str]) -> Place | None:
        """Where the words stand close together in any order, or the first one as an initial: J. Smith."""
        initial = [words[0][0], *words[1:]]
        return self._sources.gather(words) or (self._sources.find(initial) if len(words[0]) > 1 else None)

    def _as_one_word(self, words: Sequence[str]) -> Place | None:
        """Where the words of a name are written as one, as in an address: The Daily Post in dailypost.com."""
        joined = "".join(words)
        long = len(joined) > _LONG or (len(words) > 1 and len(joined) == _LONG)
        return self._sources.find([joined]) if long and self._vocabulary.holds(joined) else None

    def somewhere(self, run: NameRun) -> Place | None:
        """Where the first word of the run stands that the documents hold, in whatever form."""
        return self._as_one_word(run.words) or next(filter(None, map(self._place, run.tokens)), None)

    def _place(self, token: Token) -> Place | None:
        if token.capitals is not None and self._vocabulary.shouts(token.capitals):
            return self._sources.capital(token.capitals)
        pieces = token.lower.replace("&", " ").split()
        if len(pieces) > 1:
            return self._sources.find(pieces)
        forms = (self._sources.find([form]) for form in _inflections(token.lower))
        return next(filter(None, forms), None) or self._alias(token.text)

    def part_of(self, run: NameRun) -> Place | None:
        """Where the documents name a part of the place that the run names: San Diego for California."""
        parts = (part.words for part in self._lexicon.parts(run.text))
        return next(filter(None, map(self._name, parts)), None)

    def alone(self, run: NameRun) -> Place | None:
        """Where the run is a name by itself in the middle of a sentence: the Commanders."""
        return self._sources.alone(run.text) if all(map(self._vocabulary.holds, run.words)) else None

    def _name(self, words: Sequence[str]) -> Place | None:
        """Where the documents write the given lower-case words as a name."""
        if len(words) == 1:
            return self._sources.capital(words[0].capitalize()) if self._vocabulary.holds(words[0]) else None
        place = self._sources.find(words)
        return place if place is not None and place.chunk.reading.text[place.start].isupper() else None

    def word(self, token: Token) -> bool:
        """Whether one word of a name is supported on its own, under any of its variants."""
        lower = token.lower
        if token.capitals is not None and self._only_otherwise(token):
            return self._alias(token.text) is not None or lower in self.initials
        if lower in self._lexicon.function_words or lower in self._lexicon.particles or len(lower) == 1:
            return True
        return self._words.of(lower, self._known) or self._alias(token.text) is not None

    def expands(self, run: NameRun) -> str | None:
        """The acronym of the documents that the name may spell out, or None."""
        initials = "".join(token.text[0] for token in run.tokens if token.text[0].isupper())
        return initials if len(initials) > 2 and self._vocabulary.shouts(initials) else None

    def initialed(self, code: str) -> bool:
        """Whether the documents hold the name whose initials a short code counts: W3C, World Wide Web Consortium."""
        if not _COUNTED.fullmatch(code):
            return False
        return _REPEATED.sub(lambda match: match[1] * int(match[2]), code).lower() in self.initials

    def called(self, token: Token, place: Place) -> bool:
        """Whether the name at ``place`` holds another form of a word: Bob where it says Robert."""
        words = set(plain_words(place.chunk.reading.text[place.start : place.end]).split())
        return any(words.issuperset(form.words) for form in self._lexicon.same(token.text))

    @cached_property
    def initials(self) -> frozenset[str]:
        """The initials, in lower case, of every capitalised run of the documents, with and without small words."""
        found: set[str] = set()
        for chunk in self._sources.chunks:
            text = chunk.reading.text
            for start, end in chunk.reading.names:
                words = text[start:end].replace("-", " ").split()
                if words[0].lower() in self._lexicon.function_words:
                    del words[0]
                if len(words) > 1:
                    found.add("".join(word[0] for word in words).lower())
                    found.add("".join(word[0] for word in words if word[0].isupper()).lower())
        return frozenset(found)

    def _only_otherwise(self, token: Token) -> bool:
        """Whether an abbreviation stands in the documents only as a small word: US is not *us*, AIMS not *aims*."""
        capitals = token.capitals
        if capitals is None or self._vocabulary.shouts(capitals):
            return False
        if len(capitals) > _LONG:
            return False
        small = capitals.lower()
        if self._lexicon.is_abbreviation(capitals) or not self._vocabulary.holds(small):
            return True
        # in a text that writes it as a name, ANN is Ann; a common word in capitals may stand for the word, stressed
        return small not in self._lexicon.function_words and self._sources.capital(small.capitalize()) is None

    def _known(self, word: str) -> bool:
        holds = self._vocabulary.holds
        if self._vocabulary.may_hold(_stem(word)) and any(map(holds, _inflections(word))):
            return True
        long = len(word) > _LONG
        if "&" not in word:
            return long and self._vocabulary.joins(word)
        pieces = word.replace("&", " ").split()
        if len(pieces) > 1 and all(map(holds, pieces)):
            return True
        return long and (self._vocabulary.joins(word) or holds(word.replace("&", "and")))

    def _alias(self, text: str) -> Place | None:
        for form in self._lexicon.same(text):
            place = self._form(form)
            if place is not None:
                return place
        return None

    def _form(self, form: Form) -> Place | None:
        if form.capitals is not None:
            return self._sources.capital(form.capitals) if self._vocabulary.shouts(form.capitals) else None
        if len(form.words) == 1 and self._lexicon.is_base(form.words[0]):
            # a bill is no Bill: a common word stands for a name only where the documents write it as one
            return self._sources.capital(form.words[0].capitalize())
        return self._sources.find(form.words)


def _stem(word: str) -> str:
    """What all inflections of a word begin with."""
    if word[-1] not in "sy":
        return word
    ending = next((ending for ending in ("ies", "es", "s", "y") if word.endswith(ending)), "")
    return word.removesuffix(ending)


def _inflections(word: str) -> Iterator[str]:
    """The word itself, its plural and its singular."""
    yield word
    yield word + "s"
    yield word + "es"
    if len(word) > 2 and word.endswith("s"):
        yield word[:-1]
    if len(word) > 2 and word.endswith("es"):
        yield word[:-2]
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("y"):
        yield word[:-1] + "ies"
