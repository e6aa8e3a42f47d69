"""Which rules judge, and does each one do what its own examples say?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from raguard import Config, RuleError, Verifier
from raguard.cli.inputs import InputError
from raguard.cli.output import complain, say, say_json
from raguard.rule_families import FAMILIES
from raguard.rulebook import Family, Rule, Rulebook, load_rulebook, rules_folder
from raguard.text.folding import fold
from raguard.text.terminals import visible

__all__ = ["faults", "report_rules"]

_VERDICTS = "warnings"
"""The family whose rules are proved by whole verdicts; its own ones are for checks that do not run here."""
_CLAIMS = "claims"
"""The family whose weights are proved by what a claim's measures come to."""
_FOLDED_WHEN_READ = frozenset({"currencies", "languages", "translations", "units"})
"""The families whose forms are folded like the text, or are looked for in the text as it was."""
_CLASS = ".default"
"""The ending of a verdict rule that stands for every rule of a family."""


def report_rules(folder: Path | None, family: str | None, *, as_json: bool) -> int:
    """Prints the rules and what is wrong with them; returns 0, or 1 when a rule or a rule file is wrong."""
    if folder is not None and not folder.is_dir():
        raise InputError(f"--dir: {folder} is not a folder")
    if folder is not None and not any(folder.glob("*.toml")):
        raise InputError(f"--dir: {folder} holds no rule files; their names end in .toml")
    if family is not None and family not in FAMILIES:
        raise InputError(f"--family: there is no family {family}; known are {', '.join(sorted(FAMILIES))}")
    listed: list[dict[str, Any]] = []
    try:
        rulebook = load_rulebook(folder, FAMILIES)
    except RuleError as error:
        found = [str(error)]
    else:
        listed = [_entry(*pair) for pair in _chosen(rulebook, family)]
        found = list(faults(rulebook, folder, family))
    if as_json:
        say_json({"rules": listed, "faults": found})
    else:
        _print(listed, found)
    return 1 if found else 0


def faults(rulebook: Rulebook, folder: Path | None = None, family: str | None = None) -> Iterator[str]:
    """One sentence for each text that a rule cannot match, and for each example that does not come out as it says."""
    verifier = Verifier(Config(rules_dir=folder))
    for owner, rule in _chosen(rulebook, family):
        where = f"{rule.file}: rule {rule.id}"
        for key, written in _unfolded(owner, rule):
            plain = fold(written).text
            yield f"{where}: text never holds {written!r} of its {key}; write it in folded characters: {plain!r}"
        if owner.name == _VERDICTS and not _shipped(rule):
            continue
        for key, example, wanted in _examples(rule):
            if _fires(verifier, owner, rule, example) != wanted:
                yield f"{where}: {'does not match' if wanted else 'matches'} {example!r} of its {key}"


def _chosen(rulebook: Rulebook, family: str | None) -> Iterator[tuple[Family, Rule]]:
    return ((owner, rule) for owner, rule in rulebook.rules() if family in (None, owner.name))


def _examples(rule: Rule) -> Iterator[tuple[str, str, bool]]:
    """Each example of the rule, with the key it stands under and whether the rule must fire on it."""
    yield from (("accepts", example, True) for example in rule.accepts)
    yield from (("rejects", example, False) for example in rule.rejects)


def _fires(verifier: Verifier, family: Family, rule: Rule, example: str) -> bool:
    docs = list(rule.data.get("docs", ()))
    if family.name == _CLAIMS and docs:
        return _weighs(verifier, rule, docs, example)
    if family.name != _VERDICTS:
        return rule.matches(example)
    result = verifier.verify(rule.data.get("query", ""), docs, example)
    family_of = rule.id.removesuffix(_CLASS) + "." if rule.id.endswith(_CLASS) else rule.id
    return any(warning.rule == rule.id or warning.rule.startswith(family_of) for warning in result.warnings)


def _weighs(verifier: Verifier, rule: Rule, docs: list[str], example: str) -> bool:
    """Whether a claim has the rule's measure, or comes out above its threshold."""
    claims = verifier.claims("", docs, example, spans=[(0, len(example))], lang="en").claims
    measure, least = str(rule.data["measure"]), float(rule.data["value"])
    if rule.data["role"] in ("prose", "records", "damping"):
        return any(claim.measures[measure] > 0 for claim in claims)
    least = least if rule.data["role"] == "profile" else 0.5
    return any(claim.unsupported > least for claim in claims)


def _unfolded(family: Family, rule: Rule) -> Iterator[tuple[str, str]]:
    """Each form, word or pattern that no folded text holds, with the key it stands under."""
    if family.name in _FOLDED_WHEN_READ:
        return
    texts = {"forms": rule.forms, "words": sorted(rule.words), "pattern": [rule.pattern or ""]}
    yield from ((key, text) for key, written in texts.items() for text in written if fold(text).text != text)


def _entry(family: Family, rule: Rule) -> dict[str, Any]:
    source = family.meta["source"] if _shipped(rule) else str(rule.file)
    forms = len(rule.forms) + len(rule.words) + (rule.pattern is not None)
    return {"id": rule.id, "family": family.name, "source": source, "forms": forms}


def _shipped(rule: Rule) -> bool:
    return rule.file is None or rule.file.parent == rules_folder()


def _print(listed: list[dict[str, Any]], found: list[str]) -> None:
    group = None
    for entry in listed:
        if group != (entry["family"], entry["source"]):
            group = (entry["family"], entry["source"])
            say(visible(f"{entry['family']}: {entry['source']}\n"))
        say(f"  {entry['id']:40} {entry['forms']:6}\n")
    for fault in found:
        complain(fault)
    if listed:
        say(f"{len(listed)} rules, {len(found)} {'fault' if len(found) == 1 else 'faults'}\n")
