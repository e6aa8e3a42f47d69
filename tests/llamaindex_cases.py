"""Does the query engine of LlamaIndex show what the gate lets through, and does the evaluator say what is supported?

``test_integrations_llamaindex.py`` runs this in an environment of its own, with a real index and a model that says what
it is told to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.response.schema import AsyncStreamingResponse, PydanticResponse, Response, StreamingResponse
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import BaseModel

from raguard import Config, ConfigError, Verifier
from raguard.gate import Gate, Gated
from raguard.integrations.llamaindex import RaguardEvaluator, RaguardQueryEngine
from raguard.modes import Modes
from raguard.showing import NOTICE

QUESTION = "When did it begin?"
NODE = TextNode(
    id_="lease#1", text="The lease began on 4 May 2024. The rent is $900 a month.", metadata={"signed": "2 April 2024"}
)
RIGHT = "The lease began on 4 May 2024. It was signed on 2 April 2024."
WRONG = "The rent is $900. It began on 9 May 2024. Bye."
REDACTED = "The rent is $900. (unsupported text removed) Bye."
LABELLED = "The rent is $900. It began on 9 May 2024 [unsupported]. Bye."
SHADOW = Config(modes=Modes(mode="shadow", tenants={"acme": Modes()}))


@cache
def gate(on_review: Any = "redact", config: Config | None = None) -> Gate:
    return Gate(config=config, on_review=on_review)


class Speaker(CustomLLM):
    """Says what it is told to, word by word where it is streamed."""

    say: str

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponse:
        return CompletionResponse(text=self.say)

    def stream_complete(self, prompt: str, formatted: bool = False, **options: Any) -> Iterator[CompletionResponse]:
        text = ""
        for word in self.say.split(" "):
            delta = f" {word}" if text else word
            text += delta
            yield CompletionResponse(text=text, delta=delta)


def engine(say: str = WRONG, given: Gate | None = None, *, streaming: bool = False, **options: Any) -> Any:
    index = VectorStoreIndex([NODE], embed_model=MockEmbedding(embed_dim=8))
    inner = index.as_query_engine(llm=Speaker(say=say), streaming=streaming)
    return RaguardQueryEngine(inner, given or gate(), **options)


@pytest.mark.parametrize(("on_review", "shown"), [("annotate", LABELLED), ("redact", REDACTED), ("block", NOTICE)])
def test_an_answer_is_shown_as_the_gate_lets_through(on_review: Any, shown: str) -> None:
    heard: list[Gated] = []
    wrapped = engine(given=gate(on_review), on_result=heard.append)
    told = wrapped.query(QUESTION)
    assert (type(told), told.response) == (Response, shown)
    assert [node.node.node_id for node in told.source_nodes] == ["lease#1"]
    assert told.metadata["raguard"]["warnings"][0]["evidence"]["doc_id"] == "lease#1"
    assert told.metadata["lease#1"] == {"signed": "2 April 2024"}
    assert asyncio.run(wrapped.aquery(QUESTION)).response == shown
    assert [gated.original for gated in heard] == [WRONG] * 2


def test_a_supported_answer_stays_also_by_what_the_metadata_shows_to_models() -> None:
    told = engine(RIGHT, gate("block")).query(QUESTION)
    assert (told.response, "raguard" in told.metadata) == (RIGHT, False)


def test_the_shadow_changes_nothing_and_tells_the_listener() -> None:
    heard: list[Gated] = []
    told = engine(given=gate("block", SHADOW), on_result=heard.append).query(QUESTION)
    assert (told.response, "raguard" in told.metadata) == (WRONG, False)
    streamed = engine(given=gate("block", SHADOW), streaming=True, on_result=heard.append).query(QUESTION)
    tokens = list(streamed.response_gen)
    assert ("".join(tokens), len(tokens)) == (WRONG, len(WRONG.split(" ")) + 1)
    assert [(gated.mode, gated.verdict.action, gated.text) for gated in heard] == [("shadow", "review", WRONG)] * 2
    assert engine(given=gate("block", SHADOW), tenant_id="acme").query(QUESTION).response == NOTICE


def test_a_tenant_whose_id_is_no_string_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^the id of a tenant must be a string .*, not int$"):
        engine(given=gate("block", SHADOW), tenant_id=42)
    assert engine(given=gate("block", SHADOW), tenant_id="42").query(QUESTION).response == WRONG


STREAMED = [
    ("annotate", f"{WRONG}\n\n[the retrieved documents do not support all of this text: 1]"),
    ("redact", REDACTED),
    ("block", f"The rent is $900.\n\n{NOTICE}"),
]


@pytest.mark.parametrize(("on_review", "shown"), STREAMED)
def test_a_stream_is_released_as_it_is_judged(on_review: Any, shown: str) -> None:
    heard: list[Gated] = []
    wrapped = engine(given=gate(on_review), streaming=True, on_result=heard.append)
    told = wrapped.query(QUESTION)
    assert isinstance(told, StreamingResponse)
    tokens = list(told.response_gen)
    assert ("".join(tokens), len(tokens) > 1) == (shown, True)
    assert wrapped.query(QUESTION).get_response().response == shown

    async def consumed() -> str:
        response = await wrapped.aquery(QUESTION)
        assert isinstance(response, AsyncStreamingResponse)
        return "".join([token async for token in response.async_response_gen()])

    assert asyncio.run(consumed()) == shown
    assert [(gated.text, gated.original) for gated in heard] == [(shown, WRONG)] * 3


def test_finding_and_answering_can_be_done_in_two_steps() -> None:
    wrapped = engine()
    nodes = wrapped.retrieve(QueryBundle(QUESTION))
    assert [node.node.node_id for node in nodes] == ["lease#1"]
    assert wrapped.synthesize(QueryBundle(QUESTION), nodes).response == REDACTED
    assert asyncio.run(wrapped.asynthesize(QueryBundle(QUESTION), nodes)).response == REDACTED


class Lease(BaseModel):
    """A structured answer."""

    began: str


class Fixed(CustomQueryEngine):
    """Gives a prepared response."""

    response: Any

    def custom_query(self, query_str: str) -> Any:
        return self.response


def test_of_a_structured_answer_that_needs_review_the_notice_is_left() -> None:
    def ask(began: str) -> Any:
        response = PydanticResponse(Lease(began=began), [NodeWithScore(node=NODE)], {})
        return RaguardQueryEngine(Fixed(response=response), gate("redact")).query(QUESTION)

    assert ask("4 May 2024").response == Lease(began="4 May 2024")
    wrong = ask("9 May 2024")
    assert (type(wrong), wrong.response) == (Response, NOTICE)


def test_without_nodes_an_answer_is_stopped_and_no_answer_stays() -> None:
    assert RaguardQueryEngine(Fixed(response=Response(RIGHT)), gate("block")).query(QUESTION).response == NOTICE
    empty = Response(None)
    assert RaguardQueryEngine(Fixed(response=empty), gate("block")).query(QUESTION).response is None


def test_prompts_of_the_engine_can_be_reached() -> None:
    assert any(name.startswith("query_engine:") for name in engine().get_prompts())


def test_an_evaluator_passes_what_is_supported() -> None:
    evaluator = RaguardEvaluator(Verifier())
    right = evaluator.evaluate(QUESTION, "The rent is $900 a month.", [NODE.text])
    wrong = evaluator.evaluate(QUESTION, WRONG, [NODE.text])
    assert [(told.passing, told.score, told.invalid_result) for told in (right, wrong)] == [
        (True, 1.0, False),
        (False, 0.0, False),
    ]
    assert (wrong.query, wrong.response, wrong.contexts) == (QUESTION, WRONG, [NODE.text])
    assert wrong.feedback is not None
    assert wrong.feedback.startswith('"9 May 2024" not found in retrieved documents.')
    assert asyncio.run(evaluator.aevaluate(QUESTION, WRONG, [NODE.text])) == wrong
    response = Response(WRONG, [NodeWithScore(node=NODE)])
    assert evaluator.evaluate_response(QUESTION, response) == wrong


@pytest.mark.parametrize(("response", "contexts"), [(RIGHT, None), (None, [NODE.text])])
def test_what_cannot_be_evaluated_is_invalid_with_its_reason(response: Any, contexts: Any) -> None:
    told = RaguardEvaluator().evaluate(QUESTION, response, contexts)
    assert (told.passing, told.score, told.invalid_result) == (None, None, True)
    assert told.invalid_reason


def test_the_evaluator_runs_in_a_batch() -> None:
    runner = BatchEvalRunner({"raguard": RaguardEvaluator()})
    told = runner.evaluate_response_strs([QUESTION] * 2, [WRONG, "The rent is $900."], [[NODE.text]] * 2)
    assert [each.passing for each in told["raguard"]] == [False, True]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RaguardQueryEngine("e", gate()), "query_engine must be a query engine, not str"),
        (lambda: RaguardQueryEngine(Fixed(response=None), "g"), "gate must be a Gate, not str"),  # type: ignore[arg-type]
        (lambda: RaguardEvaluator("v"), "verifier must be a Verifier, not str"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_option_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert message in str(caught.value)
