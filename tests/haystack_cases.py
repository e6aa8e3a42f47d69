"""Does the component of Haystack show what the gate lets through?

``test_integrations_haystack.py`` runs this in an environment of its own, without telemetry, with generators that say
what they are told to.
"""

from __future__ import annotations

import asyncio
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.components.builders import AnswerBuilder, PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.document_stores.in_memory import InMemoryDocumentStore

from raguard import Config, ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.haystack import RaguardGate
from raguard.modes import Modes
from raguard.showing import NOTICE

QUESTION = "When did the lease begin?"
DOCUMENT = Document(id="lease#1", content="The lease began on 4 May 2024. The rent is $900 a month.")
RIGHT = "The lease began on 4 May 2024."
WRONG = "The rent is $900. It began on 9 May 2024. Bye."
REDACTED = "The rent is $900. (unsupported text removed) Bye."
SHADOW = Config(modes=Modes(mode="shadow", tenants={"acme": Modes()}))
SHOWN = [
    ("annotate", WRONG.replace("9 May 2024", "9 May 2024 [unsupported]")),
    ("redact", REDACTED),
    ("block", NOTICE),
]


@cache
def gate(on_review: Any = "redact", config: Config | None = None) -> Gate:
    return Gate(config=config, on_review=on_review)


@component
class Speaker:
    """Says what it is told to."""

    def __init__(self, say: str = WRONG) -> None:
        self.say = say

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, Any]:
        return {"replies": [self.say]}


