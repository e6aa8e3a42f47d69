"""Does a cross-encoder say what its network says, whatever the order of its labels, and does a broken one say why?"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from itertools import permutations
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from raguard import ConfigError, RaguardError
from raguard.claims.context import Context
from raguard.claims.cross_encoder import CrossEncoderScorer
from raguard.claims.nli_models import OnnxModel, Pairs, Prediction, read_labels
from raguard.claims.scoring import NLILabel, NLIScore

WIDTH = 12
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SENTENCE = "paris is the capital of france moon made cheese it lies on seine not a city old and new"
WORDS = SENTENCE.split()
VOCABULARY = {word: number for number, word in enumerate([*SPECIAL, *WORDS])}
LABELS = ("entailment", "neutral", "contradiction")
POSITIONS = 64

Network = dict[str, np.ndarray[Any, np.dtype[np.float32]]]
Build = Callable[..., Path]


def network(labels: int = 3) -> Network:
    """The weights of one attention layer over embedded words, positions and parts, and of a classifier."""
    made = np.random.default_rng(35)
    shapes = {
        "words": (len(VOCABULARY), WIDTH),
        "positions": (POSITIONS, WIDTH),
        "parts": (2, WIDTH),
        "query": (WIDTH, WIDTH),
        "key": (WIDTH, WIDTH),
        "value": (WIDTH, WIDTH),
        "classes": (WIDTH, labels),
    }
    return {name: made.normal(0, 0.6, shape).astype(np.float32) for name, shape in shapes.items()}


def tokens(premise: str, hypothesis: str, longest: int = 512) -> tuple[list[int], list[int]]:
    """The ids of a pair and which part each belongs to; the premise is the longer one and loses its end."""
    first, second = ([VOCABULARY.get(word, 1) for word in text.lower().split()] for text in (premise, hypothesis))
    first = first[: max(longest - 3 - len(second), 0)]
    return [2, *first, 3, *second, 3], [0] * (len(first) + 2) + [1] * (len(second) + 1)


def reference(
    weights: Network, premise: str, hypothesis: str, longest: int = 512, *, parts: bool = True
) -> list[float]:
    """The shares of the labels by the same network in plain numpy, one pair at a time and without padding."""
    ids, types = tokens(premise, hypothesis, longest)
    embedded = weights["words"][ids].astype(np.float64) + weights["positions"][: len(ids)]
    if parts:
        embedded = embedded + weights["parts"][types]
    query, key, value = (embedded @ weights[name] for name in ("query", "key", "value"))
    attention = np.exp(query @ key.T / np.sqrt(WIDTH))
    attention /= attention.sum(axis=1, keepdims=True)
    pooled = np.tanh(embedded + attention @ value).mean(axis=0)
    shares = np.exp(pooled @ weights["classes"])
    return [float(share) for share in shares / shares.sum()]


def graph(
    weights: Network, *, parts: bool = True, kind: int = TensorProto.INT64, output: str = "logits"
) -> onnx.ModelProto:
    """The network as an ONNX graph with masked attention and a masked mean."""
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if parts else [])]
    inputs = [helper.make_tensor_value_info(name, kind, ["batch", "sequence"]) for name in names]
    constants: dict[str, Any] = {
        **weights,
        "minus": np.array(-1e9, np.float32),
        "one": np.array(1, np.float32),
        "scale": np.array(np.sqrt(WIDTH), np.float32),
        "zero": np.array(0, np.int64),
        "step": np.array(1, np.int64),
        "axis": np.array([1], np.int64),
        "last": np.array([2], np.int64),
        "second": np.array(1, np.int64),
    }
    node = helper.make_node
    nodes = [
        node("Gather", ["words", "input_ids"], ["word"]),
        node("Shape", ["input_ids"], ["shape"]),
        node("Gather", ["shape", "second"], ["length"]),
        node("Range", ["zero", "length", "step"], ["range"]),
        node("Gather", ["positions", "range"], ["position"]),
        node("Add", ["word", "position"], ["placed"]),
        *([node("Gather", ["parts", "token_type_ids"], ["part"])] if parts else []),
        node("Add", ["placed", "part"], ["embedded"]) if parts else node("Identity", ["placed"], ["embedded"]),
        *[node("MatMul", ["embedded", name], [f"{name}s"]) for name in ("query", "key", "value")],
        node("Transpose", ["keys"], ["turned"], perm=[0, 2, 1]),
        node("MatMul", ["querys", "turned"], ["products"]),
        node("Div", ["products", "scale"], ["scaled"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Sub", ["one", "mask"], ["hidden"]),
        node("Mul", ["hidden", "minus"], ["penalty"]),
        node("Unsqueeze", ["penalty", "axis"], ["penalties"]),
        node("Add", ["scaled", "penalties"], ["masked"]),
        node("Softmax", ["masked"], ["attention"], axis=2),
        node("MatMul", ["attention", "values"], ["attended"]),
        node("Add", ["embedded", "attended"], ["summed"]),
        node("Tanh", ["summed"], ["states"]),
        node("Unsqueeze", ["mask", "last"], ["weights"]),
        node("Mul", ["states", "weights"], ["counted"]),
        node("ReduceSum", ["counted", "axis"], ["total"], keepdims=0),
        node("ReduceSum", ["mask", "axis"], ["many"], keepdims=1),
        node("Div", ["total", "many"], ["pooled"]),
        node("MatMul", ["pooled", "classes"], [output]),
    ]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", weights["classes"].shape[1]])]
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    made = helper.make_graph(nodes, "nli", inputs, outputs, initializers)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def tokenizer() -> Tokenizer:
    """Words between spaces, in lower case, as [CLS] premise [SEP] hypothesis [SEP]."""
    made = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    # what a saved tokenizer may bring along must not count
    made.enable_padding(length=40)
    made.enable_truncation(5)
    return made


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Writes a model's folder: the network, the tokenizer and a config with the given labels."""

    def build(
        labels: Sequence[str] = LABELS, weights: Network | None = None, at: str = "model.onnx", **options: Any
    ) -> Path:
        config = options.pop("config", {})
        (tmp_path / at).parent.mkdir(exist_ok=True)
        onnx.save(graph(weights or network(len(labels)), **options), str(tmp_path / at))
        tokenizer().save(str(tmp_path / "tokenizer.json"))
        names = {str(number): label for number, label in enumerate(labels)}
        (tmp_path / "config.json").write_text(json.dumps({"id2label": names, "pad_token_id": 0, **config}))
        return tmp_path

    return build


