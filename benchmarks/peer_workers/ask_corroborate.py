"""How is corroborate asked? By ``check_answer``: numbers, dates and quotations of the answer against the chunks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serving import Check, Entry, serve


def load() -> Check:
    """Its one call, in its default mode."""
    check: Check = import_module("corroborate").check_answer
    return check


def read(report: Any) -> list[Entry]:
    """The texts of its critical findings, which are what makes a report not ``ok``."""
    return [("high", finding.code, text, finding.fix) for finding in report.critical for text in finding.spans]


if __name__ == "__main__":
    serve("corroborate", load, read)
