"""Who may ask over HTTP, how much, and what are they told? A service, and a gateway in front of any model.

>>> from raguard.service import ServiceConfig
>>> ServiceConfig().host
'127.0.0.1'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from raguard.service.building import build_app
    from raguard.service.settings import (
        ContextSettings,
        KeylessSettings,
        KeySettings,
        ServiceConfig,
        StoreSettings,
        TenantSettings,
        UpstreamSettings,
    )

__all__ = [
    "ContextSettings",
    "KeySettings",
    "KeylessSettings",
    "ServiceConfig",
    "StoreSettings",
    "TenantSettings",
    "UpstreamSettings",
    "build_app",
]

_MODULES = {
    "building": ("build_app",),
    "settings": (
        "ContextSettings",
        "KeySettings",
        "KeylessSettings",
        "ServiceConfig",
        "StoreSettings",
        "TenantSettings",
        "UpstreamSettings",
    ),
}
_HOMES = {name: f"raguard.service.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used: importing the package alone costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'raguard.service' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
