"""What does a screen say of a text? Findings: frozen, plain data, each with its rule, its place and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from raguard import ConfigError

__all__ = ["Finding", "Screen", "ScreenSeverity", "worst"]


class ScreenSeverity(StrEnum):
    """How serious a finding is.

    >>> ScreenSeverity("warn") is ScreenSeverity.WARN, ScreenSeverity.BLOCK == "block"
    (True, True)
    """

    PASS = "pass"
    """Seen, and harmless: an address that is reserved for documentation, a test card."""
    WARN = "warn"
    """Somebody should look, or an answer needs care; in sensitive mode it is a block."""
    BLOCK = "block"
    """The text should not be processed."""


_ORDER = tuple(ScreenSeverity)


def worst(severities: Iterable[ScreenSeverity]) -> ScreenSeverity:
    """The worst of some severities; of none, a pass.

    >>> worst([ScreenSeverity.WARN, ScreenSeverity.BLOCK]).value, worst([]).value
    ('block', 'pass')
    """
    return max(severities, key=_ORDER.index, default=ScreenSeverity.PASS)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule found: ``text`` is the screened text's ``[start:end]`` (characters), ``guidance`` says what to do.

    ``screen`` names the screen that found it; a suite fills it in. ``doc`` is the position of the document, from 0,
    when documents are screened. A severity may be given by its value, such as "block"; any other raises ConfigError.

    >>> Finding("screens.email", "email", 9, 21, "ann@acme.com", ScreenSeverity.WARN, "Mask it.").to_dict(text=False)
    {'rule': 'screens.email', 'category': 'email', 'start': 9, 'end': 21, 'severity': 'warn', 'guidance': 'Mask it.', \
'screen': '', 'doc': None}
    """

    rule: str
    category: str
    start: int
    end: int
    text: str
    severity: ScreenSeverity
    guidance: str
    screen: str = ""
    doc: int | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "severity", ScreenSeverity(self.severity))
        except ValueError:
            raise ConfigError(f"severity must be one of {', '.join(_ORDER)}, not {self.severity!r:.40}") from None

    def to_dict(self, *, text: bool = True) -> dict[str, Any]:
        """Plain strings, numbers and None; with ``text=False`` without the words that were found, for logs."""
        found = {"text": self.text} if text else {}
        return {
            "rule": self.rule,
            "category": self.category,
            "start": self.start,
            "end": self.end,
            **found,
            "severity": self.severity.value,
            "guidance": self.guidance,
            "screen": self.screen,
            "doc": self.doc,
        }


class Screen(Protocol):
    """Anything that looks at a text before it is processed; it is called from several threads at once.

    A screen may also have ``unread(text)``, which says in words why it cannot read a text, or returns None; a text that
    it cannot read counts as unchecked.

    >>> class Shouting:
    ...     name = "shouting"
    ...     def scan(self, text):
    ...         if not text.isupper():
    ...             return ()
    ...         return (Finding("house.shouting", "tone", 0, len(text), text, ScreenSeverity.WARN, "Answer calmly."),)
    >>> from raguard.screens import GuardrailSuite
    >>> GuardrailSuite(screens=[Shouting()]).check("HELP!").severity.value
    'warn'
    """

    @property
    def name(self) -> str:
        """What the screen is called in findings and reports."""
        ...

    def scan(self, text: str, /) -> tuple[Finding, ...]:
        """What it finds, in the order of the text; a suite counts a text as unchecked when a screen raises."""
        ...
