"""Does a sentence say that a place opens, or closes, at the time that it goes on to name?"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from raguard.rulebook import Rulebook
from raguard.text.words import plain_words

__all__ = ["HourEnd", "HourEndReader"]

_DAYS = ("weekday", "weekday_short")
HourEnd = Literal["opens", "closes"]
_REACH = 120
"""How many characters may lie between the verb and the time."""


class HourEndReader:
    """Reads by the family ``records`` which end of its hours a sentence gives a place as a whole.

    A kitchen or a happy hour has hours of its own.
    """

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["records"]
        self._opens = family.pattern("opens_at")
        self._closes = family.pattern("closes_at")
        self._verb = family.pattern("hours_verb")
        self._helping = family.pattern("hours_helping")
        self._function = rulebook["words"].words("function")
        self._subjects = family.words("hours_subject")
        days = [form.lower() for role in _DAYS for form in rulebook["dates"].forms(role)]
        self._elided = family.words("hours_elided").union(days)

    def reads(self, sentence: str, time: int, names: Collection[str]) -> HourEnd | None:
        """Which end of its hours a place has at what begins at ``time``; None when that is not an end of its hours.

        The place is called by one of the lower-case words ``names``, or by a word such as *it* or *shop*.
        """
        first = max(0, time - _REACH)
        for end, pattern in (("opens", self._opens), ("closes", self._closes)):
            match = pattern.search(sentence, first, time)
            if match is not None and self._of_place(sentence[: match.start()], names):
                return "opens" if end == "opens" else "closes"
        return None

    def _of_place(self, before: str, names: Collection[str]) -> bool:
        """Whether a verb behind ``before`` has the place for its subject."""
        while True:
            before = self._helping.sub("", before).rstrip()
            if self._names_place(before, names):
                return True
            if all(word.isdigit() or word in self._elided for word in plain_words(before).split()):
                return True
            # "opens at nine and closes": the verb before has the same subject
            verbs = list(self._verb.finditer(before)) if before.endswith((",", "and")) else []
            if not verbs:
                return False
            before = before[: verbs[-1].start()]

    def _names_place(self, before: str, names: Collection[str]) -> bool:
        """Whether ``before`` ends in a word for the place; one with another noun before it is another place."""
        words = [word.strip("\"'*(").lower() for word in before.split()[-2:]]
        if not words or (words[-1] not in self._subjects and words[-1] not in names):
            return False
        alone = words[-1] in self._function or len(words) == 1 or not words[0][-1:].isalnum()
        return alone or words[0] in self._function or words[0] in names
