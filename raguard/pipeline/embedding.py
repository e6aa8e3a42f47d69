"""Who turns chunks and questions into vectors? Anything with ``encode``; by default the words themselves do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import log, sqrt
from typing import TypeAlias
from zlib import crc32

import numpy as np

from raguard import Config, ConfigError
from raguard.claims.encoders import Encoder, Matrix
from raguard.claims.retrieval import index_words
from raguard.reading.claim_words import ClaimWords

__all__ = ["Embedder", "HashingEmbedder", "stem_weights"]

Embedder: TypeAlias = Encoder
"""The same protocol as ``raguard.claims.Encoder``: an object with ``encode(list of strings)``."""


class HashingEmbedder:
    """Vectors of the words of a text: each stem counts in one of ``width`` buckets, by the root of its rarity.

    No model, no download, and the same vector in every process. Words that claim nothing, such as "the", do not count,
    and forms of one word are the same; synonyms are not seen. A text without a word that counts is a vector of zeros.
    The buckets carry signs, so that collisions cancel out (Weinberger et al., 2009, *Feature Hashing for Large Scale
    Multitask Learning*). ``width`` must be at least 1, else ConfigError.

    >>> texts = ["The fee is $5.", "What are the fees?", "Our office is in Leeds."]
    >>> fee, fees, office = HashingEmbedder().encode(texts)
    >>> float(fee @ fees) > 0, float(fees @ office)
    (True, 0.0)
    """

    concurrent = True

    def __init__(self, width: int = 1_024) -> None:
        if type(width) is not int or width < 1:
            raise ConfigError(f"width must be a whole number of at least 1, not {width!r}")
        self.width = width

    def encode(self, texts: Sequence[str], /) -> Matrix:
        """An array of shape (n, width), not of unit length; raises ConfigError for anything but a list of strings."""
        listed = isinstance(texts, Sequence) and not isinstance(texts, str | bytes)
        if not listed or not all(isinstance(text, str) for text in texts):
            raise ConfigError("texts must be a list of strings")
        vectors = np.zeros((len(texts), self.width))
        for row, text in zip(vectors, texts, strict=True):
            for (stem, rarity), count in _weighed_stems(text).items():
                digest = crc32(stem.encode("utf-8", "replace"))
                weight = sqrt(rarity) * (1 + log(count))
                row[(digest >> 1) % self.width] += weight if digest & 1 else -weight
        return vectors


def stem_weights(text: str) -> dict[str, float]:
    """The stems of a text that claim something, each with its rarity in nats.

    >>> list(stem_weights("What are the fees?"))
    ['fee']
    """
    return dict(_weighed_stems(text).keys())


def _weighed_stems(text: str) -> Counter[tuple[str, float]]:
    """The stems that count, with the rarity of each in nats, and how often each stands in the text."""
    weighed = _claim_words().weighed
    words = ((stem, rarity) for stem, rarity, _, _ in map(weighed, index_words(text)))
    return Counter((stem, rarity) for stem, rarity in words if rarity > 0)


@cache
def _claim_words() -> ClaimWords:
    return ClaimWords(Config().rulebook())
