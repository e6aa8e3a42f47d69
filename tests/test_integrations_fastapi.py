"""Do dependency and decorator give typed, checked answers, and does the example run as it says?"""

from __future__ import annotations

import logging
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import patient
import pytest
from served import served

from raguard import Config, ConfigError, Document
from raguard.gate import Gate, Gated
from raguard.modes import Modes
from raguard.showing import NOTICE

fastapi = pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
from fastapi import Depends, FastAPI, Header, HTTPException  # noqa: E402
from fastapi.testclient import TestClient  # noqa: E402
from pydantic import BaseModel  # noqa: E402

from raguard.integrations.fastapi import CheckedAnswer, Checker, checked, checker  # noqa: E402

EXAMPLES = Path(__file__).parent.parent / "examples"
DOCS = [Document("The lease began on 4 May 2024.", id="lease#1")]
WRONG = "The lease began on 9 May 2024."
SHADOW = Config(modes=Modes(mode="shadow", tenants={"acme": Modes()}))


@cache
def gate(on_review: Any = "block", config: Config | None = None) -> Gate:
    return Gate(config=config, on_review=on_review)


def tenant(x_key: Annotated[str, Header()] = "") -> str:
    if x_key == "bad":
        raise HTTPException(401)
    return "acme" if x_key == "k-acme" else "other"


class Question(BaseModel):
    text: str


def application(given: Gate, **options: Any) -> FastAPI:
    app, depends = FastAPI(), Depends(checker(given, **options))

    @app.get("/hand")
    async def by_hand(query: str, check: Checker = depends) -> CheckedAnswer:
        return await check.ajudge(query, DOCS, WRONG)

    @app.get("/sync")
    def by_hand_sync(query: str, check: Checker = depends) -> CheckedAnswer:
        return check.judge(query, DOCS, WRONG)

    @app.get("/async")
    @checked(given, **options)
    async def decorated(query: str, say: str = WRONG) -> tuple[str, list[Document]]:
        """Asks."""
        return say, DOCS

    @app.post("/body")
    @checked(given, query="question.text", **options)
    def decorated_sync(question: Question, limit: int = 3) -> tuple[str, list[Document]]:
        return WRONG, DOCS

    return app


def ask(app: FastAPI, path: str, key: str = "") -> Any:
    client, headers = TestClient(app), {"x-key": key}
    if path == "/body":
        return client.post(path, json={"text": "When did it begin?"}, headers=headers)
    return client.get(path, params={"query": "When did it begin?"}, headers=headers)


PATHS = pytest.mark.parametrize("path", ["/hand", "/sync", "/async", "/body"])


@PATHS
def test_every_way_gives_the_checked_answer(path: str) -> None:
    told = ask(application(gate()), path).json()
    assert (told["answer"], told["raguard"]["status"], told["raguard"]["action"]) == (NOTICE, "checked", "review")
    assert told["raguard"]["warnings"] == [
        {
            "severity": "high",
            "type": "unsupported_date",
            "rule": "date.unsupported",
            "start": 19,
            "end": 29,
            "evidence": {"doc": 0, "doc_id": "lease#1", "start": 19, "end": 29, "source": "docs"},
            "text": None,
            "suggestion": None,
        }
    ]
    assert told["raguard"]["facts"] == {"unsupported": 1}


def test_a_supported_answer_stays() -> None:
    right = "The lease began on 4 May 2024."
    told = TestClient(application(gate())).get("/async", params={"query": "When?", "say": right}).json()
    assert (told["answer"], told["raguard"]["action"], told["raguard"]["warnings"]) == (right, "proceed", [])


@PATHS
def test_the_shadow_changes_nothing_and_tells_the_listener(path: str) -> None:
    heard: list[Gated] = []
    told = ask(application(gate("block", SHADOW), on_result=heard.append), path).json()
    assert told == {"answer": WRONG, "raguard": None}
    assert [(gated.mode, gated.verdict.action) for gated in heard] == [("shadow", "review")]


@PATHS
def test_the_tenant_comes_from_a_dependency_of_the_application(path: str) -> None:
    app = application(gate("block", SHADOW), tenant=tenant)
    assert ask(app, path, "k-acme").json()["answer"] == NOTICE
    assert ask(app, path, "k-other").json()["answer"] == WRONG
    assert ask(app, path, "bad").status_code == 401


@PATHS
def test_a_tenant_whose_id_is_no_string_gets_no_answer(path: str) -> None:
    config = Config(modes=Modes(mode="off", tenants={"42": Modes()}))
    with pytest.raises(TypeError, match=r"^the id of a tenant must be a string .*, not int$"):
        ask(application(gate("block", config), tenant=lambda: 42), path)
    assert ask(application(gate("block", config), tenant=lambda: "42"), path).json()["answer"] == NOTICE


