"""What do the pages of a PDF say? Their text as pypdf finds it; a scanned page has none."""

from __future__ import annotations

import logging
from io import BytesIO
from typing import Any

from raguard import ConfigError

__all__ = ["read_pages"]


def read_pages(content: bytes, where: str) -> list[str]:
    """The text of each page in order, empty for a page without any; needs ``pypdf``.

    Raises ConfigError that names the file as ``where``: for what pypdf cannot read, for one that needs a password, for
    one of which no page holds text (a scan: recognize its text first), and where pypdf is missing, or cryptography for
    one that is encrypted. What pypdf logs quotes the file, so its logger is silenced unless somebody has given it a
    level.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError
    except ImportError as error:
        raise ConfigError(f"{where}: reading a PDF needs pypdf: pip install 'raguard-verify[pdf]'") from error
    log = logging.getLogger("pypdf")
    if log.level == logging.NOTSET:
        log.setLevel(logging.CRITICAL)
    try:
        reader: Any = PdfReader(BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ConfigError(f"{where}: is encrypted; save it without a password")
        pages = [page.extract_text() for page in reader.pages]
    except ConfigError:
        raise
    except DependencyError as error:
        advice = "reading it needs cryptography: pip install cryptography"
        raise ConfigError(f"{where}: is encrypted; {advice}") from error
    # a broken file ends in whatever its parts are taken for
    except Exception as error:
        raise ConfigError(f"{where}: is no PDF that can be read ({type(error).__name__})") from error
    if not any(map(str.strip, pages)):
        raise ConfigError(f"{where}: holds no text; recognize the text of a scan first")
    return pages
