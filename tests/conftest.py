"""What do the tests of several files ask for?"""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest


@pytest.fixture
def dead_port() -> Iterator[int]:
    """A port that nobody listens at, kept so that nobody can."""
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]
