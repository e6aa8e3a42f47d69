"""How does a test ask an application over HTTP? It is served by uvicorn on a free port of the loopback."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

__all__ = ["served"]


@contextmanager
def served(app: Any, **options: Any) -> Iterator[str]:
    """The address of ``app`` while it is served; its lifespan begins and ends with it."""
    import uvicorn

    started = Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            started.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=5, **options)
        server = Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            assert started.wait(60), "the server did not start"
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(60)
