"""Which chunks of a corpus speak of a claim? By shared words (BM25), by the cosine of vectors, or by both."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import add
from threading import Lock
from typing import Any, Literal, Protocol, TypeAlias, get_args
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from raguard import ConfigError, Document
from raguard.claims.chunking import CorpusChunk, whole_chunks
from raguard.claims.encoders import Encoder, EncoderError, Matrix, as_matrix, turn_for, unit_rows
from raguard.text.words import camel_words, plain_words

__all__ = ["RANK_OFFSET", "ChunkFinder", "Mode", "Progress", "Retrieved", "Retriever", "index_words"]

Mode: TypeAlias = Literal["auto", "bm25", "cosine", "hybrid"]
Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many of how many chunks are done, from (0, n) to (n, n)."""
Places: TypeAlias = npt.NDArray[np.intp]
Scores: TypeAlias = npt.NDArray[np.floating[Any]]

_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_CAMEL_WORD = re.compile(r"[A-Za-z]{1,60}[a-z][A-Z][A-Za-z]{0,60}")
_BATCH = 256
"""How many chunks are read or encoded between two reports of progress."""
RANK_OFFSET = 60
"""The k of reciprocal rank fusion: Cormack, Clarke and Büttcher (2009), https://doi.org/10.1145/1571941.1572114"""
_DECIMALS = 6
"""Cosines are compared to so many decimals: what lies behind is the error of 32-bit numbers."""
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Kana, Han and Hangul, whose words stand without spaces or carry endings."""
_RUN = re.compile(f"([{_UNSPACED}]+)|[^{_UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A chunk that speaks of a text; ``score`` compares within one call alone, ``index`` is its place in ``chunks``.

    >>> found = Retriever(["The fee is $5.", "The office is in Leeds."]).retrieve("Leeds")[0]
    >>> found.chunk.text, found.index, found.score > 0
    ('The office is in Leeds.', 1, True)
    """

    chunk: CorpusChunk
    score: float
    index: int | None = None


class ChunkFinder(Protocol):
    """Whatever finds chunks for a text: all that a guard asks of its ``retriever``; it is called in a thread.

    >>> class First:
    ...     def retrieve(self, text, top_k):
    ...         return [Retrieved(chunk, 1.0) for chunk in whole_chunks(["The fee is $5."])][:top_k]
    >>> from raguard.claims import HallucinationGuard, LexicalNLIScorer
    >>> HallucinationGuard(LexicalNLIScorer(), retriever=First()).check_sync(None, "The fee is $5.")[0].verdict.value
    'pass'
    """

    def retrieve(self, text: str, top_k: int, /) -> Sequence[Retrieved]:
        """The ``top_k`` best chunks at most, best first."""
        ...


