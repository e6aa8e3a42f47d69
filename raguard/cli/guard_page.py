"""How does a page reach its file? Whole or not at all, and where it cannot, that is said before any work is done."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from raguard.cli.inputs import InputError

__all__ = ["refuse_place", "refuse_shared", "write_page"]


def refuse_place(path: Path, option: str = "--html") -> None:
    """Raises InputError where no page can be written: a folder, or a name in a folder that does not exist."""
    if path.is_dir():
        raise InputError(f"{option}: {path} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(f"{option}: the folder {path.parent} does not exist")


def refuse_shared(place: Path, option: str, others: Mapping[str, str | Path | None]) -> None:
    """Raises InputError where what would be written is a file that is read or written too; ``others`` names them."""
    for name, other in others.items():
        if other is not None and str(other) and _is_one_file(place, Path(other)):
            raise InputError(f"{option}: {place} is {name}, too; give another name")


def _is_one_file(one: Path, other: Path) -> bool:
    """Whether both names lead to the same file; a device may be written to twice."""
    try:
        if one.exists() or other.exists():
            return one.is_file() and other.is_file() and one.samefile(other)
        return one.resolve() == other.resolve()
    # a text may be too long for a name
    except (OSError, ValueError):
        return False


def write_page(path: Path, page: str, option: str = "--html") -> str | None:
    """Writes a page, encoded as UTF-8; what was there before stays until it is whole. Returns why it cannot be written,
    after the name of the option that asks for it.

    A device or a pipe is written to as it is, and a link keeps leading where it does.
    """
    content = page.encode("utf-8", "backslashreplace")
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        return f"{option}: {path}: cannot be written: {error.strerror}"
    return None


def _replace(target: Path, content: bytes) -> None:
    """Writes beside the file first, so that nobody ever finds half a page."""
    beside = target.with_name(f".{target.name[:100]}.{token_hex(8)}")
    try:
        with beside.open("xb") as stream:
            stream.write(content)
        os.replace(beside, target)
    finally:
        with suppress(OSError):
            beside.unlink()
