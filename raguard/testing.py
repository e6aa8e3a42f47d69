"""How is code tested that needs something from outside? Stubs of the protocols: deterministic, offline, no download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from raguard import ConfigError
from raguard.text.words import plain_words

__all__ = ["HashingEncoder"]


class HashingEncoder:
    """An ``Encoder`` that counts the words of a text in ``width`` buckets, so that texts with the same words are alike.

    Vectors are arrays of shape (n, width); a text without a word is a vector of zeros. The same text has the same
    vector in every process. For tests: it knows nothing of meaning. Raises ConfigError for ``width`` below 1.

    >>> cat, dog, fee = HashingEncoder().encode(["The cat sat.", "the cat ran", "$5 a month"])
    >>> float(cat @ dog) > float(cat @ fee)
    True
    """

    def __init__(self, width: int = 256) -> None:
        if type(width) is not int or width < 1:
            raise ConfigError(f"width must be a whole number of at least 1, not {width!r}")
        self.width = width

    def encode(self, texts: Sequence[str], /) -> npt.NDArray[np.floating[Any]]:
        """The counts of the hashed words of each text."""
        vectors = np.zeros((len(texts), self.width))
        for row, text in zip(vectors, texts, strict=True):
            for word in plain_words(text).split():
                row[crc32(word.encode("utf-8", "replace")) % self.width] += 1
        return vectors
