"""What does a sentence forbid, and does a sentence permit something?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from raguard.rulebook import Rulebook
from raguard.text.words import beginning

__all__ = ["Prohibition", "ProhibitionReader"]

_TOKEN = re.compile(r"[a-z0-9']{1,40}")
_LISTING = (",", "or")


class Prohibition(NamedTuple):
    """How the content words of what is forbidden begin: without its cases (``core``), and with them (``words``).

    Where a pronoun stands for what was named before, ``words`` holds the words before too.
    """

    core: frozenset[str]
    words: frozenset[str]


class ProhibitionReader:
    """Reads prohibitions and permissions by the families ``negation`` and ``words``."""

    def __init__(self, rulebook: Rulebook) -> None:
        family = rulebook["negation"]
        self._permission = family.pattern("permission")
        self._prohibition = family.pattern("prohibition")
        self._end = family.pattern("prohibition_end")
        self._limit = family.pattern("limit")
        self._pronoun = family.pattern("pronoun")
        self._small = rulebook["words"].words("function")

    def permits(self, sentence: str) -> bool:
        """Whether ``sentence`` says that one may do something."""
        return self._permission.search(sentence) is not None

    def permitted(self, sentence: str) -> frozenset[str]:
        """How the content words of what ``sentence`` says that one may do begin; none when it permits nothing."""
        permission = self._permission.search(sentence)
        return frozenset(self._words(sentence[permission.end() :])) if permission else frozenset()

    def find(self, sentence: str) -> Iterator[Prohibition]:
        """What ``sentence`` forbids."""
        for match in self._prohibition.finditer(sentence):
            end = self._end.search(sentence, match.end())
            forbidden = sentence[match.end() : end.start() if end else len(sentence)]
            limit = self._limit.search(forbidden)
            core = forbidden[: limit.start()] if limit else forbidden
            words = self._words(core)
            if limit and limit.group() in _LISTING:
                # the first item of a list is one of its cases
                words = words[:-1]
            before = sentence[: match.start()] if self._pronoun.search(core) else ""
            if words:
                yield Prohibition(frozenset(words), frozenset(self._words(before + forbidden)))

    def _words(self, text: str) -> list[str]:
        tokens = _TOKEN.findall(text.lower())
        return [beginning(token) for token in tokens if len(token) > 1 and token not in self._small]
