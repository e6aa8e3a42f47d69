"""Which vector stands for a token by itself? It depends on four features alone, so that of a known word is looked up.

The features are hashes of strings, not places in spaCy's string store: they mean the same after a memory zone has
ended. One of them alone would not do, as a rule of the tokenizer can give a token another NORM than its word has.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raguard.ner.layers import apply
from raguard.ner.weights import Floats, Weights

__all__ = ["Embedding"]


class Embedding:
    """The vectors of tokens by their features; remembers as many as ``capacity`` and then begins anew."""

    def __init__(self, weights: Weights, hashes: Any, capacity: int) -> None:
        self._weights = weights
        self._hashes = hashes
        self._known = np.empty((capacity, weights.mix.width), np.float32)
        self._places: dict[Hashable, int] = {}
        self._key = np.dtype((np.void, 8 * len(weights.columns)))

    def rows(self, features: NDArray[np.uint64]) -> Floats:
        """One row per token, for no more tokens than the capacity."""
        keys = features.view(self._key).ravel().tolist()
        if not self._places.keys() >= set(keys):
            self._learn(keys, features)
        return self._known[list(map(self._places.__getitem__, keys))]

    def _learn(self, keys: Sequence[Hashable], features: NDArray[np.uint64]) -> None:
        new = {key: token for token, key in enumerate(keys) if key not in self._places}
        if len(self._places) + len(new) > len(self._known):
            self._places.clear()
            new = {key: token for token, key in enumerate(keys)}
        start = len(self._places)
        self._known[start : start + len(new)] = self._computed(features[list(new.values())])
        self._places.update(zip(new, range(start, start + len(new)), strict=True))

    def _computed(self, features: NDArray[np.uint64]) -> Floats:
        parts = []
        for column, table in enumerate(self._weights.tables):
            rows = self._hashes(np.ascontiguousarray(features[:, column]), table.seed) % len(table.vectors)
            parts.append(table.vectors[rows].sum(axis=1))
        return apply(self._weights.mix, np.concatenate(parts, axis=1))
