"""Does raguard serve listen where it should, work in several processes, and end well?"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import patient
import pytest

from raguard import ConfigError
from raguard.service import ServiceConfig
from raguard.service.listening import _forget
from raguard.service.running import app_of_environment, serve

ROOT = Path(__file__).parent.parent
CASE = {"query": "When?", "docs": ["It closed on 4 May 2024."], "response": "It closed on 9 May 2024."}
COLD = "[service]\nwarm_up = false\n"


@pytest.fixture(autouse=True)
def ends_as_before() -> Iterator[None]:
    """What a process does at SIGTERM is set by serving, and is not left to the tests behind."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@contextmanager
def serving(folder: Path, *arguments: str, settings: str = COLD) -> Iterator[tuple[subprocess.Popen[str], str, Any]]:
    """The running command, the address that it names, and what it has written since."""
    path = folder / "raguard.toml"
    path.write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "raguard", "serve", "--config", str(path), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder)
    assert process.stderr is not None
    written: list[str] = []
    address, begun = "", 0
    workers = int(arguments[arguments.index("--workers") + 1]) if "--workers" in arguments else 1
    for line in process.stderr:
        written.append(line)
        begun += "startup complete" in line
        if found := re.search(r"running on (?:unix )?(?:socket )?(\S+)", line):
            address = found[1]
        if address and begun == workers:
            break
    reader = Thread(target=lambda: written.extend(process.stderr or ()))
    reader.start()
    try:
        yield process, address, written
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(30)
        reader.join()
        process.stderr.close()


def test_it_listens_on_a_free_port_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as (process, address, written):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        assert patient.post(f"{address}/v1/verify", json=CASE).json()["action"] == "review"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert not [line for line in written if "May" in line or "Traceback" in line]


@pytest.mark.skipif(not hasattr(__import__("socket"), "AF_UNIX"), reason="this system has no Unix sockets")
def test_it_listens_on_a_unix_socket(tmp_path: Path) -> None:
    place = tmp_path / "raguard.sock"
    with serving(tmp_path, "--uds", str(place)):
        http = httpx.Client(transport=httpx.HTTPTransport(uds=str(place)), timeout=60)
        with http:
            assert http.post("http://localhost/v1/verify", json=CASE).json()["action"] == "review"


