"""How does a service run? Under uvicorn, in one process or several, until it is told to stop."""

from __future__ import annotations

import os
import signal
import tempfile
from dataclasses import replace
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

from raguard.errors import ConfigError
from raguard.service.checking import check_settings
from raguard.service.settings import ServiceConfig, as_service_config

__all__ = ["app_of_environment", "serve"]

_FILE = "RAGUARD_SERVICE_CONFIG"
_PLAYGROUND = "RAGUARD_SERVICE_PLAYGROUND"
_METRICS = "PROMETHEUS_MULTIPROC_DIR"


def serve(config: ServiceConfig, file: Path | None = None) -> None:
    """Serves until SIGTERM or SIGINT, then lets the requests under way end; raises ConfigError for bad settings.

    Several workers share the socket and count together in ``/metrics``; each has its own ``threads`` and
    ``max_requests``, and reads the settings again, from ``file``, or takes the defaults, with the same ``playground``.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise ConfigError("raguard serve needs uvicorn: pip install 'raguard-verify[serve]'") from error
    check_settings(config)
    if current_thread() is main_thread():
        # uvicorn passes the signal on once it has ended, which would end the process by it
        signal.signal(signal.SIGTERM, _end)
    options: dict[str, Any] = {
        "host": config.host,
        "port": config.port,
        "uds": None if config.uds is None else str(config.uds),
        "timeout_graceful_shutdown": max(1, round(config.shutdown_s)),
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "ws": "none",
        "lifespan": "on",
    }
    if config.workers == 1:
        from raguard.service.building import build_app

        uvicorn.run(build_app(config), **options)
        return
    with tempfile.TemporaryDirectory(prefix="raguard-metrics-") as folder:
        # the workers are other processes, which get to know through the environment of this one
        os.environ[_METRICS] = folder
        os.environ[_FILE] = "" if file is None else str(file.absolute())
        os.environ[_PLAYGROUND] = "1" if config.playground else ""
        uvicorn.run(f"{__name__}:app_of_environment", factory=True, workers=config.workers, **options)


def _end(number: int, frame: Any) -> None:
    raise SystemExit(0)


def app_of_environment() -> Any:
    """The app of a worker process, by the settings file that the first process names."""
    from raguard.service.building import build_app

    config = as_service_config(os.environ.get(_FILE) or None)
    return build_app(replace(config, playground=config.playground or bool(os.environ.get(_PLAYGROUND))))