def sample(number: int, longest: int = 20) -> list[tuple[str, str]]:
    """Pairs of random words, of many lengths."""
    made = random.Random(number)
    several = [[made.choice([*WORDS, "Zanzibar"]) for _ in range(made.randint(1, longest))] for _ in range(2 * number)]
    return [(" ".join(one), " ".join(other)) for one, other in zip(several[::2], several[1::2], strict=True)]


def scored(scorer: CrossEncoderScorer, pairs: Pairs) -> list[NLIScore]:
    return list(asyncio.run(scorer.score_batch(None, pairs)))


def close(score: float, wanted: float) -> bool:
    return abs(score - wanted) < 1e-5


@pytest.mark.parametrize("labels", list(permutations(LABELS)), ids="-".join)
def test_scores_are_those_of_the_network_in_any_order_of_its_labels(build: Build, labels: Sequence[str]) -> None:
    weights = network()
    scorer = CrossEncoderScorer(build(labels, weights))
    pairs = sample(60)
    seen = set()
    for (premise, hypothesis), score in zip(pairs, scored(scorer, pairs), strict=True):
        shares = dict(zip(labels, reference(weights, premise, hypothesis), strict=True))
        assert close(score.entailment, shares["entailment"])
        assert close(score.contradiction, shares["contradiction"])
        assert score.label == max(shares, key=lambda label: shares[label])
        assert (score.reasons, score.evidence) == ((), ())
        seen.add(score.label)
    assert seen == set(NLILabel)


