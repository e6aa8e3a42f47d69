"""What do the tests of several files ask for?"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gateways import Gateway


@pytest.fixture
def dead_port() -> Iterator[int]:
    """A port that nobody listens at, kept so that nobody can."""
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


@pytest.fixture(scope="module")
def scripted() -> Iterator[Gateway]:
    """A gateway that removes what is unsupported, before a model that says what is not."""
    from gateways import GOOD, gateway, says

    with gateway(says(GOOD), on_review="redact") as made:
        yield made
