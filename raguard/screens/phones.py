"""Is this a phone number, and may it be a person's? The phonenumbers library knows the plans of all countries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

from raguard.errors import ConfigError
from raguard.rulebook import Family
from raguard.screens.findings import ScreenSeverity
from raguard.screens.surroundings import Surroundings

__all__ = ["Leniency", "Phones"]

Leniency = Literal["valid", "strict", "exact"]
_NAMES = {"valid": "VALID", "strict": "STRICT_GROUPING", "exact": "EXACT_GROUPING"}
_WRITTEN = re.compile(r"[(.]|\d-\d|^0\d{1,5}[ /]")
"""What a national number must show where no word says that it is one: a bracket, dots, hyphens or a trunk zero."""
_FICTION = re.compile(r"(?:1\d{3}55501\d\d|442079460\d{3}|441154960\d{3}|447700900\d{3}|441632960\d{3})")
_EXTENSION = 14


class Phones:
    """Finds phone numbers among candidates in folded text; ConfigError for bad settings or without the library."""

    def __init__(self, family: Family, around: Surroundings, regions: Sequence[str], leniency: str) -> None:
        try:
            import phonenumbers
        except ImportError as error:
            raise ConfigError("PIIDetector needs phonenumbers: pip install 'raguard-verify[screens]'") from error
        if isinstance(regions, str) or not isinstance(regions, Sequence):
            raise ConfigError(f"regions must be a list of codes such as US, not {type(regions).__name__}")
        for region in regions:
            if not isinstance(region, str) or region not in phonenumbers.SUPPORTED_REGIONS:
                raise ConfigError(f"regions: {region!r:.40} is no region of phonenumbers; write codes such as US or DE")
        if leniency not in get_args(Leniency):
            raise ConfigError(f"leniency must be one of {', '.join(get_args(Leniency))}, not {leniency!r:.40}")
        self._library: Any = phonenumbers
        self._around = around
        self._regions = tuple(dict.fromkeys(regions))
        self._leniency = getattr(phonenumbers.Leniency, _NAMES[leniency])
        kinds = phonenumbers.PhoneNumberType
        self._of_firms = {kinds.TOLL_FREE, kinds.PREMIUM_RATE, kinds.SHARED_COST, kinds.UAN, kinds.VOICEMAIL}
        self._near = family.words("near_phone")

    def find(self, text: str, start: int, end: int, severity: ScreenSeverity) -> tuple[int, int, ScreenSeverity] | None:
        """The span of the number in the candidate ``text[start:end]`` and how serious it is; None without one."""
        piece = text[start : end + _EXTENSION]
        if piece.startswith("+") or piece.startswith("(+"):
            return self._first(piece, start, end, None, self._leniency, severity)
        if self._around.say_other_number(text, start):
            return None
        named = self._around.hold(text, start, end, self._near)
        if not named and not _WRITTEN.search(text[start:end]):
            return None
        leniency = self._leniency if named else max(self._leniency, self._library.Leniency.STRICT_GROUPING)
        for region in self._regions:
            found = self._first(piece, start, end, region, leniency, severity)
            if found is not None:
                return found
        return None

    def _first(
        self, piece: str, start: int, end: int, region: str | None, leniency: int, severity: ScreenSeverity
    ) -> tuple[int, int, ScreenSeverity] | None:
        for match in self._library.PhoneNumberMatcher(piece, region, leniency=leniency, max_tries=4):
            if start + match.start < end:
                harmless = self._is_harmless(match.number)
                return start + match.start, start + match.end, ScreenSeverity.PASS if harmless else severity
            break
        return None

    def _is_harmless(self, number: Any) -> bool:
        """Whether the number belongs to a firm's kind of line, or is kept free for fiction."""
        digits = f"{number.country_code}{self._library.national_significant_number(number)}"
        return _FICTION.fullmatch(digits) is not None or self._library.number_type(number) in self._of_firms
