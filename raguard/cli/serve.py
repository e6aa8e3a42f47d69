"""How is the service started? By its settings file, of which the command line may change where it listens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from raguard import ConfigError
from raguard.cli.output import say
from raguard.cli.status import OK

if TYPE_CHECKING:
    from raguard.service import ServiceConfig

__all__ = ["serve"]


def serve(
    config: Annotated[
        Path | None, typer.Option(help="A TOML file with settings and a table [service].", metavar="FILE")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on (127.0.0.1).", metavar="HOST")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 0 takes any free one (8000).", metavar="N")] = None,
    uds: Annotated[Path | None, typer.Option(help="A Unix socket to listen on instead.", metavar="FILE")] = None,
    workers: Annotated[int | None, typer.Option(help="How many processes serve (1).", metavar="N")] = None,
    playground: Annotated[
        bool, typer.Option("--playground", help="Serve a page at /playground on which a person can try it.")
    ] = False,
    check_config: Annotated[bool, typer.Option("--check-config", help="Check the settings and exit.")] = False,
) -> int:
    """Answers over HTTP: verdicts, and a gateway in front of a model.

    Exit status: 0 stopped, 2 the settings cannot be used.

    \b
    raguard serve
    raguard serve --config raguard.toml --port 8080
    raguard serve --playground
    raguard serve --config raguard.toml --check-config
    """
    from raguard.service.settings import as_service_config

    settings = _listening(as_service_config(config), host, port, uds, workers)
    if playground:
        settings = replace(settings, playground=True)
    if check_config:
        from raguard.service.building import build_app
        from raguard.service.checking import check_settings

        told = check_settings(settings)
        # what is there may still be unfit: documents that cannot be read, a missing library
        build_app(settings)
        say(f"{told}\n")
        return OK
    from raguard.service.running import serve as run

    run(settings, config)
    return OK


def _listening(
    settings: ServiceConfig, host: str | None, port: int | None, uds: Path | None, workers: int | None
) -> ServiceConfig:
    """The settings with what the command line says in place of theirs."""
    if uds is not None and (host is not None or port is not None):
        raise ConfigError("give --uds, or --host and --port, not both")
    given: dict[str, Any] = {"host": host, "port": port, "uds": uds, "workers": workers}
    changes = {key: value for key, value in given.items() if value is not None}
    if host is not None or port is not None:
        changes["uds"] = None
    return replace(settings, **changes) if changes else settings
