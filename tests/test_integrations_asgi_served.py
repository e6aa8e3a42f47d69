"""Does the middleware work in a real server, around real applications, and among other middleware?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from threading import Event
from typing import Any

import patient
import pytest
from served import served

from raguard import Config
from raguard.gate import Gate
from raguard.integrations.asgi import Checked, CheckedRoute, RaguardMiddleware
from raguard.modes import Modes
from raguard.showing import NOTICE

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")
fastapi = pytest.importorskip("fastapi")
from starlette.applications import Starlette  # noqa: E402
from starlette.middleware import Middleware  # noqa: E402
from starlette.middleware.gzip import GZipMiddleware  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import JSONResponse, Response, StreamingResponse  # noqa: E402
from starlette.routing import Mount, Route  # noqa: E402

DOCS = ["The lease began on 4 May 2024. The rent is $900 a month."]
WRONG = "The lease began on 9 May 2024."
QUESTION = {"query": "When did it begin?"}
ROUTES = [
    CheckedRoute(path="/ask"),
    CheckedRoute(path="/stream", delta="/delta"),
    CheckedRoute(path="/echo"),
]
BLOCK = Gate(on_review="block")
SHADOW = Gate(BLOCK.verifier.__class__(Config(modes=Modes(mode="shadow"))), on_review="block")
RELEASED = Event()
"""Set by the client when the first sentence has come."""


async def ask(request: Request) -> Response:
    return JSONResponse({"answer": WRONG, "documents": DOCS, "more": "x" * 2_000})


async def stream(request: Request) -> Response:
    async def events() -> AsyncIterator[str]:
        yield f"data: {json.dumps({'documents': DOCS})}\n\n"
        yield f"data: {json.dumps({'delta': 'The rent is $900. It'})}\n\n"
        assert await asyncio.to_thread(RELEASED.wait, 30), "the first sentence was held back"
        yield f"data: {json.dumps({'delta': ' began on 9 May 2024.'})}\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


async def echo(request: Request) -> Response:
    return JSONResponse({"answer": (await request.json())["say"], "documents": DOCS})


async def broken(request: Request) -> Response:
    raise LookupError("the model is away")


def application(*middleware: Middleware) -> Starlette:
    routes = [
        Route("/ask", ask, methods=["GET", "POST"]),
        Route("/stream", stream, methods=["POST"]),
        Route("/echo", echo, methods=["POST"]),
        Route("/broken", broken),
    ]
    return Starlette(routes=routes, middleware=middleware)


def checking(gate: Gate = BLOCK, **options: Any) -> Middleware:
    return Middleware(RaguardMiddleware, gate=gate, routes=ROUTES, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application(checking())) as url:
        yield url


def test_an_answer_is_replaced_over_http(address: str) -> None:
    got = patient.post(f"{address}/ask", json=QUESTION)
    assert (got.json()["answer"], got.headers["raguard-status"]) == (NOTICE, "checked")
    assert got.headers["content-length"] == str(len(got.content))


def test_one_connection_serves_many_answers(address: str) -> None:
    with httpx.Client(timeout=60) as client:
        answers = [client.post(f"{address}/echo", json={"say": f"The rent is ${900 + n}."}).json() for n in (0, 1, 0)]
    assert [answer["answer"] for answer in answers] == ["The rent is $900.", NOTICE, "The rent is $900."]


def test_a_request_for_the_head_has_no_body(address: str) -> None:
    got = patient.head(f"{address}/ask")
    assert (got.status_code, got.content, "raguard-status" in got.headers) == (200, b"", False)


def test_other_answers_and_errors_are_those_of_the_application(address: str) -> None:
    assert patient.get(f"{address}/none").status_code == 404
    assert patient.get(f"{address}/stream").status_code == 405
    assert patient.get(f"{address}/broken").status_code == 500


def test_a_sentence_comes_before_the_answer_is_complete(address: str) -> None:
    RELEASED.clear()
    body = ""
    with httpx.stream("POST", f"{address}/stream", json=QUESTION, timeout=60) as got:
        for text in got.iter_text():
            body += text
            if "The rent is $900." in body:
                RELEASED.set()
    assert got.headers["raguard-status"] == "streaming"
    assert "9 May" not in body
    assert NOTICE in body
    assert body.index(NOTICE) < body.index("event: raguard")


def test_the_same_bytes_and_headers_come_in_the_shadow() -> None:
    results: list[Checked] = []
    told = Event()

    def listen(checked: Checked) -> None:
        results.append(checked)
        if len(results) == 2:
            told.set()

    RELEASED.set()
    options = {"headers": [("server", "test")], "date_header": False}
    with served(application(checking(SHADOW, on_result=listen)), **options) as with_it:
        shadow = [patient.post(f"{with_it}/{path}", json=QUESTION) for path in ("ask", "stream")]
        assert told.wait(30)
    with served(application(), **options) as without:
        plain = [patient.post(f"{without}/{path}", json=QUESTION) for path in ("ask", "stream")]
    for one, other in zip(shadow, plain, strict=True):
        assert (one.content, one.headers.raw) == (other.content, other.headers.raw)
    assert {(checked.path, checked.status) for checked in results} == {("/ask", "checked"), ("/stream", "checked")}
    assert {checked.gated.verdict.action for checked in results if checked.gated} == {"review"}


def test_compression_around_the_middleware_is_of_what_it_shows() -> None:
    with served(application(Middleware(GZipMiddleware), checking())) as url:
        got = patient.post(f"{url}/ask", json=QUESTION)
    assert (got.headers["content-encoding"], got.json()["answer"]) == ("gzip", NOTICE)


@pytest.mark.parametrize(("policy", "status"), [("pass", 200), ("block", 502)])
def test_compression_behind_the_middleware_cannot_be_read(policy: str, status: int) -> None:
    with served(application(checking(on_unchecked=policy), Middleware(GZipMiddleware))) as url:
        got = patient.post(f"{url}/ask", json=QUESTION)
        plain = patient.post(f"{url}/ask", json=QUESTION, headers={"accept-encoding": "identity"})
    assert (got.status_code, got.headers["raguard-status"]) == (status, "unchecked; the body is compressed")
    assert (WRONG in got.text) is (policy == "pass")
    assert plain.json()["answer"] == NOTICE


def test_an_application_of_fastapi_with_its_lifespan_is_checked_below_a_mount() -> None:
    begun: list[str] = []

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        begun.append("begun")
        yield
        begun.append("ended")

    inner = fastapi.FastAPI()

    @inner.post("/ask")
    async def answer(question: dict[str, str]) -> dict[str, Any]:
        return {"answer": WRONG, "documents": DOCS}

    inner.add_middleware(RaguardMiddleware, gate=BLOCK, routes=ROUTES)
    outer = Starlette(routes=[Mount("/api", inner)], lifespan=lifespan)
    with served(outer) as url:
        got = patient.post(f"{url}/api/ask", json=QUESTION).json()
    assert (got["answer"], got["raguard"]["action"]) == (NOTICE, "review")
    assert begun == ["begun", "ended"]


def test_a_client_that_goes_away_ends_its_answer_and_no_other() -> None:
    gone, results = Event(), list[Checked]()

    class Endless(StreamingResponse):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            try:
                await super().__call__(scope, receive, send)
            finally:
                gone.set()

    async def endless(request: Request) -> Response:
        async def events() -> AsyncIterator[str]:
            yield f"data: {json.dumps({'documents': DOCS})}\n\n"
            while True:
                yield f"data: {json.dumps({'delta': 'The rent is $900. '})}\n\n"
                await asyncio.sleep(0)

        return Endless(events(), media_type="text/event-stream")

    app = Starlette(
        routes=[Route("/stream", endless), Route("/ask", ask)], middleware=[checking(on_result=results.append)]
    )
    with served(app) as url:
        with httpx.stream("GET", f"{url}/stream", timeout=60) as got:
            assert next(got.iter_bytes())
        assert gone.wait(30)
        assert patient.get(f"{url}/ask").json()["answer"] == NOTICE
    assert [checked.path for checked in results] == ["/ask"]
