"""Does a RemoteEncoder give what the service said, and fail in one sentence when it said nothing usable?"""

from __future__ import annotations

import json
import logging
import re
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeAlias
from urllib.parse import quote

import numpy as np
import pytest
from clocks import wait_from

from raguard import ConfigError, RaguardError
from raguard.claims import GuardConfig, HallucinationGuard, LexicalNLIScorer, connections
from raguard.claims.encoders import EncoderError, RemoteEncoder
from raguard.claims.retrieval import Retriever
from raguard.testing import HashingEncoder

TEXTS = ["The fee is $5.", "The office is in Leeds.", "Zanzibar exports cloves."]
Answer: TypeAlias = "Callable[[list[str]], Any]"


def embeddings(texts: list[str]) -> list[dict[str, Any]]:
    """The right ``data`` of an answer."""
    vectors = HashingEncoder(8).encode(texts).tolist()
    return [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(vectors)]


def right(texts: list[str]) -> Any:
    return {"object": "list", "data": embeddings(texts), "model": "m", "usage": {"prompt_tokens": 1}}


class Handler(BaseHTTPRequestHandler):
    """Answers as its service says: with an object as JSON, with bytes as they are, with a number as a status."""

    protocol_version = "HTTP/1.1"
    server: Any

    def setup(self) -> None:
        self.server.service.accepted += 1
        super().setup()

    def do_GET(self) -> None:
        self.server.service.paths.append(f"GET {self.path}")
        self._send(self.server.service.health)

    def do_POST(self) -> None:
        service = self.server.service
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service.paths.append(f"POST {self.path}")
        service.requests.append(request)
        service.headers.append(dict(self.headers))
        self._send(service.answer(request["input"]))

    def _send(self, answer: Any) -> None:
        self.server.service.callers.append(self.client_address)
        if callable(answer):
            self.close_connection = True
            answer(self)
            return
        status = answer if isinstance(answer, int) else 200
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        if status in (302, 307):
            self.send_header("Location", self.server.service.elsewhere)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Nothing is printed."""


class SocketServer(ThreadingHTTPServer):
    """The same over a Unix socket."""

    address_family = getattr(socket, "AF_UNIX", socket.AF_INET)

    def server_bind(self) -> None:
        self.socket.bind(self.server_address)

    def get_request(self) -> tuple[Any, Any]:
        connection, _ = super().get_request()
        return connection, ("local", 0)


class Service:
    """An embeddings service in a thread, on a free port of the loopback or on a socket."""

    def __init__(self, path: str | None = None) -> None:
        self.health: Any = {"status": "ok"}
        self.answer: Answer = right
        self.elsewhere = ""
        self.paths: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.over = Event()
        self.left = Event()
        self.callers: list[Any] = []
        self.accepted = 0
        self._server: Any = (
            ThreadingHTTPServer(("127.0.0.1", 0), Handler) if path is None else SocketServer(path, Handler)
        )  # type: ignore[arg-type]
        self._server.daemon_threads = True
        self._server.service = self
        # a client that leaves before its answer is no news
        self._server.handle_error = lambda *_: None
        self.url = (
            f"http+unix://{quote(path, safe='')}" if path else f"http://127.0.0.1:{self._server.server_address[1]}"
        )
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    yield service
    service.close()


@pytest.fixture
def socket_path() -> Iterator[str]:
    # the path of a socket must be short
    with tempfile.TemporaryDirectory() as folder:
        yield str(Path(folder) / "e n.sock")


def exact(message: str) -> str:
    return f"^{re.escape(message)}$"


def test_texts_become_the_vectors_of_the_service(service: Service) -> None:
    with RemoteEncoder(service.url, model="small") as encoder:
        vectors = encoder.encode(TEXTS)
    assert np.array_equal(vectors, HashingEncoder(8).encode(TEXTS))
    assert service.requests == [{"model": "small", "input": TEXTS}]
    assert service.paths == ["GET /healthz", "POST /v1/embeddings"]
    assert "Authorization" not in service.headers[0]


def test_a_unix_socket_is_spoken_to_alike(socket_path: str) -> None:
    service = Service(socket_path)
    try:
        with RemoteEncoder(service.url + "/a/b/") as encoder:
            assert np.array_equal(encoder.encode(TEXTS), HashingEncoder(8).encode(TEXTS))
    finally:
        service.close()
    assert service.paths == ["GET /a/b/healthz", "POST /a/b/v1/embeddings"]
    assert service.headers[0]["Host"] == "localhost"


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_the_address_may_end_where_the_api_begins(service: Service, tail: str) -> None:
    with RemoteEncoder(f"{service.url}/prefix{tail}", health_path="/up") as encoder:
        encoder.encode(["a"])
    assert service.paths == ["GET /prefix/up", "POST /prefix/v1/embeddings"]


def test_vectors_are_placed_by_their_index(service: Service) -> None:
    service.answer = lambda texts: {"data": embeddings(texts)[::-1]}
    with RemoteEncoder(service.url) as encoder:
        assert np.array_equal(encoder.encode(TEXTS), HashingEncoder(8).encode(TEXTS))


def test_texts_go_in_batches_and_no_text_in_none(service: Service) -> None:
    with RemoteEncoder(service.url, batch_size=2) as encoder:
        assert encoder.encode([]).shape == (0, 0)
        assert np.array_equal(encoder.encode(TEXTS), HashingEncoder(8).encode(TEXTS))
    assert [request["input"] for request in service.requests] == [TEXTS[:2], TEXTS[2:]]


def test_the_key_is_sent_and_never_shown(service: Service) -> None:
    with RemoteEncoder(service.url, api_key="sk-1") as encoder:
        encoder.encode(["a"])
        assert "sk-1" not in repr(encoder)
    assert service.headers[0]["Authorization"] == "Bearer sk-1"
    with pytest.raises(
        ConfigError,
        match=exact("api_key must be a string of printable ASCII characters, without a space at its ends, or None"),
    ):
        RemoteEncoder(service.url, api_key="sk-1\n")


def test_broken_text_is_sent_as_valid_text(service: Service) -> None:
    with RemoteEncoder(service.url) as encoder:
        assert encoder.encode(["a \ud800 b", "é 合"]).shape == (2, 8)
    assert service.requests[0]["input"] == ["a ? b", "é 合"]


@pytest.mark.parametrize("texts", ["one text", b"x", ["a", None], [b"a"], None, {"a"}])
def test_what_is_no_list_of_strings_is_a_clear_error(service: Service, texts: Any) -> None:
    with (
        RemoteEncoder(service.url) as encoder,
        pytest.raises(ConfigError, match=exact("texts must be a list of strings")),
    ):
        encoder.encode(texts)
    assert service.requests == []


def test_many_threads_share_one_encoder(service: Service) -> None:
    texts = [f"text {number}" for number in range(40)]
    with RemoteEncoder(service.url) as encoder, ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(lambda text: encoder.encode([text])[0].tolist(), texts))
    assert vectors == HashingEncoder(8).encode(texts).tolist()


def test_a_retriever_finds_by_the_vectors_of_a_service(service: Service) -> None:
    with RemoteEncoder(service.url) as encoder:
        retriever = Retriever(TEXTS, encoder=encoder, mode="cosine", cosine_threshold=0.99)
        assert [found.index for found in retriever.retrieve(TEXTS[2])] == [2]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://localhost", "url must begin with http://, https:// or http+unix://, not 'ftp://'"),
        ("localhost:8080", "url must begin with http://, https:// or http+unix://, not 'localhost://'"),
        ("http://", "url must name a host, as in http://localhost:8080"),
        ("http://a b", "url must be a string without spaces, as in http://localhost:8080"),
        (None, "url must be a string without spaces, as in http://localhost:8080"),
        ("http://a:99999", "url is no address; write it as in http://localhost:8080"),
        ("http://[::1", "url is no address; write it as in http://localhost:8080"),
        ("http://me:secret@host", "url must hold no user, query or fragment; a key is given as api_key"),
        ("http://host?key=secret", "url must hold no user, query or fragment; a key is given as api_key"),
        ("http+unix:///run/e.sock", "url must name a socket by its percent-encoded path, as in http+unix://%2Frun%2Fencoder.sock"),
        ("http+unix://%00", "url must name a socket by its percent-encoded path, as in http+unix://%2Frun%2Fencoder.sock"),
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_a_clear_error(url: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=exact(message)):
        RemoteEncoder(url)


_BAD_NAME = "UnicodeEncodeError" if sys.version_info >= (3, 13) else "UnicodeError"


@pytest.mark.parametrize(("host", "kind"), [("xn--", "IDNAError"), ("a..b", _BAD_NAME), ("[v1.a]", "InvalidURL")])
def test_a_host_that_cannot_be_is_a_clear_error(host: str, kind: str) -> None:
    with pytest.raises(EncoderError, match=exact(f"http://{host}/healthz is no address that can be asked ({kind})")):
        RemoteEncoder(f"http://{host}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": ""}, "model must be the name of a model as a string, not ''"),
        ({"timeout_s": 0}, "timeout_s must be a number of seconds above 0 and of at most a day, not 0"),
        ({"timeout_s": float("nan")}, "timeout_s must be a number of seconds above 0 and of at most a day, not nan"),
        ({"timeout_s": float("inf")}, "timeout_s must be a number of seconds above 0 and of at most a day, not inf"),
        ({"timeout_s": None}, "timeout_s must be a number of seconds above 0 and of at most a day, not None"),
        ({"batch_size": 0}, "batch_size must be a whole number of texts of at least 1, not 0"),
        ({"batch_size": True}, "batch_size must be a whole number of texts of at least 1, not True"),
        ({"health_path": "healthz"}, "health_path must be a path that begins with /, not 'healthz'"),
    ],
)
def test_a_bad_option_is_a_clear_error(options: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=exact(message)):
        RemoteEncoder("http://127.0.0.1:1", **options)


def test_without_httpx_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    message = "RemoteEncoder needs httpx: pip install 'raguard-verify[remote]'"
    with pytest.raises(ConfigError, match=exact(message)):
        RemoteEncoder("http://127.0.0.1:1")


def test_a_refused_connection_is_told_when_the_encoder_is_built(dead_port: int) -> None:
    url = f"http://127.0.0.1:{dead_port}"
    with pytest.raises(EncoderError, match=rf"^{url}/healthz cannot be reached: .*refused"):
        RemoteEncoder(url)


def test_a_missing_socket_is_told_when_the_encoder_is_built(socket_path: str) -> None:
    url = f"http+unix://{quote(socket_path, safe='')}"
    with pytest.raises(EncoderError, match=rf"^{re.escape(url)}/healthz cannot be reached: .*No such file"):
        RemoteEncoder(url)
    Path(socket_path).touch()
    with pytest.raises(EncoderError, match=rf"^{re.escape(url)}/healthz cannot be reached: "):
        RemoteEncoder(url)


@pytest.mark.parametrize("status", [302, 401, 404, 500, 503])
def test_a_service_that_is_not_healthy_is_told_when_the_encoder_is_built(service: Service, status: int) -> None:
    service.health = status
    service.elsewhere = f"{service.url}/elsewhere"
    with pytest.raises(EncoderError, match=exact(f"{service.url}/healthz answered with status {status}")):
        RemoteEncoder(service.url)
    assert service.paths == ["GET /healthz"]


def stalled(handler: Handler) -> None:
    handler.server.service.over.wait()


def dripping(handler: Handler) -> None:
    """One byte after the other, each in time."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.server.service.over.wait(0.01):
        try:
            handler.wfile.write(b" ")
        except OSError:
            return


