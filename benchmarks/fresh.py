"""What does a fresh Python process print? It sees this raguard and this folder, and none of what is loaded here.

It writes and reads compiled modules as any installation does, whatever this process was told.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import raguard

__all__ = ["ProcessError", "printed"]

_PATHS = (Path(raguard.__file__).resolve().parent.parent, Path(__file__).resolve().parent)


class ProcessError(Exception):
    """A process failed; the text is the last line that it wrote about it."""


def printed(arguments: Sequence[str], *, may_exit: Sequence[int] = (0,)) -> str:
    """What Python prints when it is run with ``arguments``; raises ProcessError on any other exit status."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, _PATHS)), "PYTHONDONTWRITEBYTECODE": ""}
    run = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, encoding="utf-8")
    if run.returncode not in may_exit:
        reason = run.stderr.strip().splitlines() or [f"exit status {run.returncode}"]
        raise ProcessError(f"a process failed: {reason[-1]}")
    return run.stdout
