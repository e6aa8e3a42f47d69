"""Who answers a question from the chunks? Anything with ``generate``; by default, the chunks' own sentences."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Sequence
from typing import NamedTuple, Protocol

from raguard import ConfigError
from raguard.claims.chunking import CorpusChunk
from raguard.claims.splitting import Claim, split_into_claims
from raguard.pipeline.embedding import stem_weights

__all__ = ["NO_ANSWER", "ExtractiveProvider", "LLMProvider"]

NO_ANSWER = "The documents do not answer this question."

_LEAST_SHARE = 0.4
"""How much of what a question asks, by weight, the best sentence must hold to answer it."""
_OF_BEST = 0.75
"""How much of what the best sentence holds a further one must hold."""
_HEADED = 0.75
"""What a word of the question counts that stands in the chunk, and not in the sentence."""
_VALUE = re.compile(r"(?<=[a-z,] )[A-Z]|\d")
"""A name or a number; "in May" is one, though "may" claims nothing."""
_STOPPED = re.compile(r"[.!?…:|]")
_MARK = re.compile(r"\s{0,3}\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]")
# the last stop of "D.C." is part of it
_END = re.compile(r"(?<!\.\w)[.!?…]{1,9}[\"'”’)\]]{0,3}\Z")


class LLMProvider(Protocol):
    """Anything that writes an answer; ``generate`` may be async, and a function with the same arguments works, too.

    ``[1]`` in an answer cites the first of the chunks, which are given best first.

    >>> from raguard.claims import chunk_corpus
    >>> class First:
    ...     def generate(self, question, chunks):
    ...         return f"{chunks[0].text} [1]"
    >>> First().generate("What is the fee?", chunk_corpus(["The fee is $5."]))
    'The fee is $5. [1]'
    """

    def generate(self, question: str, chunks: Sequence[CorpusChunk], /) -> str | Awaitable[str]:
        """The answer; what it raises or returns that is not a string becomes a report without an answer."""
        ...


class ExtractiveProvider:
    """Answers with the sentences of the chunks that hold most of what the question asks, each with its citation.

    It quotes at most ``max_sentences``, in the order of the chunks; where none holds enough, it returns ``NO_ANSWER``.
    There is no model: the same question and chunks always give the same answer, which says nothing that the chunks do
    not say. It matches words and understands nothing. Raises ConfigError for ``max_sentences`` below 1.

    >>> from raguard.claims import chunk_corpus
    >>> chunks = chunk_corpus(["# Fees\\nThe fee is $5 a month. Pets are welcome.", "The office is in Leeds."])
    >>> ExtractiveProvider().generate("What is the monthly fee?", chunks)
    'The fee is $5 a month [1].'
    >>> ExtractiveProvider().generate("Who won the cup?", chunks)
    'The documents do not answer this question.'
    """

    def __init__(self, max_sentences: int = 3) -> None:
        if type(max_sentences) is not int or max_sentences < 1:
            raise ConfigError(f"max_sentences must be a whole number of at least 1, not {max_sentences!r}")
        self.max_sentences = max_sentences

    def generate(self, question: str, chunks: Sequence[CorpusChunk], /) -> str:
        """The sentences with their marks, or ``NO_ANSWER``."""
        asked = stem_weights(question)
        total = sum(asked.values())
        if not total:
            return NO_ANSWER
        sentences = [each for number, chunk in enumerate(chunks, 1) for each in _sentences(chunk.text, number, asked)]
        # of what several chunks repeat, the first is quoted
        distinct = {each.text: each for each in reversed(sentences)}
        ranked = sorted(distinct.values(), key=lambda each: (-each.weight, each.chunk, each.place))
        best = ranked[0].weight if ranked else 0.0
        if best < _LEAST_SHARE * total:
            return NO_ANSWER
        chosen = [each for each in ranked[: self.max_sentences] if each.weight >= _OF_BEST * best]
        return " ".join(map(_cited, sorted(chosen, key=lambda each: (each.chunk, each.place))))


class _Sentence(NamedTuple):
    text: str
    chunk: int
    """The number of its chunk, from 1."""
    place: int
    weight: float


def _sentences(text: str, number: int, asked: dict[str, float]) -> list[_Sentence]:
    """The sentences of a chunk that say something of what is asked, and more than the question does."""
    around = stem_weights(text)
    found = []
    for place, claim in enumerate(split_into_claims(text)):
        held = stem_weights(claim)
        # a heading or a question only names what it is about
        says_more = held.keys() - asked.keys() or _VALUE.search(claim)
        if claim.endswith("?") or _is_heading(claim, text) or not says_more or not held.keys() & asked.keys():
            continue
        weight = sum(
            weight if stem in held else _HEADED * weight
            for stem, weight in asked.items()
            if stem in held or stem in around
        )
        found.append(_Sentence(" ".join(_MARK.sub("", claim).split()), number, place, weight))
    return found


def _is_heading(claim: Claim, text: str) -> bool:
    """Whether a claim is a line of its own without a stop or a value."""
    if claim.start is None or claim.end is None or _STOPPED.search(claim):
        return False
    line = text[text.rfind("\n", 0, claim.start) + 1 : claim.start] + text[claim.start :].partition("\n")[0]
    return line.strip("# \t\r") == claim and _VALUE.search(claim) is None


def _cited(sentence: _Sentence) -> str:
    end = _END.search(sentence.text)
    told, stop = (sentence.text, ".") if end is None else (sentence.text[: end.start()], end[0])
    return f"{told} [{sentence.chunk}]{stop}"
