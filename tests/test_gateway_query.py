"""Is a question answered from documents that are found or given, and the answer judged before it is told?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from chat_server import ChatServer, Reply, Request, completion
from fastapi.testclient import TestClient

from raguard import Config, ConfigError, verify
from raguard.claims import GuardConfig, HallucinationGuard, LexicalNLIScorer, Retriever
from raguard.gate import disclosed
from raguard.service import ServiceConfig, build_app
from raguard.showing import NOTICE

DOC, QUERY = "The audit closed on 4 May 2024.", "When did the audit close?"
GOOD, BAD = "The audit closed on 4 May 2024 [1].", "The audit closed on 9 May 2024 [1]."


def answer(text: str | None) -> Callable[[Request], Reply]:
    return lambda request: completion(text)


def ask(reply: Any, body: dict[str, Any], guard: Any = None, retriever: Any = None, **settings: Any) -> httpx.Response:
    with ChatServer(reply) as upstream:
        config = ServiceConfig(warm_up=False, upstream={"url": upstream.url, "model": "small"}, **settings)
        app = build_app(config, hallucination_guard=guard, retriever=retriever)
        with TestClient(app) as client:
            response = client.post("/v1/query", content=json.dumps(body), headers={"Content-Type": "application/json"})
        response.extensions["sent"] = [request.body for request in upstream.requests]
    return response


def test_an_answer_from_given_documents_is_judged() -> None:
    response = ask(answer(GOOD), {"query": QUERY, "documents": [" ", DOC, {"text": "It rained.", "id": "b"}]})
    told = response.json()
    assert told["answer"]["text"] == GOOD
    assert told["answer"]["verify"] == disclosed(verify(QUERY, [DOC, "It rained."], GOOD))
    assert [each["document_id"] for each in told["documents"]] == [None, "b"]
    assert "text" not in told["documents"][0]
    sent = response.extensions["sent"][0]
    assert sent["model"] == "small"
    assert DOC in sent["messages"][1]["content"]


@pytest.mark.parametrize(
    ("on_review", "text", "reason"),
    [
        ("annotate", "The audit closed on 9 May 2024 [unsupported] [1].", "stop"),
        ("block", NOTICE, "content_filter"),
    ],
)
def test_the_text_shows_what_may_be_shown(on_review: Any, text: str, reason: str) -> None:
    told = ask(answer(BAD), {"question": QUERY, "docs": [DOC]}, on_review=on_review).json()["answer"]
    assert (told["text"], told["finish_reason"], told["changed"]) == (text, reason, True)


def test_the_shadow_changes_nothing() -> None:
    config = Config(modes={"mode": "shadow"})
    told = ask(answer(BAD), {"query": QUERY, "documents": [DOC]}, config=config, on_review="block").json()["answer"]
    assert (told["text"], told["finish_reason"], told["status"]) == (BAD, "stop", "shadow")


def test_the_guards_result_comes_with_the_answer() -> None:
    guard = HallucinationGuard(LexicalNLIScorer(), config=GuardConfig(action="redact", threshold=0.6))
    quiet = Config(modes={"types": {"unsupported_claim": "shadow"}})
    text = "The audit closed on 4 May 2024. The moon is made of cheese."
    told = ask(answer(text), {"query": QUERY, "documents": [DOC]}, guard, config=quiet).json()["answer"]
    assert told["text"] == "The audit closed on 4 May 2024. (unsupported claim removed)"
    assert (told["guard"]["verdict"], told["guard"]["blocked_n"]) == ("blocked", 1)


def test_documents_are_found_in_the_store_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "audit.md").write_text(DOC, encoding="utf-8")
    (tmp_path / "rent.md").write_text("The rent is 900 euros a month.", encoding="utf-8")
    settings: Any = {"store": {"path": tmp_path, "top_k": 1}, "keyless": {"texts": True}}
    told = ask(answer(GOOD), {"query": QUERY}, **settings).json()
    assert [each["text"] for each in told["documents"]] == [DOC]
    assert told["answer"]["status"] == "checked"


def test_a_retriever_can_be_given_and_searched_without_an_answer() -> None:
    retriever = Retriever([DOC, "The rent is 900 euros a month."])
    response = ask(answer(GOOD), {"query": "rent", "generate": False, "top_k": 1}, retriever=retriever)
    assert response.json()["answer"] is None
    assert [each["document"] for each in response.json()["documents"]] == [1]
    assert response.extensions["sent"] == []


def test_without_a_document_the_model_is_not_asked() -> None:
    response = ask(answer(GOOD), {"query": QUERY, "documents": []})
    assert response.json() == {"documents": [], "answer": None}
    assert response.extensions["sent"] == []


@pytest.mark.parametrize(
    ("reply", "body", "status", "code"),
    [
        (answer(GOOD), {"query": QUERY}, 501, "not_configured"),
        (answer(GOOD), {"documents": [DOC]}, 422, "invalid_request"),
        (answer(GOOD), {"query": QUERY, "documents": [DOC], "top_k": 0}, 422, "invalid_request"),
        (answer(None), {"query": QUERY, "documents": [DOC]}, 502, "upstream_broken"),
        (answer(" "), {"query": QUERY, "documents": [DOC]}, 502, "upstream_broken"),
        (lambda request: {"choices": []}, {"query": QUERY, "documents": [DOC]}, 502, "upstream_broken"),
        (lambda request: {"choices": [1]}, {"query": QUERY, "documents": [DOC]}, 502, "upstream_broken"),
        (lambda request: 500, {"query": QUERY, "documents": [DOC]}, 502, "upstream_error"),
    ],
)
def test_what_goes_wrong_is_an_error(reply: Any, body: dict[str, Any], status: int, code: str) -> None:
    response = ask(reply, body)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_a_retriever_that_fails_is_told_by_its_type() -> None:
    class Broken:
        def retrieve(self, text: str, top_k: int) -> Any:
            raise ValueError(text)

    response = ask(answer(GOOD), {"query": QUERY}, retriever=Broken())
    assert (response.status_code, response.json()["error"]["code"]) == (500, "retriever_failed")
    assert "audit" not in response.text


def test_a_model_must_be_named_somewhere() -> None:
    app = build_app(ServiceConfig(warm_up=False, upstream={"url": "http://127.0.0.1:9/v1"}))
    response = TestClient(app).post("/v1/query", json={"query": QUERY, "documents": [DOC]})
    assert (response.status_code, response.json()["error"]["param"]) == (422, "model")


def test_a_store_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no-such"):
        build_app(ServiceConfig(store={"path": tmp_path / "no-such"}))


def test_nothing_of_the_documents_is_told_without_the_right(tmp_path: Path) -> None:
    told = ask(answer(GOOD), {"query": QUERY, "documents": [DOC], "generate": False}).json()
    assert "audit" not in json.dumps(told)


def test_half_a_surrogate_pair_is_sent_on_and_told() -> None:
    told = ask(answer(GOOD), {"query": QUERY, "documents": [f"{DOC} \ud800"]}).json()["answer"]
    assert told["text"].startswith(GOOD)
    assert told["verify"]["warnings"][0]["type"] == "input_error"