class Retriever:
    """An index over chunks that finds those which speak of a text; built once, then read by any number of threads.

    ``mode`` decides what ranks, "auto" is "hybrid" with an encoder and "bm25" without one:

    - "bm25" (needs ``bm25s``; Robertson and Zaragoza, 2009, https://doi.org/10.1561/1500000019, in the variant that
      bm25s names "lucene", k1 = 1.5, b = 0.75): case and punctuation do not count, a word of the text counts once, and
      a chunk that shares no word is not found. Scores are above 0.
    - "cosine": the cosine of the vectors of ``encoder``, in [−1, 1]; a chunk below ``cosine_threshold`` is not found.
    - "hybrid": reciprocal rank fusion, the sum of 1 / (60 + rank) over both. The threshold gates the cosine part only:
      a chunk that shares words is found whatever its vector says.

    ``chunks`` are CorpusChunks, strings or Documents, the latter two taken whole; blank ones are left out.
    ``progress`` is told how far the index is. Raises ConfigError for what cannot be indexed and when a library is
    missing, EncoderError for an encoder that fails.

    >>> retriever = Retriever(["The fee is $5.", "The office is in Leeds.", "The fee was $4."])
    >>> [found.chunk.text for found in retriever.retrieve("What is the fee?", top_k=2)]
    ['The fee is $5.', 'The fee was $4.']
    """

    def __init__(
        self,
        chunks: Sequence[CorpusChunk | str | Document],
        *,
        encoder: Encoder | None = None,
        mode: Mode = "auto",
        cosine_threshold: float = 0.55,
        progress: Progress | None = None,
    ) -> None:
        if mode not in get_args(Mode):
            raise ConfigError(f"mode must be one of {', '.join(get_args(Mode))}, not {mode!r}")
        # a string, the name of a model, has a method of that name
        if encoder is not None and (isinstance(encoder, str) or not callable(getattr(encoder, "encode", None))):
            raise ConfigError(f"encoder must be an object with encode(list of strings), not {type(encoder).__name__}")
        if encoder is None and mode in ("cosine", "hybrid"):
            raise ConfigError(f"mode {mode!r} needs an encoder")
        if not _is_cosine(cosine_threshold):
            raise ConfigError(f"cosine_threshold must be a number from -1 to 1, not {cosine_threshold!r}")
        if progress is not None and not callable(progress):
            raise ConfigError(f"progress must be a callable (done, total), not {type(progress).__name__}")
        self.chunks = tuple(whole_chunks(chunks))
        if not self.chunks:
            raise ConfigError("chunks must hold at least one text that is not blank")
        self.mode: Mode = mode if mode != "auto" else "bm25" if encoder is None else "hybrid"
        texts = [chunk.text for chunk in self.chunks]
        tell = progress or _tell_nobody
        ranks_words, ranks_vectors = self.mode != "cosine", encoder is not None and self.mode != "bm25"
        # encoding takes longest, so it is what is told of
        self._words = _WordIndex(texts, _tell_nobody if ranks_vectors else tell) if ranks_words else None
        self._vectors = (
            _VectorIndex(texts, encoder, cosine_threshold, tell) if encoder is not None and ranks_vectors else None
        )
        tell(len(texts), len(texts))

    def __len__(self) -> int:
        return len(self.chunks)

    def retrieve(self, text: str, top_k: int = 5) -> list[Retrieved]:
        """The ``top_k`` best chunks, or as many as there are, best first; of two with the same score the earlier one.

        Raises ConfigError for what is not a string and for ``top_k`` below 1, EncoderError for an encoder that fails.
        """
        if not isinstance(text, str):
            raise ConfigError(f"text must be a string, not {type(text).__name__}")
        if type(top_k) is not int or top_k < 1:
            raise ConfigError(f"top_k must be a whole number of at least 1, not {top_k!r}")
        if not text or text.isspace():
            return []
        rankings = [index.rank(text) for index in (self._words, self._vectors) if index is not None]
        places, scores = rankings[0] if len(rankings) == 1 else _fused(rankings, len(self.chunks))
        best = zip(places[:top_k].tolist(), scores[:top_k].tolist(), strict=True)
        return [Retrieved(self.chunks[place], score, place) for place, score in best]


class _WordIndex:
    """BM25 over the words of each text."""

    def __init__(self, texts: Sequence[str], tell: Progress) -> None:
        try:
            bm25s: Any = import_module("bm25s")
        except ImportError as error:
            raise ConfigError("retrieval by words needs bm25s: pip install 'raguard-verify[retrieval]'") from error
        self._numbers: dict[str, int] = {}
        read: list[list[int]] = []
        for place, text in enumerate(texts):
            if place % _BATCH == 0:
                tell(place, len(texts))
            read.append([self._numbers.setdefault(word, len(self._numbers)) for word in index_words(text)])
        self._count = len(texts)
        self._bm25 = bm25s.BM25(backend="numpy", csc_backend="numpy")
        if self._numbers:
            # what index() does, without its records in the log
            self._bm25.scores = self._bm25.build_index_from_ids(range(len(self._numbers)), read, show_progress=False)

    def rank(self, text: str) -> tuple[Places, Scores]:
        """The places of the texts that share a word, best first, with their scores."""
        known = [self._numbers[word] for word in dict.fromkeys(index_words(text)) if word in self._numbers]
        if not known:
            return np.empty(0, np.intp), np.empty(0)
        scores: Scores = self._bm25.get_scores_from_ids(known)
        return _ordered(scores, np.flatnonzero(scores > 0))


