"""Where and on what was a figure measured, and how fast is this machine right now?"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["REFERENCE_SECONDS", "calibrate", "commit", "describe", "digest", "line", "resident", "slowness"]

ROOT = Path(__file__).resolve().parent.parent
REFERENCE_SECONDS = 0.0014
"""The median of ``calibrate`` on the machine that the budgets are meant for (AMD EPYC, Python 3.11)."""

_TEXT = " ".join(f"Item {n}, due {n % 28 + 1} May {1990 + n % 40}, costs ${n * 7919:,}.50 or so" for n in range(500))
_TOKEN = re.compile(r"\$?\d{1,3}(?:,\d{3}){0,4}(?:\.\d{1,4})?|\w{1,40}")


def describe() -> dict[str, str | int]:
    """Commit, machine, Python and date, as they stand in every row that a benchmark writes."""
    return {
        "commit": commit(ROOT),
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "date": datetime.now(UTC).date().isoformat(),
    }


def line(place: Mapping[str, str | int]) -> str:
    """What ``describe`` tells, as it stands above a table."""
    return f"{place['cpu']}, {place['cores']} cores, Python {place['python']}, {place['date']}, {place['commit']}"


def commit(folder: Path) -> str:
    """The commit checked out in ``folder``, ``-dirty`` when files differ from it; "unknown" outside git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()


def digest(files: Iterable[Path]) -> str:
    """The SHA-256 (hex) over the content of the files, one after the other."""
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
    return total.hexdigest()


def calibrate(clock: Callable[[], float] = time.perf_counter) -> float:
    """The seconds that a fixed piece of interpreter and regex work takes now, by ``clock``."""
    began = clock()
    counts = Counter(token.lower() for token in _TOKEN.findall(_TEXT))
    sorted(counts, key=lambda token: (-counts[token], token))
    return clock() - began


def resident(process: int | None = None) -> float:
    """How many MB of memory a process, else this one, holds now; raises OSError where there is no /proc."""
    pages = int(Path(f"/proc/{'self' if process is None else process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def slowness(measured: float) -> float:
    """The factor that stretches a budget when the calibration took ``measured`` seconds; never below 1."""
    return max(1.0, measured / REFERENCE_SECONDS)


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown"
