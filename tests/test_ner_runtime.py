"""Are the entities computed in numpy those of spaCy, one by one, and does spaCy take over whatever numpy cannot do?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from casefile import load_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import LENGTHS, invented
from threadpoolctl import threadpool_info

from raguard.config import Config
from raguard.model import LanguageModel, find_model
from raguard.ner import EntityRuntime, decoder, encoder

DATA = os.environ.get("RAGUARD_DATA")
OTHERS = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
Spans = list[tuple[int, int, str]]


def pipeline() -> Any:
    return spacy.load(find_model(Config()).package, exclude=OTHERS)


@pytest.fixture(scope="module")
def stock() -> Callable[[str], Spans]:
    """spaCy's own entities, by a pipeline that no other code touches."""
    return stock_of(pipeline())


@pytest.fixture(scope="module")
def runtime() -> EntityRuntime:
    return EntityRuntime(pipeline())


def stock_of(nlp: Any) -> Callable[[str], Spans]:
    def entities(text: str) -> Spans:
        with nlp.memory_zone():
            return [(ent.start_char, ent.end_char, ent.label_) for ent in nlp(text).ents]

    return entities


def differing(texts: Iterable[str], runtime: EntityRuntime, stock: Callable[[str], Spans]) -> list[str]:
    return [text for text in texts if runtime.entities(text) != stock(text)]