@pytest.mark.parametrize(
    ("labels", "other"),
    [
        (("entailment", "not_entailment"), NLILabel.NEUTRAL),
        (("NOT ENTAILMENT", "ENTAILMENT"), NLILabel.NEUTRAL),
        (("Contradiction", "Entailment"), NLILabel.CONTRADICTION),
    ],
)
def test_models_of_two_labels_are_read(build: Build, labels: Sequence[str], other: NLILabel) -> None:
    weights = network(2)
    entails = [label.lower() for label in labels].index("entailment")
    scorer = CrossEncoderScorer(build(labels, weights))
    pairs = sample(30)
    for (premise, hypothesis), score in zip(pairs, scored(scorer, pairs), strict=True):
        shares = reference(weights, premise, hypothesis)
        assert close(score.entailment, shares[entails])
        assert close(score.contradiction, shares[1 - entails] if other == NLILabel.CONTRADICTION else 0.0)
        assert score.label == (NLILabel.ENTAILMENT if shares[entails] > 0.5 else other)


@pytest.mark.parametrize("batch_size", [1, 7, 500])
def test_batches_and_padding_change_no_score(build: Build, batch_size: int) -> None:
    weights = network()
    scorer = CrossEncoderScorer(build(weights=weights), batch_size=batch_size)
    pairs = sample(40)
    together = scored(scorer, pairs)
    for pair, score in zip(pairs, together, strict=True):
        alone = asyncio.run(scorer.score(Context(), *pair))
        assert close(alone.entailment, score.entailment)
        assert close(alone.entailment, reference(weights, *pair)[0])
        assert alone.label == score.label


def test_no_pairs_have_no_scores(build: Build) -> None:
    assert scored(CrossEncoderScorer(build()), []) == []


def test_premise_and_hypothesis_are_told_apart(build: Build) -> None:
    scorer = CrossEncoderScorer(build())
    one, other = scored(scorer, [("paris is old", "the moon"), ("the moon", "paris is old")])
    assert not close(one.entailment, other.entailment)


def test_a_premise_that_is_too_long_loses_its_end_and_says_so(build: Build) -> None:
    weights = network()
    scorer = CrossEncoderScorer(build(weights=weights), max_length=16)
    fits, cut = " ".join((WORDS * 2)[:10]), " ".join((WORDS * 2)[:11])
    hypothesis = "the moon is"
    exact, longer, short = scored(scorer, [(fits, hypothesis), (cut, hypothesis), ("paris", hypothesis)])
    assert longer.entailment == exact.entailment
    assert close(longer.entailment, reference(weights, cut, hypothesis, 16)[0])
    assert [bool(score.reasons) for score in (exact, longer, short)] == [False, True, False]
    assert longer.reasons == ("only the beginning was read: premise and hypothesis are longer than the model's input",)


def test_a_hypothesis_that_is_too_long_loses_its_end(build: Build) -> None:
    scorer = CrossEncoderScorer(build(), max_length=10)
    cut, exact = scored(
        scorer, [("paris", "the moon is made of cheese and not"), ("paris", "the moon is made of cheese")]
    )
    assert cut.entailment == exact.entailment
    assert bool(cut.reasons) > bool(exact.reasons)


@pytest.mark.parametrize(
    ("config", "room"),
    [
        ({"max_position_embeddings": 16}, 16),
        ({"max_position_embeddings": 18, "model_type": "roberta", "pad_token_id": 1}, 16),
        ({"max_position_embeddings": 18, "model_type": "bert"}, 18),
        ({"max_position_embeddings": 0}, 20),
    ],
)
def test_the_models_own_limit_counts_when_it_is_smaller(build: Build, config: dict[str, Any], room: int) -> None:
    weights = network()
    scorer = CrossEncoderScorer(build(weights=weights, config=config), max_length=20)
    premise = " ".join(WORDS * 2)
    assert close(
        asyncio.run(scorer.score(None, premise, "it is")).entailment, reference(weights, premise, "it is", room)[0]
    )


