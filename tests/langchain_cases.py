"""Do the runnables and the agent middleware of LangChain show what the gate lets through?

``test_integrations_langchain.py`` runs this in an environment of its own, with models that say what they are told to.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document as Retrieved
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import tool
from langchain_core.vectorstores import InMemoryVectorStore

from raguard import Config, ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.langchain import RaguardMiddleware, gated_answer, gated_text
from raguard.modes import Modes
from raguard.showing import NOTICE

EXAMPLE = Path(__file__).parent.parent / "examples" / "langchain_chain.py"
DOCUMENT = Retrieved("The lease began on 4 May 2024. The rent is $900 a month.", id="lease#1")
RIGHT = "The lease began on 4 May 2024."
WRONG = "The rent is $900. It began on 9 May 2024. Bye."
REDACTED = "The rent is $900. (unsupported text removed) Bye."
LABELLED = "The rent is $900. It began on 9 May 2024 [unsupported]. Bye."
SHADOW = Config(modes=Modes(mode="shadow", tenants={"acme": Modes()}))
ASKED = {"question": "When did it begin?"}


@cache
def gate(on_review: Any = "redact", config: Config | None = None) -> Gate:
    return Gate(config=config, on_review=on_review)


def chain(last: Any, say: str = WRONG) -> Any:
    """A real chain: a vector store, a prompt and a chat model that streams what it is told to say."""
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([DOCUMENT])
    retriever = store.as_retriever()
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    model = GenericFakeChatModel(messages=iter([AIMessage(say)]))
    return (
        RunnablePassthrough.assign(context=lambda given: retriever.invoke(given["question"]))
        | RunnablePassthrough.assign(answer=prompt | model)
        | last
    )


@pytest.mark.parametrize(("on_review", "shown"), [("annotate", LABELLED), ("redact", REDACTED), ("block", NOTICE)])
def test_a_chain_gives_the_gated_answer(on_review: Any, shown: str) -> None:
    heard: list[Gated] = []
    gated = chain(gated_answer(gate(on_review), on_result=heard.append)).invoke(ASKED)
    assert (gated.text, gated.original, gated.verdict.action) == (shown, WRONG, "review")
    assert gated.enforced[0].evidence.doc_id == "lease#1"
    assert asyncio.run(chain(gated_answer(gate(on_review))).ainvoke(ASKED)) == gated
    assert heard == [gated]


def test_a_supported_answer_stays() -> None:
    gated = chain(gated_answer(gate("block")), RIGHT).invoke(ASKED)
    assert (gated.text, gated.enforced) == (RIGHT, ())


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (Retrieved("It began on 4 May 2024.", id="7", metadata={"source": "lease.pdf"}), "7"),
        (Retrieved("It began on 4 May 2024.", metadata={"source": "lease.pdf"}), "lease.pdf"),
        (Retrieved("It began on 4 May 2024."), None),
        ("It began on 4 May 2024.", None),
    ],
)
def test_documents_have_the_ids_that_evidence_names(document: Any, name: str | None) -> None:
    (warning,) = gated_answer(gate()).invoke({**ASKED, "context": [document], "answer": "On 9 May 2024."}).enforced
    assert warning.evidence is not None
    assert (warning.evidence.doc, warning.evidence.doc_id) == (0, name)


def test_the_shadow_changes_nothing_and_tells_the_listener() -> None:
    heard: list[Gated] = []
    runnable = gated_text(gate("block", SHADOW), on_result=heard.append)
    assert "".join(chain(runnable).stream(ASKED)) == WRONG
    assert len(list(chain(runnable).stream(ASKED))) > 10
    assert chain(gated_answer(gate("block", SHADOW))).invoke(ASKED).text == WRONG
    assert [(gated.mode, gated.verdict.action, gated.text) for gated in heard] == [("shadow", "review", WRONG)] * 2


def test_the_tenant_comes_from_the_config_of_the_run() -> None:
    def tenant(config: Any) -> str:
        return config.get("configurable", {}).get("tenant", "default")  # type: ignore[no-any-return]

    given = {**ASKED, "context": [DOCUMENT], "answer": WRONG}
    for runnable in (
        gated_answer(gate("block", SHADOW), tenant=tenant),
        gated_text(gate("block", SHADOW), tenant=tenant),
    ):
        acme = runnable.invoke(given, {"configurable": {"tenant": "acme"}})  # type: ignore[attr-defined]
        other = runnable.invoke(given)  # type: ignore[attr-defined]
        assert [getattr(told, "text", told) for told in (acme, other)] == [
            NOTICE if isinstance(acme, Gated) else f"The rent is $900.\n\n{NOTICE}",
            WRONG,
        ]


def test_a_tenant_whose_id_is_no_string_gets_no_answer() -> None:
    given = {**ASKED, "context": [DOCUMENT], "answer": WRONG}
    tenants: list[Any] = [42, 42, 42]
    for runnable in (
        gated_answer(gate("block", SHADOW), tenant=lambda config: tenants.pop()),
        gated_text(gate("block", SHADOW), tenant=lambda config: tenants.pop()),
    ):
        with pytest.raises(TypeError, match=r"the id of a tenant must be a string .*, not int"):
            runnable.invoke(given)  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"the id of a tenant must be a string .*, not int"):
        run(agent(calls("lookup"), AIMessage(WRONG), gate=gate("redact", SHADOW), tenant=lambda context: tenants.pop()))
    assert tenants == []


@pytest.mark.parametrize(
    ("on_review", "shown"),
    [
        ("annotate", f"{WRONG}\n\n[the retrieved documents do not support all of this text: 1]"),
        ("redact", REDACTED),
        ("block", f"The rent is $900.\n\n{NOTICE}"),
    ],
)
def test_a_chain_streams_what_is_judged(on_review: Any, shown: str) -> None:
    heard: list[Gated] = []
    runnable = gated_text(gate(on_review), on_result=heard.append)
    pieces = list(chain(runnable).stream(ASKED))
    assert "".join(pieces) == shown
    assert len(pieces) > 2
    assert chain(runnable).invoke(ASKED) == shown

    async def streamed() -> str:
        return "".join([piece async for piece in chain(runnable).astream(ASKED)])

    assert asyncio.run(streamed()) == shown
    assert asyncio.run(chain(runnable).ainvoke(ASKED)) == shown
    assert [(gated.text, gated.original) for gated in heard] == [(shown, WRONG)] * 4


def test_text_that_comes_before_its_documents_waits_where_it_may_be_changed() -> None:
    def chunks(given: Any) -> Iterator[Any]:
        yield {"answer": "The rent is"}
        yield {"answer": " $950. "}
        seen.append("".join(out))
        yield {"context": [DOCUMENT]}
        yield {"answer": "Bye."}

    def run(on_review: Any, config: Config | None = None) -> str:
        out.clear()
        out.extend((RunnableLambda(chunks) | gated_text(gate(on_review, config))).stream(ASKED))
        return "".join(out)

    out: list[str] = []
    seen: list[str] = []
    assert run("redact") == "(unsupported text removed) Bye."
    assert run("annotate").startswith("The rent is $950. Bye.\n\n[the retrieved")
    assert run("block", SHADOW) == "The rent is $950. Bye."
    assert seen == ["", "The rent is $950. ", "The rent is $950. "]


def test_without_documents_an_answer_is_stopped() -> None:
    assert gated_answer(gate("block")).invoke({**ASKED, "answer": RIGHT}).text == NOTICE
    assert gated_text(gate("block")).invoke({**ASKED, "answer": RIGHT}) == NOTICE
    assert gated_text(gate("block")).invoke({**ASKED, "context": [DOCUMENT], "answer": 7}) == ""


@pytest.mark.parametrize("given", ["text", {"context": [], "question": "?"}])
def test_another_input_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match=r"must come in a mapping, not str|no answer under 'answer'"):
        gated_answer(gate()).invoke(given)


def test_other_keys_can_be_named_and_messages_read() -> None:
    keys = {"query": "q", "docs": "d", "answer": "a"}
    given = {
        "q": HumanMessage("When?"),
        "d": [DOCUMENT.page_content],
        "a": AIMessage([{"type": "text", "text": WRONG}]),
    }
    assert gated_answer(gate(), **keys).invoke(given).text == REDACTED


class Speaker(FakeMessagesListChatModel):
    """Says its messages in turn, whatever tools it is given."""

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


@tool
def lookup(topic: str) -> str:
    """Looks a topic up."""
    if topic == "fails":
        raise ValueError("no such topic")
    return DOCUMENT.page_content


@tool(response_format="content_and_artifact")
def search(topic: str) -> tuple[str, list[Retrieved]]:
    """Searches for a topic."""
    return "one document", [DOCUMENT]


def calls(name: str, topic: str = "lease", text: str = "") -> AIMessage:
    return AIMessage(text, tool_calls=[{"name": name, "args": {"topic": topic}, "id": f"call-{name}"}])


def agent(*says: AIMessage, **options: Any) -> Any:
    given = {"gate": gate(), **options}
    return create_agent(Speaker(responses=list(says)), tools=[lookup, search], middleware=[RaguardMiddleware(**given)])


def run(agent: Any, *messages: Any, **options: Any) -> Any:
    given = {"messages": list(messages) or [HumanMessage("When did it begin?")]}
    told = agent.invoke(given, **options)["messages"]
    assert [each.text for each in asyncio.run(agent.ainvoke(given, **options))["messages"]] == [
        each.text for each in told
    ]
    return told


@pytest.mark.parametrize("name", ["lookup", "search"])
@pytest.mark.parametrize("after", ["agent", "model"])
@pytest.mark.parametrize(("on_review", "shown"), [("annotate", LABELLED), ("redact", REDACTED), ("block", NOTICE)])
def test_an_agent_says_what_its_tools_found(name: str, after: Any, on_review: Any, shown: str) -> None:
    told = run(agent(calls(name), AIMessage(WRONG, id="a1"), gate=gate(on_review), after=after))
    assert [type(each) for each in told] == [HumanMessage, AIMessage, ToolMessage, AIMessage]
    assert (told[-1].text, told[-1].id) == (shown, "a1")
    assert told[-1].response_metadata["raguard"]["summary"]["high"] == 1
    right = run(agent(calls(name), AIMessage(RIGHT), gate=gate(on_review), after=after))[-1]
    assert (right.text, "raguard" in right.response_metadata) == (RIGHT, False)


def test_the_shadow_of_an_agent_changes_no_message() -> None:
    heard: list[Gated] = []
    told = run(agent(calls("lookup"), AIMessage(WRONG), gate=gate("block", SHADOW), on_result=heard.append))
    assert (told[-1].text, told[-1].response_metadata) == (WRONG, {})
    assert [(gated.mode, gated.verdict.action) for gated in heard] == [("shadow", "review")] * 2


def test_after_the_model_texts_beside_tool_calls_are_judged_too() -> None:
    says = (calls("lookup"), calls("search", text="It began on 9 May 2024."), AIMessage(RIGHT))
    between = run(agent(*says, after="model"))[3]
    assert (between.text, bool(between.tool_calls)) == ("(unsupported text removed)", True)
    assert run(agent(*says, after="agent"))[3].text == "It began on 9 May 2024."


def test_an_agent_without_documents_is_stopped_and_a_failed_tool_is_none() -> None:
    assert run(agent(AIMessage(RIGHT), gate=gate("block")))[-1].text == NOTICE
    failed = [
        HumanMessage("When?"),
        calls("lookup"),
        ToolMessage(RIGHT, tool_call_id="call-lookup", status="error"),
    ]
    assert run(agent(AIMessage(RIGHT), gate=gate("block")), *failed)[-1].text == NOTICE


def test_earlier_turns_are_history() -> None:
    before = [
        HumanMessage("When does it end?"),
        calls("lookup"),
        ToolMessage("It ends on 1 June 2030.", tool_call_id="call-lookup"),
        AIMessage("It ends on 1 June 2030. It began on 9 May 2024."),
        HumanMessage("And when did it begin?"),
    ]
    said = run(agent(calls("search"), AIMessage("Before 1 June 2030, on 9 May 2024.")), *before)[-1]
    assert said.text == "(unsupported text removed)"
    warnings = said.response_metadata["raguard"]["warnings"]
    assert [warning["start"] for warning in warnings if warning["severity"] == "high"] == [23]


def test_documents_can_be_found_in_the_state_and_the_tenant_in_the_context() -> None:
    found = agent(AIMessage(WRONG), find_documents=lambda state: [DOCUMENT])
    assert run(found)[-1].text == REDACTED
    by_tenant = agent(
        calls("lookup"), AIMessage(WRONG), gate=gate("redact", SHADOW), tenant=lambda context: context["tenant"]
    )
    assert run(by_tenant, context={"tenant": "acme"})[-1].text == REDACTED
    assert run(by_tenant, context={"tenant": "other"})[-1].text == WRONG


@pytest.mark.parametrize(("on_review", "stays"), [("annotate", True), ("redact", False), ("block", False)])
def test_what_repeats_removed_text_goes_with_it(on_review: Any, stays: bool) -> None:
    blocks: list[Any] = [
        {"type": "reasoning", "reasoning": WRONG},
        {"type": "thinking", "thinking": WRONG},
        {"type": "image", "url": "a.png"},
    ]
    said = AIMessage(
        [{"type": "text", "text": WRONG}, *blocks],
        additional_kwargs={"reasoning_content": WRONG},
        response_metadata={"logprobs": {"content": [{"token": WRONG}]}, "model": "m"},
    )
    told = run(agent(calls("lookup"), said, gate=gate(on_review)))[-1]
    assert told.content[1:] == (blocks if stays else blocks[2:])
    assert told.additional_kwargs == ({"reasoning_content": WRONG} if stays else {})
    assert [name for name in told.response_metadata if name != "raguard"] == (
        ["logprobs", "model"] if stays else ["model"]
    )
    assert run(agent(calls("lookup"), said.model_copy(update={"content": RIGHT}), gate=gate(on_review)))[
        -1
    ].additional_kwargs == {"reasoning_content": WRONG}


def test_blocks_that_are_no_text_stay() -> None:
    content: Any = [{"type": "text", "text": WRONG}, {"type": "image", "url": "http://127.0.0.1/a.png"}]
    assert run(agent(calls("lookup"), AIMessage(content)))[-1].content == [
        {"type": "text", "text": REDACTED},
        {"type": "image", "url": "http://127.0.0.1/a.png"},
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gated_answer("g"), "gate must be a Gate, not str"),  # type: ignore[arg-type]
        (lambda: gated_text(gate(), docs=3), "docs must be the key under which it stands, not 3"),  # type: ignore[arg-type]
        (lambda: RaguardMiddleware("g"), "gate must be a Gate, not str"),  # type: ignore[arg-type]
        (lambda: RaguardMiddleware(gate(), after="all"), "after must be one of agent, model, not 'all'"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_option_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("enforce", "The Q2 project was delivered on June 15. (unsupported text removed)"),
        ("shadow", "The Q2 project was delivered on June 15. The Q3 2024 deadline is September 30, 2024."),
    ],
)
def test_the_example_runs_as_it_says(mode: str, said: str) -> None:
    command = [sys.executable, str(EXAMPLE), "What is the Q3 2024 deadline?"]
    done = subprocess.run(command, env={**os.environ, "RAGUARD_MODE": mode}, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said
    assert f"({mode}: review, high 1)" in done.stderr