def test_texts_of_warnings_are_told_where_that_is_asked_for() -> None:
    (warning,) = ask(application(gate(), texts=True), "/async").json()["raguard"]["warnings"]
    assert warning["text"] == "9 May 2024"
    assert warning["suggestion"].startswith('"9 May 2024"')


def test_the_turns_before_are_evidence() -> None:
    turns = [{"role": "tool", "content": "It began on 9 May 2024."}]
    assert Checker(gate()).judge("When?", DOCS, "It began on 9 May 2024.", history=turns).answer != NOTICE
    answer = Checker(gate()).judge("When?", ["It was cold."], "It began on 8 May 2024.", history=turns)
    assert answer.raguard is not None
    place = answer.raguard.warnings[0].evidence
    assert place is not None
    assert (place.source, place.doc, place.start, place.end) == ("history", 0, 12, 22)


def test_parameters_and_verdict_stand_in_the_openapi() -> None:
    told = application(gate(), tenant=tenant).openapi()
    operation = told["paths"]["/async"]["get"]
    assert [parameter["name"] for parameter in operation["parameters"]] == ["query", "say", "x-key"]
    assert operation["description"] == "Asks."
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": "#/components/schemas/CheckedAnswer"}
    assert {"CheckedAnswer", "Verdict", "Question"} <= {*told["components"]["schemas"]}
    assert told["paths"]["/body"]["post"]["requestBody"]["required"] is True


def test_a_fault_of_the_listener_is_logged_by_its_type_alone(caplog: pytest.LogCaptureFixture) -> None:
    def fails(gated: Gated) -> None:
        raise LookupError("secret")

    app = application(gate(), on_result=fails)
    assert [ask(app, path).json()["answer"] for path in ("/async", "/sync")] == [NOTICE, NOTICE]
    told = [record.getMessage() for record in caplog.records if record.name == "raguard"]
    assert told == ["on_result raised LookupError"] * 2


@pytest.mark.parametrize("returned", [WRONG, None, (WRONG,), (WRONG, "one text"), (None, []), (WRONG, None)])
def test_another_return_value_is_no_answer(returned: Any) -> None:
    app = FastAPI()

    @app.get("/ask")
    @checked(gate())
    async def route(query: str) -> Any:
        return returned

    with pytest.raises(TypeError, match="route must return a pair of the answer, a string, and the list of its doc"):
        TestClient(app).get("/ask", params={"query": "When?"})


def test_what_the_function_raises_goes_on() -> None:
    app = FastAPI()

    @app.get("/ask")
    @checked(gate())
    def route(query: str) -> Any:
        raise HTTPException(503)

    assert TestClient(app).get("/ask", params={"query": "When?"}).status_code == 503


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: checker("gate"), "gate must be a Gate, not str"),  # type: ignore[arg-type]
        (lambda: checker(gate(), tenant="acme"), "tenant must be a dependency that gives the tenant's id, not str"),  # type: ignore[arg-type]
        (lambda: checked(gate())(lambda topic: None), "has no parameter 'query'; name the one that holds the question"),
        (lambda: checked(gate(), query=7)(lambda topic: None), "has no parameter 7"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_option_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert message in str(caught.value)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    monkeypatch.setenv("RAGUARD_MODE", request.param)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, "fastapi_route", raising=False)
    import fastapi_route  # type: ignore[import-not-found]

    return fastapi_route.app


@pytest.mark.parametrize("example", ["enforce"], indirect=True)
def test_the_example_shows_checked_answers(example: Any) -> None:
    pytest.importorskip("uvicorn")
    question = {"query": "What is the Q3 2024 deadline?"}
    with served(example) as url:
        asked = patient.get(f"{url}/ask", params=question).json()
        chatted = patient.post(f"{url}/chat", json=question).json()
        streamed = patient.get(f"{url}/stream", params=question).text
        clean = patient.get(f"{url}/ask", params={"query": "When was Q2 delivered?"}).json()
    assert asked["answer"] == "The Q3 2024 deadline is September 30, 2024 [unsupported]."
    assert asked == chatted
    assert streamed.rpartition("event: raguard\n")[2].startswith(
        'data: {"raguard": {"status": "checked", "action": "rev'
    )
    assert (clean["answer"], clean["raguard"]["action"]) == ("The Q2 project was delivered on June 15.", "proceed")


@pytest.mark.parametrize("example", ["shadow"], indirect=True)
def test_the_example_in_the_shadow_answers_as_before_and_counts(example: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "uvicorn.error")
    client = TestClient(example)
    question = {"query": "What is the Q3 2024 deadline?"}
    told = client.get("/ask", params=question).json()
    assert told == {"answer": "The Q3 2024 deadline is September 30, 2024.", "raguard": None}
    assert "raguard" not in client.get("/stream", params=question).text
    assert "raguard: review, high 1, medium 0" in [record.getMessage() for record in caplog.records]
