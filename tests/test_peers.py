"""Is every peer asked fairly? The harness on stub workers and stub packages; nothing is installed or fetched."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import peer
import peers
import pytest
from answers import Answer, read_answers
from peer import AnswerError, Package, PeerError

from raguard import __version__
from raguard.result import Ruleset, Summary, VerifyResult, Warning

STUB = """
from serving import serve

def check(query, docs, response):
    if "crash" in response:
        raise ValueError("no crash, please")
    if "stop" in response:
        raise SystemExit("worn out")
    if "fetch" in response:
        import socket
        socket.create_connection(("127.0.0.1", 9))
    return [word for word in response.split() if not any(word in doc for doc in docs)]

def read(words):
    return [("high", "absent", word, "Look again.") for word in words]

serve("stub-peer", lambda: check, read)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for workers beside the real loop; their environment is the one that runs the tests."""
    shutil.copy(peer.WORKERS / "serving.py", tmp_path)
    monkeypatch.setattr(peer, "_installed", lambda venv, package: Path(sys.executable))
    return tmp_path


def distribution(folder: Path, name: str, version: str) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")


@pytest.fixture
def stub(folder: Path) -> Package:
    """A peer that flags every word that no document holds."""
    distribution(folder, "stub-peer", "7.0")
    (folder / "ask_stub.py").write_text(STUB, encoding="utf-8")
    return Package("stub-peer", "7.0", folder / "ask_stub.py")


def row(id: str, response: str, *spans: tuple[int, int]) -> dict[str, Any]:
    marks = [{"start": start, "end": end, "text": response[start:end], "type": "made"} for start, end in spans]
    known = {"id": id, "task": "qa", "query": "Who?", "docs": ["Ann met Cid."], "response": response}
    return known | {"label": bool(spans), "spans": marks}


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in rows), encoding="utf-8")
    return path


def careful(query: str, docs: list[str], response: str) -> VerifyResult:
    """Stands in for raguard: flags Bob, and met with less zeal."""
    marks = [("high", "Bob")] if "Bob" in response else []
    marks += [("medium", "met")] if "met" in response else []
    warnings = [
        Warning(severity, "x", text, "", response.index(text), response.index(text) + len(text), "rule.x")  # type: ignore[arg-type]
        for severity, text in marks
    ]
    return VerifyResult("proceed", warnings, Summary(), [], [], Ruleset("0", ""))


def cells(printed: str, tool: str) -> list[str]:
    line = next(line for line in printed.splitlines() if line.startswith(f"| {tool} "))
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_every_tool_judges_the_same_answers(folder: Path, stub: Package, capsys: pytest.CaptureFixture[str]) -> None:
    data = write(folder, row("a", "Bob met Cid.", (0, 3)), row("b", "Ann met"), row("c", "Yes Ann met"))
    kept = folder / "row.jsonl"
    options = ["--data", str(data), "--json", str(kept), "--runs", "2"]
    assert peers.main(options, packages=[stub], verify=careful) == 0
    printed = capsys.readouterr().out
    version, *ours = cells(printed, "raguard")
    assert (version, ours[:7], ours[-1]) == (
        __version__,
        ["1", "100.0%", "100.0%", "10.0%", "100.0%", "100.0%", "0.0%"],
        "0",
    )
    assert cells(printed, "raguard, medium too")[1:8] == ["4", "25.0%", "100.0%", "40.0%", "33.3%", "100.0%", "100.0%"]
    assert cells(printed, "stub-peer")[:8] == ["7.0", "2", "50.0%", "100.0%", "20.0%", "50.0%", "100.0%", "50.0%"]
    assert cells(printed, "flag all")[5:8] == ["33.3%", "100.0%", "100.0%"]
    written = json.loads(kept.read_text(encoding="utf-8"))
    assert (written["benchmark"], written["runs"], written["unavailable"]) == ("peers", 2, {})
    assert set(written["tools"]["raguard"]["tiers"]) == {"high", "medium"}
    assert written["tools"]["stub-peer"]["tiers"]["high"]["answer_precision"] == 0.5
    assert set(written["tools"]["stub-peer"]["times"]) == {"p50", "p95", "longest"}


def test_a_set_without_marked_places_has_no_span_precision(
    folder: Path, stub: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(folder, row("a", "Bob met Cid.", (0, 3)) | {"spans": None}, row("b", "Ann met") | {"spans": None})
    assert peers.main(["--data", str(data)], packages=[stub], verify=careful) == 0
    assert cells(capsys.readouterr().out, "stub-peer")[1:4] == ["1", "–", "–"]


def test_an_error_on_one_answer_is_counted_and_shown(
    folder: Path, stub: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(folder, row("a", "Bob met", (0, 3)), row("b", "crash"), row("c", "Ann met"), row("d", "fetch"))
    assert peers.main(["--data", str(data)], packages=[stub], verify=careful) == 0
    printed = capsys.readouterr().out
    assert cells(printed, "stub-peer")[-1] == "2"
    assert "- stub-peer 7.0: b: stub-peer failed on an answer: ValueError: no crash, please" in printed


def test_a_peer_is_cut_off_from_the_network(stub: Package) -> None:
    with stub.start() as worker, pytest.raises(AnswerError, match="may not use the network while it is measured"):
        worker.ask("Who?", ["Ann"], "fetch")


def test_a_peer_that_stops_is_listed_with_its_reason(
    folder: Path, stub: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(folder, row("a", "Ann"), row("b", "stop"), row("c", "Bob met", (0, 3)))
    assert peers.main(["--data", str(data)], packages=[stub], verify=careful) == 0
    printed = capsys.readouterr().out
    assert "| stub-peer " not in printed
    assert "- stub-peer 7.0: not measured: stub-peer stopped answering: worn out" in printed
    assert cells(printed, "raguard")[1] == "1"


def test_a_peer_that_cannot_be_installed_is_listed_with_its_reason(
    folder: Path, stub: Package, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(venv: Path, package: Package) -> Path:
        raise PeerError(f"{package.name} cannot be set up: no such version")

    monkeypatch.setattr(peer, "_installed", refused)
    assert peers.main(["--data", str(write(folder, row("a", "Ann")))], packages=[stub], verify=careful) == 0
    printed = capsys.readouterr().out
    assert "- stub-peer 7.0: not measured: stub-peer cannot be set up: no such version" in printed
    assert cells(printed, "raguard")[-3:] == ["–", "–", "0"]


def test_data_that_cannot_be_read_end_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main(["--data", str(tmp_path / "none.jsonl")], packages=[], verify=careful) == 2
    assert capsys.readouterr().err.startswith("peers.py: ")


def test_who_is_first_changes_from_answer_to_answer(tmp_path: Path) -> None:
    order: list[str] = []

    def tool(name: str) -> peers.Tool:
        def ask(answer: Answer) -> tuple[float, list[Warning]]:
            order.append(name)
            return 0.1, []

        return peers.Tool(name, "0", ask)

    answers = read_answers(write(tmp_path, *(row(str(number), "Ann") for number in range(3))))
    peers._ask_all([tool("a"), tool("b"), tool("c")], answers, first=True)
    assert "".join(order) == "abcbcacab"


@pytest.mark.parametrize(
    ("mark", "places"),
    [
        ("Ali", [(17, 20)]),
        ("9", [(25, 26)]),
        ("lic", [(1, 4), (11, 14)]),
        ("alice\nsaw", [(0, 9)]),
        ([4, 9], [(4, 9)]),
        ("Bob", [(0, 0)]),
        (" ", [(0, 0)]),
    ],
)
def test_a_mark_stands_at_its_place_or_as_whole_words(mark: Any, places: list[tuple[int, int]]) -> None:
    found = peer.located(["high", "absent", mark, "?"], "Alice saw Alicia Ali 9.5 9.", "stub-peer")
    assert [(warning.start, warning.end) for warning in found] == places
    assert all((warning.type == "input_error") == (warning.end == 0) for warning in found)


FAKES = {
    "corroborate": (
        "corroborate",
        "from types import SimpleNamespace as N\n"
        "def check_answer(query, chunks, answer):\n"
        "    return N(critical=[N(code='FG002', spans=('1944', '1945'), fix='Cut it.')])\n",
        [("FG002", "1944"), ("FG002", "1945")],
    ),
    "grounded-check": (
        "grounded",
        "from enum import Enum\n"
        "from types import SimpleNamespace as N\n"
        "Kind = Enum('Kind', [(k.upper(), k) for k in ('quote', 'number', 'citation', 'entity', 'sentence')])\n"
        "Source = N\n"
        "def extract(text, kinds):\n"
        "    assert Kind.SENTENCE not in kinds\n"
        "    return N(kind=Kind.NUMBER, start=3, end=7)\n"
        "def verify(claim, sources):\n"
        "    assert all(source.raw for source in sources)\n"
        "    return N(failures=[N(claim=claim, note='')])\n",
        [("number", "1944")],
    ),
    "ancora-rag": (
        "ancora",
        "from types import SimpleNamespace as N\n"
        "Chunk = N\n"
        "class GroundingChecker:\n"
        "    def check_answer(self, answer, chunks):\n"
        "        assert all(chunk.text for chunk in chunks)\n"
        "        return N(claim='in 1944', reason='', supported=False), N(claim='or', reason='', supported=True)\n",
        [("unsupported_claim", "In 1944")],
    ),
    "hallucination-check": (
        "hallucination_check",
        "from types import SimpleNamespace as N\n"
        "def check(answer, sources):\n"
        "    return N(unsupported=[N(text='or  1945', reason='')])\n",
        [("unsupported_claim", "or 1945")],
    ),
}


@pytest.mark.parametrize("package", peers.PACKAGES[1:], ids=lambda package: package.name)
def test_an_adapter_reads_what_its_peer_flags(package: Package, folder: Path) -> None:
    module, code, flagged = FAKES[package.name]
    distribution(folder, package.name, "9")
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    script = Path(shutil.copy(package.worker, folder))
    with Package(package.name, "9", script).start() as worker:
        verdict = worker.verify("When?", ["In 1946."], "In 1944 or 1945")
    assert verdict.ruleset.version == f"{package.name} 9"
    assert [(warning.type, warning.text) for warning in verdict.warnings] == flagged
