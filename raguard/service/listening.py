"""How is listened? By uvicorn, within bounds; a place where nobody can is told in one sentence before it begins."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from raguard.errors import ConfigError
from raguard.service.checking import place
from raguard.service.settings import ServiceConfig

__all__ = ["listening", "options_of"]

_MOST_HEAD_BYTES = 65_536
"""So long may the head of a request be; the other parser that uvicorn knows, httptools, keeps one of any length."""


def options_of(config: ServiceConfig) -> dict[str, Any]:
    """What uvicorn is told.

    >>> options = options_of(ServiceConfig(host="::1", shutdown_s=2.5, keep_alive_s=0.1))
    >>> options["host"], options["http"], options["workers"]
    ('::1', 'h11', 1)
    >>> options["timeout_graceful_shutdown"], options["timeout_keep_alive"]
    (2, 1)
    """
    return {
        "host": config.host.strip("[]"),
        "port": config.port,
        "uds": None if config.uds is None else str(config.uds),
        # else the environment says how many
        "workers": 1,
        "http": "h11",
        "h11_max_incomplete_event_size": _MOST_HEAD_BYTES,
        "timeout_graceful_shutdown": max(1, round(config.shutdown_s)),
        "timeout_keep_alive": max(1, round(config.keep_alive_s)),
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "ws": "none",
        "lifespan": "on",
    }


@contextmanager
def listening(config: ServiceConfig) -> Iterator[None]:
    """Tries the place, and runs what listens there; raises ConfigError where nobody can."""
    try:
        _try(config)
        yield
    except OSError as error:
        raise ConfigError(f"nobody can listen at {place(config)}: {error.strerror or error}") from None
    except SystemExit as ended:
        if not ended.code:
            raise
        # uvicorn has logged why
        raise ConfigError(f"nobody can listen at {place(config)}") from None


def _try(config: ServiceConfig) -> None:
    """Listens for a moment, since uvicorn would write a traceback or end the process by itself; raises OSError."""
    if config.uds is not None:
        _forget(config.uds)
        with socket.socket(socket.AF_UNIX) as probe:
            probe.bind(str(config.uds))
        config.uds.unlink()
        return
    host = config.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    socket.create_server((host, config.port), family=family).close()


def _forget(place: Path) -> None:
    """Removes the socket of a process that was killed; where somebody listens it is left."""
    if place.is_socket():
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            if probe.connect_ex(str(place)) == errno.ECONNREFUSED:
                place.unlink()
