"""How does a person or a script ask for a verdict? The command ``raguard``."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line (the process's own without ``arguments``) and returns its exit status."""
    from raguard.cli.app import run

    return run(arguments)
