"""What do the rules of the screens know? Their patterns by role, and the languages that they are written for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from raguard.errors import ConfigError
from raguard.language import UNDETERMINED, LanguageGuesser
from raguard.rulebook import Family, Rule, load_rulebook
from raguard.screens.findings import Finding, ScreenSeverity, worst
from raguard.text.folding import fold

__all__ = ["Languages", "admitted", "ends_before", "rules_for", "settled", "severity_of"]

_FAMILY = "screens"
_LOOKED_AT = 3_000
"""How many characters at the beginning of a text are used to tell its language."""


def rules_for(rules_dir: str | Path | None) -> Family:
    """The rules of the screens, with those of a folder of one's own; raises ConfigError or RuleError for a bad one."""
    if rules_dir is not None and not isinstance(rules_dir, (str, Path)):
        raise ConfigError(f"rules_dir must be the path of a folder, not {type(rules_dir).__name__}")
    return load_rulebook(None if rules_dir is None else Path(rules_dir), frozenset({_FAMILY}))[_FAMILY]


def admitted(text: object) -> str:
    """``text`` when it is a string; raises TypeError, which names no content, for anything else."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}")
    return text


def ends_before(rules: Iterable[Rule]) -> re.Pattern[str]:
    """A pattern that says whether what one of the rules matches stands at the very end of a text.

    >>> pattern = ends_before([Rule("a.b", pattern="please"), Rule("a.c", pattern="now")])
    >>> bool(pattern.search("and please ")), bool(pattern.search("please do"))
    (True, False)
    """
    joined = "|".join(rule.pattern for rule in rules if rule.pattern is not None)
    return re.compile(rf"(?:{joined})[\s,:]{{0,4}}\Z", re.IGNORECASE)


def settled(text: str, found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in the order of ``text``; of those of one category that overlap only the worst, then the longest.

    The one that stays reaches over all that it stands for, so that taking it out takes them out.
    """
    runs: list[tuple[Finding, int, int]] = []
    last: dict[str, int] = {}
    for finding in sorted(found, key=lambda each: (each.start, -each.end, each.rule)):
        place = last.get(finding.category)
        if place is None or finding.start >= runs[place][2]:
            last[finding.category] = len(runs)
            runs.append((finding, finding.start, finding.end))
        else:
            before, start, end = runs[place]
            runs[place] = (_weightier(before, finding), start, max(end, finding.end))
    joined = [replace(best, start=start, end=end, text=text[start:end]) for best, start, end in runs]
    return tuple(sorted(joined, key=lambda each: (each.start, each.end, each.category, each.rule)))


def _weightier(first: Finding, second: Finding) -> Finding:
    """The worse of two findings, of two alike the longer one."""
    if first.severity is not second.severity:
        return first if worst((first.severity, second.severity)) is first.severity else second
    return first if first.end - first.start >= second.end - second.start else second


class Languages:
    """Tells whether a text is in a language that a screen has rules for."""

    def __init__(self, family: Family, category: str) -> None:
        known = (rule.words for rule in family.role("known") if rule.data["category"] == category)
        self._known = frozenset().union(*known)

    def unread(self, text: str) -> str | None:
        """Why a text is beyond the rules: the language that its beginning clearly shows; None where they hold.

        >>> from raguard.screens import SensitiveDomainGuard
        >>> SensitiveDomainGuard().unread("これは日本語の文章です。")
        'there are no rules for its language (ja)'
        """
        code = _guesser().shown(fold(text[:_LOOKED_AT]).text)
        if code is None or code in self._known:
            return None
        what = "script" if code == UNDETERMINED else f"language ({code})"
        return f"there are no rules for its {what}"


@lru_cache(maxsize=1)
def _guesser() -> LanguageGuesser:
    return LanguageGuesser(load_rulebook(families=frozenset({"languages"})))


def severity_of(data: Mapping[str, object]) -> ScreenSeverity:
    """The severity that a rule gives."""
    return ScreenSeverity(str(data["severity"]))
