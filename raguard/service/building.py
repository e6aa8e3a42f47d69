"""How is the app made? The routes behind one door, and a life from warm-up to the last answer."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raguard import Config, ConfigError, Verifier, __version__
from raguard.service.settings import ServiceConfig, as_service_config

if TYPE_CHECKING:
    from fastapi import FastAPI

    from raguard.service.parts import Parts

__all__ = ["build_app"]

_OPEN = frozenset({"/healthz", "/readyz", "/openapi.json"})
"""What needs no key: it tells nothing of anybody."""
_QUIET: Any = {"tracing": False, "metrics": False, "logs": False}
"""FastAPI's own telemetry tells what was raised, which may hold text."""


def build_app(
    config: ServiceConfig | Config | str | Path | None = None,
    *,
    hallucination_guard: Any = None,
    verifier: Verifier | None = None,
    screens: Any = None,
    encoder: Any = None,
    retriever: Any = None,
) -> FastAPI:
    """The service as an ASGI app, for uvicorn or to be mounted; raises ConfigError for what it cannot be made of.

    ``config`` is a ServiceConfig, the path of its file, just a Config, or None for the defaults. Parts that are given
    replace those that the settings name: ``hallucination_guard`` is anything with the ``check`` of a
    HallucinationGuard, and then guards the gateway's answers, too; ``verifier`` judges by its own config; ``screens``
    serve ``/v1/screen``; ``encoder`` is anything with ``encode``; ``retriever`` finds the documents for ``/v1/query``.

    >>> from fastapi.testclient import TestClient
    >>> case = {"query": "When?", "docs": ["It closed on 4 May 2024."], "response": "It closed on 9 May 2024."}
    >>> TestClient(build_app()).post("/v1/verify", json=case).json()["action"]
    'review'
    """
    try:
        for needed in ("fastapi", "httpx", "prometheus_client"):
            import_module(needed)
    except ImportError as error:
        raise ConfigError(f"the service needs {error.name}: pip install 'raguard-verify[serve]'") from error
    from raguard.service.parts import made_parts

    settings = as_service_config(config)
    if isinstance(verifier, Verifier):
        # the modes that count are those by which it judges
        settings = replace(settings, config=verifier.config)
    parts = made_parts(
        settings,
        guard=hallucination_guard,
        verifier=verifier,
        screens=screens,
        encoder=encoder,
        retriever=retriever,
    )
    return _app(parts)


def _app(parts: Parts) -> FastAPI:
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    from raguard.service.door import Door
    from raguard.telemetry import Traced

    app = FastAPI(
        title="raguard",
        version=__version__,
        description="Checks answers against their retrieved documents. Errors have the shape of OpenAI's.",
        # its pages would load scripts from elsewhere
        docs_url=None,
        redoc_url=None,
        # a path with a slash too much is none; the way to the right one would be told by the Host that was sent
        redirect_slashes=False,
        telemetry=_QUIET,
        lifespan=_life,
    )
    app.state.parts = parts
    open_paths = _with_routes(app, parts)
    app.add_exception_handler(HTTPException, _http_problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_middleware(
        Door,
        config=parts.config,
        keys=parts.keys,
        work=parts.work,
        metering=parts.metering,
        open_paths=open_paths,
    )
    app.add_middleware(Traced)
    return app


def _with_routes(app: FastAPI, parts: Parts) -> frozenset[str]:
    """Adds all routes, and returns the paths of those that need no key."""
    from raguard.integrations.generic_guardrail import guardrail_router
    from raguard.service.gateway.chat import router as chat
    from raguard.service.gateway.query import router as query
    from raguard.service.routes import key_tenant, router

    app.include_router(router)
    app.include_router(chat)
    app.include_router(query)
    # what is asked by a proxy of LiteLLM; the tenant is the key's
    app.include_router(
        guardrail_router(
            parts.gate,
            tenant=key_tenant,
            on_result=lambda gated: parts.metering.count_verdict(gated.verdict),
            runner=parts.work.run,
        ),
        tags=["gateway"],
    )
    open_paths = _OPEN | ({"/metrics"} if parts.config.open_metrics else set())
    if parts.config.playground:
        from raguard.service.playground import OPEN_PATHS, playground_router

        app.include_router(playground_router())
        open_paths |= OPEN_PATHS
    return open_paths


async def _http_problem(request: Any, error: Any) -> Any:
    from raguard.service.problems import ProblemError

    told = {404: ("not_found", "There is no such route."), 405: ("not_allowed", "The route has no such method.")}
    code, message = told.get(error.status_code, ("invalid_request", "The body cannot be read."))
    return ProblemError(error.status_code, code, message, headers=error.headers).response()


async def _invalid(request: Any, error: Any) -> Any:
    from raguard.service.problems import invalid

    return invalid(error.errors()).response()


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    """Warms up behind the open door, and closes what was opened."""
    import asyncio

    parts: Parts = app.state.parts
    warming = asyncio.create_task(_warm_up(parts))
    try:
        yield
    finally:
        warming.cancel()
        parts.work.close()
        if parts.upstream is not None:
            await parts.upstream.close()
        parts.metering.close()


async def _warm_up(parts: Parts) -> None:
    from raguard.service.work import raised

    if parts.config.warm_up:
        try:
            await parts.work.run(parts.verifier.warm_up)
        except Exception as error:
            logging.getLogger("raguard").error("the warm-up failed with %s; the service is not ready", raised(error))
            return
    parts.is_ready = True
