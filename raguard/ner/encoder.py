"""Which vector stands for each token in its context? What the model's ``tok2vec`` computes, in few large products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raguard.ner.embedding import Embedding
from raguard.ner.layers import apply
from raguard.ner.weights import Floats, Weights

__all__ = ["Encoder"]

_BLOCK = 1024
"""How many tokens are encoded at a time, so that the arrays stay small however long the text is."""


class Encoder:
    """The vectors of tokens; not thread-safe, it remembers the embeddings of the last words."""

    def __init__(self, weights: Weights, hashes: Any) -> None:
        self._weights = weights
        self._embedding = Embedding(weights, hashes, capacity=8 * _BLOCK)
        self._reach = len(weights.windows)

    def vectors(self, doc: Any) -> Floats:
        """One row per token of a doc that has at least one."""
        features: NDArray[np.uint64] = doc.to_array(self._weights.columns)
        tokens = len(features)
        product, bias = self._weights.vector
        if tokens <= _BLOCK:
            return self._context(features, 0, tokens) @ product + bias
        blocks = (self._context(features, start, min(start + _BLOCK, tokens)) for start in range(0, tokens, _BLOCK))
        return np.concatenate([block @ product + bias for block in blocks])

    def _context(self, features: NDArray[np.uint64], start: int, end: int) -> Floats:
        """The tokens from ``start`` to ``end``, each in the sight of its neighbours; beyond the text are zeros."""
        reach, width = self._reach, self._weights.mix.width
        first, last = max(0, start - reach), min(len(features), end + reach)
        rows = np.zeros((end - start + 2 * reach, width), np.float32)
        rows[first - start + reach : last - start + reach] = self._embedding.rows(features[first:last])
        windows = np.zeros((len(rows), 3 * width), np.float32)
        for layer in self._weights.windows:
            windows[1:, :width] = rows[:-1]
            windows[:, width : 2 * width] = rows
            windows[:-1, 2 * width :] = rows[1:]
            rows += apply(layer, windows)
        return rows[reach : len(rows) - reach]
