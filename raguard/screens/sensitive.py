"""Could an answer to this text, taken from documents, do harm to the writer or to others?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from raguard.screens.allowing import AllowList
from raguard.screens.disguises import plainly
from raguard.screens.findings import Finding
from raguard.screens.knowing import Languages, admitted, rules_for, settled, severity_of
from raguard.text.phrases import Phrases, Places
from raguard.text.view import View

__all__ = ["SensitiveDomainGuard"]


class SensitiveDomainGuard:
    """Finds signals of crisis and self-harm, judgments about whole groups, and questions for doses and diagnoses.

    Findings have the categories ``crisis``, ``self_harm``, ``generalization``, ``medication`` and ``diagnosis``. Only
    signs that the writer is in acute danger block; the guidance says where to send them. Needs no extra.

    What it cannot do: it knows plain English wordings, and for crises some in German, French and Spanish. Most people
    in danger do not say so in such words: when this screen finds nothing, that says nothing about anybody's safety. It
    knows some 60 medicines and 60 conditions by name, and judgments about groups only with a trait that it knows.

    ``allow`` are texts that pass; ``rules_dir`` is a folder with your own rules. Raises ConfigError for bad ones.

    >>> guard = SensitiveDomainGuard()
    >>> [(found.category, found.severity.value) for found in guard.scan("How many mg of ibuprofen should I take?")]
    [('medication', 'warn')]
    >>> guard.scan("Where can I read the suicide prevention statistics?")
    ()
    """

    name = "sensitive_domain"

    def __init__(self, *, allow: Iterable[str] = (), rules_dir: str | Path | None = None) -> None:
        family = rules_for(rules_dir)
        self._allow = AllowList(allow)
        self._wordings = Phrases(family.role("sensitive"), whole_words=True)
        self._languages = Languages(family, "sensitive")

    def scan(self, text: str, /) -> tuple[Finding, ...]:
        """What is sensitive in ``text``, from left to right; TypeError when it is not a string."""
        return settled(text, self._found(text, plainly(admitted(text))))

    def unread(self, text: str) -> str | None:
        """Why a text is beyond the rules, in words; None when it is not."""
        return self._languages.unread(text)

    def _found(self, text: str, view: View) -> Iterator[Finding]:
        for match in self._wordings.find(Places(view.text)):
            start, end = view.span(match.start, match.end)
            if not self._allow.lets(text[start:end]):
                data = match.rule.data
                yield Finding(
                    match.rule.id,
                    data["category"],
                    start,
                    end,
                    text[start:end],
                    severity_of(data),
                    data["guidance"],
                    self.name,
                )
