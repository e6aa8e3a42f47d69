"""Does the middleware show what the verdict allows, change nothing in the shadow, and say what it could not read?"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard import Config, ConfigError, Unchecked
from raguard.gate import Gate
from raguard.integrations.asgi import Checked, CheckedRoute, RaguardMiddleware
from raguard.modes import Modes
from raguard.showing import NOTICE
from raguard.streaming import Finished

DOCS = ["The lease began on 4 May 2024. The rent is $900 a month."]
RIGHT = "The lease began on 4 May 2024."
WRONG = "The lease began on 9 May 2024. The rent is $900 a month."
LABELLED = "The lease began on 9 May 2024 [unsupported]. The rent is $900 a month."
REDACTED = "(unsupported text removed) The rent is $900 a month."
SHADOW = Config(modes=Modes(mode="shadow", tenants={"acme": Modes(), "quiet": Modes(mode="off")}))
ROUTES = [CheckedRoute(path="/ask", delta="/delta")]

Message = MutableMapping[str, Any]


@cache
def gate(on_review: Any = "annotate", config: Config | None = None) -> Gate:
    return Gate(config=config, on_review=on_review)


class Site:
    """An application that sends prepared messages, behind the middleware, and what came of one request."""

    def __init__(
        self, *chunks: bytes, kind: str = "application/json", status: int = 200, headers: Any = (), **options: Any
    ) -> None:
        self.results: list[Checked] = []
        self.sent: list[Message] = []
        self.start: Message = {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-type", kind.encode()), *headers],
        }
        self.chunks = chunks
        self.scope: Any = None
        self.app = RaguardMiddleware(
            self.answer, **{"gate": gate(), "routes": ROUTES, "on_result": self.results.append, **options}
        )

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = scope
        if scope["type"] == "http":
            while (await receive()).get("more_body"):
                pass
            await send(self.start)
            for number, chunk in enumerate(self.chunks, 1):
                more = number < len(self.chunks)
                await send({"type": "http.response.body", "body": chunk, "more_body": more})

    def ask(self, method: str = "POST", path: str = "/ask", *, headers: Any = (), address: bytes = b"") -> Site:
        requests: Iterator[Message] = iter(
            [
                {"type": "http.request", "body": b'{"query": "When', "more_body": True},
                {"type": "http.request", "body": b' did it begin?"}', "more_body": False},
            ]
        )

        async def receive() -> Message:
            return next(requests)

        async def send(message: Message) -> None:
            self.sent.append(message)

        scope = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": address}
        asyncio.run(self.app(scope, receive, send))
        return self

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}

    @property
    def status(self) -> str:
        (result,) = self.results
        return result.status


def answered(answer: Any = WRONG, **more: Any) -> bytes:
    return json.dumps({"answer": answer, "documents": DOCS, **more}).encode()


def events(*texts: str, docs: Sequence[str] | None = DOCS) -> list[bytes]:
    told = [] if docs is None else [{"documents": list(docs)}]
    return [f"data: {json.dumps(data)}\n\n".encode() for data in [*told, *({"delta": text} for text in texts)]]


def deltas(body: bytes) -> list[str]:
    data = [json.loads(part[6:]) for part in body.decode().split("\n\n") if part.startswith("data: {")]
    return [entry["delta"] for entry in data if "delta" in entry]


def verdict_of(body: bytes) -> Any:
    (data,) = [part for part in body.decode().split("\n\n") if part.startswith("event: raguard")]
    return json.loads(data.partition("data: ")[2])["raguard"]


@pytest.mark.parametrize(("on_review", "shown"), [("annotate", LABELLED), ("redact", REDACTED), ("block", NOTICE)])
def test_an_answer_with_a_high_warning_is_changed_and_told(on_review: Any, shown: str) -> None:
    site = Site(answered(sources=[1.5])[:30], answered(sources=[1.5])[30:], gate=gate(on_review)).ask()
    assert {key: site.json[key] for key in ("answer", "documents", "sources")} == {
        "answer": shown,
        "documents": DOCS,
        "sources": [1.5],
    }
    assert site.headers["raguard-status"] == "checked"
    assert (site.json["raguard"]["action"], site.json["raguard"]["status"]) == ("review", "checked")
    assert "9 May" not in json.dumps(site.json["raguard"])
    assert site.results[0].gated is not None
    assert (site.results[0].path, site.results[0].tenant_id, site.results[0].gated.text) == ("/ask", "default", shown)


def test_a_supported_answer_stays_and_is_told_as_checked() -> None:
    site = Site(answered(RIGHT), gate=gate("block")).ask()
    assert (site.json["answer"], site.json["raguard"]["action"]) == (RIGHT, "proceed")


def test_texts_of_warnings_are_told_where_that_is_asked_for() -> None:
    assert Site(answered(), texts=True).ask().json["raguard"]["warnings"][0]["text"] == "9 May 2024"


def test_content_length_fits_and_marks_of_the_old_body_are_gone() -> None:
    old = [(b"Content-Length", b"7"), (b"ETag", b'"a"'), (b"x-app", b"1"), (b"set-cookie", b"a"), (b"set-cookie", b"b")]
    site = Site(answered(), headers=old).ask()
    names = [name.lower() for name, _ in site.sent[0]["headers"]]
    assert names.count(b"content-length") == 1
    assert names.count(b"set-cookie") == 2
    assert site.headers["content-length"] == str(len(site.body))
    assert (site.headers["x-app"], b"etag" in names) == ("1", False)


def test_a_verdict_in_the_header_leaves_a_supported_body_as_it_is() -> None:
    body = b'{"answer":"The lease began on 4 May 2024.","documents":["The lease began on 4 May 2024."],"n":1.50}'
    site = Site(body, tell="header", headers=[(b"content-length", b"99"), (b"etag", b'"a"')]).ask()
    assert site.body == body
    assert site.headers["raguard-verdict"] == "proceed; high=0; medium=0; low=0"
    assert (site.headers["content-length"], site.headers["etag"]) == ("99", '"a"')
    assert Site(answered(), tell="header").ask().headers["raguard-verdict"] == "review; high=1; medium=0; low=0"


@pytest.mark.parametrize("tell", ["body", "header", "nothing"])
def test_what_the_application_says_in_our_headers_is_not_told(tell: str) -> None:
    own = [(b"Raguard-Status", b"checked"), (b"raguard-verdict", b"proceed"), (b"raguard-app", b"1")]
    given: Any = [
        ((answered(),), {}),
        ((b"<p>",), {"kind": "text/html"}),
        ((b"<p>",), {"kind": "text/html", "on_unchecked": "block"}),
        (events("It began."), {"kind": "text/event-stream"}),
    ]
    for chunks, options in given:
        site = Site(*chunks, **options, headers=own, tell=tell).ask()
        names = [name.lower() for name, _ in site.sent[0]["headers"]]
        assert names.count(b"raguard-status") == 1
        told = tell == "header" and chunks == (answered(),)
        assert names.count(b"raguard-verdict") == told
        assert names.count(b"raguard-app") == (options.get("on_unchecked") != "block")
        assert site.headers["raguard-status"] != "checked" or chunks == (answered(),)
    shadow = Site(answered(), headers=own, tell=tell, gate=gate("block", SHADOW)).ask()
    assert shadow.sent[0] is shadow.start


def test_a_member_of_the_application_is_not_overwritten() -> None:
    site = Site(answered(raguard="mine")).ask()
    assert site.json["raguard"] == "mine"
    assert site.headers["raguard-verdict"].startswith("review; ")


def test_nothing_is_told_but_the_status_where_that_is_asked_for() -> None:
    site = Site(answered(RIGHT), tell="nothing").ask()
    assert site.body == answered(RIGHT)
    assert site.headers == {"content-type": "application/json", "raguard-status": "checked"}


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
@pytest.mark.parametrize(
    ("kind", "chunks"),
    [
        ("application/json", [answered()[:9], answered()[9:]]),
        ("text/event-stream", events("The lease began on 9", " May 2024. ")),
        ("text/html", [b"<p>It began on 9 May"]),
    ],
)
def test_the_shadow_changes_no_byte_header_or_message(on_review: Any, kind: str, chunks: list[bytes]) -> None:
    headers = [(b"etag", b'"a"'), (b"content-length", b"123")]
    guard = gate(on_review, SHADOW)
    site = Site(*chunks, kind=kind, headers=headers, gate=guard, on_unchecked="block").ask()
    assert site.sent[0] is site.start
    assert [message["body"] for message in site.sent[1:]] == chunks
    assert site.status == ("unchecked; the body is no JSON" if kind == "text/html" else "checked")
    if kind != "text/html":
        gated = site.results[0].gated
        assert gated is not None
        assert (gated.mode, gated.verdict.action, gated.enforced) == ("shadow", "review", ())


def test_in_the_shadow_the_answer_is_judged_when_it_is_out() -> None:
    sent_before: list[int] = []
    site = Site(answered(), gate=gate("annotate", SHADOW), on_result=lambda checked: sent_before.append(len(site.sent)))
    site.ask()
    assert sent_before == [2]


def test_a_tenant_of_a_header_or_a_function_decides_about_the_mode() -> None:
    headers = [(b"x-tenant", b"acme")]
    guard = gate("block", SHADOW)
    assert Site(answered(), gate=guard, tenant="X-Tenant").ask(headers=headers).json["answer"] == NOTICE
    assert Site(answered(), gate=guard, tenant="X-Tenant").ask().json["answer"] == WRONG
    assert Site(answered(), gate=guard).ask(headers=headers).json["answer"] == WRONG
    site = Site(answered(), gate=guard, tenant=lambda scope: "acme").ask()
    assert (site.json["answer"], site.results[0].tenant_id) == (NOTICE, "acme")


def test_a_tenant_whose_id_is_no_string_gets_no_answer_and_none_is_the_default_one() -> None:
    config = Config(modes=Modes(mode="off", tenants={"42": Modes(), "default": Modes(mode="shadow")}))
    with pytest.raises(TypeError, match=r"^the id of a tenant must be a string .*, not int$"):
        Site(answered(), gate=gate("block", config), tenant=lambda scope: 42).ask()
    site = Site(answered(), gate=gate("block", config), tenant=lambda scope: None).ask()
    assert (site.json["answer"], site.results[0].tenant_id) == (WRONG, "default")


def test_where_the_mode_is_off_the_application_answers_alone() -> None:
    site = Site(answered(), gate=gate("annotate", SHADOW), tenant=lambda scope: "quiet").ask()
    assert (site.body, site.results) == (answered(), [])


def test_beside_the_sample_an_answer_stays_and_is_told_as_unchecked() -> None:
    site = Site(answered(), gate=Gate(config=Config(modes=Modes(sample=0)), on_review="block")).ask()
    assert site.json["answer"] == WRONG
    assert site.status == "unchecked; the mode is off, or the answer is not in the sample"
    assert site.headers["raguard-status"] == site.status


@pytest.mark.parametrize(
    ("options", "chunk", "why"),
    [
        ({"kind": "text/html"}, b"<p>", "the body is no JSON"),
        ({"kind": "text/plain; charset=utf-16"}, b"It", "the body is no JSON"),
        ({}, b"{", "the body is no JSON"),
        ({}, b"[" * 200_000, "the body is no JSON"),
        ({}, b"", "the body is no JSON"),
        ({}, b"\xff\xfe\xfa", "the body is no JSON"),
        ({}, b'{"answers": "It"}', "no text stands where the answer should"),
        ({}, b'{"answer": {"began": "9 May 2024"}}', "no text stands where the answer should"),
        ({"headers": [(b"content-encoding", b"gzip")]}, gzip.compress(answered()), "the body is compressed"),
        (
            {"headers": [(b"Content-Encoding", b"identity"), (b"content-encoding", b"gzip")]},
            gzip.compress(answered()),
            "the body is compressed",
        ),
        ({"headers": [(b"content-length", b"5000000")]}, b"{}", "the body is larger than 1,000,000 bytes"),
        ({"headers": [(b"content-length", b"9" * 5_000)]}, b"{}", "the body is larger than 1,000,000 bytes"),
        ({"max_body_bytes": 50}, answered(), "the body is larger than 50 bytes"),
        ({"status": 206}, answered(), "the response is a part of a body"),
    ],
)
def test_what_cannot_be_read_passes_or_is_blocked_and_says_why(options: dict[str, Any], chunk: bytes, why: str) -> None:
    passed = Site(chunk, **options).ask()
    assert (passed.body, passed.headers["raguard-status"]) == (chunk, f"unchecked; {why}")
    assert passed.headers["content-type"] == options.get("kind", "application/json")
    for blocking in ({"on_unchecked": "block"}, {"gate": gate("redact")}):
        blocked = Site(chunk, **options, **blocking).ask()
        assert (blocked.sent[0]["status"], blocked.headers["raguard-status"]) == (502, f"unchecked; {why}")
        assert blocked.json == {"detail": NOTICE, "raguard": {"status": f"unchecked; {why}"}}
        assert blocked.headers["content-length"] == str(len(blocked.body))
        assert (blocked.status, blocked.results[0].gated) == (f"unchecked; {why}", None)
    assert Site(chunk, **options, gate=gate("block"), on_unchecked="pass").ask().body == chunk
    watched = Site(chunk, **options, gate=gate("annotate", SHADOW)).ask()
    assert (watched.body, watched.status) == (chunk, f"unchecked; {why}")


def test_a_body_that_grows_too_large_is_passed_on_whole() -> None:
    body = answered()
    site = Site(*(body[at : at + 20] for at in range(0, len(body), 20)), max_body_bytes=50).ask()
    assert site.body == body
    assert site.sent[-1]["more_body"] is False


def test_an_answer_without_documents_is_unchecked_and_stopped() -> None:
    site = Site(answered(documents=[]), gate=gate("block")).ask()
    assert (site.json["answer"], site.status) == (NOTICE, "unchecked; no documents were retrieved")
    assert Site(answered(documents=[None]), gate=gate("block")).ask().json["answer"] == NOTICE


@pytest.mark.parametrize("status", [204, 205, 301, 304, 400, 404, 500])
def test_a_response_that_holds_no_answer_passes_untouched(status: int) -> None:
    site = Site(answered(), status=status, gate=gate("block")).ask()
    assert site.sent[0] is site.start
    assert (site.body, site.results) == (answered(), [])


@pytest.mark.parametrize(
    ("method", "path"), [("HEAD", "/ask"), ("OPTIONS", "/ask"), ("POST", "/asks"), ("POST", "/ask/1"), ("POST", "/")]
)
def test_other_requests_pass_untouched(method: str, path: str) -> None:
    site = Site(answered(), gate=gate("block")).ask(method, path)
    assert site.sent[0] is site.start
    assert (site.body, site.results) == (answered(), [])


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
def test_other_connections_pass_untouched(kind: str) -> None:
    site = Site(answered())
    scope: dict[str, Any] = {"type": kind, "path": "/ask"}
    asyncio.run(site.app(scope, None, None))  # type: ignore[arg-type]
    assert site.scope is scope


def test_a_star_is_one_segment_and_the_root_of_a_mounted_application_is_left_out() -> None:
    route = CheckedRoute(path="/chat/*/answer")
    assert [route.matches("GET", path) for path in ("/chat/7/answer", "/chat/7/8/answer", "/chat//answer")] == [
        True,
        False,
        False,
    ]
    site = Site(answered(), gate=gate("block"))
    scope = {"type": "http", "method": "POST", "path": "/api/ask", "root_path": "/api", "headers": []}
    assert site.app._route(scope) is ROUTES[0]
    assert site.app._route({**scope, "path": "/apiask"}) is None


def test_question_and_documents_are_found_where_the_route_says() -> None:
    asked: list[tuple[str, Any]] = []

    class Told(Gate):
        async def ajudge(self, query: str, docs: Any, answer: str, **options: Any) -> Any:
            asked.append((query, docs))
            return await super().ajudge(query, docs, answer, **options)

    def ask(**places: str) -> Site:
        route = CheckedRoute(path="/ask", **places)  # type: ignore[arg-type]
        body = json.dumps({"choices": [{"text": RIGHT}], "a/b": [{"text": DOCS[0], "id": 3}]}).encode()
        return Site(body, gate=Told(), routes=[route]).ask(address=b"q=How+long%3F&d=One.")

    ask(answer="/choices/0/text", docs="/a~1b")
    ask(answer="/choices/0/text", docs="parameter:d", query="parameter:q")
    ask(answer="/choices/0/text", docs="request:/nothing", query="request:/query/0")
    assert [query for query, _ in asked] == ["When did it begin?", "How long?", ""]
    assert [getattr(doc, "id", doc) for _, docs in asked for doc in docs] == ["3", "One."]


def test_a_stream_is_released_sentence_by_sentence() -> None:
    chunks = events("The lease began", " on 4 May 2024. The rent", " is $950 a month. Bye", ".")
    site = Site(*chunks, kind="text/event-stream", gate=gate("redact")).ask()
    assert deltas(site.body) == [
        "The lease began",
        " on 4 May 2024.",
        " (unsupported text removed)",
        " Bye",
        ".",
    ]
    assert site.headers["raguard-status"] == "streaming"
    verdict = verdict_of(site.body)
    assert (verdict["status"], verdict["action"], verdict["summary"]["high"]) == ("checked", "review", 1)
    gated = site.results[0].gated
    assert gated is not None
    assert gated.text == "".join(deltas(site.body))
    assert gated.original == "The lease began on 4 May 2024. The rent is $950 a month. Bye."


def test_no_text_of_a_sentence_leaves_before_it_is_judged() -> None:
    seen: list[bytes] = []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        for chunk in [*events("The rent is ", "$950 a month", ". The lease"), b": ping\n\n"]:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            seen.append(site.body)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    site = Site(gate=gate("block"))
    site.app.app = answer
    site.ask()
    assert [deltas(body) for body in seen] == [[], [], [], [NOTICE, ""], [NOTICE, ""]]
    assert seen[-1].endswith(b": ping\n\n")


def test_a_blocked_stream_ends_with_the_notice_and_keeps_what_is_no_text() -> None:
    chunks = [*events(RIGHT, " The rent is $950. ", "Pets are fine."), b'data: {"usage": 3}\n\n', b"data: [DONE]\n\n"]
    site = Site(*chunks, kind="text/event-stream", gate=gate("block")).ask()
    assert "".join(deltas(site.body)) == f"{RIGHT}\n\n{NOTICE}"
    order = [site.body.index(part) for part in (NOTICE.encode(), b"usage", b"[DONE]", b"event: raguard")]
    assert order == sorted(order)


def test_annotating_holds_no_token_back_and_the_verdict_rides_at_the_end() -> None:
    chunks = events("The lease began on 9", " May 2024. ", "Bye.")
    site = Site(*chunks, kind="text/event-stream").ask()
    assert [message["body"] for message in site.sent[1:-1]] == chunks
    assert verdict_of(site.sent[-1]["body"])["summary"]["high"] == 1


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_a_supported_stream_goes_on_byte_by_byte(on_review: Any) -> None:
    body = b"".join(
        [b": hello\n\n", *events("The lease began on 4", " May 2024. The", " rent is $900."), b"data: [DONE]\n\n"]
    )
    guard = gate(on_review)
    chunks = [body[at : at + 7] for at in range(0, len(body), 7)]
    site = Site(*chunks, kind="text/event-stream", gate=guard, tell="nothing").ask()
    whole = Site(body, kind="text/event-stream", gate=guard, tell="nothing").ask()
    assert "".join(deltas(site.body)) == "The lease began on 4 May 2024. The rent is $900."
    assert sorted(site.body.splitlines()) == sorted(whole.body.splitlines())
    if on_review == "annotate":
        assert site.body == body


@settings(max_examples=60, deadline=None)
@given(
    sentences=st.lists(
        st.sampled_from(["The rent is $900. ", "It was $950. ", "Bye!\n", "No", " 4 May 2024. "]), max_size=6
    ),
    cuts=st.lists(st.integers(0, 400), max_size=8),
    on_review=st.sampled_from(["annotate", "redact", "block"]),
)
def test_however_a_stream_is_cut_its_text_is_that_of_the_gate(
    sentences: list[str], cuts: list[int], on_review: str
) -> None:
    body = b"".join([*events(*(part for text in sentences for part in (text[:3], text[3:]))), b"data: [DONE]\n\n"])
    places = sorted({0, *(cut for cut in cuts if cut < len(body)), len(body)})
    chunks = [body[start:end] for start, end in itertools.pairwise(places)]
    site = Site(*chunks, kind="text/event-stream", gate=gate(on_review), tell="nothing").ask()
    text = "".join(sentences)
    shown = gate(on_review).stream("When did it begin?", DOCS)
    released = [*shown.feed(text), *shown.finish()] if text else shown.finish()
    end = released[-1]
    assert isinstance(end, Finished)
    told = "".join(deltas(site.body))
    assert told.removesuffix(NOTICE).rstrip() == end.shown.rstrip()
    assert site.body.endswith(b"data: [DONE]\n\n")


def test_documents_that_come_last_are_waited_for() -> None:
    chunks = [*events("The rent", " is $950. "), *events("Bye.", docs=None), *events(docs=DOCS)]
    last = [chunks[1], chunks[2], chunks[3], chunks[0]]
    site = Site(*last, kind="text/event-stream", gate=gate("redact")).ask()
    assert deltas(site.body) == ["(unsupported text removed)", " ", "Bye."]
    assert Site(*last, kind="text/event-stream").ask().status == "checked"


def test_question_and_documents_may_stand_in_different_parts_of_a_stream() -> None:
    question = b'data: {"query": "When?"}\n\n'
    chunks = [question, *events("The rent is $900 a month. So."), b'data: {"query": "Who?"}\n\n']
    for mode in (None, SHADOW):
        routes = [CheckedRoute(path="/ask", delta="/delta", query="/query")]
        site = Site(*chunks, kind="text/event-stream", routes=routes, gate=gate("block", mode)).ask()
        assert (deltas(site.body), site.status) == (
            ["The rent is $900 a month.", " So."] if mode is None else ["The rent is $900 a month. So."],
            "checked",
        )


@pytest.mark.parametrize("length", [b"\xb2", b"-5", b"5, 5", b""])
def test_a_length_that_is_no_number_is_none(length: bytes) -> None:
    site = Site(answered(), headers=[(b"content-length", length)], gate=gate("block")).ask()
    assert (site.json["answer"], site.status) == (NOTICE, "checked")


def test_another_body_is_not_sent_as_the_old_one_was() -> None:
    site = Site(answered(), headers=[(b"Transfer-Encoding", b"chunked")]).ask()
    assert site.headers["content-length"] == str(len(site.body))
    assert "transfer-encoding" not in {name.lower() for name in site.headers}


def test_methods_are_the_same_in_small_letters() -> None:
    routes = [CheckedRoute(path="/ask", methods=["post"])]
    assert Site(answered(), routes=routes).ask().json["answer"] == LABELLED
    assert Site(answered(), routes=routes).ask("GET").body == answered()


@pytest.mark.parametrize("opening", ["\ufeffdata: ", "data\ndata: "])
def test_the_data_of_an_event_is_read_as_clients_read_it(opening: str) -> None:
    """A mark of the byte order is left out, and a line may be a name alone."""
    chunk = f"{opening}{json.dumps({'delta': 'The rent is $950. ', 'documents': DOCS})}\n\n".encode()
    site = Site(chunk, b"data: [DONE]\n\n", kind="text/event-stream", gate=gate("redact")).ask()
    assert b"$950" not in site.body
    assert site.status == "checked"


@pytest.mark.parametrize("kind", ["text/event-stream", "application/x-ndjson"])
def test_a_part_that_is_no_json_is_never_told_as_checked(kind: str) -> None:
    """Nobody knows what a reader makes of it: it passes or is left out by policy, and the status says so."""
    frame = "data: {}\n\n" if kind == "text/event-stream" else "{}\n"
    given = [{"documents": DOCS, "delta": "The rent is $900. "}, "It ends on 9 May 2027.", {"delta": "So it is."}]
    parts = [frame.format(part if isinstance(part, str) else json.dumps(part)).encode() for part in given]
    for on_review, mode, is_out in (("block", None, False), ("annotate", None, True), ("block", SHADOW, True)):
        site = Site(*parts, kind=kind, gate=gate(on_review, mode)).ask()
        assert (b"2027" in site.body, b"So it is." in site.body) == (is_out, True)
        assert site.status == "unchecked; a part of the stream is no JSON"
    done = Site(parts[0], frame.format("[DONE]").encode(), kind=kind, gate=gate("block")).ask()
    assert (b"[DONE]" in done.body, done.status) == (True, "checked")


NO_STRING = "something else than text stands where a part of the stream has its text"


@pytest.mark.parametrize("other", [[{"type": "text", "text": "It ends in 2027."}], {"0": "2027"}, ["2027"], 2027, True])
@pytest.mark.parametrize(("kind", "frame"), [("text/event-stream", "data: {}\n\n"), ("application/x-ndjson", "{}\n")])
def test_what_stands_for_text_and_is_none_is_never_told_as_checked(kind: str, frame: str, other: Any) -> None:
    given = [{"documents": DOCS, "delta": "The rent is $900. "}, {"delta": other}, {"delta": "So it is."}]
    parts = [frame.format(json.dumps(part)).encode() for part in given]
    for on_review, mode, is_out in (("block", None, False), ("annotate", None, True), ("block", SHADOW, True)):
        site = Site(*parts, kind=kind, gate=gate(on_review, mode)).ask()
        assert (parts[1] in site.body, b"So it is." in site.body) == (is_out, True)
        assert site.status == f"unchecked; {NO_STRING}"
        gated = site.results[0].gated
        assert gated is not None
        assert gated.verdict.unchecked[-1] == Unchecked("parts", NO_STRING)
        if mode is None:
            told = json.loads(site.body.strip().splitlines()[-1].removeprefix(b"data: "))["raguard"]
            assert (told["status"], told["unchecked"][-1:]) == (site.status, ["parts"])


def test_lines_that_should_be_text_themselves_are_no_objects() -> None:
    site = Site(
        b'"The rent is $900."\n["It ends in 2027."]\n',
        kind="application/x-ndjson",
        gate=gate("block"),
        routes=[CheckedRoute(path="/ask", docs="request:/query")],
    ).ask()
    assert (b"2027" in site.body, site.status) == (False, f"unchecked; {NO_STRING}")


@pytest.mark.parametrize("nothing", [{}, {"delta": None}, {"delta": ""}, {"usage": 3}])
def test_a_part_with_nothing_where_its_text_would_stand_is_read(nothing: dict[str, Any]) -> None:
    parts = [*events("The rent is $900. "), f"data: {json.dumps(nothing)}\n\n".encode()]
    site = Site(*parts, kind="text/event-stream", gate=gate("block")).ask()
    assert (parts[-1] in site.body, site.status) == (True, "checked")


def test_text_without_end_is_not_kept_though_nothing_waits() -> None:
    chunks = events(*["The rent is $900. "] * 30)
    site = Site(*chunks, kind="text/event-stream", max_body_bytes=300).ask()
    assert (site.body, site.status) == (b"".join(chunks), "unchecked; the body is larger than 300 bytes")


def test_a_stream_without_documents_is_not_shown_as_judged() -> None:
    chunks = events("The rent", " is $900. ", docs=None)
    site = Site(*chunks, kind="text/event-stream", gate=gate("block")).ask()
    assert "".join(deltas(site.body)) == NOTICE
    assert site.status == "unchecked; no documents were retrieved"
    assert verdict_of(site.body)["status"] == site.status


def test_a_stream_in_which_no_text_stands_is_not_clean() -> None:
    site = Site(b'data: {"token": "It"}\n\n', kind="text/event-stream").ask()
    assert site.status == "unchecked; no text was found in the stream"
    assert verdict_of(site.body)["status"] == site.status


def test_json_lines_are_read_and_written() -> None:
    lines = [{"documents": DOCS}, {"delta": "The rent is"}, {"delta": " $950. Bye"}, {"done": True}]
    body = "\n".join(map(json.dumps, lines)).encode()
    site = Site(body[:60], body[60:], kind="application/x-ndjson", gate=gate("redact")).ask()
    told = [json.loads(line) for line in site.body.splitlines()]
    assert told[:-1] == [
        {"documents": DOCS},
        {"delta": "(unsupported text removed)"},
        {"delta": " Bye"},
        {"done": True},
    ]
    assert told[-1]["raguard"]["action"] == "review"


@pytest.mark.parametrize(
    ("on_review", "shown"),
    [
        ("annotate", "Café. The rent is $950.\n\n[the retrieved documents do not support all of this text: 1]"),
        ("redact", "Café. (unsupported text removed)"),
        ("block", f"Café.\n\n{NOTICE}"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_plain_text_is_checked_in_its_encoding(on_review: Any, shown: str, encoding: str) -> None:
    body = "Café. The rent is $950.".encode(encoding)
    route = CheckedRoute(path="/ask", docs="parameter:context")
    site = Site(
        *(body[at : at + 1] for at in range(len(body))),
        kind=f"text/plain; charset={encoding}",
        headers=[(b"content-length", b"23")],
        gate=gate(on_review),
        routes=[route],
    ).ask(address=b"context=The+rent+is+%24900.")
    assert site.body.decode(encoding) == shown
    assert "content-length" not in site.headers


def test_plain_data_of_events_is_text_and_keeps_its_lines() -> None:
    route = CheckedRoute(path="/ask", docs="parameter:context")
    body = b"id: 1\r\ndata: The rent is $900.\r\ndata: Bye\r\n\r\nid: 2\ndata: . It was $950.\n\ndata: [DONE]\n\n"
    site = Site(body, kind="text/event-stream", gate=gate("redact"), routes=[route], tell="nothing").ask(
        address=b"context=The+rent+is+%24900."
    )
    assert site.body == (
        b"id: 1\ndata: The rent is $900.\n\nid: 1\ndata: \ndata: \n\nid: 1\ndata: Bye\n\n"
        b"id: 2\ndata: .\n\nid: 2\ndata:  (unsupported text removed)\n\ndata: [DONE]\n\n"
    )


@pytest.mark.parametrize("policy", ["pass", "block"])
def test_a_stream_of_which_too_much_waits_passes_or_ends(policy: Any) -> None:
    chunks = [b'data: {"delta": "', b"a" * 300, b'"}\n\n']
    site = Site(*chunks, kind="text/event-stream", on_unchecked=policy, max_body_bytes=200).ask()
    assert site.status == "unchecked; the body is larger than 200 bytes"
    if policy == "pass":
        assert site.body == b"".join(chunks)
    else:
        assert b"aaa" not in site.body
        assert verdict_of(site.body) == {"status": site.status}
    assert site.sent[-1]["more_body"] is False


def test_ways_to_send_a_file_past_the_middleware_are_not_offered() -> None:
    site = Site(answered())
    extensions = {"http.response.pathsend": {}, "http.response.debug": {}}

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        pass

    scope = {"type": "http", "method": "POST", "path": "/ask", "headers": [], "extensions": extensions}
    asyncio.run(site.app(scope, receive, send))
    assert site.scope["extensions"] == {"http.response.debug": {}}
    assert scope["extensions"] is extensions
    scope["extensions"] = {"http.response.debug": {}}
    asyncio.run(site.app(scope, receive, send))
    assert site.scope is scope


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("mode", ["shadow", "enforce"])
def test_what_the_application_raises_goes_on(kind: str, mode: Any) -> None:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind.encode())]})
        await send({"type": "http.response.body", "body": answered()[:20], "more_body": True})
        raise LookupError("the model is away")

    site = Site(gate=Gate(config=Config(modes=Modes(mode=mode)), on_review="block"))
    site.app.app = answer
    with pytest.raises(LookupError, match="the model is away"):
        site.ask()
    assert site.results == []
    if mode == "enforce":
        assert site.body == b""


def test_what_the_client_side_raises_goes_on() -> None:
    async def gone(message: Message) -> None:
        raise OSError("gone")

    async def receive() -> Message:
        return {"type": "http.request"}

    for mode in ("shadow", "enforce"):
        site = Site(answered(), gate=Gate(config=Config(modes=Modes(mode=mode))))  # type: ignore[arg-type]
        with pytest.raises(OSError, match="gone"):
            asyncio.run(site.app({"type": "http", "method": "POST", "path": "/ask", "headers": []}, receive, gone))
        assert site.results == []


def test_a_fault_of_the_listener_is_logged_by_its_type_alone(caplog: pytest.LogCaptureFixture) -> None:
    def fails(checked: Checked) -> None:
        raise LookupError("secret")

    site = Site(answered(RIGHT), on_result=fails).ask()
    assert site.json["answer"] == RIGHT
    assert [record.getMessage() for record in caplog.records] == ["on_result raised LookupError"]


def test_the_listener_may_be_async() -> None:
    told: list[str] = []

    async def listen(checked: Checked) -> None:
        told.append(checked.status)

    Site(answered(), on_result=listen).ask()
    assert told == ["checked"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CheckedRoute(path="ask"), "path must begin with \"/\", not 'ask'"),
        (lambda: CheckedRoute(path="/a", methods="GET"), "methods must be a list of at least one name, not 'GET'"),
        (lambda: CheckedRoute(path="/a", methods=[]), "methods must be a list of at least one name, not []"),
        (lambda: CheckedRoute(path="/a", methods=7), "methods must be a list"),  # type: ignore[arg-type]
        (lambda: Site(tenant=""), "tenant must be the name of a header, not ''"),
        (lambda: Site(tenant="töne"), "tenant must be the name of a header, not 'töne'"),
        (
            lambda: CheckedRoute(path="/a", answer="answer"),
            'answer must be a JSON Pointer into the response ("/answer")',
        ),
        (lambda: CheckedRoute(path="/a", answer="request:/a"), "answer must stand in the response, not 'request:/a'"),
        (lambda: CheckedRoute(path="/a", delta="parameter:a"), "delta must stand in the response, not 'parameter:a'"),
        (lambda: CheckedRoute(path="/a", docs="parameter:"), "docs must be a JSON Pointer"),
        (lambda: CheckedRoute(path="/a", query=7), "query must be a JSON Pointer"),  # type: ignore[arg-type]
        (lambda: Site(gate="g"), "gate must be a Gate, not str"),
        (lambda: Site(routes=[]), "routes must be a list of at least one CheckedRoute"),
        (lambda: Site(routes=["/ask"]), "routes must be a list of at least one CheckedRoute"),
        (lambda: Site(tenant=7), "tenant must be the name of a header or a function, not int"),
        (lambda: Site(tell="all"), "tell must be one of body, header, nothing, not 'all'"),
        (lambda: Site(on_unchecked="drop"), "on_unchecked must be one of pass, block, not 'drop'"),
        (lambda: Site(max_body_bytes=0), "max_body_bytes must be a number of bytes of at least 1, not 0"),
    ],
)
def test_a_bad_option_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert message in str(caught.value)
