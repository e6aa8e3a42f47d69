"""What does the answer give to one owner that a document, in the same words, gives to another?

An owner is the name that opens a clause ("Alpha launched on June 2") or the group that a share is of ("55% of men").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from raguard.case import Case, Finding
from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place
from raguard.evidence.statements import Near, same_words, statements_near
from raguard.reading.statements import Statement
from raguard.text.words import beginning, plain_words

__all__ = ["other_owners"]

_OWNER = re.compile(r"\W{0,4}((?:[A-Z][\w'-]{1,30} ){1,4})(?=[a-z])(?!(?:the|an?|your|any|each|all) )")
"""A capital before an article is no owner but a command: Place the pan."""
_JOINT = re.compile(r"[,;]? (?:and|but|while|whereas) (?=[A-Z])|; (?=[A-Z])")
_LONGEST = 90
"""Longer clauses are hardly told in the same words."""
_FEWEST = 2
"""How many words the clauses must share beside their owners."""
_NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]{0,15}(?:\.\d{1,6})?(?<!,)(?!\w)")
_RELATIVE = re.compile(r"([A-Z][\w'-]{1,30}(?: [A-Z][\w'-]{1,30}){0,3}), (?:who|which) ([^,;.]{2,80})$")
_SHARE = re.compile(
    r"(\d(?<![\d.,-]\d)[\d.,]{0,12}) ?(?:%|percent|per cent) of (?:the |all |our |its )?([a-z]{3,30})\b"
)


class _Clause(NamedTuple):
    """A clause of the answer: its owner's words, and what it says of it."""

    start: int
    end: int
    owner: frozenset[str]
    said: Statement


class _Swap(NamedTuple):
    """A clause whose words a document says of another owner."""

    clause: _Clause
    owner: frozenset[str]
    place: Place


def other_owners(case: Case) -> Iterator[Finding]:
    """A finding for each clause that a document says of another: high when two owners changed places, else medium."""
    clauses = list(_clauses(case))
    swaps = [swap for clause in clauses if (swap := _swap(case, clause)) is not None]
    changed = {(swap.clause.owner, swap.owner) for swap in swaps}
    for swap in swaps:
        both = (swap.owner, swap.clause.owner) in changed
        rule = "statement.exchanged" if both else "statement.other_owner"
        yield _finding(swap.clause.start, swap.clause.end, rule, swap.place)
    yield from _other_groups(case)
    for clause in clauses:
        yield from _of_the_named(case, clause)


def _clauses(case: Case) -> Iterator[_Clause]:
    """The short clauses that open with a name which the documents hold."""
    text = case.outline.text
    for start, end in case.outline.sentences:
        if end - start > 2 * _LONGEST or _OWNER.match(text, start, end) is None:
            continue
        bounds = [start, *chain.from_iterable(map(re.Match[str].span, _JOINT.finditer(text, start, end))), end]
        for first, last in zip(bounds[::2], bounds[1::2], strict=True):
            clause = _clause(case, first, last) if last - first <= _LONGEST else None
            if clause is not None:
                yield clause


def _clause(case: Case, start: int, end: int) -> _Clause | None:
    """The clause at ``start`` to ``end`` when its owner is known."""
    text = case.outline.text
    owner = _OWNER.match(text, start, end)
    if owner is None:
        return None
    words = _owner_words(case, owner[1])
    if not words or case.outline.touches_denial(start, end) or not all(map(case.sources.vocabulary.holds, words)):
        return None
    said = case.known.readers.statements.sentence(text[owner.end() : end], owner.end(), end)
    return _Clause(owner.start(1), start + len(text[start:end].rstrip(" .\n")), words, said)


def _owner_words(case: Case, owner: str) -> frozenset[str]:
    """The words of a name; none for what may have its capital only because it comes first: Members, The."""
    first, small = owner.partition(" ")[0], case.known.lexicon.function_words
    if first.lower() in small and first.isalpha():
        return frozenset()
    words = plain_words(owner).split()
    if words[0] in small or (len(words) == 1 and words[0].endswith("s")):
        return frozenset()
    return frozenset(words)


