"""What does a case file hold? The loader of ``cases/*.toml``: strict about keys, indifferent to values.

The values of ``docs``, ``response`` and ``lang`` may be of a wrong type on purpose: what verify() makes of
them is itself specified by cases.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raguard import Document

CASES = Path(__file__).parent / "cases"
ORIGINS = {"in-the-wild", "synthetic", "issue"}
_NEEDED = {"name", "origin", "query", "docs", "response", "action", "warnings"}
_ALLOWED = _NEEDED | {"lang", "config", "history", "xfail"}
_WARNING = {"severity", "type", "text"}


@dataclass(frozen=True)
class Case:
    """One case of a case file; ``id`` is the file's stem and the case's name."""

    id: str
    query: Any
    docs: Any
    response: Any
    action: str
    warnings: tuple[tuple[str, str, str], ...]
    lang: Any = "auto"
    config: Mapping[str, Any] = field(default_factory=dict)
    history: Any = None
    xfail: str | None = None


def load_cases(*stems: str) -> list[Case]:
    """The cases of the files of the given stems, else of all, in order; raises ValueError for a bad case."""
    paths = [CASES / f"{stem}.toml" for stem in stems] or sorted(CASES.glob("*.toml"))
    cases: dict[str, Case] = {}
    for path in paths:
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            case = _case(entry, path.stem)
            if case.id in cases:
                raise ValueError(f"{case.id}: the name is taken; every case of a file has a name of its own")
            cases[case.id] = case
    return list(cases.values())


def _case(entry: Mapping[str, Any], stem: str) -> Case:
    case_id = f"{stem}::{entry.get('name')}"
    if not entry.keys() >= _NEEDED or not entry.keys() <= _ALLOWED:
        raise ValueError(f"{case_id}: the keys are {sorted(_NEEDED)} and optionally {sorted(_ALLOWED - _NEEDED)}")
    if entry["origin"] not in ORIGINS:
        raise ValueError(f"{case_id}: origin must be one of {sorted(ORIGINS)}, not {entry['origin']!r}")
    if any(warning.keys() != _WARNING for warning in entry["warnings"]):
        raise ValueError(f"{case_id}: each warning has exactly the keys {sorted(_WARNING)}")
    docs = entry["docs"]
    if isinstance(docs, list):
        docs = [Document(**doc) if isinstance(doc, dict) else doc for doc in docs]
    return Case(
        id=case_id,
        query=entry["query"],
        docs=docs,
        response=entry["response"],
        action=entry["action"],
        warnings=tuple((warning["severity"], warning["type"], warning["text"]) for warning in entry["warnings"]),
        lang=entry.get("lang", "auto"),
        config=entry.get("config", {}),
        history=entry.get("history"),
        xfail=entry.get("xfail"),
    )
