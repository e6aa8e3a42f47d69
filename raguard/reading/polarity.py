"""Does a sentence assert or deny what it mentions?"""

from __future__ import annotations

from typing import Literal

from raguard.rulebook import Rulebook

__all__ = ["Polarity", "PolarityReader"]

Polarity = Literal["asserted", "denied", "open"]
_REACH = 500
"""How many characters of a sentence may lie between a mention and what bends it."""


class PolarityReader:
    """Reads polarity by the family ``negation``: denials have a scope, reports and suppositions say nothing."""

    def __init__(self, rulebook: Rulebook) -> None:
        role = rulebook["negation"].pattern
        self._negation = role("negation")
        self._affirmation = role("affirmation")
        self._scope_end = role("scope_end")
        self._governor = role("governor")
        self._denied_next = role("denied_next")
        self._denied_later = role("denied_later")
        self._stated = role("stated")
        self._affirmed_next = role("affirmed_next")
        self._report = role("report")
        self._supposition = role("supposition")

    def reads(self, sentence: str, start: int, end: int) -> Polarity:
        """What ``sentence`` says of its part ``start`` to ``end``; "open" when it only reports or supposes."""
        before, after = sentence[max(0, start - _REACH) : start], sentence[end : end + _REACH]
        stated = self._stated.search(after)
        if stated is not None:
            return "asserted" if stated["yes"] else "denied" if stated["no"] else "open"
        scope = max((match.end() for match in self._scope_end.finditer(before)), default=0)
        clause = before[scope:]
        if self._report.search(clause) or self._supposition.search(before):
            return "open"
        governed = self._governor.search(clause) is not None
        if self._denied_next.search(after) or (not governed and self._denied_later.search(after)):
            return "denied"
        negation = None if self._affirmation.search(before) else self._negation.search(clause)
        if negation is None:
            return "asserted"
        # "it has no lot, street parking is available": the verb behind starts a clause of its own
        own_clause = "," in clause[negation.end() :] and self._affirmed_next.search(after)
        return "asserted" if own_clause else "denied"
