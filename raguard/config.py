"""What can a user set, and what does a bad setting say? Everything is checked when the config is built."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

from raguard.errors import ConfigError
from raguard.files import read_bytes, reason_of
from raguard.modes import Modes
from raguard.result import SEVERITIES, Severity
from raguard.rulebook import Rulebook, load_rulebook, own_pattern_fault
from raguard.text.folding import fold
from raguard.values.zones import offsets

__all__ = ["Config", "read_settings"]

_LAYERS = frozenset({"guard", "service"})
"""The tables of a config file that belong to a layer, which reads its own."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
DateOrder = Literal["auto", "dmy", "mdy"]
NoDocuments = Literal["review", "skip"]
Oversize = Literal["error", "truncate"]
Profile = Literal["precise", "balanced", "strict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Settings of a Verifier: frozen, keyword-only; a bad value raises ConfigError naming the key.

    >>> Config(date_order="dmy").max_documents
    2000
    >>> Config(max_documents=0)
    Traceback (most recent call last):
        ...
    raguard.errors.ConfigError: max_documents must be a whole number of at least 1, not 0
    """

    max_response_chars: int = 200_000
    """The longest answer that is checked, in characters."""
    max_query_chars: int = 100_000
    """The longest query that is read, in characters."""
    max_document_chars: int = 5_000_000
    """The most text of all documents together that is checked, in characters."""
    max_documents: int = 2_000
    """The most documents that are checked."""
    max_id_chars: int = 1_000
    """The longest id of a document that is read, in characters."""
    oversize: Oversize = "error"
    """What becomes of documents beyond these limits: an error, or "truncate" (read in order up to the limit)."""
    cache_chunks: int = 4_000
    """How many chunk readings a Verifier keeps for the next call (0 keeps none)."""
    cache_chars: int = 10_000_000
    """How much text they may have in all, in characters; a reading takes ten to twenty times as many bytes."""
    cache_sets: int = 8
    """How many sets of documents it keeps gathered for the next question over the same ones (0 keeps none), of at most
    ``cache_chunks`` chunks and ``cache_chars`` characters in all."""
    checks: tuple[str, ...] | None = None
    """The names of the shipped checks that run; None runs them all. Checks of one's own go to the Verifier."""
    profile: Profile = "precise"
    """From which probability on an unsupported sentence is a high warning: "precise" (nearly all of them are right),
    "balanced" (the best F1) or "strict" (most of what is unsupported is found)."""
    severity: Mapping[str, Severity] = field(default_factory=dict, hash=False)
    """A severity of one's own per warning type or rule id; the rule id wins."""
    allow: tuple[str, ...] = ()
    """Terms that are never flagged, compared without case, accents and kinds of quotes and dashes."""
    vague_phrases: tuple[str, ...] = ()
    """Further phrases for the vague-reference check."""
    aliases: tuple[tuple[str, ...], ...] = ()
    """Groups of names that mean the same; a document that holds one supports every other."""
    citations: tuple[str, ...] = ()
    """Patterns of citations, with a group "numbers" (from one), "index" (from zero) or "id", and optionally "page"."""
    date_order: DateOrder = "auto"
    """How 09/10/2025 is read: "dmy", "mdy", or "auto" (both, unless the documents show one)."""
    now: date | str | None = None
    """The moment from which "yesterday" and "in 30 days" count: a date, a datetime or an ISO 8601 string."""
    timezone: str | None = None
    """The zone of ``now``'s day and of the answer's times that name none, such as "Europe/Berlin"."""
    model: str | None = None
    """The spaCy package to load; None takes the official small English one, else its mirror."""
    trusted_models: tuple[str, ...] = ()
    """SHA-256 (hex) of further ``ner/model`` files that may be loaded."""
    rules_dir: Path | None = None
    """A folder of own rule files beside the shipped ones."""
    no_documents: NoDocuments = "review"
    """What an answer without any document gets: "review", or "skip" (proceed, everything unchecked)."""
    modes: Modes = field(default_factory=Modes)
    """May a verdict change an answer where raguard stands in its way: off, shadow or enforce, per tenant and type."""

    _rules: Rulebook = field(init=False, repr=False, hash=False)

    def __post_init__(self) -> None:
        """Checks every value and freezes the containers."""
        self._check_limits()
        self._check_choices()
        self._check_texts()
        self._check_aliases()
        self._check_clock()
        self._freeze("modes", Modes.read(self.modes))
        if self.model is not None and (not isinstance(self.model, str) or not self.model.strip()):
            raise ConfigError(f"model must be the name of an installed spaCy package, not {self.model!r}")
        if self.rules_dir is not None and not isinstance(self.rules_dir, (str, Path)):
            raise ConfigError(f"rules_dir must be a folder, not {self.rules_dir!r}")
        self._freeze("rules_dir", None if self.rules_dir is None else Path(self.rules_dir))
        self._freeze("_rules", load_rulebook(self.rules_dir))
        self._check_severity()

    def _check_limits(self) -> None:
        for key, least in (
            ("max_response_chars", 1),
            ("max_query_chars", 1),
            ("max_document_chars", 1),
            ("max_documents", 1),
            ("max_id_chars", 1),
            ("cache_chunks", 0),
            ("cache_chars", 0),
            ("cache_sets", 0),
        ):
            value = getattr(self, key)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ConfigError(f"{key} must be a whole number of at least {least}, not {value!r}")

    def _check_choices(self) -> None:
        for key, choices in (
            ("date_order", get_args(DateOrder)),
            ("no_documents", get_args(NoDocuments)),
            ("oversize", get_args(Oversize)),
            ("profile", get_args(Profile)),
        ):
            if not isinstance(getattr(self, key), str) or getattr(self, key) not in choices:
                raise ConfigError(f"{key} must be one of {', '.join(choices)}, not {getattr(self, key)!r}")

    def _check_texts(self) -> None:
        for key in ("allow", "vague_phrases", "citations", "trusted_models"):
            self._freeze(key, _texts(key, getattr(self, key)))
        if self.checks is not None:
            self._freeze("checks", _texts("checks", self.checks))
            self._refuse_unknown_checks(self.checks)
        for pattern in self.citations:
            if fault := own_pattern_fault(pattern, "citations"):
                raise ConfigError(f"citations: {pattern!r} {fault}")
        for digest in self.trusted_models:
            if not _SHA256.fullmatch(digest):
                raise ConfigError(f"trusted_models must hold SHA-256 digests of 64 hexadecimal digits, not {digest!r}")
        _refuse_wordless("vague_phrases", self.vague_phrases)

    def _check_clock(self) -> None:
        self._freeze("now", _moment(self.now))
        if self.timezone is not None and not (isinstance(self.timezone, str) and offsets(self.timezone)):
            raise ConfigError(f"timezone must be a name that the system's IANA database knows, not {self.timezone!r}")

    def _check_aliases(self) -> None:
        if not isinstance(self.aliases, (list, tuple)):
            raise ConfigError(f"aliases must be a list of lists of names, not {self.aliases!r}")
        self._freeze("aliases", tuple(_texts("aliases", group) for group in self.aliases))
        for group in self.aliases:
            _refuse_wordless("aliases", group)

    @staticmethod
    def _refuse_unknown_checks(names: tuple[str, ...]) -> None:
        from raguard.checks import DEFAULT_CHECKS  # the checks import the config

        known = [check.__name__ for check in DEFAULT_CHECKS]
        for name in names:
            if name not in known:
                raise ConfigError(
                    f"checks: unknown check {name}; known are {', '.join(known)}; "
                    "a check of your own is given to Verifier(checks=...)"
                )

    def _check_severity(self) -> None:
        if not isinstance(self.severity, Mapping):
            raise ConfigError(f"severity must map warning types or rule ids to severities, not {self.severity!r}")
        verdicts, phrases = self.rulebook()["warnings"].rules, self.rulebook()["vague"].rules
        known = {str(rule.data["type"]) for rule in verdicts} | {rule.id for rule in (*verdicts, *phrases)}
        known.add("vague.own")
        for key, severity in self.severity.items():
            if key not in known:
                raise ConfigError(f"severity.{key} is no warning type or id of a rule that warns (see docs/result.md)")
            if not isinstance(severity, str) or severity not in SEVERITIES:
                raise ConfigError(f"severity.{key} must be one of {', '.join(SEVERITIES)}, not {severity!r}")
        self._freeze("severity", MappingProxyType(dict(self.severity)))
        self._refuse_unknown_types(known)

    def _refuse_unknown_types(self, known: set[str]) -> None:
        """Modes are told by the same names as severities."""
        for where, modes in (
            ("", self.modes),
            *((f"tenants.{name}.", own) for name, own in self.modes.tenants.items()),
        ):
            for key in modes.types:
                if key not in known:
                    raise ConfigError(f"modes.{where}types.{key} is no warning type or id of a rule that warns")

    def _freeze(self, key: str, value: object) -> None:
        object.__setattr__(self, key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its settings, which are checked again."""
        settings = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.init}
        return _built, ({**settings, "severity": dict(self.severity)},)

    def today(self) -> date | None:
        """The day of ``now``, in the config's zone when both are told; None when nothing counts from today."""
        if not isinstance(self.now, str):
            return None
        now = datetime.fromisoformat(self.now)
        if self.timezone and now.tzinfo:
            from zoneinfo import ZoneInfo  # where no zone is set, nobody needs it

            now = now.astimezone(ZoneInfo(self.timezone))
        return now.date()

    def rulebook(self) -> Rulebook:
        """The rules that this config judges by, shipped and own, as they were when it was built."""
        return self._rules

    @classmethod
    def from_toml(cls, path: str | Path) -> Config:
        """Reads a TOML file: the table ``[tool.raguard]`` of a ``pyproject.toml``, else the keys at the top.

        ``rules_dir`` is taken relative to the file; the tables ``guard`` and ``service`` are left to their layers.
        Raises ConfigError naming key and file.
        """
        path = Path(path)
        values = {key: value for key, value in read_settings(path).items() if key not in _LAYERS}
        known = {entry.name for entry in fields(cls) if entry.init}
        for key in values:
            if key not in known:
                raise ConfigError(f"{path}: unknown key {key}; known are {', '.join(sorted(known))}")
        if isinstance(values.get("rules_dir"), str):
            values["rules_dir"] = path.parent / values["rules_dir"]
        try:
            return cls(**values)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from error


def read_settings(path: Path) -> dict[str, Any]:
    """The settings in a TOML file: the table ``[tool.raguard]`` when it has one, else the keys at the top.

    Raises ConfigError naming the file, also for a ``pyproject.toml`` without that table.
    """
    try:
        content = tomllib.loads(read_bytes(path).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {reason_of(error)}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: is nested too deeply") from error
    tool = content.get("tool", {})
    if isinstance(tool, dict) and "raguard" in tool:
        if not isinstance(tool["raguard"], dict):
            raise ConfigError(f"{path}: tool.raguard must be a table")
        return dict(tool["raguard"])
    if path.name == "pyproject.toml":
        raise ConfigError(f"{path}: has no table [tool.raguard]")
    return content


def _built(settings: dict[str, Any]) -> Config:
    return Config(**settings)


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(
        isinstance(text, str) and fold(text).text.strip() for text in value
    ):
        raise ConfigError(f"{key} must be a list of non-empty strings, not {value!r}")
    return tuple(value)


def _moment(value: object) -> str | None:
    """A moment in ISO 8601, so that it can be compared, hashed and written down."""
    if value is None or isinstance(value, date):
        return None if value is None else value.isoformat()
    with suppress(ValueError):
        if isinstance(value, str):
            return datetime.fromisoformat(value).isoformat()
    raise ConfigError(f"now must be a date, a datetime or such a string in ISO 8601, not {value!r}")


def _refuse_wordless(key: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        if not any(map(str.isalnum, fold(text).text)):
            raise ConfigError(f"{key} must hold words; {text!r} has no letter and no digit")
