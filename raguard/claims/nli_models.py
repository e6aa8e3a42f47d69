"""How do the files of an NLI model become logits? Labels from its config, pairs through its tokenizer and its graph."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from raguard import ConfigError
from raguard.claims.scoring import NLILabel
from raguard.files import read_bytes, reason_of

__all__ = ["GRAPHS", "NLIModel", "OnnxModel", "Pairs", "Prediction", "TorchModel", "read_labels"]

Logits: TypeAlias = npt.NDArray[np.float64]
Pairs: TypeAlias = Sequence[tuple[str, str]]

GRAPHS = ("model.onnx", "onnx/model.onnx")
"""Where the graph of a folder may be, the first one that exists counts."""

_CONFIG = "config.json"
_TOKENIZER = "tokenizer.json"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_TYPES: Mapping[str, np.dtype[Any]] = {"tensor(int64)": np.dtype(np.int64), "tensor(int32)": np.dtype(np.int32)}
_ENTAILS = re.compile(r"(not?|non|un)?entail(ment|ed|s)?")
_CONTRADICTS = re.compile(r"contradict(ion|ory|s|ed)?")
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "roberta-prelayernorm", "xmod"})
"""Model types whose positions begin behind the padding's id, so that so many fewer tokens fit."""
_FEWEST_TOKENS = 8
_SILENT = 4
"""ONNX Runtime's level of its log for nothing but fatal errors: what is wrong is raised."""


class Prediction(NamedTuple):
    """``logits`` of shape (n, labels), and for each pair whether it was longer than the model reads."""

    logits: Logits
    cut: tuple[bool, ...]


class NLIModel(Protocol):
    """Something that gives logits for pairs (premise, hypothesis); it may be called by several threads at once."""

    @property
    def labels(self) -> Sequence[NLILabel]:
        """What each column of the logits stands for."""
        ...

    def predict(self, pairs: Pairs) -> Prediction:
        """The logits of one batch of pairs."""
        ...


def _read_config(folder: Path) -> Mapping[str, Any]:
    """The ``config.json`` of a model's folder; raises ConfigError naming the file when it cannot be read."""
    path, advice = folder / _CONFIG, "save the model with model.save_pretrained(folder)"
    try:
        config = json.loads(_content(path, advice))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is not valid JSON; {advice}") from error
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: must hold a JSON object, not {type(config).__name__}")
    return config


def read_labels(config: Mapping[str, Any], where: str) -> tuple[NLILabel, ...]:
    """What the columns of a model's logits stand for, by ``id2label`` or ``label2id`` of its config, in any case.

    Models have three labels, or two of which one is entailment; *not entailment* counts as neutral. Raises ConfigError
    naming ``where`` for labels that do not say what they are: a guess could turn every verdict round.

    >>> read_labels({"id2label": {"0": "CONTRADICTION", "1": "Entailment", "2": "neutral"}}, "config.json")[1].value
    'entailment'
    """
    by_id, by_label = config.get("id2label"), config.get("label2id")
    read = [
        labels
        for names in (_names(by_id), _names(_turned(by_label)))
        if names is not None and (labels := _known(names)) is not None
    ]
    if not read:
        names = _names(by_id) or _names(_turned(by_label)) or []
        said = f"names its labels {', '.join(map(repr, names[:5]))}" if names else "names no labels"
        raise ConfigError(
            f"{where}: {said}; write which of them is which, as the model's card says, such as "
            '"id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"}'
        )
    if read[0] != read[-1]:
        raise ConfigError(f"{where}: id2label and label2id disagree; correct the one that the model's card contradicts")
    return read[0]


def _turned(by_label: object) -> object:
    """A mapping of labels to numbers, the other way round."""
    return {number: label for label, number in by_label.items()} if isinstance(by_label, dict) else None


def _names(by_id: object) -> list[str] | None:
    """The labels in the order of their numbers; None when the numbers do not count from 0."""
    if not isinstance(by_id, dict) or not all(isinstance(label, str) for label in by_id.values()):
        return None
    numbered = {str(number): label for number, label in by_id.items()}
    order = list(map(str, range(len(numbered))))
    return [numbered[number] for number in order] if numbered and set(order) == set(numbered) else None


