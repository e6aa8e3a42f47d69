"""A service on a free port of the loopback, run by uvicorn in a thread of the test.

::

    with Served(build_app()) as service:
        httpx.get(f"{service.url}/healthz")
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from threading import Thread
from types import TracebackType
from typing import Any, Self

import uvicorn

__all__ = ["Served"]


@dataclass
class Served:
    """The running app; ``url`` is its address."""

    app: Any
    url: str = ""

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        settings = uvicorn.Config(self.app, log_config=None, lifespan="on", ws="none", timeout_graceful_shutdown=5)
        self._server = uvicorn.Server(settings)
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [self._socket]})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
