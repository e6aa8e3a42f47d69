"""Where does the curated knowledge come from? The only module that opens rule files.

A file in ``rules/`` is one family of rules. All knowledge is data: the readers and checks ask the rulebook for a family
and build their grammar from it. See ``docs/rules.md`` for the format.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from raguard.errors import RuleError
from raguard.files import read_bytes, reason_of
from raguard.patterns import loosened, pattern_fault
from raguard.rule_families import FAMILIES, LAYERS
from raguard.rule_keys import SWITCH, TEXT, TEXTS, Kind, unlike

__all__ = ["CORE", "Family", "Rule", "Rulebook", "load_rulebook", "own_pattern_fault", "rules_folder"]

_COMMON: Mapping[str, Kind] = {
    "id": TEXT,
    "forms": TEXTS,
    "pattern": TEXT,
    "words": TEXT,
    "accepts": TEXTS,
    "rejects": TEXTS,
    "why": TEXT,
    "source": TEXT,
    "case_sensitive": SWITCH,
}
_PROVENANCE = {"source": str, "licence": str, "reviewed": date}
_META_KEYS = frozenset({"id", "source", "licence", "reviewed", "about"})
_GROUPS = {
    "citations": frozenset({"numbers", "index", "id", "page"}),
    "layout": frozenset({"span"}),
    "screens": frozenset({"span"}),
    "translations": frozenset({"a", "b"}),
    "vague": frozenset({"span"}),
}
"""The groups that patterns of a family may have; patterns of other families are joined, and have none."""
_LOOSENED = frozenset({"screens", "vague"})
_CITED = frozenset({"numbers", "index", "id"})
_ID = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+")
CORE = FAMILIES.keys() - LAYERS
"""The families that the core asks for."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its id, what it matches (``forms``, ``words`` or ``pattern``), examples and its family's own data."""

    id: str
    forms: tuple[str, ...] = ()
    pattern: str | None = None
    words: frozenset[str] = frozenset()
    accepts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    case_sensitive: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None
    """The rule file; None for a rule made of config settings."""

    def matches(self, text: str) -> bool:
        """Whether ``text`` holds the rule's pattern or one of its forms as whole words, or is one of its words."""
        flags = 0 if self.case_sensitive else re.IGNORECASE
        if self.pattern is not None:
            return re.search(self.pattern, text, flags) is not None
        if self.forms:
            return re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, self.forms))})(?!\w)", text, flags) is not None
        return (text if self.case_sensitive else text.lower()) in self.words


@dataclass(frozen=True, slots=True)
class Family:
    """The rules of one family in file order, with what the file says of itself."""

    name: str
    meta: Mapping[str, Any]
    rules: tuple[Rule, ...]

    def role(self, role: str) -> tuple[Rule, ...]:
        """The family's rules whose ``role`` is the given one."""
        return tuple(rule for rule in self.rules if rule.data.get("role") == role)

    def pattern(self, role: str) -> re.Pattern[str]:
        """The patterns and forms (as whole words) of the rules of one role as one, in any case."""
        parts = [rule.pattern for rule in self.role(role) if rule.pattern is not None]
        forms = [re.escape(form) for rule in self.role(role) for form in rule.forms]
        if forms:
            parts.append(rf"\b(?:{'|'.join(sorted(forms, key=len, reverse=True))})\b")
        return re.compile("|".join(parts), re.IGNORECASE)

    def words(self, role: str) -> frozenset[str]:
        """The words of the rules of one role."""
        return frozenset().union(*(rule.words for rule in self.role(role)))

    def forms(self, role: str) -> tuple[str, ...]:
        """The forms of the rules of one role, as they are written and in file order."""
        return tuple(form for rule in self.role(role) for form in rule.forms)


@dataclass(frozen=True, slots=True, eq=False)
class Rulebook:
    """All families, shipped and own, and a SHA-256 (hex) over the files they came from."""

    families: Mapping[str, Family]
    hash: str

    def __getitem__(self, name: str) -> Family:
        return self.families[name]

    def rules(self) -> Iterable[tuple[Family, Rule]]:
        """Every rule with its family, in the order of the files."""
        return ((family, rule) for family in self.families.values() for rule in family.rules)


def rules_folder() -> Path:
    """The shipped rules: inside the installed package, else the folder beside it (an editable install)."""
    package = Path(__file__).resolve().parent
    inside = package / "rules"
    return inside if inside.is_dir() else package.parent / "rules"


def load_rulebook(own: Path | None = None, families: Collection[str] = CORE) -> Rulebook:
    """The shipped rules, extended by the files of the folder ``own``; raises RuleError naming file, rule and key.

    Only the given ``families`` are read: those of layers are for who asks for them. The same files are read once; a
    file that has changed is read again.
    """
    files = sorted(path for path in rules_folder().glob("*.toml") if path.stem.partition("_")[0] in families)
    if own is not None:
        if not own.is_dir():
            raise RuleError(f"rules_dir: {own} is not a folder")
        extending = sorted(own.resolve().glob("*.toml"))
        if not extending:
            raise RuleError(f"rules_dir: {own} holds no rule file (*.toml)")
        files += extending
    return _rulebook(tuple((path, _stamp(path)) for path in files), frozenset(families))


def _stamp(path: Path) -> tuple[int, int, int]:
    """What changes with a file's content."""
    try:
        state = path.stat()
    except OSError:
        return (0, 0, 0)
    return state.st_mtime_ns, state.st_size, state.st_ino


