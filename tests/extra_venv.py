"""How are cases run against a library that lives in an environment of its own? It is made, and pytest runs there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["ROOT", "made", "passed", "run"]

ROOT = Path(__file__).parent.parent
_QUIET = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "RAGAS_DO_NOT_TRACK": "true",
}
"""What keeps libraries from asking the network."""


def made(folder: Path, extra: str, *more: str) -> Path:
    """The Python of a new environment in ``folder`` that holds this checkout with an extra, and ``more``."""
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", f"{ROOT}[{extra}]", *more, cwd=folder)
    return python


def passed(folder: Path, extra: str, cases: str, *more: str) -> str:
    """The last line of pytest over a file of cases, in an environment with an extra; fails where one of them does."""
    python = made(folder, extra, "pytest>=8.2", *more)
    quiet = ("-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder)
    return run(python, "-m", "pytest", *quiet, ROOT / "tests" / cases, cwd=folder).splitlines()[-1]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints; fails with all of it where the command does."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**os.environ, **_QUIET}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command[0]}: {done.stdout}{done.stderr}"
    return done.stdout
