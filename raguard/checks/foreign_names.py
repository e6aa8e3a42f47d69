"""What is a name in a language without a model, and do the documents hold an inflected form of it?

A capital says less elsewhere than in English prose: every German noun has one, and any word at a sentence's start. So
only what is plainly a name is looked for, and an ending ("Ankara'da", "Merkels") is no other name.
"""

from __future__ import annotations

from collections.abc import Iterator

from raguard.case import Case
from raguard.evidence.presence import Presence
from raguard.reading.names import NameRun, Token

__all__ = ["ForeignNames"]

_SHORTEST_STEM = 4
_LONGEST_ENDING = 4


class ForeignNames:
    """Judges the capitalised runs of an answer that is not English."""

    def __init__(self, case: Case, documents: Presence) -> None:
        self._case = case
        self._documents = documents
        self._lexicon = case.known.lexicon
        self._small = case.known.languages.function_words(case.lang)
        self._capital_nouns = case.lang in case.known.languages.capital_nouns

    def name(self, run: NameRun, *, opens: bool) -> NameRun | None:
        """The part of a run that must be a name, None when nothing says that any of it is one."""
        tokens = [token for token in run.tokens if not self._ending(token)]
        if opens:
            while tokens and not self.held(tokens[0]) and tokens[0].lower not in self._lexicon.given_names:
                del tokens[0]
        while tokens and tokens[0].lower in self._small:
            del tokens[0]
        if not tokens or (self._capital_nouns and not any(map(self.held, tokens)) and not self._plainly(tokens)):
            return None
        return NameRun.of(self._person(tokens) if self._capital_nouns else tokens)

    def held(self, token: Token) -> bool:
        """Whether the documents hold the word, a form of it with another ending, or need not hold it."""
        word = token.lower
        if word in self._small or self._documents.word(token):
            return True
        return any(map(self._case.sources.vocabulary.holds, _stems(word))) or any(
            held.startswith(word) and len(held) - len(word) <= _LONGEST_ENDING
            for held in (self._case.sources.words if len(word) >= _SHORTEST_STEM else ())
        )

    def _ending(self, token: Token) -> bool:
        """Whether the token is what an apostrophe ties to a name: the da of Ankara'da."""
        return token.text.islower() and self._case.outline.text[token.start - 1 : token.start] == "'"

    def _plainly(self, tokens: list[Token]) -> bool:
        """Whether capitalised words are a name where every noun has a capital: a person, a firm, a known place."""
        last, several = tokens[-1].lower, len(tokens) > 1
        return (
            any(token.lower in self._lexicon.given_names for token in tokens[:-1])
            or (several and (tokens[0].lower in self._lexicon.titles or last in self._lexicon.legal_suffixes))
            or self._lexicon.is_place(NameRun.of(tokens).text)
        )

    def _person(self, tokens: list[Token]) -> list[Token]:
        """The words from a first name on: without the nouns that say what the person is."""
        firsts = (place for place, token in enumerate(tokens[:-1]) if token.lower in self._lexicon.given_names)
        return tokens[next(firsts, 0) :]


def _stems(word: str) -> Iterator[str]:
    """The word without one to four letters at its end."""
    for length in range(1, _LONGEST_ENDING + 1):
        if len(word) - length >= _SHORTEST_STEM:
            yield word[:-length]
