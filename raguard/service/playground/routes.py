"""Which routes has the playground? Its page and files, which hold no secret, and one that checks an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from importlib.resources import files
from time import perf_counter

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from raguard import ConfigError, Verifier
from raguard.service.bodies import VerifyBody, documents_of
from raguard.service.problems import Json

__all__ = ["playground_router"]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
"""Nothing from elsewhere, nothing inline, and no text may become markup."""
_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_FILES = {
    "": ("page.html", "text/html; charset=utf-8"),
    "/examples.json": ("examples.json", "application/json"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}


def playground_router(verifier: Verifier | None = None) -> APIRouter:
    """The routes under ``/playground``, for ``app.include_router``.

    An answer is checked by ``verifier``, or else by the parts of the service in ``app.state.parts``, in whose threads
    it runs and whose counters count it; there, ``/`` leads to the page. Its verdict comes whole, with all texts: the
    caller has sent every one of them.
    Raises ConfigError for what is not a Verifier.

    >>> sorted(route.path for route in playground_router(Verifier()).routes)[:2]
    ['/playground', '/playground/examples.json']
    """
    if not isinstance(verifier, Verifier | None):
        raise ConfigError(f"verifier must be a Verifier, not {type(verifier).__name__}")
    router = APIRouter(include_in_schema=False)
    for path, (name, kind) in _FILES.items():
        router.add_api_route(f"/playground{path}", _reader(name, kind), methods=["GET"])

    async def check(request: Request, body: VerifyBody) -> Response:
        started = perf_counter()
        case = (body.query, documents_of(body.docs), body.response)
        if verifier is not None:
            result = await verifier.averify(*case, lang=body.lang, history=body.history)
        else:
            parts = request.app.state.parts
            result = await parts.work.run(parts.verifier.verify, *case, lang=body.lang, history=body.history)
            parts.metering.count_verdict(result)
        took_ms = round(1000 * (perf_counter() - started), 2)
        return Json({"result": result.to_dict(), "took_ms": took_ms})

    router.add_api_route("/playground/verify", check, methods=["POST"])
    if verifier is None:
        # uvicorn prints where the service is, and whoever follows that means the page
        router.add_api_route("/", _to_the_page, methods=["GET"])
    return router


async def _to_the_page() -> Response:
    return RedirectResponse("playground")


def _reader(name: str, kind: str) -> Callable[[], Awaitable[Response]]:
    async def read() -> Response:
        return Response(_content(name), media_type=kind, headers=_HEADERS)

    return read


@cache
def _content(name: str) -> bytes:
    own = (files(__package__) / name).read_bytes()
    # it looks like a report
    return (files("raguard.report") / name).read_bytes() + own if name == "page.css" else own
