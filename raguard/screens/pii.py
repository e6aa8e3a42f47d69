"""Does a text hold personal data? Patterns find candidates; check digits, number plans and context prove them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from raguard.rulebook import Rule
from raguard.screens.addresses import Addresses
from raguard.screens.allowing import AllowList
from raguard.screens.findings import Finding, ScreenSeverity
from raguard.screens.knowing import admitted, rules_for, severity_of
from raguard.screens.numbers import Numbers, valid
from raguard.screens.phones import Leniency, Phones
from raguard.screens.surroundings import Surroundings, near_pattern
from raguard.text.folding import fold
from raguard.text.view import View

__all__ = ["PIIDetector"]

_OWN_CHECKS = frozenset({"email", "ip", "card", "phone", "pattern"})
_DIGIT = re.compile(r"\d")
_Proved = tuple[int, int, ScreenSeverity]


class _Kind(NamedTuple):
    """One rule, ready to use."""

    rule: Rule
    pattern: re.Pattern[str]
    check: str
    near: re.Pattern[str] | None
    severity: ScreenSeverity


class PIIDetector:
    """Finds e-mail and IP addresses, phone numbers, payment cards, bank accounts and national ids.

    Each finding is verified: by check digits or number plans (python-stdnum, phonenumbers), by the issuers of cards, by
    the standard library for IP addresses; where this proves little, only next to a word that names it ("BSN"). A number
    after "order number", "version" or "ISBN" is something else. Reserved and private addresses, test cards, numbers
    reserved for fiction, and the mailboxes and toll-free lines of companies are findings with the severity PASS. Needs
    the extra ``screens``.

    What it cannot do: names, postal addresses, birthdays and health data are no numbers and are not found
    (``PresidioScreen`` finds names); national ids of other countries than those of docs/screens.md are not known; a
    phone number in national form is found for ``regions`` alone; an address written as "ann at acme dot com" is not
    found.

    ``regions`` are codes of countries (ISO 3166) whose national phone numbers are looked for; international ones (+49
    …) are found in any case. ``leniency`` is that of phonenumbers: "valid", "strict" or "exact" grouping of digits.
    ``allow`` are texts and numbers that pass, such as the firm's own line; ``rules_dir`` is a folder with rules of
    one's own. Raises ConfigError for bad settings and where a library is missing.

    >>> detector = PIIDetector(allow=["+49 30 901820"])
    >>> text = "Mail ann@acme.com or call +44 20 7031 3000, not +49-30-901820; order number 4539578763621486."
    >>> [(found.category, found.text, found.severity.value) for found in detector.scan(text)]
    [('email', 'ann@acme.com', 'warn'), ('phone', '+44 20 7031 3000', 'warn')]
    """

    name = "pii"

    def __init__(
        self,
        *,
        regions: Sequence[str] = ("US", "GB"),
        leniency: Leniency = "valid",
        allow: Iterable[str] = (),
        rules_dir: str | Path | None = None,
    ) -> None:
        family = rules_for(rules_dir)
        around = Surroundings(family)
        self._allow = AllowList(allow)
        self._around = around
        self._phones = Phones(family, around, regions, leniency)
        self._addresses = Addresses(family, around)
        self._numbers = Numbers(family, around)
        kinds = [_kind(rule) for rule in family.role("pii")]
        # what is proved best goes first, and a phone number is what is left
        self._kinds = sorted(kinds, key=lambda kind: (kind.check == "phone", kind.check == "pattern"))

    def scan(self, text: str, /) -> tuple[Finding, ...]:
        """The personal data in ``text``, from left to right, none overlapping; TypeError when it is not a string."""
        view = fold(admitted(text))
        has_digits = _DIGIT.search(view.text) is not None
        taken = bytearray(len(view.text))
        found: list[Finding] = []
        for kind in self._kinds:
            if (not has_digits and kind.check != "email") or (kind.check == "email" and "@" not in view.text):
                continue
            for start, end, severity in self._proved(kind, view.text):
                if 1 not in taken[start:end]:
                    taken[start:end] = b"\x01" * (end - start)
                    found += self._finding(text, view, kind.rule, start, end, severity)
        return tuple(sorted(found, key=lambda finding: finding.start))

    def _finding(
        self, text: str, view: View, rule: Rule, start: int, end: int, severity: ScreenSeverity
    ) -> Iterator[Finding]:
        first, last = view.span(start, end)
        if not self._allow.lets(text[first:last]):
            data = rule.data
            yield Finding(
                rule.id, data["category"], first, last, text[first:last], severity, data["guidance"], self.name
            )

    def _proved(self, kind: _Kind, text: str) -> Iterator[_Proved]:
        for match in kind.pattern.finditer(text):
            start, end = match.span()
            if kind.near is not None and not self._around.name(text, start, end, kind.near):
                continue
            if kind.check == "phone":
                number = self._phones.find(text, start, end, kind.severity)
                if number is not None:
                    yield number
                continue
            severity = self._severity(kind, text, start, end)
            if severity is not None:
                yield start, end, severity

    def _severity(self, kind: _Kind, text: str, start: int, end: int) -> ScreenSeverity | None:
        if kind.check == "email":
            return self._addresses.email(text, start, end, kind.severity)
        if kind.check == "ip":
            return self._addresses.ip(text, start, end, kind.severity)
        if kind.check == "card":
            return self._numbers.card(text, start, end, kind.severity)
        if kind.check == "pattern":
            return kind.severity
        return self._numbers.proved(text, start, end, kind.severity, kind.check, named=kind.near is not None)


def _kind(rule: Rule) -> _Kind:
    check = str(rule.data["check"])
    if check not in _OWN_CHECKS:
        valid(check)
    near = rule.data.get("near")
    return _Kind(
        rule,
        re.compile(rule.pattern or "", 0 if rule.case_sensitive else re.IGNORECASE),
        check,
        near_pattern(near) if near else None,
        severity_of(rule.data),
    )