def test_graph_may_want_no_parts_and_small_integers_and_lie_deeper(build: Build) -> None:
    weights = network()
    folder = build(weights=weights, at="onnx/model.onnx", parts=False, kind=TensorProto.INT32, output="probs")
    pairs = sample(10)
    for pair, score in zip(pairs, scored(CrossEncoderScorer(str(folder)), pairs), strict=True):
        assert close(score.entailment, reference(weights, *pair, parts=False)[0])


def test_broken_and_foreign_characters_are_scored(build: Build) -> None:
    pairs = [("\ud800 paris", "今天 \x00"), ("", ""), ("🎉", "\udfff")]
    assert [0 < score.entailment < 1 for score in scored(CrossEncoderScorer(build()), pairs)] == [True] * 3


def test_scorer_asks_for_the_question_and_is_healthy(build: Build) -> None:
    scorer = CrossEncoderScorer(build())
    assert scorer.wants_question
    assert scorer.name == "cross-encoder"
    assert asyncio.run(scorer.health())


def test_threads_share_one_scorer(build: Build) -> None:
    scorer = CrossEncoderScorer(build(), batch_size=3, threads=2)
    several = [sample(number) for number in range(1, 9)]
    alone = [scored(scorer, pairs) for pairs in several]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda pairs: scored(scorer, pairs), several * 3))
    for wanted, found in zip(alone * 3, together, strict=True):
        assert [score.label for score in found] == [score.label for score in wanted]
        assert all(close(one.entailment, other.entailment) for one, other in zip(wanted, found, strict=True))


