"""What does a neural net say of a claim? Any NLI cross-encoder of the Hugging Face hub, read from a local folder."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np

from raguard import ConfigError
from raguard.claims.asking import UnscorableError
from raguard.claims.context import Context
from raguard.claims.nli_models import GRAPHS, NLIModel, OnnxModel, Pairs, TorchModel
from raguard.claims.scoring import NLILabel, NLIScore, NLIScorer

__all__ = ["Backend", "CrossEncoderScorer"]

Backend: TypeAlias = Literal["auto", "onnx", "sentence-transformers"]

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?")
_MOST_TOKENS = 1_000_000
_CUT = "only the beginning was read: premise and hypothesis are longer than the model's input"


class CrossEncoderScorer(NLIScorer):
    """Entailment by a cross-encoder for natural language inference: the softmax of its logits over 2 or 3 labels.

    ``path`` is a folder that holds ``config.json`` (the order of the labels is read from its ``id2label``),
    ``tokenizer.json`` and ``model.onnx`` or ``onnx/model.onnx``; it runs on ONNX Runtime and ``tokenizers`` (extra
    ``nli``). A folder without a graph is read by sentence-transformers where that is installed (extra ``embeddings``).
    Nothing is fetched: the name of a model on the Hugging Face hub, such as the documented choice
    ``cross-encoder/nli-deberta-v3-base``, is taken only with ``allow_download=True``, by sentence-transformers.

    Of a pair of more than ``max_length`` tokens the longer part, nearly always the premise, loses its end, and the
    score's reasons say so with an ONNX graph; chunk long documents. ``batch_size`` pairs run at once, pairs of like
    lengths together, in a worker thread, so that the event loop stays free; ``threads`` is how many threads ONNX
    Runtime uses for one batch. One scorer serves several threads and event loops.

    Raises ConfigError for an argument, a folder or a file that cannot be used, naming it, and in one sentence with the
    install command where a library is missing. A score that is not finite raises RaguardError, never a verdict.
    Sources: Bowman et al. (2015) for the labels; Reimers and Gurevych (2019) for cross-encoders.

    >>> CrossEncoderScorer("cross-encoder/nli-deberta-v3-base")
    Traceback (most recent call last):
    raguard.errors.ConfigError: cross-encoder/nli-deberta-v3-base is no folder here; to fetch the model of that name \
from the Hugging Face hub, give allow_download=True
    """

    name = "cross-encoder"
    wants_question = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        batch_size: int = 16,
        max_length: int = 512,
        backend: Backend = "auto",
        allow_download: bool = False,
        threads: int = 1,
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ConfigError(f"path must be a folder or the name of a model, not {type(path).__name__}")
        if backend not in get_args(Backend):
            raise ConfigError(f"backend must be one of {', '.join(get_args(Backend))}, not {backend!r}")
        for key, value, least in (
            ("batch_size", batch_size, 1),
            ("max_length", max_length, 8),
            ("threads", threads, 1),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MOST_TOKENS:
                raise ConfigError(f"{key} must be a whole number of at least {least}, not {value!r}")
        if not isinstance(allow_download, bool):
            raise ConfigError(f"allow_download must be true or false, not {allow_download!r}")
        self._batch_size = batch_size
        self._model = _load(path, backend, max_length=max_length, allow_download=allow_download, threads=threads)

    async def score(self, ctx: Context | None, premise: str, hypothesis: str) -> NLIScore:
        """How far ``premise`` entails ``hypothesis``; ``ctx`` is not used."""
        (score,) = await self.score_batch(ctx, [(premise, hypothesis)])
        return score

    async def score_batch(self, ctx: Context | None, pairs: Pairs) -> Sequence[NLIScore]:
        """The scores of pairs (premise, hypothesis) in their order; no further batch begins once it is cancelled."""
        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(self._scores, list(pairs), cancelled)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def health(self) -> bool:
        """Whether it scores a pair; raises what scoring raises."""
        await self.score(None, "It rains.", "It rains.")
        return True

    def _scores(self, pairs: Pairs, cancelled: threading.Event) -> list[NLIScore]:
        scores: dict[int, NLIScore] = {}
        # pairs of like lengths need the least padding
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index][0]) + len(pairs[index][1]))
        for first in range(0, len(order), self._batch_size):
            if cancelled.is_set():
                break
            batch = order[first : first + self._batch_size]
            scores |= zip(batch, self._judged([pairs[index] for index in batch]), strict=True)
        return [scores[index] for index in sorted(scores)]

    def _judged(self, pairs: Pairs) -> Iterator[NLIScore]:
        labels = self._model.labels
        logits, cut = self._model.predict(pairs)
        if logits.shape != (len(pairs), len(labels)):
            raise UnscorableError(f"the model gave logits of the shape {logits.shape} for {len(pairs)} pairs")
        if not np.isfinite(logits).all():
            raise UnscorableError("the model gave a logit that is not finite; its files may be damaged")
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        for row, is_cut in zip(shares, cut, strict=True):
            share = dict(zip(labels, map(float, row), strict=True))
            yield NLIScore(
                labels[int(row.argmax())],
                share[NLILabel.ENTAILMENT],
                share.get(NLILabel.CONTRADICTION, 0.0),
                (_CUT,) if is_cut else (),
            )


def _load(
    path: str | os.PathLike[str], backend: Backend, *, max_length: int, allow_download: bool, threads: int
) -> NLIModel:
    """The model of a folder or, where that is allowed, of the hub."""
    name = os.fspath(path)
    if not name:
        raise ConfigError("path is empty; give the folder that holds the model's files")
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return _fetched(name, folder, backend, max_length=max_length, allow_download=allow_download)
    has_graph = any((folder / graph).exists() for graph in GRAPHS)
    if backend == "onnx" or (backend == "auto" and has_graph):
        if not has_graph:
            raise ConfigError(f"{folder}: holds no {' and no '.join(GRAPHS)}; export the model to ONNX")
        return OnnxModel(folder, max_length=max_length, threads=threads)
    if backend == "auto" and importlib.util.find_spec("sentence_transformers") is None:
        raise ConfigError(
            f"{folder}: holds no {' and no '.join(GRAPHS)}, and to read other models sentence-transformers is needed: "
            "pip install 'raguard-verify[embeddings]'"
        )
    return TorchModel(str(folder), max_length=max_length, allow_download=False)


def _fetched(name: str, folder: Path, backend: Backend, *, max_length: int, allow_download: bool) -> NLIModel:
    if folder.exists():
        raise ConfigError(f"{name} is a file; give the folder that holds the model's files")
    if not _HUB_NAME.fullmatch(name):
        raise ConfigError(f"{name} is no folder here; give the folder that holds the model's files")
    if not allow_download:
        raise ConfigError(
            f"{name} is no folder here; to fetch the model of that name from the Hugging Face hub, "
            "give allow_download=True"
        )
    if backend == "onnx":
        raise ConfigError(f'{name} is no folder here, and backend "onnx" reads only folders; fetch it with hf download')
    return TorchModel(name, max_length=max_length, allow_download=True)