@component
class ChatSpeaker:
    """Says what it is told to, as a message."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, prompt: str) -> dict[str, Any]:
        return {"replies": [ChatMessage.from_assistant(WRONG, meta={"model": "fake"})]}


def pipeline(guard: RaguardGate, speaker: Any = None) -> Pipeline:
    """A real pipeline: a document store, a retriever, a prompt, a generator, the gate and a builder of answers."""
    store = InMemoryDocumentStore()
    store.write_documents([DOCUMENT])
    built = Pipeline()
    built.add_component("retriever", InMemoryBM25Retriever(store))
    template = "{% for document in documents %}{{ document.content }}{% endfor %} {{ question }}"
    built.add_component("prompt", PromptBuilder(template, required_variables=["documents", "question"]))
    built.add_component("model", speaker or Speaker())
    built.add_component("raguard", guard)
    built.add_component("answers", AnswerBuilder())
    built.connect("retriever.documents", "prompt.documents")
    built.connect("retriever.documents", "raguard.documents")
    built.connect("prompt.prompt", "model.prompt")
    built.connect("model.replies", "raguard.replies")
    built.connect("raguard.replies", "answers.replies")
    return built


ASKED = {
    "retriever": {"query": QUESTION},
    "prompt": {"question": QUESTION},
    "raguard": {"query": QUESTION},
    "answers": {"query": QUESTION},
}


def test_telemetry_is_off_in_these_tests() -> None:
    assert os.environ["HAYSTACK_TELEMETRY_ENABLED"] == "False"


@pytest.mark.parametrize("speaker", [Speaker, ChatSpeaker])
@pytest.mark.parametrize(("on_review", "shown"), SHOWN)
def test_a_pipeline_answers_what_the_gate_lets_through(on_review: Any, shown: str, speaker: Any) -> None:
    heard: list[Gated] = []
    guard = RaguardGate(gate(on_review), on_result=heard.append)
    told = pipeline(guard, speaker()).run(ASKED)
    assert [answer.data for answer in told["answers"]["answers"]] == [shown]
    assert [(gated.text, gated.original) for gated in told["raguard"]["gated"]] == [(shown, WRONG)]
    assert heard == told["raguard"]["gated"]


def test_an_async_pipeline_answers_the_same() -> None:
    told = asyncio.run(pipeline(RaguardGate(gate())).run_async(ASKED))
    assert [answer.data for answer in told["answers"]["answers"]] == [REDACTED]


def test_a_supported_answer_stays() -> None:
    told = pipeline(RaguardGate(gate("block")), Speaker(RIGHT)).run(ASKED)
    assert [answer.data for answer in told["answers"]["answers"]] == [RIGHT]


def test_the_shadow_changes_nothing_and_tells_the_listener() -> None:
    heard: list[Gated] = []
    reply = ChatMessage.from_assistant(WRONG)
    told = RaguardGate(gate("block", SHADOW), on_result=heard.append).run(QUESTION, [reply], [DOCUMENT])
    assert told["replies"][0] is reply
    assert [(gated.mode, gated.verdict.action) for gated in heard] == [("shadow", "review")]
    enforced = RaguardGate(gate("block", SHADOW), tenant_id="acme").run(QUESTION, [reply], [DOCUMENT])
    assert enforced["replies"][0].text == NOTICE


def test_a_tenant_whose_id_is_no_string_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^the id of a tenant must be a string .*, not int$"):
        RaguardGate(gate("block", SHADOW), tenant_id=42)  # type: ignore[arg-type]
    assert RaguardGate(gate("block", SHADOW), tenant_id="42").tenant_id == "42"


def test_a_message_keeps_its_name_and_calls_and_has_the_verdict() -> None:
    call = ToolCall("lookup", {"topic": "lease"})
    reply = ChatMessage.from_assistant(WRONG, {"model": "fake"}, "agent", [call], reasoning="Because.")
    (told,) = RaguardGate(gate()).run(QUESTION, [reply], [DOCUMENT])["replies"]
    assert (told.text, told.name, told.tool_calls) == (REDACTED, "agent", [call])
    assert (told.meta["model"], told.meta["raguard"]["summary"]["high"]) == ("fake", 1)
    assert told.meta["raguard"]["warnings"][0]["evidence"]["doc_id"] == "lease#1"


@pytest.mark.parametrize(("on_review", "stays"), [("annotate", True), ("redact", False), ("block", False)])
def test_what_repeats_removed_text_goes_with_it(on_review: Any, stays: bool) -> None:
    meta = {"model": "fake", "logprobs": {"content": [{"token": WRONG}]}}
    reply = ChatMessage.from_assistant(WRONG, meta, reasoning=WRONG)
    (told,) = RaguardGate(gate(on_review)).run(QUESTION, [reply], [DOCUMENT])["replies"]
    assert (told.reasoning is not None, "logprobs" in told.meta) == (stays, stays)
    kept = ChatMessage.from_assistant(RIGHT, meta, reasoning=WRONG)
    assert RaguardGate(gate(on_review)).run(QUESTION, [kept], [DOCUMENT])["replies"] == [kept]


def test_a_message_without_text_stays_and_is_told_as_unchecked() -> None:
    reply = ChatMessage.from_assistant(tool_calls=[ToolCall("lookup", {})])
    told = RaguardGate(gate("block")).run(QUESTION, [reply], [DOCUMENT])
    assert told["replies"][0] is reply
    assert [gap.why for gap in told["gated"][0].verdict.unchecked] == ["the reply has no text"]


@pytest.mark.parametrize("documents", [None, [], [Document(content=None)]])
def test_without_documents_a_reply_is_stopped(documents: Any) -> None:
    assert RaguardGate(gate("block")).run(QUESTION, [RIGHT], documents)["replies"] == [NOTICE]
    told = asyncio.run(RaguardGate(gate("block")).run_async(QUESTION, [RIGHT], documents))
    assert told["replies"] == [NOTICE]


def test_a_pipeline_with_it_can_be_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "raguard.toml"
    path.write_text('[modes]\nmode = "shadow"\n', encoding="utf-8")
    written = alone(RaguardGate(config_file=str(path), on_review="block")).dumps()
    read = Pipeline.loads(written, allowed_modules=["raguard.integrations.haystack"]).get_component("raguard")
    assert isinstance(read, RaguardGate)
    assert (read.gate.on_review, read.gate.modes("default").mode) == ("block", "shadow")


def alone(guard: RaguardGate) -> Pipeline:
    built = Pipeline()
    built.add_component("raguard", guard)
    return built


@pytest.mark.parametrize("options", [{"gate": Gate()}, {"on_result": print}])
def test_what_is_no_plain_data_cannot_be_written(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"a RaguardGate with a gate or on_result is no plain data"):
        RaguardGate(**options).to_dict()


def test_warming_up_loads_the_language_model_before_the_first_reply() -> None:
    warmed: list[str] = []
    guard = RaguardGate()
    guard.gate.verifier.warm_up = lambda: warmed.append("up")  # type: ignore[method-assign]
    guard.warm_up()
    assert warmed == ["up"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gate": "g"}, "gate must be a Gate, not str"),
        ({"gate": Gate(), "config_file": "raguard.toml"}, "config_file must be left out when gate is given"),
        ({"on_review": "drop"}, "on_review must be one of annotate, redact, block, not 'drop'"),
        ({"config_file": "no/such.toml"}, "no/such.toml: cannot be read"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RaguardGate(**options)
    assert message in str(caught.value)
