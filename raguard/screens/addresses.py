"""Is this an e-mail address or an IP address, and whose? What is reserved, private or a firm's mailbox is harmless."""

from __future__ import annotations

import ipaddress

from raguard.rulebook import Family
from raguard.screens.findings import ScreenSeverity
from raguard.screens.surroundings import Surroundings

__all__ = ["Addresses"]

_SMALL = 32
"""Parts of versions and sections are mostly below."""


class Addresses:
    """Proves addresses in folded text; each method gives a severity, or None for what is not an address."""

    def __init__(self, family: Family, around: Surroundings) -> None:
        self._around = around
        self._file_endings = family.words("file_ending")
        self._mailboxes = family.words("mailbox")
        self._reserved = family.words("reserved_domain")
        self._near = family.words("near_ip")

    def email(self, text: str, start: int, end: int, severity: ScreenSeverity) -> ScreenSeverity | None:
        """Of ``local@domain``: harmless under a reserved domain and for a mailbox that is not a person's."""
        local, _, domain = text[start:end].lower().rpartition("@")
        labels = domain.split(".")
        if labels[-1] in self._file_endings or ".." in local or len(local) > 64 or len(domain) > 253:
            return None
        reserved = any(".".join(labels[first:]) in self._reserved for first in range(len(labels)))
        return ScreenSeverity.PASS if reserved or local.partition("+")[0] in self._mailboxes else severity

    def ip(self, text: str, start: int, end: int, severity: ScreenSeverity) -> ScreenSeverity | None:
        """Of a dotted or colon-separated address: harmless unless it is a global one."""
        try:
            address = ipaddress.ip_address(text[start:end])
        except ValueError:
            return None
        if address.version == 4:
            if self._around.say_version(text, start):
                return None
            small = max(address.packed) < _SMALL
            if small and not self._around.hold(text, start, end, self._near):
                return None
        elif ":" not in text[start:end].strip(":") and address.is_global:
            # one group alone, such as ::5, is rather a slice or a time
            return None
        return severity if address.is_global else ScreenSeverity.PASS
