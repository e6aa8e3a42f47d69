"""How does a service run? Under uvicorn, in one process or several, until it is told to stop."""

from __future__ import annotations

import logging
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from raguard.errors import ConfigError
from raguard.service.checking import check_settings
from raguard.service.ending import end, on_signals
from raguard.service.listening import listening, options_of
from raguard.service.settings import ServiceConfig, as_service_config

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["app_of_environment", "serve"]

_FILE = "RAGUARD_SERVICE_CONFIG"
_PLAYGROUND = "RAGUARD_SERVICE_PLAYGROUND"
_METRICS = "PROMETHEUS_MULTIPROC_DIR"
_WORKER_ANSWERS_S = 30
"""A worker that does not answer for so long is replaced; one that only begins on a busy machine may need some."""
_LAST_S = 1.0
"""How long what uvicorn still has to say may take."""


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
    from raguard.service.building import build_app

    with on_signals(end, signal.SIGTERM):
        # several workers build apps of their own; one that cannot would be started again and again
        app = _ending_its_process(build_app(config))
        with listening(config):
            if config.workers == 1:
                uvicorn.run(app, **options_of(config))
            else:
                _serve_together(config, file)


def _serve_together(config: ServiceConfig, file: Path | None) -> None:
    import uvicorn

    with tempfile.TemporaryDirectory(prefix="raguard-metrics-") as folder:
        # the workers are other processes, which get to know through the environment of this one
        os.environ[_METRICS] = folder
        os.environ[_FILE] = "" if file is None else str(file.absolute())
        os.environ[_PLAYGROUND] = "1" if config.playground else ""
        options = options_of(config)
        options |= {"workers": config.workers, "timeout_worker_healthcheck": _WORKER_ANSWERS_S}
        uvicorn.run(f"{__name__}:app_of_environment", factory=True, **options)


def app_of_environment() -> Any:
    """The app of a worker process, by the settings file that the first process names."""
    from raguard.service.building import build_app

    config = as_service_config(os.environ.get(_FILE) or None)
    playground = config.playground or bool(os.environ.get(_PLAYGROUND))
    return _ending_its_process(build_app(replace(config, playground=playground)))


def _ending_its_process(app: FastAPI) -> FastAPI:
    """The app of a process that ends with it: a thread cannot be ended, so what is not done in time would keep it."""
    life = app.router.lifespan_context

    @asynccontextmanager
    async def lived(app: FastAPI) -> AsyncIterator[Any]:
        async with life(app) as state:
            yield state
        if app.state.parts.work.busy:
            logging.getLogger("raguard").warning("the process ends before all work is done")
            last = Timer(_LAST_S, os._exit, (0,))
            last.daemon = True
            last.start()

    app.router.lifespan_context = lived
    return app
