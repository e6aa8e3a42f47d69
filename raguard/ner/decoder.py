"""Where do entities begin and end? What the model's greedy decisions come to, without taking them one by one.

A decision outside an entity depends on its token alone, so that those of a whole text are one product. Only inside an
entity do they depend on where it began: go on or end.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from raguard.ner.layers import largest
from raguard.ner.weights import Floats, Weights

__all__ = ["Decoder", "Tokens"]

Tokens: TypeAlias = tuple[int, int, str]
"""First token, token after the last, label."""

_CLOSE = 1e-3
"""Scores nearer to each other than this are not told apart: rounding, which differs with the order of additions and
between processors, moves them by some 1e-5."""
_AHEAD = 6
"""How many tokens are looked at together for the end of an entity."""


class Decoder:
    """The entities of a text by the vectors of its tokens."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        product, bias = weights.scores
        places = {action: place for place, action in enumerate(weights.actions)}
        outside = [place for (kind, label), place in places.items() if kind == "O" or (kind in "BU" and label)]
        self._outside = [weights.actions[place] for place in outside]
        self._nothing = self._outside.index(("O", ""))
        self._begins = [column for column, (kind, _) in enumerate(self._outside) if kind == "B"]
        self._product, self._bias = np.ascontiguousarray(product[outside].T), bias[outside]
        self._ends = {
            label: (product[places["L", label]] - product[going]).copy()
            for (kind, label), going in places.items()
            if kind == "I"
        }
        self._end_bias = {
            label: float(bias[places["L", label]] - bias[going])
            for (kind, label), going in places.items()
            if kind == "I"
        }
        self._alone = weights.step_padding[1] + weights.step_padding[2] + weights.step_bias

    def entities(self, vectors: Floats, doc: Any) -> list[Tokens] | None:
        """The entities from left to right; None when two decisions are too close to call."""
        steps = vectors @ self._weights.step
        now, first, before = np.split(steps, 3, axis=1)
        scores = largest(now + self._alone, self._weights.step_width) @ self._product
        scores += self._bias
        scores[-1, self._begins] = -np.inf  # the last token has none to go on with
        best = scores.argmax(axis=1)
        rows = np.arange(len(best))
        top = scores[rows, best]
        scores[rows, best] = -np.inf
        close = ~(top - scores.max(axis=1) > _CLOSE)  # also where a score is no number
        found: list[Tokens] = []
        free = 0
        for token in np.flatnonzero((best != self._nothing) | close).tolist():
            if token < free or doc[token].is_space:  # no entity begins with a blank
                continue
            if close[token]:
                return None
            kind, label = self._outside[best[token]]
            end = token + 1 if kind == "U" else self._end(now, first[token], before, token, label)
            if end is None:
                return None
            found.append((token, end, label))
            free = end
        return found

    def _end(self, now: Floats, first: Floats, before: Floats, start: int, label: str) -> int | None:
        """Where the entity that began at ``start`` ends; None when that is too close to call."""
        weights, bias = self._ends[label], self._end_bias[label]
        tokens = len(now)
        opened = first + self._weights.step_bias
        for place in range(start + 1, tokens, _AHEAD):
            upto = min(place + _AHEAD, tokens)
            steps = now[place:upto] + before[place - 1 : upto - 1]
            steps += opened
            ending = largest(steps, self._weights.step_width) @ weights + bias
            if upto == tokens:
                ending[-1] = np.inf  # the last token has none to go on with
            for ahead in np.flatnonzero(ending > -_CLOSE).tolist():
                return place + ahead + 1 if ending[ahead] > _CLOSE else None
        return tokens
