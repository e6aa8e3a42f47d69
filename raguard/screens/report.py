"""What is known of a text after all screens have looked at it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from raguard.screens.findings import Finding, ScreenSeverity, worst

__all__ = ["ScreenReport"]


@dataclass(frozen=True, slots=True)
class ScreenReport:
    """What the screens say of one text; ``unchecked`` says what was not screened, and why.

    An unchecked text has not passed: ``passed`` is False, and ``blocked`` is True if the suite blocks what it cannot
    check.

    >>> ScreenReport().passed, ScreenReport(unchecked=("The text is empty.",)).passed
    (True, False)
    """

    findings: tuple[Finding, ...] = ()
    """In the order of the text."""
    unchecked: tuple[str, ...] = ()
    """What could not be screened and why, a sentence each, without any of the text."""
    unchecked_blocks: bool = False
    """Whether what is unchecked blocks; a suite in sensitive mode says so."""

    @property
    def severity(self) -> ScreenSeverity:
        """The worst of the findings; BLOCK also where something is unchecked and that blocks."""
        if self.unchecked and self.unchecked_blocks:
            return ScreenSeverity.BLOCK
        return worst(finding.severity for finding in self.findings)

    @property
    def blocked(self) -> bool:
        """Whether the text should not be processed."""
        return self.severity is ScreenSeverity.BLOCK

    @property
    def passed(self) -> bool:
        """Whether every screen has looked at the text and found nothing but harmless things."""
        return not self.unchecked and self.severity is ScreenSeverity.PASS

    def to_dict(self, *, text: bool = True) -> dict[str, Any]:
        """Plain dicts, lists, strings and numbers; with ``text=False`` without any of the screened text, for logs."""
        return {
            "severity": self.severity.value,
            "blocked": self.blocked,
            "passed": self.passed,
            "findings": [finding.to_dict(text=text) for finding in self.findings],
            "unchecked": list(self.unchecked),
        }
