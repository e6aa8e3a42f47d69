"""How is a service asked on a busy machine? With a minute for the answer, where httpx would give it five seconds."""

from __future__ import annotations

from functools import partial

import httpx

__all__ = ["get", "head", "post"]

get, head, post = (partial(ask, timeout=60) for ask in (httpx.get, httpx.head, httpx.post))