def some_texts() -> list[str]:
    """The answers of three hundred cases, and invented ones with a document each."""
    cases = [case.response for case in load_cases() if isinstance(case.response, str)]
    made = [text for words in LENGTHS for case in invented(words, 12) for text in (case.response, case.docs[0])]
    return [*cases[:: max(1, len(cases) // 300)], *made]


def data_texts(folder: str) -> Iterator[str]:
    for file in sorted(Path(folder).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            text = json.loads(line).get("response")
            if isinstance(text, str):
                yield text


# the same entities


def test_shipped_model_runs_in_numpy(runtime: EntityRuntime) -> None:
    assert runtime.description == "numpy, exact"
    assert LanguageModel(pipeline()).runtime == "numpy, exact"


def test_entities_are_those_of_spacy_on_shipped_texts(runtime: EntityRuntime, stock: Callable[[str], Spans]) -> None:
    found = {text: stock(text) for text in some_texts()}
    assert sum(map(bool, found.values())) > 200
    assert {text: runtime.entities(text) for text in found} == found


@pytest.mark.skipif(DATA is None, reason="RAGUARD_DATA names no folder of real answers")
def test_entities_are_those_of_spacy_on_real_answers(runtime: EntityRuntime, stock: Callable[[str], Spans]) -> None:
    texts = set(data_texts(DATA or ""))
    assert len(texts) > 1000
    assert differing(texts, runtime, stock) == []


PIECES = st.sampled_from(
    [
        *("Alice Norlow", "Dr.", "the", "of", "Apple", "U.S.", "don't", "Ltd.", "Ghent", "and", "signed", "cannot"),
        *("$4.2", "million", "3 May 2021", "12%", "IBM's", "New York", "O'Neill", "5pm", "Inc", "#1", "'s", "[1]"),
        *("(", ")", "…", "—", "...", "- ", "#", "**", ":)", "http://a.example/b?c=d", "😀", "é", "中文", "Ünal"),
        *("\n\n", "\t", "   ", "\u200b", "\xa0"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=25), st.sampled_from(["", " "]))
def test_entities_are_those_of_spacy_on_made_texts(
    runtime: EntityRuntime, stock: Callable[[str], Spans], pieces: list[str], between: str
) -> None:
    text = between.join(pieces)
    assert runtime.entities(text) == stock(text)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "Leeds", "Leeds\n", " Leeds", "."])
def test_shortest_texts_have_the_entities_of_spacy(
    runtime: EntityRuntime, stock: Callable[[str], Spans], text: str
) -> None:
    assert runtime.entities(text) == stock(text)


def test_text_too_long_for_spacy_is_refused_as_by_spacy(runtime: EntityRuntime, stock: Callable[[str], Spans]) -> None:
    text = "a " * 500_001
    for entities in (runtime.entities, stock):
        with pytest.raises(ValueError, match="E088"):
            entities(text)
    assert runtime.entities("Alice Johnson left Leeds.") == stock("Alice Johnson left Leeds.")


def test_long_text_in_blocks_with_a_small_memory_has_the_entities_of_spacy(
    monkeypatch: pytest.MonkeyPatch, stock: Callable[[str], Spans]
) -> None:
    """A block of 16 tokens at a time, and at most 128 words remembered."""
    monkeypatch.setattr(encoder, "_BLOCK", 16)
    runtime = EntityRuntime(pipeline())
    assert runtime.description == "numpy, exact"
    assert differing(some_texts()[::4], runtime, stock) == []


def test_entity_longer_than_what_is_looked_at_together_ends_where_spacy_ends_it(
    monkeypatch: pytest.MonkeyPatch, runtime: EntityRuntime, stock: Callable[[str], Spans]
) -> None:
    texts = [text for text in some_texts() if any(end - start > 25 for start, end, _ in stock(text))]
    assert texts
    monkeypatch.setattr(decoder, "_AHEAD", 1)
    assert differing(texts, runtime, stock) == []


def test_words_of_ended_zones_keep_their_vectors(runtime: EntityRuntime, stock: Callable[[str], Spans]) -> None:
    text = "Quorvex Zilmanth of Brantumby met Ostrelle Wimfordson in Grellingsted."
    before = runtime.entities(text)
    for number in range(250):
        runtime.entities(f"Marn{number}ex of Pell{number}by saw Tor{number}low.")
    assert runtime.entities(text) == before == stock(text)


# what numpy leaves to spaCy


def test_decisions_too_close_to_call_are_left_to_spacy(
    monkeypatch: pytest.MonkeyPatch, stock: Callable[[str], Spans]
) -> None:
    nlp = pipeline()
    runtime = EntityRuntime(nlp)
    asked: list[str] = []
    monkeypatch.setattr(nlp, "get_pipe", lambda name: pytest.fail("is looked up once"))
    ner = nlp.pipeline[0][1]
    monkeypatch.setattr(nlp, "_components", [("ner", lambda doc: asked.append(doc.text) or ner(doc))])
    texts = [text for text in some_texts()[::8] if stock(text)]
    assert differing(texts, runtime, stock) == []
    close = list(asked)
    assert 20 * len(close) < len(texts)
    asked.clear()
    monkeypatch.setattr(decoder, "_CLOSE", 1e6)
    assert differing(texts, runtime, stock) == []
    assert asked == texts
    asked.clear()
    monkeypatch.setattr(decoder, "_CLOSE", 0)
    assert differing([text for text in texts if text not in close], runtime, stock) == []
    assert asked == []


def beam() -> Any:
    nlp = pipeline()
    nlp.get_pipe("ner").cfg["beam_width"] = 4
    return nlp


def added_label() -> Any:
    nlp = pipeline()
    nlp.get_pipe("ner").add_label("GADGET")
    return nlp


def added_component() -> Any:
    nlp = pipeline()
    nlp.add_pipe("entity_ruler", before="ner").add_patterns([{"label": "ORG", "pattern": "whole"}])
    return nlp


def own_tokenizer() -> Any:
    nlp = pipeline()
    tokenizer = nlp.tokenizer

    class Preset:
        def __call__(self, text: str) -> Any:
            doc = tokenizer(text)
            doc.set_ents([spacy.tokens.Span(doc, 0, 1, "ORG")] if len(doc) else [])
            return doc

    nlp.tokenizer = Preset()
    return nlp


def changed_layer() -> Any:
    """One layer of the right name that computes something else."""
    nlp = pipeline()
    norm = next(node for node in nlp.get_pipe("ner").model.walk() if node.name == "layernorm")
    forward = norm._func

    def doubled(model: Any, rows: Any, is_train: bool) -> Any:
        out, back = forward(model, rows, is_train)
        return out * 2, back

    norm._func = doubled
    return nlp


def made(**changes: Any) -> Any:
    """An untrained recogniser of the known make in other sizes, its numbers made at random."""
    model = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner",
        "extra_state_tokens": False,
        "hidden_width": 24,
        "maxout_pieces": 3,
        "use_upper": True,
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 32,
                "attrs": ["NORM", "SUFFIX", "SHAPE"],
                "rows": [500, 400, 300],
                "include_static_vectors": False,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 32,
                "depth": 2,
                "window_size": 1,
                "maxout_pieces": 2,
            },
        },
    }
    for key, value in changes.items():
        part = model
        *path, last = key.split("__")
        for name in path:
            part = part[name]
        part[last] = value
    nlp = spacy.blank("en")
    ner = nlp.add_pipe("ner", config={"model": model})
    for label in ("PERSON", "ORG"):
        ner.add_label(label)
    nlp.initialize()
    numbers = np.random.default_rng(7)
    for node in ner.model.walk():
        for name in node.param_names:
            if node.has_param(name):
                node.set_param(name, numbers.normal(size=node.get_param(name).shape).astype("f"))
    return nlp


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (beam, "it searches with a beam"),
        (added_label, "it has labels that it was not trained for"),
        (added_component, "the pipeline has other components"),
        (own_tokenizer, "the tokenizer is not spaCy's, it may set entities"),
        (changed_layer, "its vectors differ when computed again"),
        (lambda: made(extra_state_tokens=True), "its steps do not fit"),
        (lambda: made(use_upper=False), "its decisions have another form"),
        (lambda: made(tok2vec__encode__window_size=2), "its windows are wider"),
        (lambda: made(tok2vec__embed__attrs=["NORM"], tok2vec__embed__rows=[500]), "its tables read other features"),
        (lambda: spacy.blank("en"), "the pipeline has other components"),
    ],
)
def test_another_model_is_left_to_spacy(make: Callable[[], Any], reason: str) -> None:
    nlp = make()
    runtime = EntityRuntime(nlp)
    assert runtime.description == f"spaCy's own, slower: {reason}"
    assert differing(some_texts()[::16], runtime, stock_of(make())) == []


