"""What does one layer of the model compute? A maxout, normalised."""

from __future__ import annotations

import numpy as np

from raguard.ner.weights import Floats, Layer

__all__ = ["apply", "largest"]

_EPSILON = np.float32(1e-8)


def apply(layer: Layer, rows: Floats) -> Floats:
    """The layer's outputs, one row for each of ``rows``."""
    pieces = rows @ layer.weights
    pieces += layer.bias
    out = largest(pieces, layer.width)
    out -= np.add.reduce(out, axis=1, keepdims=True) / np.float32(layer.width)
    spread = np.einsum("ij,ij->i", out, out)
    spread /= np.float32(layer.width)
    spread += _EPSILON
    out *= (1 / np.sqrt(spread))[:, None]
    out *= layer.gain
    out += layer.shift
    return out


def largest(pieces: Floats, width: int) -> Floats:
    """For each output the largest of its pieces, which stand ``width`` columns apart."""
    out = np.maximum(pieces[:, :width], pieces[:, width : 2 * width])
    for start in range(2 * width, pieces.shape[1], width):
        np.maximum(out, pieces[:, start : start + width], out=out)
    return out