def _swap(case: Case, clause: _Clause) -> _Swap | None:
    """Where a document says the clause of another owner, and none says it of this one."""
    signs = clause.said.signs
    if len(signs) < _FEWEST or not case.known.readers.statements.claims(clause.said):
        return None
    found = None
    for near in same_words(case.sources, signs):
        if near.share < 1:
            break
        words = set(plain_words(near.statement.text).split())
        if clause.owner & words:
            return None
        theirs = _same_of_another(case, near, signs)
        if theirs and found is None:
            found = _Swap(clause, theirs, Place(near.chunk, near.statement.start, near.statement.end))
    return found


def _same_of_another(case: Case, near: Near, signs: Mapping[str, int]) -> frozenset[str]:
    """The owner of a document's sentence that says nothing but the same."""
    owner = _OWNER.match(near.statement.text)
    words = _owner_words(case, owner.group(1)) if owner else frozenset()
    names = {beginning(word) for word in words}
    rest = {word: sign for word, sign in near.statement.signs.items() if word not in names}
    return words if rest == signs else frozenset()


def _other_groups(case: Case) -> Iterator[Finding]:
    """A finding for each share that a sentence of the documents, in the same words, gives to another group."""
    for share in _SHARE.finditer(case.outline.text):
        place = None if case.denied(*share.span()) else _of_another(case, share)
        if place is not None:
            yield _finding(*share.span(), "statement.other_group", place)


def _of_another(case: Case, share: re.Match[str]) -> Place | None:
    """Where the group has another share beside a group with this one; None if the documents have this share of it."""
    number, group = share.groups()
    start, end = case.outline.sentence(share.start())
    signs = case.known.readers.statements.sentence(case.outline.text[start:end], start, end).signs.items()
    found = None
    for near in statements_near(case.sources, dict(signs)):
        stated = [each.groups() for each in _SHARE.finditer(near.statement.text)]
        if (number, group) in stated:
            return None
        if signs <= near.statement.signs.items() and {number, group} <= {part for pair in stated for part in pair}:
            found = found or Place(near.chunk, near.statement.start, near.statement.end)
    return found


def _of_the_named(case: Case, clause: _Clause) -> Iterator[Finding]:
    """A finding for the lone number of a clause that a relative clause of the documents tells of another name.

    "A won with 90 votes, beating B, who received 80": 80 are not A's. None where any document has the number elsewhere.
    """
    numbers = list(_NUMBER.finditer(case.outline.claims, clause.start, clause.end))
    if len(numbers) != 1:
        return
    place = None
    for chunk in case.sources.vocabulary.holding(plain_words(numbers[0].group()).split()):
        for number in _NUMBER.finditer(chunk.reading.text):
            if number.group() == numbers[0].group():
                place = _named_there(case, clause, chunk, number)
                if place is None:
                    return
    if place is not None:
        yield _finding(*numbers[0].span(), "statement.other_owner", place)


def _named_there(case: Case, clause: _Clause, chunk: Chunk, number: re.Match[str]) -> Place | None:
    """The sentence in which a relative clause gives the number to a name beside that of the answer's clause."""
    text, (start, end) = chunk.reading.text, chunk.reading.sentence(number.start())
    named = _RELATIVE.search(text, start, number.start())
    if named is None or not clause.owner <= set(plain_words(text[start : named.start()]).split()):
        return None
    their = _owner_words(case, named[1] + " ")
    told = case.known.readers.statements.sentence(named[2], 0, 0).signs
    # "A beat B, who received 80" tells nothing else
    same = next(iter(clause.said.signs), None) in told
    return Place(chunk, start, end) if same and their and not their & clause.owner else None


def _finding(start: int, end: int, rule: str, place: Place) -> Finding:
    said = "The documents say the same of another."
    return Finding("statement", start, end, "unsupported", rule=rule, said=said, place=place)