@lru_cache(maxsize=8)
def _rulebook(files: tuple[tuple[Path, tuple[int, int, int]], ...], wanted: frozenset[str]) -> Rulebook:
    digest = hashlib.sha256()
    families: dict[str, Family] = {}
    tables: dict[str, list[dict[str, Any]]] = {}
    seen: dict[str, Path] = {}
    for path, _ in files:
        text = _read(path)
        name, meta, entries = _content(text, path)
        if name not in wanted:
            continue
        digest.update(path.name.encode() + b"\0" + text.encode() + b"\0")
        shipped = path.parent == rules_folder()
        rules = tuple(_rule(entry, name, path, None if shipped else tables[name]) for entry in entries)
        if shipped:
            tables.setdefault(name, []).extend(entries)
        for rule in rules:
            if rule.id in seen:
                raise RuleError(f"{path}: rule {rule.id}: the id is taken by {seen[rule.id]}; an id is never reused")
            seen[rule.id] = path
        known = families.get(name)
        families[name] = Family(name, known.meta, known.rules + rules) if known else Family(name, meta, rules)
    missing = sorted(wanted - families.keys())
    if missing:
        raise RuleError(f"{rules_folder()}: no rule file for {', '.join(missing)}; reinstall raguard-verify")
    return Rulebook(families, digest.hexdigest())


def _read(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{path}: cannot be read: {reason_of(error)}") from error


def _content(text: str, path: Path) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    """The family's name, what its file says of itself, and its rules as tables."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{path}: is not valid TOML: {error}") from error
    except RecursionError as error:
        raise RuleError(f"{path}: is nested too deeply") from error
    _refuse_unknown(content, {"meta", "rule"}, str(path))
    meta = content.get("meta")
    name = meta.get("id") if isinstance(meta, dict) else None
    if not isinstance(meta, dict) or not isinstance(name, str) or name not in FAMILIES:
        raise RuleError(f"{path}: [meta] id must be one of {', '.join(sorted(FAMILIES))}")
    _refuse_unknown(meta, _META_KEYS, f"{path}: [meta]")
    for key, kind in _PROVENANCE.items():
        if key not in meta:
            raise RuleError(f"{path}: [meta] {key} is missing; say where the rules come from and when they were read")
        if not isinstance(meta[key], kind) or not str(meta[key]).strip():
            due = "a date such as 2026-11-29" if kind is date else "a string that is not blank"
            raise RuleError(f"{path}: [meta] {key} must be {due}, not {meta[key]!r}")
    rules = content.get("rule")
    if not rules or not isinstance(rules, list) or not all(isinstance(entry, dict) for entry in rules):
        raise RuleError(f"{path}: rules must be written as [[rule]] tables")
    return name, meta, rules


def _rule(entry: dict[str, Any], family: str, path: Path, shipped: Sequence[dict[str, Any]] | None) -> Rule:
    """The rule of a table; one of a user's own is compared with the ``shipped`` ones, which the tests have proved."""
    name = entry.get("id")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise RuleError(f"{path}: rule {name!r}: key id must be dotted lower-case words, such as {family}.example")
    where = f"{path}: rule {name}"
    kinds = FAMILIES[family]
    _refuse_unknown(entry, _COMMON.keys() | kinds.keys(), where)
    for key in ("accepts", "rejects"):
        if not entry.get(key):
            raise RuleError(f"{where}: key {key} needs at least one example")
    for key, kind in (*_COMMON.items(), *kinds.items()):
        if key in entry and not kind.holds(entry[key]):
            raise RuleError(f"{where}: key {key} must be {kind.due}, not {entry[key]!r:.80}")
    fault = None
    if shipped is not None:
        fault = unlike(entry, shipped, kinds)
        if fault is None and "pattern" in entry and (of_pattern := own_pattern_fault(entry["pattern"], family)):
            fault = f"key pattern {of_pattern}"
    if fault:
        raise RuleError(f"{where}: {fault}")
    case_sensitive = entry.get("case_sensitive", False)
    words = entry.get("words", "")
    return Rule(
        id=name,
        forms=tuple(entry.get("forms", ())) or tuple(chain.from_iterable(_table(entry).values())),
        pattern=entry.get("pattern"),
        words=frozenset((words if case_sensitive else words.lower()).split()),
        accepts=tuple(entry["accepts"]),
        rejects=tuple(entry["rejects"]),
        case_sensitive=case_sensitive,
        data={key: value for key, value in entry.items() if key in kinds},
        file=path,
    )


def _table(entry: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """What a rule lists under a word of each form: translations under the English, forms under their stem."""
    table: Mapping[str, Sequence[str]] = entry.get("english") or entry.get("forms_of") or {}
    return table


def own_pattern_fault(pattern: str, family: str) -> str | None:
    """What is wrong with a pattern that a user adds to a family, to stand behind its name; None when it can be used."""
    # a phrase is matched with its spaces loosened
    fault = pattern_fault(loosened(pattern) if family in _LOOSENED else pattern)
    if fault:
        return fault
    compiled = re.compile(pattern)
    names, allowed = compiled.groupindex.keys(), _GROUPS.get(family, frozenset())
    if compiled.groups > len(names) or not names <= allowed:
        known = f" but {', '.join(sorted(allowed))}" if allowed else ""
        return f"must have no capturing group{known}; write (?:...)"
    if family == "citations" and not names & _CITED:
        return f"needs a group {', '.join(sorted(_CITED))}"
    return None


def _refuse_unknown(table: Mapping[str, Any], allowed: Iterable[str], where: str) -> None:
    unknown = sorted(set(table) - set(allowed))
    if unknown:
        raise RuleError(f"{where}: unknown key {unknown[0]}; known are {', '.join(sorted(allowed))}")
