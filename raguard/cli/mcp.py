"""How is the MCP server started? By a client over pipes, or by a person over HTTP."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from raguard import ConfigError
from raguard.cli.status import OK

__all__ = ["mcp"]


def mcp(
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with settings, as for raguard serve.", metavar="FILE")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="A file or folder of documents that query searches.", metavar="PATH")
    ] = None,
    tenant: Annotated[
        str, typer.Option("--tenant", "-t", help="Whose modes and thresholds count over pipes.", metavar="NAME")
    ] = "default",
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP at /mcp in place of pipes.")] = False,
    host: Annotated[str | None, typer.Option(help="The address to listen on (127.0.0.1).", metavar="HOST")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 takes any free one (8000).", metavar="N")] = None,
) -> int:
    """Answers agents over the Model Context Protocol, with the tools verify, guard and query.

    Exit status: 0 stopped, 2 the settings cannot be used.

    \b
    raguard mcp
    raguard mcp --corpus handbook
    raguard mcp --http --port 8080 --config raguard.toml
    """
    if not http and (host is not None or port is not None):
        raise ConfigError("--host and --port need --http")
    try:
        from raguard.mcp.server import sdk
        from raguard.mcp.tools import Tools
    except ImportError as error:
        raise ConfigError("raguard mcp needs pydantic and starlette: pip install 'raguard-verify[mcp]'") from error
    sdk("server")  # before what else is missing is named by another extra
    from raguard.mcp.running import serve_http, serve_pipes
    from raguard.service.sections import StoreSettings
    from raguard.service.settings import as_service_config

    settings = as_service_config(config)
    changes: dict[str, Any] = {key: value for key, value in {"host": host, "port": port}.items() if value is not None}
    if changes:
        changes["uds"] = None
    if corpus is not None:
        changes["store"] = StoreSettings(path=corpus)
    tools = Tools(replace(settings, **changes) if changes else settings)
    if http:
        serve_http(tools)
    else:
        serve_pipes(tools, tenant_id=tenant)
    return OK