class _VectorIndex:
    """The vectors of all texts, each of length 1."""

    def __init__(self, texts: Sequence[str], encoder: Encoder, threshold: float, tell: Progress) -> None:
        self._encoder, self._threshold = encoder, threshold
        self._turn = turn_for(encoder, Lock())
        batches: list[Matrix] = []
        for first in range(0, len(texts), _BATCH):
            tell(first, len(texts))
            batches.append(self._encoded(list(texts[first : first + _BATCH])))
        widths = sorted({batch.shape[1] for batch in batches})
        if len(widths) > 1:
            raise EncoderError(f"the encoder gave vectors of {widths[0]} and of {widths[-1]} numbers")
        self._matrix = np.concatenate(batches)

    def rank(self, text: str) -> tuple[Places, Scores]:
        """The places of the texts whose cosine is at least the threshold, best first, with their cosines."""
        asked, width = self._encoded([text])[0], self._matrix.shape[1]
        if len(asked) != width:
            raise EncoderError(f"the encoder gave a vector of {len(asked)} numbers, those of the index have {width}")
        # the threads of a BLAS product wait for one another on a busy machine, up to fifty times as long as this takes
        cosines = np.round(np.einsum("ij,j->i", self._matrix, asked).astype(np.float64), _DECIMALS)
        return _ordered(cosines, np.flatnonzero(cosines >= self._threshold))

    def _encoded(self, texts: list[str]) -> Matrix:
        with self._turn:
            try:
                vectors = self._encoder.encode(texts)
            except EncoderError:
                raise
            except Exception as error:
                raise EncoderError(f"the encoder failed with {type(error).__name__}") from error
        return unit_rows(as_matrix(vectors, len(texts)))


def _ordered(scores: Scores, places: Places) -> tuple[Places, Scores]:
    """The places from the highest score to the lowest; equal ones keep their order."""
    order = places[np.argsort(-scores[places], kind="stable")]
    return order, scores[order]


def _fused(rankings: Sequence[tuple[Places, Scores]], count: int) -> tuple[Places, Scores]:
    """Several rankings as one, by reciprocal rank fusion."""
    fused = np.zeros(count)
    for places, _ in rankings:
        fused[places] += 1 / (RANK_OFFSET + np.arange(1, len(places) + 1))
    return _ordered(fused, np.flatnonzero(fused))


def index_words(text: str) -> list[str]:
    """The words by which texts are alike; of scripts without spaces the pairs of neighboring characters.

    >>> index_words("OutdoorSeating: yes"), index_words("東京都")
    (['outdoorseating', 'yes', 'outdoor', 'seating'], ['東京', '京都'])
    """
    plain = normalize("NFKC", text)
    if _INNER_CAPITAL.search(plain):
        # the key OutdoorSeating of a record is found by outdoor and by seating, and as it is written
        plain = f"{plain} {' '.join(camel_words(' '.join(_CAMEL_WORD.findall(plain))))}"
    words = plain_words(plain.casefold()).split()
    return words if text.isascii() else [part for word in words for part in _parts(word)]


def _parts(word: str) -> Iterator[str]:
    for run in _RUN.finditer(word):
        if run.group(1) and len(run.group()) > 1:
            yield from map(add, run.group(), run.group()[1:])
        else:
            yield run.group()


def _tell_nobody(done: int, total: int) -> None:
    """Progress that is not asked for."""


def _is_cosine(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and math.fabs(number) <= 1
