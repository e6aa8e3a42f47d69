"""Where do the claims of an answer begin and end? At its sentences, items and rows, as a reader would part them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from raguard import ConfigError
from raguard.claims.blocks import find_blocks
from raguard.claims.joints import clauses
from raguard.claims.sentences import sentences
from raguard.claims.stops import shipped_stops
from raguard.text.blanks import Span

if TYPE_CHECKING:
    from raguard.claims.context import Context

__all__ = ["Claim", "ClaimExtractor", "Granularity", "SentenceClaimExtractor", "split_into_claims"]

_LETTER = re.compile(r"[^\W_]")

Granularity: TypeAlias = Literal["sentence", "clause"]


class Claim(str):
    """A claim: a string that knows its place, ``answer[start:end] == claim``; both None for one without a place.

    It equals and hashes as the plain string.

    >>> claim = Claim("It rains.", start=10, end=19)
    >>> claim == "It rains.", claim.start, claim.end
    (True, 10, 19)
    """

    __slots__ = ("end", "start")

    start: int | None
    end: int | None

    def __new__(cls, text: str, start: int | None = None, end: int | None = None) -> Claim:
        """``start`` and ``end`` are offsets in the answer, in characters."""
        claim = super().__new__(cls, text)
        claim.start = start
        claim.end = end
        return claim

    def __reduce__(self) -> tuple[type[Claim], tuple[str, int | None, int | None]]:
        """What pickling keeps."""
        return type(self), (str(self), self.start, self.end)


def split_into_claims(text: str, *, granularity: Granularity = "sentence") -> list[Claim]:
    """The claims of an answer in order, none overlapping, with ``text[claim.start:claim.end] == claim`` for each.

    Every letter and digit of the prose lies in a claim. Marks of items and headings, the header of a table and code in
    fences are no claims. With "clause" a long sentence is parted between clauses that each have a subject and a verb.
    Pure, and linear in the length of the text; another ``granularity`` raises ConfigError.

    >>> split_into_claims("# Plans\\n1. It costs $5.50 in the U.S. today. Dr. Lee knows.\\n2. It is new.")
    ['Plans', 'It costs $5.50 in the U.S. today.', 'Dr. Lee knows.', 'It is new.']
    >>> split_into_claims("It opened in 1990 near the station, and it has a garden.", granularity="clause")
    ['It opened in 1990 near the station', 'and it has a garden.']
    """
    _check(granularity)
    return [Claim(text[start:end], start, end) for start, end in _spans(text, granularity)]


def _spans(text: str, granularity: Granularity) -> Iterator[Span]:
    stops = shipped_stops()
    for block in find_blocks(text, stops.small_words):
        if block.whole:
            start, end = _stripped(text, block.start, block.end)
            if _LETTER.search(text, start, end):
                yield start, end
            continue
        for start, end in sentences(text, block.start, block.end, stops, block.number):
            if granularity == "clause":
                yield from clauses(text, start, end)
            else:
                yield start, end


def _stripped(text: str, start: int, end: int) -> Span:
    bare = text[start:end].lstrip()
    start = end - len(bare)
    return start, start + len(bare.rstrip())


def _check(granularity: str) -> None:
    if granularity not in get_args(Granularity):
        raise ConfigError(f'granularity must be "sentence" or "clause", not {granularity!r}')


class ClaimExtractor(ABC):
    """Finds the claims of an answer; the place for another way of decomposing, such as a language model.

    >>> class Lines(ClaimExtractor):
    ...     async def extract(self, ctx, answer):
    ...         return answer.splitlines()
    >>> import asyncio
    >>> asyncio.run(Lines().extract(None, "It rains, says Ann.\\nIt pours."))
    ['It rains, says Ann.', 'It pours.']
    """

    @abstractmethod
    async def extract(self, ctx: Context | None, answer: str) -> Sequence[str]:
        """The claims of ``answer`` in order, as ``Claim``s with their places or as plain strings.

        What it raises makes the whole answer unchecked. ``ctx`` says for whom; None is allowed.
        """


class SentenceClaimExtractor(ClaimExtractor):
    """Each sentence, item and row is a claim, or each clause of them: ``split_into_claims`` as an extractor.

    >>> import asyncio
    >>> asyncio.run(SentenceClaimExtractor().extract(None, "It rains. It pours."))
    ['It rains.', 'It pours.']
    """

    def __init__(self, granularity: Granularity = "sentence") -> None:
        """Another ``granularity`` than "sentence" and "clause" raises ConfigError."""
        _check(granularity)
        self.granularity: Granularity = granularity

    async def extract(self, ctx: Context | None, answer: str) -> Sequence[str]:
        """The claims of ``answer`` by ``split_into_claims``; ``ctx`` is not used."""
        return split_into_claims(answer, granularity=self.granularity)
