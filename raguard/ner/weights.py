"""What does a loaded pipeline compute, and with which numbers? Only the one architecture that is known is read.

The model hashes four features of a token into tables, mixes them, lets each token see its neighbours a few times over
(``MultiHashEmbed``, ``MaxoutWindowEncoder``), and decides greedily from left to right whether an entity begins, goes on
or ends (``TransitionBasedParser``). Whatever differs from that is refused with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArchitectureError", "Floats", "Layer", "Table", "Weights", "read_weights"]

Floats: TypeAlias = NDArray[np.float32]

_EMBED = "ints-getitem>>hashembed"
_MIX = "maxout>>layernorm>>dropout"
_WINDOW = f"residual(expand_window>>{_MIX})"
_FEATURES_OF_A_STEP = 3
"""The current token, the first token of the open entity, the token before the current one."""


class ArchitectureError(Exception):
    """The pipeline computes something else than this package does; the message says what differs."""


@dataclass(frozen=True, slots=True)
class Table:
    """The vectors of one feature of a token, found by four hashes of its value."""

    vectors: Floats
    seed: int


@dataclass(frozen=True, slots=True)
class Layer:
    """A maxout with its normalisation; the columns of ``weights`` are ordered by piece, then by output."""

    weights: Floats
    bias: Floats
    width: int
    gain: Floats
    shift: Floats


@dataclass(frozen=True, slots=True)
class Weights:
    """All numbers of the model in the layout in which they are used."""

    columns: tuple[str, ...]
    tables: tuple[Table, ...]
    mix: Layer
    windows: tuple[Layer, ...]
    vector: tuple[Floats, Floats]
    step: Floats
    step_bias: Floats
    step_padding: Floats
    """What stands for a missing feature of a step, one row per feature."""
    step_width: int
    scores: tuple[Floats, Floats]
    actions: tuple[tuple[str, str], ...]
    """What each score is for: ("B", "ORG") begins an organisation, ("O", "") is no entity."""


def read_weights(nlp: Any) -> Weights:
    """The weights of a loaded pipeline; raises ArchitectureError for any other model than the known one."""
    ner = _recogniser(nlp)
    model = ner.model
    encoder, lower, upper = (model.get_ref(name) for name in ("tok2vec", "lower", "upper"))
    nodes = list(encoder.walk())
    tables = [node for node in nodes if node.name == "hashembed"]
    windows = [node for node in nodes if node.name == "expand_window"]
    _assert_encoder(encoder.name, nodes, len(tables), len(windows))
    layers = [
        _layer(maxout, norm) for maxout, norm in zip(_named(nodes, "maxout"), _named(nodes, "layernorm"), strict=True)
    ]
    features, width, pieces, inner = lower.get_param("W").shape
    linear = _named(nodes, "linear")[-1]
    weights = Weights(
        columns=tuple(_named(nodes, "extract_features")[0].attrs["columns"]),
        tables=tuple(Table(node.get_param("E"), node.attrs["seed"]) for node in tables),
        mix=layers[0],
        windows=tuple(layers[1:]),
        vector=(_turned(linear.get_param("W")), linear.get_param("b")),
        step=_turned(lower.get_param("W").transpose(0, 2, 1, 3).reshape(features * pieces * width, inner)),
        step_bias=_by_piece(lower.get_param("b")),
        step_padding=np.stack([_by_piece(row) for row in lower.get_param("pad")[0]]),
        step_width=width,
        scores=(upper.get_param("W"), upper.get_param("b")),
        actions=_actions(ner.moves),
    )
    _assert_shapes(weights, pieces)
    return weights


def _recogniser(nlp: Any) -> Any:
    """The one component of the pipeline; raises ArchitectureError when anything else decides on entities."""
    from spacy.pipeline import EntityRecognizer
    from spacy.pipeline._parser_internals.ner import BiluoPushDown
    from spacy.tokenizer import Tokenizer
    from thinc.api import NumpyOps

    _assert(nlp.pipe_names == ["ner"], "the pipeline has other components")
    ner = nlp.get_pipe("ner")
    _assert(type(ner) is EntityRecognizer, "the recogniser is not spaCy's")
    _assert(type(ner.moves) is BiluoPushDown, "the transitions are not spaCy's")
    _assert(type(nlp.tokenizer) is Tokenizer, "the tokenizer is not spaCy's, it may set entities")
    _assert(ner.cfg["beam_width"] == 1, "it searches with a beam")
    model = ner.model
    _assert(isinstance(model.ops, NumpyOps), "it does not compute on the processor")
    _assert(model.name == "parser_model" and model.attrs["has_upper"], "its decisions have another form")
    _assert(not model.attrs["unseen_classes"], "it has labels that it was not trained for")
    names = [model.get_ref(name).name for name in ("lower", "upper")]
    _assert(names == ["precomputable_affine", "linear"], "its decisions have another form")
    return ner


def _assert_encoder(name: str, nodes: list[Any], tables: int, depth: int) -> None:
    known = (
        f"extract_features>>list2ragged>>with_array({'|'.join([_EMBED] * tables)})>>with_array({_MIX})>>ragged2list"
        f">>with_array({'>>'.join([_WINDOW] * depth)})>>list2array>>linear"
    )
    _assert(name == known, "its encoder has other layers")
    _assert(all(node.attrs["window_size"] == 1 for node in _named(nodes, "expand_window")), "its windows are wider")
    _assert(all(node.attrs["pad"] in (0, depth) for node in nodes if "pad" in node.attrs), "it pads otherwise")
    read = [node.attrs["index"][1] for node in _named(nodes, "ints-getitem")]
    _assert(read == list(range(tables)), "its tables read other features")


def _assert_shapes(weights: Weights, pieces: int) -> None:
    """That all numbers fit together; what fits otherwise is caught by the comparison at load."""
    width = weights.mix.width
    layers = (weights.mix, *weights.windows)
    hidden = weights.vector[0].shape[1]
    _assert(1 < len(weights.columns) == len(weights.tables), "its tables read other features")
    _assert(
        sum(table.vectors.shape[1] for table in weights.tables) == len(weights.mix.weights), "its tables do not fit"
    )
    _assert(
        all(len(layer.weights) == 3 * width and layer.width == width for layer in weights.windows),
        "its layers do not fit",
    )
    _assert(weights.step.shape == (hidden, _FEATURES_OF_A_STEP * pieces * weights.step_width), "its steps do not fit")
    _assert(weights.scores[0].shape == (len(weights.actions), weights.step_width), "its actions do not fit")
    arrays = [*weights.vector, *weights.scores, weights.step, weights.step_bias, weights.step_padding]
    arrays += [table.vectors for table in weights.tables]
    arrays += [array for layer in layers for array in (layer.weights, layer.bias, layer.gain, layer.shift)]
    _assert(all(array.dtype == np.float32 for array in arrays), "its numbers have another precision")


def _actions(moves: Any) -> tuple[tuple[str, str], ...]:
    names = [moves.get_class_name(place) for place in range(moves.n_moves)]
    pairs = [(name[0], name[2:]) for name in names]
    labels = {label for kind, label in pairs if kind == "B"}
    # a unit without a label only keeps an entity that was set before; there is none
    known = {("O", ""), ("U", "")} | {(kind, label) for kind in "BILU" for label in labels}
    _assert(set(pairs) == known and len(pairs) == len(known), "its actions are others")
    return tuple(pairs)


def _layer(maxout: Any, norm: Any) -> Layer:
    weights: Floats = maxout.get_param("W")
    width, pieces, inner = weights.shape
    return Layer(
        weights=_turned(weights.transpose(1, 0, 2).reshape(pieces * width, inner)),
        bias=_by_piece(maxout.get_param("b")),
        width=width,
        gain=norm.get_param("G"),
        shift=norm.get_param("b"),
    )


def _by_piece(outputs: Floats) -> Floats:
    """An (outputs, pieces) array as one row: all outputs of the first piece, then those of the next."""
    return np.ascontiguousarray(outputs.T).reshape(-1)


def _turned(weights: Floats) -> Floats:
    return np.ascontiguousarray(weights.T)


def _named(nodes: list[Any], name: str) -> list[Any]:
    return [node for node in nodes if node.name == name]


def _assert(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ArchitectureError(otherwise)
