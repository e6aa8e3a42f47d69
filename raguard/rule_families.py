"""Which families of rules are there, and what may each hold besides what every rule has?"""

from __future__ import annotations

from collections.abc import Mapping

from raguard.rule_keys import (
    CHOICE,
    COUNTS,
    INTEGER,
    NEEDS,
    NUMBER,
    OFFSET,
    RARITY,
    SHIPPED_ALONE,
    STRING,
    SWITCH,
    TABLE,
    TEXT,
    TEXTS,
    Kind,
)

__all__ = ["FAMILIES", "LAYERS"]

FAMILIES: Mapping[str, Mapping[str, Kind]] = {
    "aliases": {"sense": TEXT},
    "citations": {"role": CHOICE},
    "claims": {
        "role": CHOICE,
        "forms_of": TABLE,
        "rarity": RARITY,
        "measure": SHIPPED_ALONE,
        "value": OFFSET,
        "docs": TEXTS,
    },
    "clauses": {"role": CHOICE},
    "currencies": {"code": TEXT, "symbols": TEXTS, "minor": TEXTS},
    "dates": {"role": CHOICE, "number": INTEGER},
    "identifiers": {"compare": CHOICE, "role": CHOICE},
    "languages": {"code": TEXT, "scripts": TEXT, "capital_nouns": SWITCH, "shared": SWITCH},
    "layout": {"needs": NEEDS},
    "leaves": {"role": CHOICE},
    "names": {"role": CHOICE},
    "negation": {"opposites": TEXTS, "role": CHOICE},
    "numbers": {"role": CHOICE, "value": NUMBER, "most": NUMBER, "direction": CHOICE, "needs": NEEDS},
    "places": {"role": CHOICE, "within": TEXT},
    "quotes": {"role": CHOICE},
    "records": {"role": CHOICE},
    "refusals": {"needs": NEEDS, "needs_too": NEEDS, "role": CHOICE},
    "screens": {
        "role": CHOICE,
        "category": TEXT,
        "severity": CHOICE,
        "guidance": TEXT,
        "check": TEXT,
        "needs": NEEDS,
        "needs_too": NEEDS,
        "near": NEEDS,
    },
    "tables": {"role": CHOICE},
    "translations": {"langs": TEXT, "role": CHOICE, "english": TABLE, "becomes": STRING},
    "units": {"dimension": TEXT, "factor": NUMBER, "offset": OFFSET},
    "vague": {"needs": NEEDS, "needs_too": NEEDS, "seen": COUNTS},
    "warnings": {"type": TEXT, "severity": CHOICE, "opening": TEXT, "query": TEXT, "docs": TEXTS},
    "words": {"role": CHOICE},
}
"""The families, and the keys that each allows besides the common ones with what must stand under them."""

LAYERS = frozenset({"screens"})
"""The families that only a layer asks for; the core does not read their files."""