def test_model_that_cannot_be_read_is_left_to_spacy(
    monkeypatch: pytest.MonkeyPatch, stock: Callable[[str], Spans]
) -> None:
    nlp = pipeline()
    del nlp.get_pipe("ner").cfg["beam_width"]
    runtime = EntityRuntime(nlp)
    assert runtime.description == "spaCy's own, slower: the weights cannot be read (KeyError)"
    nlp.get_pipe("ner").cfg["beam_width"] = 1
    assert differing(some_texts()[::16], runtime, stock) == []


def test_entities_that_differ_at_load_are_left_to_spacy(
    monkeypatch: pytest.MonkeyPatch, stock: Callable[[str], Spans]
) -> None:
    monkeypatch.setattr(decoder.Decoder, "entities", lambda *_: [(0, 1, "LAW")])
    runtime = EntityRuntime(pipeline())
    assert runtime.description == "spaCy's own, slower: its entities differ when computed again"
    assert differing(some_texts()[::16], runtime, stock) == []


def test_known_make_in_other_sizes_runs_in_numpy() -> None:
    runtime, stock = EntityRuntime(made()), stock_of(made())
    assert runtime.description == "numpy, exact"
    texts = some_texts()[::4]
    assert sum(len(stock(text)) for text in texts) > 100
    assert differing(texts, runtime, stock) == []


# threads and memory


def test_threads_get_the_entities_of_one_thread() -> None:
    texts = some_texts()[::8]
    shared = EntityRuntime(pipeline())
    alone = [shared.entities(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        turns = [
            pool.submit(lambda shift: [shared.entities(t) for t in texts[shift:] + texts[:shift]], n) for n in range(8)
        ]
        for shift, turn in enumerate(turns):
            assert turn.result() == alone[shift:] + alone[:shift]


def test_one_blas_thread_computes_and_the_others_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def threads() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    seen: list[int] = []
    vectors = encoder.Encoder.vectors
    runtime = EntityRuntime(pipeline())
    monkeypatch.setattr(encoder.Encoder, "vectors", lambda self, doc: seen.extend(threads()) or vectors(self, doc))
    before = threads()
    runtime.entities("Alice Johnson left Leeds.")
    assert set(seen) == {1}
    assert threads() == before


FORKING = """
import os, signal, threading
from raguard.config import Config
from raguard.model import load_model

model, done = load_model(Config()), threading.Event()

def go_on():
    while not done.is_set():
        model.entities("Ann Lee met Bob Ray in Leeds. " * 40)

thread = threading.Thread(target=go_on)
thread.start()
statuses = set()
for _ in range(5):
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(len(model.entities("Ann Lee met Bob Ray in Leeds.")))
    statuses.add(os.waitpid(child, 0)[1])
done.set()
thread.join()
print(len(statuses), os.waitstatus_to_exitcode(statuses.pop()) > 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_forked_in_the_middle_of_a_text_can_go_on() -> None:
    """While one thread reads text after text, each child of another finds the same entities and ends."""
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], capture_output=True, timeout=600, check=False)
    assert (run.stdout, run.stderr) == (b"1 True\n", b"")


def test_strings_of_texts_do_not_accumulate() -> None:
    nlp = pipeline()
    runtime = EntityRuntime(nlp)
    start = len(nlp.vocab.strings)
    most = 0
    for number in range(400):
        runtime.entities(f"Quex{number}by met Zorn{number}ley.")
        most = max(most, len(nlp.vocab.strings) - start)
    assert 0 < most < 600
    runtime.entities("word " * 50_000)
    assert len(nlp.vocab.strings) - start < 10


def test_runtime_that_is_dropped_ends_its_zone() -> None:
    nlp = pipeline()
    runtime = EntityRuntime(nlp)
    start = len(nlp.vocab.strings)
    runtime.entities("Quexby met Zornley.")
    assert len(nlp.vocab.strings) > start
    del runtime
    assert len(nlp.vocab.strings) == start
