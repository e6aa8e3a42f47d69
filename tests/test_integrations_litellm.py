"""Does LiteLLM show what the documents support, and does the generic guardrail API say what its proxy is to do?"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from extra_venv import passed

from raguard import Config, ConfigError, Document
from raguard.gate import Gate, Gated
from raguard.integrations.messages import asked, grounding, in_plain_blocks
from raguard.modes import Modes
from raguard.showing import NOTICE

fastapi = pytest.importorskip("fastapi")
from fastapi.testclient import TestClient  # noqa: E402

from raguard.integrations.generic_guardrail import guardrail_router  # noqa: E402

DOCUMENT = "The lease began on 4 May 2024."
MESSAGES = [
    {"role": "system", "content": [{"type": "grounding_source", "text": DOCUMENT, "id": "lease#1"}]},
    {"role": "user", "content": "When?"},
]
WRONG = "The lease began on 9 May 2024."
SHADOW = Config(modes=Modes(mode="shadow"))


@cache
def gate(on_review: Any = "block", config: Config | None = None) -> Gate:
    return Gate(config=config, on_review=on_review)


class Guard:
    """The route, asked as the proxy asks it."""

    def __init__(self, given: Any, **options: Any) -> None:
        app = fastapi.FastAPI()
        app.include_router(guardrail_router(given, **options))
        self.client = TestClient(app)

    def ask(self, kind: str, call: str | None = "c1", **more: Any) -> Any:
        question = {"input_type": kind, "litellm_call_id": call, "request_data": {}, "model": "m", **more}
        return self.client.post("/beta/litellm_basic_guardrail_api", json=question).json()

    def answered(self, text: str = WRONG, call: str = "c1", **more: Any) -> Any:
        self.ask("request", call, structured_messages=MESSAGES, texts=[DOCUMENT, "When?"])
        return self.ask("response", call, texts=[text], **more)


@pytest.mark.parametrize(
    ("on_review", "told"),
    [
        ("annotate", {"action": "GUARDRAIL_INTERVENED", "texts": ["The lease began on 9 May 2024 [unsupported]."]}),
        ("redact", {"action": "GUARDRAIL_INTERVENED", "texts": ["(unsupported text removed)"]}),
        ("block", {"action": "BLOCKED", "blocked_reason": NOTICE}),
    ],
)
def test_an_answer_is_changed_or_blocked(on_review: Any, told: dict[str, Any]) -> None:
    assert Guard(gate(on_review)).answered() == told
    assert Guard(gate(on_review)).answered(DOCUMENT) == {"action": "NONE"}


def test_the_shadow_does_nothing_and_tells_the_listener() -> None:
    heard: list[Gated] = []
    assert Guard(gate("block", SHADOW), on_result=heard.append).answered() == {"action": "NONE"}
    assert [(gated.mode, gated.verdict.action) for gated in heard] == [("shadow", "review")]


def test_before_the_call_the_blocks_become_text_and_nothing_else_changes() -> None:
    told = Guard(gate()).ask("request", structured_messages=MESSAGES, texts=[DOCUMENT, "When?"])
    assert told == {
        "action": "GUARDRAIL_INTERVENED",
        "texts": [DOCUMENT, "When?"],
        "structured_messages": [
            {"role": "system", "content": [{"type": "text", "text": DOCUMENT}]},
            {"role": "user", "content": "When?"},
        ],
    }
    assert Guard(gate(), as_text=False).ask("request", structured_messages=MESSAGES) == {"action": "NONE"}
    assert Guard(gate()).ask("request", structured_messages=MESSAGES[1:]) == {"action": "NONE"}
    assert Guard(gate()).ask("request") == {"action": "NONE"}


def test_documents_of_another_call_or_of_none_support_nothing() -> None:
    guard = Guard(gate())
    guard.ask("request", "c1", structured_messages=MESSAGES)
    assert guard.ask("response", "c1", texts=[DOCUMENT])["action"] == "NONE"
    assert guard.ask("response", "c2", texts=[DOCUMENT])["action"] == "BLOCKED"
    assert guard.ask("response", None, texts=[DOCUMENT])["action"] == "BLOCKED"
    guard.ask("request", None, structured_messages=MESSAGES)
    assert guard.ask("response", None, texts=[DOCUMENT])["action"] == "BLOCKED"


def test_documents_of_another_tenant_support_nothing() -> None:
    tenants = iter(["a", "b", "a"])
    guard = Guard(gate(), tenant=lambda: next(tenants))
    guard.ask("request", "c1", structured_messages=MESSAGES)
    assert [guard.ask("response", "c1", texts=[DOCUMENT])["action"] for _ in range(2)] == ["BLOCKED", "NONE"]


def test_a_tenant_whose_id_is_no_string_gets_no_answer() -> None:
    given = Gate(config=Config(modes=Modes(mode="off", tenants={"42": Modes()})), on_review="block")
    with pytest.raises(TypeError, match=r"^the id of a tenant must be a string .*, not int$"):
        Guard(given, tenant=lambda: 42).answered()
    assert Guard(given, tenant=lambda: "42").answered()["action"] == "BLOCKED"


def test_each_tenant_may_have_a_gate_and_the_threads_are_the_callers() -> None:
    asked_of, ran = [], []

    def own(tenant_id: str) -> Gate:
        asked_of.append(tenant_id)
        return gate("block" if tenant_id == "a" else "redact")

    async def run(call: Any, *arguments: Any, **options: Any) -> Any:
        ran.append(call.__name__)
        return call(*arguments, **options)

    tenants = iter(["a", "a", "b", "b"])
    guard = Guard(own, tenant=lambda: next(tenants), runner=run)
    assert [guard.answered()["action"] for _ in range(2)] == ["BLOCKED", "GUARDRAIL_INTERVENED"]
    assert (asked_of, ran) == (["a", "b"], ["judge", "judge"])


def test_the_oldest_calls_are_forgotten() -> None:
    guard = Guard(gate(), remembered=2)
    for call in ("c1", "c2", "c1", "c3"):
        guard.ask("request", call, structured_messages=MESSAGES)
    told = [guard.ask("response", call, texts=[DOCUMENT])["action"] for call in ("c1", "c2", "c3")]
    assert told == ["NONE", "BLOCKED", "NONE"]


def test_documents_that_come_with_the_answer_count() -> None:
    guard = Guard(gate())
    settings = {"documents": [{"text": DOCUMENT, "id": "lease#1"}]}
    assert guard.ask("response", texts=[DOCUMENT], additional_provider_specific_params=settings)["action"] == "NONE"
    assert guard.ask("response", texts=[DOCUMENT], structured_messages=MESSAGES)["action"] == "NONE"


def test_several_answers_are_judged_each_and_empty_ones_are_none() -> None:
    guard = Guard(gate("redact"))
    guard.ask("request", structured_messages=MESSAGES)
    told = guard.ask("response", texts=[DOCUMENT, "", WRONG])
    assert told["texts"] == [DOCUMENT, "", "(unsupported text removed)"]
    assert guard.ask("response", texts=None) == guard.ask("response", texts=[""]) == {"action": "NONE"}


def test_a_dependency_may_refuse() -> None:
    def refuse() -> None:
        raise fastapi.HTTPException(401)

    guard = Guard(gate(), dependencies=[fastapi.Depends(refuse)])
    assert guard.client.post("/beta/litellm_basic_guardrail_api", json={"input_type": "request"}).status_code == 401


def test_a_question_of_another_shape_is_refused() -> None:
    assert "detail" in Guard(gate()).ask("answer")


def test_messages_of_any_shape_hold_what_they_hold() -> None:
    odd: list[Any] = [
        None,
        3,
        {"role": "system"},
        {"role": "system", "content": 7},
        {"role": "user", "content": [None]},
    ]
    odd += [{"role": "system", "content": [{"type": "grounding_source", "text": 7}, "text"]}]
    assert (grounding(odd), asked(odd), in_plain_blocks(odd)[:5]) == ([], "", odd[:5])
    assert (grounding("text"), asked(None)) == ([], "")
    assert grounding(MESSAGES) == [Document(DOCUMENT, "lease#1")]
    assert grounding(MESSAGES, roles=["user"]) == []
    query = {"role": "user", "content": [{"type": "text", "text": "Context."}, {"type": "query", "text": "When?"}]}
    assert asked([query]) == "When?"
    assert asked(
        [{"role": "user", "content": [{"type": "text", "text": "One"}, {"type": "text", "text": "two."}]}]
    ) == ("One\ntwo.")


@pytest.mark.parametrize("options", [{"gate": "g"}, {"gate": Gate}, {"gate": gate(), "remembered": 0}])
def test_a_bad_option_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(
        ConfigError,
        match=r"a function that gives a tenant's, not (str|the class Gate)$|remembered must be a number of calls",
    ):
        guardrail_router(**options)


@pytest.mark.skipif(find_spec("litellm") is not None, reason="litellm is installed here")
def test_without_litellm_it_is_one_sentence_with_the_command() -> None:
    message = r"^raguard.integrations.litellm needs litellm: pip install 'raguard-verify\[litellm\]'$"
    with pytest.raises(ConfigError, match=message):
        import raguard.integrations.litellm  # noqa: F401


@pytest.mark.extras
def test_the_real_proxy_and_client_show_what_is_supported(tmp_path: Path) -> None:
    # the proxy has libraries of its own, which those who only call its guardrail do without
    assert passed(tmp_path, "litellm", "litellm_cases.py", "litellm[proxy]", "uvicorn").startswith("47 passed")
