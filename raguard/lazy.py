"""How does a package offer its names without loading what they need? Each is imported when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["lazy"]


def lazy(package: str, modules: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package; ``modules`` says which of its modules holds which names.

    >>> find, names = lazy("raguard", {"version": ["__version__"]})
    >>> isinstance(find("__version__"), str)
    True
    >>> find("no_such_name")
    Traceback (most recent call last):
    AttributeError: module 'raguard' has no attribute 'no_such_name'
    """
    homes = {name: f"{package}.{module}" for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return find, names
