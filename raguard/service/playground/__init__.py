"""How does a person try it? One page, of files of its own: paste a question, documents and an answer, and see.

>>> from raguard.service.playground import OPEN_PATHS
>>> "/playground" in OPEN_PATHS
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raguard.service.playground.routes import playground_router

__all__ = ["OPEN_PATHS", "playground_router"]

OPEN_PATHS = frozenset(
    {
        "/playground",
        "/playground/examples.json",
        "/playground/icon.svg",
        "/playground/page.css",
        "/playground/page.js",
    }
)
"""What may be read without a key; to check an answer needs one where one is configured."""


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: importing the package alone costs next to nothing."""
    if name != "playground_router":
        raise AttributeError(f"module 'raguard.service.playground' has no attribute {name!r}")
    module = import_module("raguard.service.playground.routes")
    globals()[name] = value = module.playground_router
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
