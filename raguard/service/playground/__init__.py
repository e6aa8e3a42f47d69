"""How does a person try it? One page, of files of its own: paste a question, documents and an answer, and see.

>>> from raguard.service.playground import OPEN_PATHS
>>> "/playground" in OPEN_PATHS
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.service.playground.routes import playground_router

__all__ = ["OPEN_PATHS", "playground_router"]

OPEN_PATHS = frozenset(
    {
        "/",
        "/playground",
        "/playground/examples.json",
        "/playground/icon.svg",
        "/playground/page.css",
        "/playground/page.js",
    }
)
"""What may be read without a key; to check an answer needs one where one is configured."""

__getattr__, __dir__ = lazy(__name__, {"routes": ("playground_router",)})
