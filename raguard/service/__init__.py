"""Who may ask over HTTP, how much, and what are they told? A service, and a gateway in front of any model.

>>> from raguard.service import ServiceConfig
>>> ServiceConfig().host
'127.0.0.1'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raguard.lazy import lazy

if TYPE_CHECKING:
    from raguard.service.building import build_app
    from raguard.service.sections import (
        ContextSettings,
        KeylessSettings,
        KeySettings,
        StoreSettings,
        TenantSettings,
        UpstreamSettings,
    )
    from raguard.service.settings import ServiceConfig

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

__getattr__, __dir__ = lazy(
    __name__,
    {
        "building": ("build_app",),
        "sections": (
            "ContextSettings",
            "KeySettings",
            "KeylessSettings",
            "StoreSettings",
            "TenantSettings",
            "UpstreamSettings",
        ),
        "settings": ("ServiceConfig",),
    },
)
