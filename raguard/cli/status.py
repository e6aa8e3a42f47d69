"""With what does a command exit? Numbers for scripts, as ``docs/cli.md`` tells them."""

from __future__ import annotations

__all__ = ["INPUT_ERROR", "INTERRUPTED", "OK", "PROCEED", "REVIEW"]

OK = 0
PROCEED, REVIEW, INPUT_ERROR = 0, 1, 2
INTERRUPTED = 130