def _known(names: Sequence[str]) -> tuple[NLILabel, ...] | None:
    """The meanings of 2 or 3 labels, None when one is unknown, two mean the same or none is entailment."""
    labels = [label for name in names if (label := _meaning(name)) is not None]
    complete = len(names) in (2, 3) and len(labels) == len(set(labels)) == len(names)
    return tuple(labels) if complete and NLILabel.ENTAILMENT in labels else None


def _meaning(name: str) -> NLILabel | None:
    plain = re.sub(r"[\W_]", "", name.lower())
    entails = _ENTAILS.fullmatch(plain)
    if entails:
        return NLILabel.NEUTRAL if entails[1] else NLILabel.ENTAILMENT
    if _CONTRADICTS.fullmatch(plain):
        return NLILabel.CONTRADICTION
    return NLILabel.NEUTRAL if plain == "neutral" else None


class OnnxModel:
    """The model of a local folder: ``model.onnx`` (or ``onnx/model.onnx``), ``tokenizer.json`` and ``config.json``.

    A pair of more than ``max_length`` tokens loses the ends of its longer part (the Hugging Face strategy
    "longest_first"), which is the premise unless the hypothesis is the longer one; the model's own limit counts when it
    is smaller. Raises ConfigError naming the file that is missing or cannot be used. One pair is scored when it is
    built, so that a graph that cannot run says so at once.
    """

    def __init__(self, folder: Path, *, max_length: int, threads: int) -> None:
        """``threads`` is how many threads ONNX Runtime uses for one batch."""
        try:
            import tokenizers

            onnxruntime = import_module("onnxruntime")
        except ImportError as error:
            raise ConfigError(
                "CrossEncoderScorer needs onnxruntime and tokenizers: pip install 'raguard-verify[nli]'"
            ) from error
        config = _read_config(folder)
        self.labels = read_labels(config, str(folder / _CONFIG))
        self._graph = next(folder / name for name in GRAPHS if (folder / name).exists())
        self._tokenizer = _tokenizer(tokenizers, folder, _room(config, max_length, str(folder / _CONFIG)))
        self._padding = _padding(config, self._tokenizer)
        self._session = self._opened(onnxruntime, threads)
        self._types = self._inputs()
        self._output = self._chosen_output()
        self._tried()

    def predict(self, pairs: Pairs) -> Prediction:
        """The logits of one batch of pairs, padded to its longest one."""
        # encode_batch would start threads of its own
        encodings = [self._tokenizer.encode(_valid(premise), _valid(hypothesis)) for premise, hypothesis in pairs]
        width = max(len(encoding.ids) for encoding in encodings)
        ids = np.full((len(pairs), width), self._padding, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            length = len(encoding.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = encoding.ids, 1, encoding.type_ids
        given = dict(zip(_INPUTS, (ids, mask, types), strict=True))
        fed = {name: given[name].astype(kind, copy=False) for name, kind in self._types.items()}
        (logits,) = self._session.run([self._output], fed)
        return Prediction(np.asarray(logits, dtype=np.float64), tuple(bool(each.overflowing) for each in encodings))

    def _opened(self, onnxruntime: Any, threads: int) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = _SILENT
        try:
            return onnxruntime.InferenceSession(str(self._graph), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            # ONNX Runtime raises classes of its own for each kind of broken file, which share no base but Exception
            raise ConfigError(f"{self._graph}: is no graph that ONNX Runtime can load; export it again") from error

    def _inputs(self) -> dict[str, np.dtype[Any]]:
        """The inputs that the graph declares, with their types."""
        declared = self._session.get_inputs()
        unknown = sorted(each.name for each in declared if each.name not in _INPUTS or each.type not in _TYPES)
        if unknown or "input_ids" not in [each.name for each in declared]:
            wrong = f"has the input {unknown[0]}" if unknown else "has no input input_ids"
            raise ConfigError(f"{self._graph}: {wrong}; its inputs must be integers among {', '.join(_INPUTS)}")
        return {each.name: _TYPES[each.type] for each in declared}

    def _chosen_output(self) -> str:
        names: list[str] = [each.name for each in self._session.get_outputs()]
        return "logits" if "logits" in names else names[0]

    def _tried(self) -> None:
        """Scores a batch of two pairs; raises ConfigError when that is not possible."""
        try:
            logits = self.predict([("a", "a"), ("a a a", "a")]).logits
        except Exception as error:
            raise ConfigError(
                f"{self._graph}: cannot score two pairs; export it with dynamic axes for batch and sequence, "
                f"and keep it with its own {_TOKENIZER}"
            ) from error
        if logits.shape != (2, len(self.labels)):
            raise ConfigError(
                f"{self._graph}: its output has the shape {logits.shape} for two pairs, "
                f"and {_CONFIG} names {len(self.labels)} labels; they are not of one model"
            )
        if not np.isfinite(logits).all():
            raise ConfigError(f"{self._graph}: its logits are not finite; the file is damaged")


class TorchModel:
    """A model through ``sentence_transformers.CrossEncoder`` (version 5 or later); one batch at a time.

    ``name`` is a local folder, or with ``allow_download`` the name of a model on the Hugging Face hub.
    """

    def __init__(self, name: str, *, max_length: int, allow_download: bool) -> None:
        try:
            library = import_module("sentence_transformers")
        except ImportError as error:
            raise ConfigError(
                f"{name}: to read it, sentence-transformers is needed: pip install 'raguard-verify[embeddings]'"
            ) from error
        folder = Path(name)
        local = folder.is_dir()
        labels = read_labels(_read_config(folder), str(folder / _CONFIG)) if local else None
        try:
            self._model = library.CrossEncoder(
                name, max_length=max_length, local_files_only=local or not allow_download
            )
        except Exception as error:
            # what it raises depends on which of its libraries finds the fault
            raise ConfigError(f"{name}: sentence-transformers cannot load it ({type(error).__name__})") from error
        self.labels = labels or read_labels(self._model.config.to_dict(), name)
        self._lock = threading.Lock()

    def predict(self, pairs: Pairs) -> Prediction:
        """The logits of one batch; how much was cut is not known here."""
        given = [(_valid(premise), _valid(hypothesis)) for premise, hypothesis in pairs]
        # its tokenizer is changed while it is used
        with self._lock:
            logits = self._model.predict(
                given, batch_size=len(given), show_progress_bar=False, activation_fn=_unchanged, convert_to_numpy=True
            )
        return Prediction(np.asarray(logits, dtype=np.float64), (False,) * len(given))


def _unchanged(logits: Any) -> Any:
    """An activation that leaves logits as they are."""
    return logits


def _valid(text: str) -> str:
    """``text`` with a question mark for each half of a character, which a tokenizer refuses."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _content(path: Path, advice: str) -> str:
    try:
        return read_bytes(path).decode("utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: is missing; {advice}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {reason_of(error)}") from error


def _tokenizer(tokenizers: Any, folder: Path, length: int) -> Any:
    """The folder's tokenizer, which cuts pairs to ``length`` tokens and does not pad."""
    path = folder / _TOKENIZER
    advice = "save the fast tokenizer with tokenizer.save_pretrained(folder)"
    content = _content(path, advice)
    try:
        tokenizer = tokenizers.Tokenizer.from_str(content)
        tokenizer.no_padding()
        tokenizer.enable_truncation(length, strategy="longest_first")
    except Exception as error:
        # tokenizers raises bare Exceptions
        raise ConfigError(f"{path}: is no tokenizer that the library tokenizers can read; {advice}") from error
    return tokenizer


def _room(config: Mapping[str, Any], max_length: int, where: str) -> int:
    """How many tokens a pair may have: ``max_length``, or as many positions as the model has."""
    positions = config.get("max_position_embeddings")
    if not isinstance(positions, int) or positions <= 0:
        return max_length
    padding = config.get("pad_token_id")
    if config.get("model_type") in _OFFSET_POSITIONS:
        positions -= (padding if isinstance(padding, int) else 1) + 1
    if positions < _FEWEST_TOKENS:
        raise ConfigError(f"{where}: max_position_embeddings leaves room for {positions} tokens; no pair fits in")
    return min(max_length, positions)


def _padding(config: Mapping[str, Any], tokenizer: Any) -> int:
    """The id of the padding token."""
    known = config.get("pad_token_id")
    if isinstance(known, int):
        return known
    ids = (tokenizer.token_to_id(token) for token in ("[PAD]", "<pad>"))
    return next((number for number in ids if number is not None), 0)
