"""How do the tools meet the protocol? A server of the official SDK lists them, calls them and reports what is wrong.

The SDK's high-level server repeats wrong arguments in its errors; here a fault is reported by its place alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from raguard import ConfigError, __version__
from raguard.mcp.tools import TOOLS, Tools
from raguard.service.keys import Caller
from raguard.service.problems import ProblemError

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

__all__ = ["build_server", "sdk"]

_INSTRUCTIONS = (
    "Checks answers against the documents they should rest on, without a model or a network. Call verify before you "
    "show an answer that was written from retrieved documents: each warning names a span that they do not carry."
)


def build_server(tools: Tools, *, tenant_id: str = "default") -> Server[Any]:
    """A server with the tools; ``tenant_id`` is the tenant of a client that asks over pipes, which is told all texts.

    A request over HTTP is answered as its caller may be answered; none is admitted there without one. Raises
    ConfigError without the SDK.

    >>> build_server(Tools()).name
    'raguard'
    """
    server, types, problem = sdk("server", "types", "shared.exceptions")
    local = Caller("", tenant_id, False, True)

    async def list_tools(context: Any, params: PaginatedRequestParams | None) -> ListToolsResult:
        result: ListToolsResult = types.ListToolsResult(tools=[_described(types, name) for name in TOOLS])
        return result

    async def call_tool(context: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        if params.name not in TOOLS:
            raise problem.MCPError(types.INVALID_PARAMS, f"There is no such tool; there are {', '.join(TOOLS)}.")
        request: Any = context.request
        try:
            # who comes over HTTP has a place already, the door's
            with tools.work.place() if request is None else nullcontext():
                caller = local if request is None else request.state.caller
                told = await tools.call(params.name, params.arguments or {}, caller)
        except ProblemError as fault:
            return _result(types, {"error": {"code": fault.code, "message": fault.message}}, is_error=True)
        return _result(types, told)

    built: Server[Any] = server.Server(
        "raguard",
        version=__version__,
        title="raguard",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return built


def sdk(*modules: str) -> tuple[Any, ...]:
    """Modules of the SDK; raises ConfigError where it is missing or too old."""
    from importlib import import_module

    try:
        found = tuple(import_module(f"mcp.{module}") for module in modules)
        import_module("mcp.client.client")  # which versions before 2 do not have
    except ImportError as error:
        raise ConfigError("raguard mcp needs mcp 2 or newer: pip install 'raguard-verify[mcp]'") from error
    return found


def _described(types: Any, name: str) -> Any:
    arguments, results, description = TOOLS[name]
    return types.Tool(
        name=name,
        description=description,
        input_schema=arguments.model_json_schema(),
        output_schema=results.model_json_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _result(types: Any, told: Mapping[str, Any], *, is_error: bool = False) -> CallToolResult:
    """A result as structured content and, for clients that know none, as text; an error is text alone.

    Halves of surrogate pairs cannot be sent; they become a question mark, which keeps the offsets.
    """
    text = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    content = [types.TextContent(type="text", text=told["error"]["message"] if is_error else text)]
    structured = None if is_error else json.loads(text)
    result: CallToolResult = types.CallToolResult(content=content, structured_content=structured, is_error=is_error)
    return result