def test_inference_leaves_the_event_loop_free_and_stops_when_cancelled(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = CrossEncoderScorer(build(), batch_size=2)
    began, goes_on, ended = threading.Event(), threading.Event(), threading.Event()
    seen: list[int] = []
    predict = OnnxModel.predict

    def waiting(model: OnnxModel, pairs: Pairs) -> Prediction:
        seen.append(threading.get_ident())
        began.set()
        assert goes_on.wait(10)
        try:
            return predict(model, pairs)
        finally:
            ended.set()

    monkeypatch.setattr(OnnxModel, "predict", waiting)

    async def cancel() -> None:
        task = asyncio.create_task(scorer.score_batch(None, sample(10)))
        assert await asyncio.to_thread(began.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        goes_on.set()
        assert await asyncio.to_thread(ended.wait, 10)

    # the executor is shut down, and so waited for, when the loop ends
    asyncio.run(cancel())
    assert len(seen) == 1
    assert seen != [threading.get_ident()]


def test_scores_that_are_no_numbers_raise_and_tell_no_text(build: Build) -> None:
    weights = network()
    weights["words"][VOCABULARY["cheese"]] = np.nan
    scorer = CrossEncoderScorer(build(weights=weights))
    assert len(scored(scorer, [("the moon", "it is old")])) == 1
    with pytest.raises(RaguardError, match=r"^the model gave a logit that is not finite; its files may be damaged$"):
        scored(scorer, [("the moon", "it is old"), ("the moon", "made of cheese")])


def test_a_graph_without_finite_numbers_is_refused_at_once(build: Build) -> None:
    weights = network()
    weights["classes"][:] = np.inf
    with pytest.raises(ConfigError, match=r"model\.onnx: its logits are not finite; the file is damaged$"):
        CrossEncoderScorer(build(weights=weights))


@pytest.mark.parametrize(
    ("config", "labels"),
    [
        ({"id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"}}, "ENC"),
        ({"id2label": {"2": "Contradiction", "0": "ENTAILMENT", "1": " neutral "}}, "ENC"),
        ({"id2label": {0: "contradiction", 1: "entailed", 2: "neutral"}}, "CEN"),
        ({"label2id": {"contradiction": 0, "entailment": 1, "neutral": 2}}, "CEN"),
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "label2id": {"entailment": 1, "not_entailment": 0}}, "NE"),
        ({"id2label": {"0": "not-entailment", "1": "entailment"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1}}, "NE"),
        ({"id2label": {"0": "entailment", "1": "contradictory"}}, "EC"),
    ],
)
def test_labels_are_read_in_the_order_of_the_config(config: dict[str, Any], labels: str) -> None:
    assert "".join(label[0].upper() for label in read_labels(config, "config.json")) == labels


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "names no labels"),
        ({"id2label": None}, "names no labels"),
        ({"id2label": ["entailment", "neutral"]}, "names no labels"),
        ({"id2label": {"0": "entailment", "2": "neutral"}}, "names no labels"),
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}, "names its labels 'LABEL_0', 'LABEL_1'"),
        ({"id2label": {"0": "neutral", "1": "contradiction"}}, "names its labels 'neutral', 'contradiction'"),
        ({"id2label": {"0": "entailment", "1": "entailed"}}, "names its labels 'entailment', 'entailed'"),
        ({"id2label": {"0": "entailment"}}, "names its labels 'entailment'"),
        ({"id2label": {"0": "positive", "1": "entailment"}}, "names its labels 'positive', 'entailment'"),
    ],
)
def test_labels_that_do_not_say_what_they_are_are_refused(config: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_labels(config, "config.json")
    assert str(caught.value) == (
        f"config.json: {said}; write which of them is which, as the model's card says, such as "
        '"id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"}'
    )


def test_labels_that_disagree_are_refused() -> None:
    config = {"id2label": {"0": "entailment", "1": "neutral"}, "label2id": {"entailment": 1, "neutral": 0}}
    with pytest.raises(ConfigError, match=r"^config\.json: id2label and label2id disagree; "):
        read_labels(config, "config.json")


def replaced(name: str, content: bytes | None) -> Callable[[Path], None]:
    """What writes other content into a file of a folder, or removes it."""

    def change(folder: Path) -> None:
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)

    return change


@pytest.mark.parametrize(
    ("change", "name", "said"),
    [
        (replaced("config.json", None), "config.json", "is missing; save the model with "),
        (replaced("config.json", b"{"), "config.json", "is not valid JSON; "),
        (replaced("config.json", b"[" * 100_000), "config.json", "is not valid JSON; "),
        (replaced("config.json", b"\xff"), "config.json", "cannot be read: "),
        (replaced("config.json", b"[1]"), "config.json", "must hold a JSON object, not list"),
        (replaced("config.json", b'{"id2label": {"0": "LABEL_0"}}'), "config.json", "names its labels 'LABEL_0'; "),
        (replaced("tokenizer.json", None), "tokenizer.json", "is missing; save the fast tokenizer with "),
        (replaced("tokenizer.json", b"{"), "tokenizer.json", "is no tokenizer that "),
        (replaced("tokenizer.json", b"{}"), "tokenizer.json", "is no tokenizer that "),
        (replaced("model.onnx", b""), "model.onnx", "is no graph that ONNX Runtime can load"),
        (replaced("model.onnx", b"nonsense"), "model.onnx", "is no graph that ONNX Runtime can load"),
    ],
)
def test_a_broken_file_is_named(build: Build, change: Callable[[Path], None], name: str, said: str) -> None:
    folder = build()
    change(folder)
    with pytest.raises(ConfigError) as caught:
        CrossEncoderScorer(folder)
    assert str(caught.value).startswith(f"{folder / name}: {said}")