def dripping_head(handler: Handler) -> None:
    """The same with the head, in which no wait is long."""
    for character in b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 100_000:
        if handler.server.service.over.wait(0.01):
            return
        try:
            handler.wfile.write(bytes([character]))
        except OSError:
            handler.server.service.left.set()
            return


@pytest.mark.parametrize("slow", [stalled, dripping, dripping_head])
def test_a_service_that_is_slow_at_first_is_left_after_the_timeout(service: Service, slow: Any) -> None:
    service.health = slow
    with pytest.raises(EncoderError, match=exact(f"{service.url}/healthz did not answer within 0.05 s")):
        RemoteEncoder(service.url, timeout_s=0.05)


@pytest.mark.parametrize("slow", [stalled, dripping, dripping_head])
def test_a_slow_answer_is_left_after_the_timeout(service: Service, slow: Any) -> None:
    service.answer = lambda texts: slow
    # the health endpoint of a busy machine has more time
    with RemoteEncoder(service.url) as encoder:
        encoder._timeout = 0.05
        with pytest.raises(EncoderError, match=exact(f"{service.url}/v1/embeddings did not answer within 0.05 s")):
            encoder.encode(TEXTS)


def test_a_service_that_is_left_finds_its_connection_shut(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Event()
    service.health = lambda handler: asked.set() or dripping_head(handler)
    wait_from(asked, connections, monkeypatch)
    with pytest.raises(EncoderError, match=exact(f"{service.url}/healthz did not answer within 0.05 s")):
        RemoteEncoder(service.url, timeout_s=0.05)
    assert service.left.wait(60)


def test_another_answer_is_read_after_a_slow_one(service: Service) -> None:
    service.answer = lambda texts: dripping_head if texts == ["slow"] else right(texts)
    with RemoteEncoder(service.url) as encoder:
        encoder._timeout = 0.05
        with pytest.raises(EncoderError, match=r"/v1/embeddings did not answer within 0\.05 s$"):
            encoder.encode(["slow"])
        encoder._timeout = 10.0
        assert encoder.encode(["fast"]).shape == (1, 8)


def test_one_connection_serves_one_request_after_the_other(service: Service) -> None:
    with RemoteEncoder(service.url, batch_size=1) as encoder:
        encoder.encode(TEXTS)
    assert len(service.callers) == 4
    assert len(set(service.callers)) == 1


def padded(handler: Handler, size: int, head: str = "", value: str = "") -> None:
    """A health answer of ``size`` bytes, none of which is a vector."""
    handler.send_response(200)
    if head:
        handler.send_header(head, value)
    handler.send_header("Content-Length", str(size))
    handler.end_headers()
    with suppress(OSError):
        handler.wfile.write(bytes(size))


def test_an_answer_is_read_up_to_its_greatest_length(service: Service) -> None:
    service.health = lambda handler: padded(handler, 1 << 20)
    RemoteEncoder(service.url).close()
    service.health = lambda handler: padded(handler, (1 << 20) + 1)
    message = f"{service.url}/healthz answered with more than 1,048,576 bytes"
    with pytest.raises(EncoderError, match=exact(message)):
        RemoteEncoder(service.url)


def test_the_greatest_length_grows_with_the_texts(service: Service) -> None:
    def filled(size: int) -> Answer:
        return lambda texts: json.dumps(right(texts)).encode().ljust(size)

    with RemoteEncoder(service.url) as encoder:
        service.answer = filled((1 << 20) + 3 * 16_384 * 32)
        assert encoder.encode(TEXTS).shape == (3, 8)
        message = f"{service.url}/v1/embeddings answered with more than 2,097,152 bytes"
        service.answer = filled((1 << 21) + 1)
        with pytest.raises(EncoderError, match=exact(message)):
            encoder.encode(TEXTS[:2])


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip"])
def test_an_encoded_answer_is_refused_unread(service: Service, encoding: str) -> None:
    service.health = lambda handler: padded(handler, 10, "Content-Encoding", encoding)
    message = f"{service.url}/healthz answered with a Content-Encoding, though it was asked for none"
    with pytest.raises(EncoderError, match=exact(message)):
        RemoteEncoder(service.url)


def test_no_encoding_is_asked_for_and_its_name_may_be_told(service: Service) -> None:
    service.health = lambda handler: padded(handler, 10, "Content-Encoding", "Identity")
    with RemoteEncoder(service.url) as encoder:
        encoder.encode(["a"])
    assert service.headers[0]["Accept-Encoding"] == "identity"


def truncated(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')


def silent(handler: Handler) -> None:
    """The connection ends without a word."""


def garbage(handler: Handler) -> None:
    handler.wfile.write(b"Zanzibar exports cloves.\r\n\r\n")


@pytest.mark.parametrize("broken", [truncated, silent, garbage])
def test_a_connection_that_breaks_is_a_clear_error(service: Service, broken: Any) -> None:
    service.answer = lambda texts: broken
    message = f"{service.url}/v1/embeddings broke off its answer (RemoteProtocolError)"
    with RemoteEncoder(service.url) as encoder, pytest.raises(EncoderError, match=exact(message)):
        encoder.encode(TEXTS)


def test_a_kept_connection_that_the_service_ended_is_no_failure(service: Service) -> None:
    answers = iter([right, lambda texts: silent, right])
    service.answer = lambda texts: next(answers)(texts)
    with RemoteEncoder(service.url) as encoder:
        assert (encoder.encode(TEXTS) == encoder.encode(TEXTS)).all()
    assert service.paths == ["GET /healthz", *["POST /v1/embeddings"] * 3]
    assert len(set(service.callers)) == 2


def test_what_a_service_leaves_in_silence_on_a_new_connection_is_not_asked_again(service: Service) -> None:
    service.answer = lambda texts: silent
    with RemoteEncoder(service.url) as encoder, pytest.raises(EncoderError, match=r"broke off its answer"):
        encoder.encode(TEXTS)
    assert service.paths == ["GET /healthz", *["POST /v1/embeddings"] * 2]
    service.health = silent
    with pytest.raises(EncoderError, match=r"broke off its answer"):
        RemoteEncoder(service.url)
    assert service.paths[3:] == ["GET /healthz"]


def test_what_a_socket_leaves_in_silence_at_first_is_not_asked_again(socket_path: str) -> None:
    service = Service(socket_path)
    service.health = silent
    try:
        with pytest.raises(EncoderError, match=r"broke off its answer"):
            RemoteEncoder(service.url)
        assert service.paths == ["GET /healthz"]
    finally:
        service.close()


def test_what_is_late_on_a_kept_connection_is_not_asked_again(service: Service) -> None:
    service.answer = lambda texts: dripping_head
    with RemoteEncoder(service.url) as encoder:
        before = set(threading.enumerate())
        encoder._timeout = 0.05
        with pytest.raises(EncoderError, match=r"did not answer within 0\.05 s"):
            encoder.encode(TEXTS)
        for thread in set(threading.enumerate()) - before:
            thread.join(30)
    # connections are accepted in their order
    RemoteEncoder(service.url).close()
    assert service.accepted == 2


def test_an_answer_that_had_begun_on_a_kept_connection_is_not_asked_for_again(service: Service) -> None:
    service.answer = lambda texts: truncated
    with RemoteEncoder(service.url) as encoder, pytest.raises(EncoderError, match=r"broke off its answer"):
        encoder.encode(TEXTS)
    assert service.paths == ["GET /healthz", "POST /v1/embeddings"]


def changed(place: int, **entries: Any) -> Answer:
    """The right answer with other entries at one place."""

    def answer(texts: list[str]) -> Any:
        data = embeddings(texts)
        data[place] = {key: value for key, value in {**data[place], **entries}.items() if value != "missing"}
        return {"data": data}

    return answer


NUMBERED = "must number its vectors by an index from 0 to 2, each once"
ONE_WIDTH = "must give vectors of numbers, all of one width"
NO_LIST = "answered without a list of vectors under data"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda texts: 500, "answered with status 500"),
        (lambda texts: 307, "answered with status 307"),
        (lambda texts: texts[0].encode(), "answered with something that is no JSON"),
        (lambda texts: b"", "answered with something that is no JSON"),
        (lambda texts: b"\xff\xfe{}", "answered with something that is no JSON"),
        (lambda texts: b"[" * 200_000, "answered with something that is no JSON"),
        (lambda texts: b'{"data": [1' + b"0" * 5_000 + b"]}", "answered with something that is no JSON"),
        (lambda texts: texts, NO_LIST),
        (lambda texts: {"error": texts[0]}, NO_LIST),
        (lambda texts: {"data": {"0": [1.0]}}, NO_LIST),
        (lambda texts: {"data": [[1.0]] * 3}, NO_LIST),
        (lambda texts: {"data": embeddings(texts)[:2]}, "gave 2 vectors for 3 texts"),
        (lambda texts: {"data": embeddings([*texts, "d"])}, "gave 4 vectors for 3 texts"),
        (changed(1, index=0), NUMBERED),
        (changed(1, index=3), NUMBERED),
        (changed(1, index="1"), NUMBERED),
        (changed(1, index=True), NUMBERED),
        (changed(1, index="missing"), NUMBERED),
        (changed(1, embedding="missing"), ONE_WIDTH),
        (changed(1, embedding=[1.0, 2.0]), ONE_WIDTH),
        (changed(1, embedding=["1"] * 8), ONE_WIDTH),
        (changed(1, embedding=TEXTS[0]), ONE_WIDTH),
        (changed(1, embedding=[[1.0]] * 8), ONE_WIDTH),
        (changed(1, embedding=[float("nan")] * 8), "gave vectors with NaN or infinity in them"),
        (changed(1, embedding=[float("-inf")] * 8), "gave vectors with NaN or infinity in them"),
        (lambda texts: {"data": [{"index": n, "embedding": []} for n in range(3)]},
         "must give one vector for each of 3 texts, not an array of (3, 0)"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_used_is_a_clear_error(service: Service, answer: Answer, message: str) -> None:
    service.answer = answer
    with (
        RemoteEncoder(service.url) as encoder,
        pytest.raises(EncoderError, match=exact(f"{service.url}/v1/embeddings {message}")) as caught,
    ):
        encoder.encode(TEXTS)
    chain = [caught.value, caught.value.__cause__]
    assert not any(text in str(error) for error in chain for text in TEXTS)
    assert isinstance(caught.value, RaguardError)


def test_batches_of_different_widths_are_a_clear_error(service: Service) -> None:
    service.answer = lambda texts: {"data": [{"index": 0, "embedding": [1.0] * (2 if texts == TEXTS[:1] else 3)}]}
    message = f"{service.url}/v1/embeddings gave vectors of 2 and 3 numbers"
    with RemoteEncoder(service.url, batch_size=1) as encoder, pytest.raises(EncoderError, match=exact(message)):
        encoder.encode(TEXTS)


def test_a_redirect_takes_no_text_to_another_host(service: Service) -> None:
    other = Service()
    service.elsewhere = f"{other.url}/v1/embeddings"
    service.answer = lambda texts: 307
    try:
        with RemoteEncoder(service.url) as encoder, pytest.raises(EncoderError, match="answered with status 307"):
            encoder.encode(TEXTS)
    finally:
        other.close()
    assert other.paths == []


def test_no_proxy_stands_between_this_machine_and_itself(
    service: Service, socket_path: str, dead_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{dead_port}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    local = Service(socket_path)
    try:
        for url in (service.url, local.url):
            with RemoteEncoder(url) as encoder:
                assert encoder.encode(["a"]).shape == (1, 8)
    finally:
        local.close()


def test_another_machine_is_asked_through_the_proxy_of_the_environment(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", service.url)
    with RemoteEncoder("http://encoder.invalid") as encoder:
        encoder.encode(["a"])
    assert service.paths == ["GET http://encoder.invalid/healthz", "POST http://encoder.invalid/v1/embeddings"]


def test_a_proxy_that_is_none_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "gopher://user:secret@127.0.0.1")
    message = "a proxy that the environment names is no address that httpx can use"
    with pytest.raises(ConfigError, match=exact(message)):
        RemoteEncoder("http://encoder.invalid")


def test_a_closed_encoder_says_so(service: Service) -> None:
    encoder = RemoteEncoder(service.url)
    encoder.close()
    encoder.close()
    with pytest.raises(EncoderError, match=exact(f"{service.url}/v1/embeddings: the encoder is closed")):
        encoder.encode(TEXTS)


def test_an_encoder_that_failed_works_when_the_service_does_again(service: Service) -> None:
    service.answer = lambda texts: truncated
    with RemoteEncoder(service.url) as encoder:
        with pytest.raises(EncoderError):
            encoder.encode(TEXTS)
        service.answer = right
        assert encoder.encode(TEXTS).shape == (3, 8)


def test_no_text_is_logged_or_printed(
    service: Service, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG), RemoteEncoder(service.url, api_key="sk-1") as encoder:
        encoder.encode(TEXTS)
        service.answer = lambda texts: texts
        with pytest.raises(EncoderError):
            encoder.encode(TEXTS)
    assert caplog.records
    assert not any(text in caplog.text for text in (*TEXTS, "Zanzibar", "sk-1"))
    assert capfd.readouterr() == ("", "")


def test_the_hashing_encoder_is_the_same_in_every_process() -> None:
    assert HashingEncoder(4).encode(["The fee is $5.", "THE fee", ""]).tolist() == [
        [0.0, 1.0, 2.0, 1.0],
        [0.0, 1.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
    ]
    with pytest.raises(ConfigError, match=r"^width must be a whole number of at least 1, not 0$"):
        HashingEncoder(0)


# a guard whose vectors come from a service


@pytest.mark.parametrize("over_socket", [False, True])
def test_a_guard_finds_its_evidence_by_the_vectors_of_a_daemon(socket_path: str, over_socket: bool) -> None:
    service = Service(socket_path if over_socket else None)
    try:
        guard = HallucinationGuard.from_daemon(
            TEXTS, service.url, LexicalNLIScorer(), config=GuardConfig(top_k=1), mode="cosine"
        )
        claim = guard.check_sync(None, "The office is in Leeds.")[0].claims[0]
        assert (claim.supported, [ref.index for ref in claim.evidence], claim.votes) == (True, [1], "1/1")
        guard.close()
        closed = guard.check_sync(None, "The office is in Leeds.")[0].claims[0]
        assert (closed.status, closed.reasons) == ("unchecked", ("the retriever raised EncoderError",))
    finally:
        service.close()
    assert service.paths == ["GET /healthz", *["POST /v1/embeddings"] * 2]
    assert [request["input"] for request in service.requests] == [TEXTS, ["The office is in Leeds."]]


def test_a_daemon_that_is_not_well_is_told_before_anything_is_encoded(service: Service, socket_path: str) -> None:
    service.health = 503
    with pytest.raises(EncoderError, match=exact(f"{service.url}/healthz answered with status 503")):
        HallucinationGuard.from_daemon(TEXTS, service.url)
    assert service.paths == ["GET /healthz"]
    nobody = f"http+unix://{quote(socket_path, safe='')}"
    with pytest.raises(EncoderError, match=f"^{re.escape(nobody)}/healthz cannot be reached: "):
        HallucinationGuard.from_daemon(TEXTS, nobody)


def test_a_guard_that_cannot_be_built_lets_go_of_its_daemon(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    close = RemoteEncoder.close
    monkeypatch.setattr(RemoteEncoder, "close", lambda encoder: (closed.append("closed"), close(encoder))[1])
    with pytest.raises(ConfigError, match=r"^overlap must be "):
        HallucinationGuard.from_daemon(TEXTS, service.url, size=10, overlap=10)
    service.answer = lambda texts: 500
    with pytest.raises(EncoderError, match=r"answered with status 500$"):
        HallucinationGuard.from_daemon(TEXTS, service.url)
    assert closed == ["closed"] * 2
    service.answer = right
    HallucinationGuard.from_daemon(TEXTS, service.url).close()
    assert closed == ["closed"] * 3


def test_closing_a_guard_without_a_daemon_changes_nothing() -> None:
    guard = HallucinationGuard.from_documents(TEXTS, HashingEncoder(8), LexicalNLIScorer())
    guard.close()
    assert guard.check_sync(None, "The office is in Leeds.")[0].verdict == "pass"
