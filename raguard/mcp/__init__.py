"""How does an agent ask? By the tools verify, guard and query of a server that speaks MCP, over pipes or HTTP.

>>> from raguard.mcp import Tools
>>> Tools().names
('verify', 'guard', 'query')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.mcp.server import build_server
    from raguard.mcp.tools import Tools

__all__ = ["Tools", "build_server"]

__getattr__, __dir__ = lazy(__name__, {"server": ("build_server",), "tools": ("Tools",)})
