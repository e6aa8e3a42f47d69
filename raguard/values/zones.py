"""How far ahead of UTC are the clocks of a place? By the time-zone database of the system (IANA)."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

__all__ = ["offsets"]

_MONTHS = (1, 7)
"""Winter and summer: a text that names no date may mean either."""
_YEAR = 2025


@lru_cache(maxsize=256)
def offsets(name: str) -> tuple[int, ...]:
    """The minutes that the zone of an IANA name may be ahead of UTC; none for a name that the system does not know.

    >>> offsets("Europe/Atlantis")
    ()
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # few texts name a zone of this kind

    try:
        zone = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ()
    ahead = (zone.utcoffset(datetime(_YEAR, month, 1)) for month in _MONTHS)
    return tuple(dict.fromkeys(int(each.total_seconds()) // 60 for each in ahead if each is not None))
