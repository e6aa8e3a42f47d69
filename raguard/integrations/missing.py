"""What is said when the library of an integration is not installed? One sentence with the command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from raguard import ConfigError

__all__ = ["MissingLibraryError", "needs"]


class MissingLibraryError(ConfigError, ImportError):
    """The library of an integration is not installed; the message has the command. It is an ImportError too."""


@contextmanager
def needs(extra: str, *libraries: str) -> Iterator[None]:
    """Makes of a failed import of one of the libraries, the extra's name if none is given, a MissingLibraryError.

    >>> try:
    ...     with needs("haystack", "no_such_library"):
    ...         import no_such_library
    ... except MissingLibraryError as error:
    ...     print(error)
    raguard.integrations.haystack needs haystack: pip install 'raguard-verify[haystack]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in (libraries or (extra,)):
            raise
        raise MissingLibraryError(
            f"raguard.integrations.{extra} needs {extra}: pip install 'raguard-verify[{extra}]'"
        ) from error
