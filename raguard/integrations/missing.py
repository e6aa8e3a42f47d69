"""What is said when the library of an integration is not installed? One sentence with the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from raguard import ConfigError

__all__ = ["needs"]


@contextmanager
def needs(extra: str, *libraries: str) -> Iterator[None]:
    """Makes of a failed import of one of the libraries, the extra's name if none is given, a ConfigError.

    >>> with needs("haystack", "no_such_haystack"):
    ...     import no_such_haystack
    Traceback (most recent call last):
    ...
    raguard.errors.ConfigError: raguard.integrations.haystack needs haystack: pip install 'raguard-verify[haystack]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in (libraries or (extra,)):
            raise
        raise ConfigError(
            f"raguard.integrations.{extra} needs {extra}: pip install 'raguard-verify[{extra}]'"
        ) from error