def test_several_workers_share_the_port_and_count_together(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", "--workers", "2") as (_, address, _):
        for _ in range(20):
            # each on a connection of its own, so that both get some
            assert patient.post(f"{address}/v1/verify", json=CASE).status_code == 200
        page = patient.get(f"{address}/metrics").text
        assert 'raguard_verdicts_total{action="review"} 20.0' in page


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as (_, address, _):
        port = address.rsplit(":", 1)[1]
        command = [sys.executable, "-m", "raguard", "serve", "--port", port]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        assert ended.returncode == 2
        told = rf"raguard: nobody can listen at http://127\.0\.0\.1:{port}: Address already in use[^\n]*\n"
        assert re.fullmatch(told, ended.stderr)


def test_what_the_environment_says_of_workers_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", "3")
    with serving(tmp_path, "--port", "0") as (_, address, written):
        assert patient.get(f"{address}/healthz").status_code == 200
    assert not [line for line in written if "import string" in line]


def test_the_head_of_a_request_is_bounded(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as (_, address, _):
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
            with suppress(OSError):
                for number in range(100):
                    client.sendall(b"H%d: %b\r\n" % (number, b"a" * 10_000))
            told = b""
            with suppress(ConnectionError):
                told = client.recv(100)
        assert told.startswith(b"HTTP/1.1 400 ") or not told
        assert patient.get(f"{address}/healthz", headers={"X-Long": "a" * 40_000}).status_code == 200


def test_a_connection_that_stays_idle_is_closed(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", settings=f"{COLD}keep_alive_s = 1\n") as (_, address, _):
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            told = b"".join(iter(lambda: client.recv(1_000), b""))
    assert told.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"connection: close" not in told.lower()


def test_settings_that_cannot_be_used_are_told_before_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"^service\.keys\.a\.env: NO_SUCH_KEY holds no key$"):
        serve(ServiceConfig(keys={"a": {"env": "NO_SUCH_KEY"}}))
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ConfigError, match=r"^raguard serve needs uvicorn: pip install 'raguard-verify\[serve\]'$"):
        serve(ServiceConfig())


def test_a_worker_reads_the_file_that_the_first_process_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "raguard.toml"
    path.write_text("[service]\nmax_cases = 7\n", encoding="utf-8")
    monkeypatch.setenv("RAGUARD_SERVICE_CONFIG", str(path))
    assert app_of_environment().state.parts.config.max_cases == 7
    monkeypatch.delenv("RAGUARD_SERVICE_CONFIG")
    assert app_of_environment().state.parts.config == ServiceConfig()


PROXIED = {"input_type": "response", "texts": ["It closed on 9 May 2024."]}


@pytest.mark.parametrize(("path", "body"), [("/v1/verify", CASE), ("/beta/litellm_basic_guardrail_api", PROXIED)])
def test_it_ends_in_time_when_work_does_not(path: str, body: Any, tmp_path: Path) -> None:
    script = """
import sys
from threading import Event
from raguard import Verifier
from raguard.service import ServiceConfig
from raguard.service.running import serve

def hang(self, *arguments, **options):
    print("begun", flush=True)
    Event().wait(300)

Verifier.verify = hang
serve(ServiceConfig(warm_up=False, shutdown_s=1, uds=sys.argv[1]))
"""
    place = tmp_path / "raguard.sock"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, str(place)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while "running on" not in process.stderr.readline():
            assert process.poll() is None
        with (
            httpx.Client(transport=httpx.HTTPTransport(uds=str(place)), timeout=60) as http,
            ThreadPoolExecutor(1) as threads,
        ):
            asked = threads.submit(http.post, f"http://localhost{path}", json=body)
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGTERM)
            told = asked.result(60)
        assert (told.status_code, told.json()["error"]["code"]) == (503, "stopping")
        assert process.wait(60) == 0
        assert "the process ends before all work is done" in process.stderr.read()


def test_parts_that_cannot_be_made_are_told_before_workers_begin(tmp_path: Path) -> None:
    (tmp_path / "zebra.bin").write_bytes(b"\0")
    config = ServiceConfig(workers=2, port=0, store={"path": tmp_path / "zebra.bin"})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"zebra\.bin: is none of "):
        serve(config)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none/raguard.sock", r"^service\.uds: the folder .* does not exist$"),
        ("a" * 150, "^nobody can listen at unix:"),
        (".", r"^service\.uds: .* is there, and is no socket$"),
    ],
)
def test_a_socket_that_cannot_be_is_told(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        serve(ServiceConfig(warm_up=False, uds=tmp_path / name))


def test_what_uvicorn_ends_with_is_one_sentence_and_an_order_to_end_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for status, kind in ((3, ConfigError), (0, SystemExit)):
        monkeypatch.setattr("uvicorn.run", lambda *_, status=status, **__: sys.exit(status))
        with pytest.raises(kind, match=r"^nobody can listen at http://127\.0\.0\.1:0$" if status else "0"):
            serve(ServiceConfig(warm_up=False, port=0))


def test_a_socket_at_which_somebody_listens_is_left_to_him(tmp_path: Path) -> None:
    place = tmp_path / "raguard.sock"
    with socket.socket(socket.AF_UNIX) as taken:
        taken.bind(str(place))
        taken.listen()
        for workers in (1, 2):
            with pytest.raises(ConfigError, match=r"^nobody can listen at unix:.*: Address already in use$"):
                serve(ServiceConfig(warm_up=False, uds=place, workers=workers))
        assert place.is_socket()


def test_the_socket_of_a_process_that_was_killed_is_removed_and_no_other(tmp_path: Path) -> None:
    place = tmp_path / "raguard.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen()
        _forget(place)
        assert place.is_socket()
    _forget(place)
    assert not place.exists()
    place.write_text("a note", encoding="utf-8")
    _forget(place)
    assert place.read_text(encoding="utf-8") == "a note"
