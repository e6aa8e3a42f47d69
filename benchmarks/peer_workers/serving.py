"""How does a peer's process answer? With one JSON line for each that it reads, and the seconds of the peer's own call.

Workers run under the Python of a peer's own environment, so nothing here may import more than the standard library.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any, TypeAlias

__all__ = ["Check", "Entry", "serve"]

Check: TypeAlias = Callable[[str, list[str], str], Any]
"""A peer's own call: query, documents and response in, whatever it returns out."""
Entry: TypeAlias = tuple[str, str, str | tuple[int, int], str]
"""A warning: severity, type, its text or its place in the response, and what the peer says about it."""

WARM_UP = (
    "When does it open?",
    ["Alice Brown said that it opens in Leeds on 3 May 2021."],
    "Bob Green opened it in 2022.",
)


def serve(distribution: str, load: Callable[[], Check], read: Callable[[Any], list[Entry]]) -> None:
    """Loads and warms the peer, says its version, and answers each ``query, docs, response`` until the input ends.

    The peer is cut off from the network. What it raises is answered as ``error``.
    """
    channel, sys.stdout = sys.stdout, sys.stderr
    sys.addaudithook(_refuse_network)
    check = load()
    check(*WARM_UP)
    print(json.dumps({"version": metadata.version(distribution)}), file=channel, flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        try:
            began = time.perf_counter()
            result = check(case["query"], case["docs"], case["response"])
            seconds = time.perf_counter() - began
            answer = {"seconds": seconds, "warnings": read(result)}
        except Exception as error:  # whatever a peer raises is part of what is measured
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=channel, flush=True)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise PermissionError("a peer may not use the network while it is measured")
