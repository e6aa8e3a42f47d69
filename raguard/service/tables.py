"""What does a table of a settings file hold? One dataclass per table; what is wrong is told with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from raguard.errors import ConfigError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["Paths", "choice", "flag", "read_named", "read_table", "seconds", "text", "variable", "whole"]

Table = TypeVar("Table", bound="DataclassInstance")
_DAY_S = 86_400
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_table(cls: type[Table], given: object, where: str) -> Table:
    """What a table says, as ``cls``; raises ConfigError that names ``where`` and the key.

    What is neither a table nor the name of a variable is not repeated: somebody may have put a secret in its place.
    """
    if isinstance(given, cls):
        return given
    if not isinstance(given, Mapping):
        raise ConfigError(f"{where} must be a table, not {type(given).__name__}")
    entries = fields(cls)
    known = sorted(entry.name for entry in entries)
    for key in given:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {key}; known are {', '.join(known)}")
    for entry in entries:
        if entry.default is MISSING and entry.default_factory is MISSING and entry.name not in given:
            raise ConfigError(f"{where}.{entry.name} is missing")
    try:
        return cls(**given)
    except ConfigError as error:
        raise ConfigError(f"{where}.{error}") from None


def read_named(cls: type[Table], given: object, where: str) -> dict[str, Table]:
    """The tables below ``where`` by their names."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) and name.strip() for name in given):
        raise ConfigError(f"{where} must hold tables with names")
    return {name: read_table(cls, table, f"{where}.{name}") for name, table in given.items()}


def text(key: str, value: Any) -> str:
    """A string that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{key} must be a string that is not empty")
    return value


def flag(key: str, value: object) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise ConfigError(f"{key} must be true or false, not {type(value).__name__}")


def whole(key: str, value: object, least: int, most: int | None = None) -> None:
    """A whole number from ``least`` to ``most``."""
    if type(value) is not int or value < least or (most is not None and value > most):
        up_to = "" if most is None else f" and at most {most:,}"
        raise ConfigError(f"{key} must be a whole number of at least {least:,}{up_to}, not {value!r:.40}")


def seconds(key: str, value: object) -> None:
    """A number of seconds above 0, at most those of a day."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= _DAY_S:
        raise ConfigError(f"{key} must be a number of seconds above 0 and at most {_DAY_S:,}, not {value!r:.40}")


def variable(key: str, value: object) -> None:
    """The name of an environment variable; what is none is not repeated, for it may be the secret itself."""
    if not isinstance(value, str) or _VARIABLE.fullmatch(value) is None:
        raise ConfigError(f"{key} must be the name of an environment variable: letters, digits and _")


def choice(key: str, value: object, known: Sequence[str]) -> None:
    """One of some strings."""
    if not isinstance(value, str) or value not in known:
        raise ConfigError(f"{key} must be one of {', '.join(known)}, not {value!r:.40}")


class Paths:
    """Paths of a settings file, which are taken relative to its ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def read(key: str, value: object) -> Path | None:
        """A path or None; raises ConfigError for anything else."""
        if value is None or (isinstance(value, str | Path) and str(value).strip() and "\0" not in str(value)):
            return None if value is None else Path(value)
        raise ConfigError(f"{key} must be the path of a file or folder")

    def placed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of ``[service]`` with their paths in place.

        >>> Paths(Path("/etc")).placed({"uds": "raguard.sock", "keys": {"acme": {"file": "acme.key"}}})
        {'uds': '/etc/raguard.sock', 'keys': {'acme': {'file': '/etc/acme.key'}}}
        """
        placed = dict(values)
        self._place(placed, "uds")
        if placed.get("encoder") != "hashing":
            self._place(placed, "encoder")
        for table, key in (("upstream", "key_file"), ("store", "path")):
            if isinstance(placed.get(table), dict):
                placed[table] = dict(placed[table])
                self._place(placed[table], key)
        if isinstance(placed.get("keys"), dict):
            placed["keys"] = {
                name: dict(entry) if isinstance(entry, dict) else entry for name, entry in placed["keys"].items()
            }
            for entry in placed["keys"].values():
                if isinstance(entry, dict):
                    self._place(entry, "file")
        return placed

    def _place(self, table: dict[str, Any], key: str) -> None:
        if isinstance(table.get(key), str) and table[key].strip():
            table[key] = str(self._folder / table[key])