def test_a_graph_of_another_model_is_refused(build: Build) -> None:
    folder = build()
    onnx.save(graph(network(2)), str(folder / "model.onnx"))
    with pytest.raises(
        ConfigError, match=r"model\.onnx: its output has the shape \(2, 2\) for two pairs, and config\.json"
    ):
        CrossEncoderScorer(folder)
    weights = network()
    weights["words"] = weights["words"][:3]
    onnx.save(graph(weights), str(folder / "model.onnx"))
    with pytest.raises(ConfigError, match=r"model\.onnx: cannot score two pairs; .* its own tokenizer\.json$"):
        CrossEncoderScorer(folder)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("input_ids", "pixels", "has the input pixels; its inputs must be integers among input_ids, "),
        ("token_type_ids", "position_ids", "has the input position_ids; "),
    ],
)
def test_a_graph_with_other_inputs_is_refused(build: Build, old: str, new: str, said: str) -> None:
    folder = build()
    model = graph(network())
    for entry in model.graph.input:
        entry.name = new if entry.name == old else entry.name
    for node in model.graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
    onnx.save(model, str(folder / "model.onnx"))
    with pytest.raises(ConfigError, match=rf"model\.onnx: {said}"):
        CrossEncoderScorer(folder)


def test_a_model_without_room_is_refused(build: Build) -> None:
    with pytest.raises(ConfigError, match=r"config\.json: max_position_embeddings leaves room for 4 tokens"):
        CrossEncoderScorer(build(config={"max_position_embeddings": 4}))


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_missing_libraries_are_one_sentence(build: Build, monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    folder = build()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ConfigError) as caught:
        CrossEncoderScorer(folder)
    assert str(caught.value) == "CrossEncoderScorer needs onnxruntime and tokenizers: pip install 'raguard-verify[nli]'"


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """sentence-transformers is not installed, wherever the tests run."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


@pytest.mark.usefixtures("no_torch")
def test_a_folder_without_a_graph_needs_sentence_transformers(build: Build) -> None:
    folder = build()
    (folder / "model.onnx").unlink()
    with pytest.raises(ConfigError) as caught:
        CrossEncoderScorer(folder)
    assert str(caught.value) == (
        f"{folder}: holds no model.onnx and no onnx/model.onnx, and to read other models sentence-transformers is "
        "needed: pip install 'raguard-verify[embeddings]'"
    )
    for name, options in ((folder, {}), ("owner/model", {"allow_download": True})):
        with pytest.raises(ConfigError) as caught:
            CrossEncoderScorer(name, backend="sentence-transformers", **options)
        assert str(caught.value) == (
            f"{name}: to read it, sentence-transformers is needed: pip install 'raguard-verify[embeddings]'"
        )


def test_a_folder_without_a_graph_has_none_for_onnx(build: Build) -> None:
    folder = build()
    (folder / "model.onnx").unlink()
    with pytest.raises(ConfigError) as caught:
        CrossEncoderScorer(folder, backend="onnx")
    assert str(caught.value) == f"{folder}: holds no model.onnx and no onnx/model.onnx; export the model to ONNX"


def test_nothing_is_fetched_unless_it_was_asked_for() -> None:
    with pytest.raises(ConfigError) as caught:
        CrossEncoderScorer("owner/model")
    assert str(caught.value) == (
        "owner/model is no folder here; to fetch the model of that name from the Hugging Face hub, "
        "give allow_download=True"
    )
    with pytest.raises(ConfigError, match=r'^owner/model is no folder here, and backend "onnx" reads only folders; '):
        CrossEncoderScorer("owner/model", backend="onnx", allow_download=True)


@pytest.mark.parametrize("name", ["./missing", "/missing", "~/missing", "a/b/c", "a b", "https://x.y/z"])
def test_a_path_is_no_name_of_the_hub(name: str) -> None:
    for allow_download in (False, True):
        with pytest.raises(ConfigError) as caught:
            CrossEncoderScorer(name, allow_download=allow_download)
        assert str(caught.value) == f"{name} is no folder here; give the folder that holds the model's files"


def test_a_file_is_no_folder(build: Build) -> None:
    path = build() / "model.onnx"
    with pytest.raises(ConfigError) as caught:
        CrossEncoderScorer(path)
    assert str(caught.value) == f"{path} is a file; give the folder that holds the model's files"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1, not 0"),
        ({"batch_size": True}, "batch_size must be a whole number of at least 1, not True"),
        ({"max_length": 7}, "max_length must be a whole number of at least 8, not 7"),
        ({"max_length": 12.5}, "max_length must be a whole number of at least 8, not 12.5"),
        ({"threads": 0}, "threads must be a whole number of at least 1, not 0"),
        ({"backend": "torch"}, "backend must be one of auto, onnx, sentence-transformers, not 'torch'"),
        ({"allow_download": 1}, "allow_download must be true or false, not 1"),
        ({"path": ""}, "path is empty; give the folder that holds the model's files"),
        ({"path": None}, "path must be a folder or the name of a model, not NoneType"),
    ],
)
def test_arguments_are_checked_when_it_is_built(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CrossEncoderScorer(**{"path": tmp_path, **options})
    assert str(caught.value) == said


class Torch:
    """A stand-in with the constructor and ``predict`` of sentence-transformers 5, which is too large to install here.

    It computes the reference network.
    """

    built: list[tuple[str, dict[str, Any]]] = []  # noqa: RUF012

    def __init__(
        self, model_name_or_path: str, *, max_length: int | None = None, local_files_only: bool = False
    ) -> None:
        self.built.append((model_name_or_path, {"max_length": max_length, "local_files_only": local_files_only}))
        if model_name_or_path == "owner/none":
            raise OSError("there is no such model")
        names = dict(enumerate(LABELS))
        self.config = SimpleNamespace(to_dict=lambda: {"id2label": names})

    def predict(
        self,
        inputs: list[tuple[str, str]],
        *,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        convert_to_numpy: bool = True,
    ) -> Any:
        assert (batch_size, show_progress_bar, convert_to_numpy) == (len(inputs), False, True)
        assert activation_fn is not None
        logits = np.log([reference(network(), premise, hypothesis) for premise, hypothesis in inputs])
        return activation_fn(logits.astype(np.float32))


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> type[Torch]:
    module = ModuleType("sentence_transformers")
    module.__spec__ = ModuleSpec("sentence_transformers", None)
    module.CrossEncoder = Torch  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    monkeypatch.setattr(Torch, "built", [])
    return Torch


def test_a_folder_without_a_graph_is_read_by_sentence_transformers(build: Build, torch: type[Torch]) -> None:
    folder = build()
    (folder / "model.onnx").unlink()
    pairs = sample(20)
    for pair, score in zip(pairs, scored(CrossEncoderScorer(folder, max_length=99), pairs), strict=True):
        assert close(score.entailment, reference(network(), *pair)[0])
    assert torch.built == [(str(folder), {"max_length": 99, "local_files_only": True})]
    (folder / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"config\.json: names no labels; "):
        CrossEncoderScorer(folder)


def test_a_graph_goes_before_sentence_transformers(build: Build, torch: type[Torch]) -> None:
    CrossEncoderScorer(build())
    assert torch.built == []


def test_a_name_is_fetched_by_sentence_transformers_when_asked_for(torch: type[Torch]) -> None:
    scorer = CrossEncoderScorer("owner/model", allow_download=True)
    assert close(scored(scorer, [("paris", "is old")])[0].entailment, reference(network(), "paris", "is old")[0])
    with pytest.raises(ConfigError, match=r"^owner/none: sentence-transformers cannot load it \(OSError\)$"):
        CrossEncoderScorer("owner/none", allow_download=True)
    assert [options["local_files_only"] for _, options in torch.built] == [False, False]


def test_importing_the_scorer_loads_no_model_library() -> None:
    found = "sorted({'onnxruntime', 'tokenizers', 'torch'} & {*sys.modules})"
    code = f"import sys, raguard.claims.cross_encoder; print({found})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
