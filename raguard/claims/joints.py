"""Where may a long sentence be parted? Between clauses that each have a subject and a verb of their own.

The test is cheap and errs on the side of leaving a sentence whole: a clause cut off from its verb, or a noun from its
enumeration, would be judged for something that the answer does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from raguard import Config
from raguard.claims.sentences import pair_up, read_tokens
from raguard.text.blanks import Span

__all__ = ["clauses"]

_WORD = re.compile(r"[^\W_](?:[^\W_]|['’.,-](?=[^\W_])){0,40}|[,;:]")
_FARTHEST_VERB = 12
"""How many words may stand before the verb of a clause."""
_FARTHEST = 400
_FEWEST_WORDS = 8
"""A sentence of fewer words is left whole."""
_FEWEST_OF_A_CLAUSE = 3


def clauses(text: str, start: int, end: int) -> Iterator[Span]:
    """The spans of the clauses of the sentence ``text[start:end]``; the sign that parts two of them lies in neither.

    >>> text = "It opened in 1990, and it has two gardens; they are open to all."
    >>> [text[first:last] for first, last in clauses(text, 0, len(text))]
    ['It opened in 1990', 'and it has two gardens', 'they are open to all.']
    """
    joints = list(_joints(text, start, end))
    if joints and len(text[start:end].split(None, _FEWEST_WORDS)) >= _FEWEST_WORDS:
        borders = [(start, start), *joints, (end, end)]
        parts = [(first[1], last[0]) for first, last in pairwise(borders)]
        begun, complete, opened = start, False, False
        for part, following in pairwise(parts):
            words = _words(text, part)
            if part[0] == begun:
                opened = _is_subordinate(words)
                complete = False
            complete = complete or (not opened and _says(words, loosely=True))
            opened = opened and "," not in words
            if complete and not _enumerates(words) and "only" not in words and _is_clause(_words(text, following)):
                yield begun, part[1]
                begun = following[0]
        start = begun
    yield start, end


def _joints(text: str, start: int, end: int) -> Iterator[Span]:
    """The signs between what may be clauses, outside of brackets, quotations and code."""
    found = [match.span() for match in _joint().finditer(text, start, end)]
    if not found:
        return
    tokens = read_tokens(text, start, end)
    pairs = pair_up(text, tokens)
    closed, index = start, 0
    for span in found:
        while index < len(tokens) and tokens[index].start < span[0]:
            partner = pairs.get(index, index)
            last = tokens[max(index, partner)]
            if last.kind == "code" or partner > index:
                closed = max(closed, last.end)
            index += 1
        if span[0] >= closed:
            yield span


def _words(text: str, span: Span) -> list[str]:
    return [
        match.group().replace("’", "'") for match in _WORD.finditer(text, span[0], min(span[1], span[0] + _FARTHEST))
    ]


def _enumerates(words: Sequence[str]) -> bool:
    """Whether the last comma of the words stands so near to their end that what goes on there is an enumeration."""
    return "," in words[-_FEWEST_OF_A_CLAUSE - 1 :]


def _is_subordinate(words: Sequence[str]) -> bool:
    return bool(words) and words[0].lower() in _words_of("subordinator")


def _is_clause(words: Sequence[str]) -> bool:
    """Whether what follows a joint is a clause by itself."""
    first = 0
    while first < len(words) and words[first].lower() in _words_of("connector", "linking_adverb"):
        first += 1
    rest = words[first:]
    return len(rest) >= _FEWEST_OF_A_CLAUSE and not _is_subordinate(rest) and _says(rest, loosely=False)


def _says(words: Sequence[str], *, loosely: bool) -> bool:
    """Whether the words have a subject and behind it a verb; ``loosely`` also takes what may be a noun for a verb."""
    lower = [word.lower() for word in words]
    relatives, auxiliaries, subjects = _words_of("relative"), _words_of("auxiliary"), _words_of("subject")
    determiners, connectors = _words_of("determiner"), _words_of("connector", "linking_adverb")
    if not loosely and lower[0] in relatives and not (lower[0] == "that" and lower[1] in auxiliaries):
        return False
    if not loosely and (lower[0].endswith("ed") or lower[1] in subjects):
        return False
    named = loosely or lower[0] in determiners | _words_of("demonstrative") or words[0][0].isupper()
    for place, word in enumerate(lower[: len(lower) if loosely else _FARTHEST_VERB]):
        following = lower[place + 1] if place + 1 < len(lower) else ""
        if not loosely and place and (word in relatives or word in ",;:"):
            return False
        if word in subjects and (place == 0 or loosely) and following[:1].isalpha() and following not in connectors:
            return True
        if word in _words_of("contracted_subject") and (place == 0 or loosely):
            return True
        before = lower[place - 1] if place else ""
        if before in ("", "to", ",", ";", ":") or before in determiners:
            continue
        if word in auxiliaries and following:
            return True
        leads_on = following in _words_of("behind_verb") or following[:1].isdigit() or following.endswith("ly")
        is_noun = loosely and word.endswith("s") and following in _words_of("behind_noun")
        if named and leads_on and following != "by" and not is_noun and _may_be_verb(word, loosely=loosely):
            return True
    return False


def _may_be_verb(word: str, *, loosely: bool) -> bool:
    return len(word) > 3 and (word.endswith("ed") or (loosely and word.endswith("s")) or word in _verbs())


@cache
def _joint() -> re.Pattern[str]:
    """What may part two clauses."""
    connectors = "|".join(sorted(_words_of("connector")))
    return re.compile(rf"(?:;|,(?=\s{{1,4}}(?:{connectors})\s))\s{{1,4}}", re.IGNORECASE)


@cache
def _words_of(*roles: str) -> frozenset[str]:
    """The words of some classes of English."""
    family = Config().rulebook()["words"]
    return frozenset().union(*[family.words(role) for role in roles])


@cache
def _verbs() -> frozenset[str]:
    """Verbs without a telling ending."""
    return Config().rulebook()["tables"].words("verb")
