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
        opening, scope = self._scope(sentence[max(0, start - _REACH) : end], len(before))
        clause = before[scope:]
        if self._report.search(clause) or self._supposition.search(before):
            return "open"
        governed = self._governor.search(before[opening:] + sentence[start:end]) is not None
        if self._denied_next.search(after) or (not governed and self._denied_later.search(after)):
            return "denied"
        negation = None if self._affirmation.search(before) else self._negation.search(clause)
        if negation is None:
            return "asserted"
        # "it has no lot, street parking is available": the verb behind starts a clause of its own
        own_clause = "," in clause[negation.end() :] and self._affirmed_next.search(after)
        return "asserted" if own_clause else "denied"

    def only_told(self, sentence: str, position: int) -> bool:
        """Whether ``sentence`` only reports or supposes, before ``position``, what it goes on to say."""
        before = sentence[max(0, position - _REACH) : position]
        return any(pattern.search(before) for pattern in (self._report, self._supposition))

    def _scope(self, text: str, mention: int) -> tuple[int, int]:
        """Where what opens the clause of ``text[mention:]`` begins and ends; a verb may be part of both."""
        ends = [match.span() for match in self._scope_end.finditer(text) if match.start() < mention]
        start, end = ends[-1] if ends else (0, 0)
        return start, min(end, mention)
