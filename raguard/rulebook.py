"""Where does the curated knowledge come from? The only module that opens rule files.

A file in ``rules/`` is one family of rules. All knowledge is data: the readers and checks ask the rulebook for a family
and build their grammar from it. See ``docs/rules.md`` for the format.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from raguard.errors import RuleError
from raguard.patterns import unbounded

__all__ = ["FAMILIES", "Family", "Rule", "Rulebook", "load_rulebook", "rules_folder"]

_COMMON_KEYS = frozenset({"id", "forms", "pattern", "words", "accepts", "rejects", "why", "source", "case_sensitive"})
_META_KEYS = frozenset({"id", "source", "licence", "reviewed", "about"})
_ID = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+")

FAMILIES: Mapping[str, frozenset[str]] = {
    "aliases": frozenset({"sense"}),
    "citations": frozenset({"role"}),
    "currencies": frozenset({"code", "symbols", "minor"}),
    "dates": frozenset({"role", "number"}),
    "identifiers": frozenset({"compare", "role"}),
    "languages": frozenset({"code", "scripts"}),
    "layout": frozenset({"needs"}),
    "names": frozenset({"role"}),
    "negation": frozenset({"opposites", "role"}),
    "numbers": frozenset({"role", "value", "direction", "needs"}),
    "places": frozenset({"role", "within"}),
    "quotes": frozenset({"role"}),
    "records": frozenset({"role"}),
    "refusals": frozenset({"needs", "role"}),
    "units": frozenset({"dimension", "factor", "offset"}),
    "vague": frozenset({"needs", "seen"}),
    "warnings": frozenset({"type", "severity", "query", "docs"}),
    "words": frozenset({"role"}),
}
"""The families and the keys that each allows besides the common ones."""


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
        """The patterns of the rules of one role as one, in any case."""
        return re.compile("|".join(rule.pattern or "" for rule in self.role(role)), re.IGNORECASE)

    def words(self, role: str) -> frozenset[str]:
        """The words of the rules of one role."""
        return frozenset().union(*(rule.words for rule in self.role(role)))


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


def load_rulebook(own: Path | None = None) -> Rulebook:
    """The shipped rules, extended by the files of the folder ``own``; raises RuleError naming file, rule and key.

    The same files are read once; a file that has changed is read again.
    """
    files = sorted(rules_folder().glob("*.toml"))
    if own is not None:
        if not own.is_dir():
            raise RuleError(f"rules_dir: {own} is not a folder")
        extending = sorted(own.resolve().glob("*.toml"))
        if not extending:
            raise RuleError(f"rules_dir: {own} holds no rule file (*.toml)")
        files += extending
    return _rulebook(tuple((path, _stamp(path)) for path in files))


def _stamp(path: Path) -> tuple[int, int, int]:
    """What changes with a file's content."""
    try:
        state = path.stat()
    except OSError:
        return (0, 0, 0)
    return state.st_mtime_ns, state.st_size, state.st_ino


@lru_cache(maxsize=8)
def _rulebook(files: tuple[tuple[Path, tuple[int, int, int]], ...]) -> Rulebook:
    digest = hashlib.sha256()
    families: dict[str, Family] = {}
    seen: dict[str, Path] = {}
    for path, _ in files:
        digest.update(path.name.encode() + b"\0" + _read(path).encode() + b"\0")
        family = _family(path)
        for rule in family.rules:
            if rule.id in seen:
                raise RuleError(f"{path}: rule {rule.id}: the id is taken by {seen[rule.id]}; an id is never reused")
            seen[rule.id] = path
        known = families.get(family.name)
        families[family.name] = Family(family.name, known.meta, known.rules + family.rules) if known else family
    missing = sorted(FAMILIES.keys() - families.keys())
    if missing:
        raise RuleError(f"{rules_folder()}: no rule file for {', '.join(missing)}; reinstall raguard-verify")
    return Rulebook(families, digest.hexdigest())


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _family(path: Path) -> Family:
    try:
        content = tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{path}: is not valid TOML: {error}") from error
    _refuse_unknown(content, {"meta", "rule"}, str(path))
    meta = content.get("meta")
    if not isinstance(meta, dict) or meta.get("id") not in FAMILIES:
        raise RuleError(f"{path}: [meta] id must be one of {', '.join(sorted(FAMILIES))}")
    _refuse_unknown(meta, _META_KEYS, f"{path}: [meta]")
    for key in ("source", "licence", "reviewed"):
        if not meta.get(key):
            raise RuleError(f"{path}: [meta] {key} is missing; say where the rules come from and when they were read")
    rules = content.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(entry, dict) for entry in rules):
        raise RuleError(f"{path}: rules must be written as [[rule]] tables")
    return Family(meta["id"], meta, tuple(_rule(entry, meta["id"], path) for entry in rules))


def _rule(entry: dict[str, Any], family: str, path: Path) -> Rule:
    name = entry.get("id")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise RuleError(f"{path}: rule {name!r}: key id must be dotted lower-case words, such as {family}.example")
    where = f"{path}: rule {name}"
    _refuse_unknown(entry, _COMMON_KEYS | FAMILIES[family], where)
    texts = {key: _texts(entry.get(key, []), f"{where}: key {key}") for key in ("forms", "accepts", "rejects")}
    for key in ("accepts", "rejects"):
        if not texts[key]:
            raise RuleError(f"{where}: key {key} needs at least one example")
    pattern = entry.get("pattern")
    if pattern is not None:
        _refuse_pattern(pattern, where)
    words = entry.get("words", "")
    if not isinstance(words, str):
        raise RuleError(f"{where}: key words must be one string of words separated by white space")
    data = {key: value for key, value in entry.items() if key in FAMILIES[family]}
    return Rule(
        id=name,
        forms=texts["forms"],
        pattern=pattern,
        words=frozenset(words.split()),
        accepts=texts["accepts"],
        rejects=texts["rejects"],
        case_sensitive=bool(entry.get("case_sensitive", False)),
        data=data,
        file=path,
    )


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise RuleError(f"{where} must be a list of non-empty strings")
    return tuple(value)


def _refuse_unknown(table: Mapping[str, Any], allowed: Iterable[str], where: str) -> None:
    unknown = sorted(set(table) - set(allowed))
    if unknown:
        raise RuleError(f"{where}: unknown key {unknown[0]}; known are {', '.join(sorted(allowed))}")


def _refuse_pattern(pattern: object, where: str) -> None:
    if not isinstance(pattern, str):
        raise RuleError(f"{where}: key pattern must be a string")
    try:
        re.compile(pattern)
    except re.error as error:
        raise RuleError(f"{where}: key pattern is no regular expression: {error}") from error
    fault = unbounded(pattern)
    if fault:
        raise RuleError(f"{where}: key pattern {fault}; bound every repeat, such as \\w{{1,40}}")
