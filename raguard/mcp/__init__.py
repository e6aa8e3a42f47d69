"""How does an agent ask? By the tools verify, guard and query of a server that speaks MCP, over pipes or HTTP.

>>> from raguard.mcp import Tools
>>> Tools().names
('verify', 'guard', 'query')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raguard.mcp.server import build_server
    from raguard.mcp.tools import Tools

__all__ = ["Tools", "build_server"]

_MODULES = {"server": ("build_server",), "tools": ("Tools",)}
_HOMES = {name: f"raguard.mcp.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: importing the package alone costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'raguard.mcp' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
