"""How does the server run? Over the pipes of the client that started it, or over HTTP behind the service's door."""

from __future__ import annotations

import atexit
import logging
import os
import signal
from threading import Thread
from typing import TYPE_CHECKING, Any

from raguard import ConfigError, Verifier
from raguard.mcp.server import build_server, sdk
from raguard.mcp.tools import Tools
from raguard.service.ending import end, on_signals
from raguard.service.listening import listening, options_of
from raguard.service.problems import ProblemError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["PATH", "http_app", "serve_http", "serve_pipes"]

PATH = "/mcp"
"""Where the protocol is spoken over HTTP."""


def serve_pipes(tools: Tools, *, tenant_id: str = "default") -> None:
    """Serves the client at standard input and output until it closes them; nothing else may write to them.

    SIGINT and SIGTERM end the process with status 0: the thread that waits for input cannot be woken.
    """
    import asyncio

    from raguard.mcp.reading import Readable

    (pipes,) = sdk("server.stdio")
    server = build_server(tools, tenant_id=tenant_id)

    async def serve() -> None:
        async with pipes.stdio_server() as (read, write):
            readable: Any = Readable(read, write)
            await server.run(readable, write, server.create_initialization_options())

    with on_signals(_leave, signal.SIGINT, signal.SIGTERM):
        _warm_up(tools.verifier)
        try:
            asyncio.run(serve())
        finally:
            tools.work.close()


def http_app(tools: Tools) -> ASGIApp:
    """An ASGI app that speaks MCP (streamable HTTP, without sessions) at ``PATH``, behind the door of the service.

    The config decides on keys, their tenants and what these are told, and on the limits for the body, the time and the
    number of requests. Raises ConfigError for a key that cannot be read.
    """
    from raguard.service.door import Door
    from raguard.service.keys import Keys
    from raguard.service.metering import Metering

    config = tools.config
    app = build_server(tools).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        host=config.host,
        max_request_body_size=config.max_body_bytes,
    )
    return Door(
        _PostAlone(app), config=config, keys=Keys(config), work=tools.work, metering=Metering(), open_paths=frozenset()
    )


class _PostAlone:
    """Refuses all but POST: without sessions, a GET would hold a place for a stream on which nothing ever comes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] != "POST":
            raise ProblemError(405, "not_allowed", "The route has no such method.", headers={"Allow": "POST"})
        await self._app(scope, receive, send)


def serve_http(tools: Tools) -> None:
    """Serves over HTTP until SIGTERM or SIGINT, then lets the requests under way end."""
    try:
        import uvicorn
    except ImportError as error:
        raise ConfigError("raguard mcp needs uvicorn: pip install 'raguard-verify[mcp]'") from error
    with on_signals(end, signal.SIGTERM):
        _warm_up(tools.verifier)
        try:
            with listening(tools.config):
                uvicorn.run(http_app(tools), **options_of(tools.config))
        finally:
            tools.work.close()
            if tools.work.busy:
                # a thread cannot be ended
                logging.getLogger("raguard.mcp").warning("the process ends before all work is done")
                _leave(0, None)


def _leave(number: int, frame: Any) -> None:
    # what else is told at the end, such as spans and logs
    atexit._run_exitfuncs()
    os._exit(0)


def _warm_up(verifier: Verifier) -> None:
    """Loads the language model in the background, so that the first call need not."""

    def load() -> None:
        try:
            verifier.warm_up()
        except Exception as error:
            logging.getLogger("raguard.mcp").error("the warm-up failed with %s", type(error).__name__)

    Thread(target=load, name="raguard-warm-up", daemon=True).start()
