"""How does an ASGI application keep unchecked answers from its users? A middleware reads the bodies of some routes.

It needs no library: the application may use any framework.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from raguard import ConfigError
from raguard.gate import Gate, Gated
from raguard.integrations.places import Place
from raguard.modes import tenant_named

__all__ = ["Checked", "CheckedRoute", "RaguardMiddleware"]

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

Tell: TypeAlias = Literal["body", "header", "nothing"]
OnUnchecked: TypeAlias = Literal["pass", "block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRoute:
    """A route whose answers are checked: its ``path``, in which "*" stands for one segment, and where things are.

    A place is a JSON Pointer into the response ("/answer") or into the request ("request:/query"), or a parameter of
    the address ("parameter:q"); the answer is always in the response. Documents are strings, or objects with "text" (or
    "content", "page_content") and optionally "id". ``delta`` points to the text in each event or line of a streamed
    answer; if it is empty, the data of the event is the text. Raises ConfigError naming the field.

    >>> CheckedRoute(path="/ask", query="parameter:q").matches("GET", "/ask")
    True
    """

    path: str
    answer: str = "/answer"
    docs: str = "/documents"
    query: str = "request:/query"
    delta: str = ""
    methods: Sequence[str] = ("GET", "POST")
    places: dict[str, Place] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Reads the places."""
        if not isinstance(self.path, str) or not self.path.startswith("/"):
            raise ConfigError(f'path must begin with "/", not {self.path!r}')
        is_list = isinstance(self.methods, Sequence) and not isinstance(self.methods, str)
        if not is_list or not self.methods or not all(isinstance(method, str) for method in self.methods):
            raise ConfigError(f"methods must be a list of at least one name, not {self.methods!r}")
        object.__setattr__(self, "methods", tuple(method.upper() for method in self.methods))
        places = {name: Place.read(getattr(self, name), name) for name in ("answer", "docs", "query", "delta")}
        for name in ("answer", "delta"):
            if places[name].source != "response":
                raise ConfigError(f"{name} must stand in the response, not {getattr(self, name)!r}")
        object.__setattr__(self, "places", places)

    def matches(self, method: str, path: str) -> bool:
        """Whether a request is one of this route."""
        pattern = "[^/]+".join(map(re.escape, self.path.split("*")))
        return method in self.methods and re.fullmatch(pattern, path) is not None


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one answer: ``status`` is "checked" or "unchecked; reason"; ``gated`` is None if none was read."""

    path: str
    tenant_id: str
    status: str
    gated: Gated | None = None


class RaguardMiddleware:
    """Checks the answers of some routes on their way out, by ``gate``; everything else passes through untouched.

    ``tenant`` names the header that holds the tenant, or is a function of the scope; without it, every tenant is
    "default". ``tell`` says where the verdict is put: into the member "raguard" of the body, into the header
    "raguard-verdict", or nowhere; with ``texts`` it includes what the warnings say. A response that cannot be read
    passes or is blocked (``on_unchecked``; by default it passes only where the gate annotates), and the header
    "raguard-status" says why. ``on_result`` is called with a Checked for each answer. Where the modes of the tenant
    enforce nothing, the response stays the same to the last byte, and the answer is judged after it has been sent.
    Raises ConfigError for a bad option.
    """

    def __init__(
        self,
        app: App,
        *,
        gate: Gate,
        routes: Sequence[CheckedRoute],
        tenant: str | Callable[[Scope], str | None] | None = None,
        tell: Tell = "body",
        texts: bool = False,
        on_unchecked: OnUnchecked | None = None,
        on_result: Callable[[Checked], object] | None = None,
        max_body_bytes: int = 1_000_000,
    ) -> None:
        if not isinstance(gate, Gate):
            raise ConfigError(f"gate must be a Gate, not {type(gate).__name__}")
        if not routes or not all(isinstance(route, CheckedRoute) for route in routes):
            raise ConfigError("routes must be a list of at least one CheckedRoute")
        if not isinstance(tenant, str | None) and not callable(tenant):
            raise ConfigError(f"tenant must be the name of a header or a function, not {type(tenant).__name__}")
        if isinstance(tenant, str) and not (tenant and tenant.isascii()):
            raise ConfigError(f"tenant must be the name of a header, not {tenant!r}")
        if tell not in get_args(Tell):
            raise ConfigError(f"tell must be one of {', '.join(get_args(Tell))}, not {tell!r}")
        if on_unchecked is not None and on_unchecked not in get_args(OnUnchecked):
            raise ConfigError(f"on_unchecked must be one of {', '.join(get_args(OnUnchecked))}, not {on_unchecked!r}")
        if isinstance(max_body_bytes, bool) or not isinstance(max_body_bytes, int) or max_body_bytes < 1:
            raise ConfigError(f"max_body_bytes must be a number of bytes of at least 1, not {max_body_bytes!r}")
        self.app, self.gate, self.routes, self.tenant = app, gate, tuple(routes), tenant
        self.tell, self.texts, self.on_result, self.max_body_bytes = tell, texts, on_result, max_body_bytes
        self.on_unchecked = on_unchecked or ("pass" if gate.on_review == "annotate" else "block")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection; whatever the application raises propagates to the server."""
        route = self._route(scope) if scope["type"] == "http" else None
        if route is None:
            await self.app(scope, receive, send)
            return
        tenant_id = self._tenant_id(scope)
        modes = self.gate.modes(tenant_id)
        if modes.is_off:
            await self.app(scope, receive, send)
            return
        from raguard.integrations.enforced import Enforced  # here, for they know this module
        from raguard.integrations.exchange import Watched

        kind = Enforced if modes.may_enforce else Watched
        await kind(self, route, scope, receive, send, tenant_id).run()

    def _route(self, scope: Scope) -> CheckedRoute | None:
        root, path = scope.get("root_path", ""), scope["path"]
        # servers disagree whether the path has the root before it
        inner = path[len(root) :] if root and path.startswith(f"{root}/") else path
        return next((route for route in self.routes if route.matches(scope["method"], inner)), None)

    def _tenant_id(self, scope: Scope) -> str:
        if self.tenant is None:
            return "default"
        if not isinstance(self.tenant, str):
            return tenant_named(self.tenant(scope))
        name = self.tenant.lower().encode("latin-1")
        return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "default")
