"""Which sentences say the opposite of what a document's sentence says in nearly the same words?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from raguard.case import Case, Finding
from raguard.evidence.sources import Place
from raguard.evidence.statements import Near, denials_near, same_words, statements_near
from raguard.reading.statements import OPPOSITE, Statement

__all__ = ["flipped_statements"]

_NEAR = 0.7
"""The share of a sentence's words that a document's sentence must hold for a flipped word to count."""
_BACK = 0.5
"""The share of the document's sentence that the answer's must hold in return."""
_SPOKEN_OF = 0.5
"""The share from which on a document speaks of the same thing, so that a denial needs a negative word there."""
_AS_NEAR = 0.7
"""How near, against the nearest sentence, another one must come to have its say."""
_FEWEST = 4
_FEWEST_WITH_NUMBER = 3
_NEAR_BUT_ONE = 0.6
"""All words but one: two of three at least."""
_NEGATION = re.compile(r"\b(?:not|never|cannot)\b|\b[a-z]{1,8}n't\b", re.IGNORECASE)


def flipped_statements(case: Case) -> Iterator[Finding]:
    """A finding for each sentence that a document turns round: high when all other words agree, else medium."""
    text = case.outline.text
    reader = case.known.readers.statements
    for start, end in pairwise((*reader.starts(text), len(text))):
        sentence = text[start:end].strip()
        if any(sentence in chunk.reading.text for chunk in case.sources.chunks):
            continue
        statement = reader.sentence(text[start:end], start, end)
        if len(statement.signs) > 1 and reader.claims(statement) and not _denied(case, statement):
            finding = _opposed(case, statement)
            if finding is not None:
                yield finding


def _opposed(case: Case, statement: Statement) -> Finding | None:
    opposed = any(word.startswith(OPPOSITE) for word in statement.signs)
    numbers = {word for word in statement.signs if word.isdigit()}
    numbered = len(statement.signs) >= _FEWEST_WITH_NUMBER and bool(numbers & case.sources.words)
    if statement.denies or opposed:
        said = statements_near(case.sources, statement.signs)
    else:
        said = denials_near(case.sources, statement.signs)
    finding = (_turned(case, statement, said) or _alone(case, statement, said)) if said else None
    if finding is None and numbered:
        finding = _rival(case, statement, same_words(case.sources, statement.signs))
    return finding


def _denied(case: Case, statement: Statement) -> bool:
    return any(start < statement.end and statement.start < end for start, end in case.outline.denials)


def _turned(case: Case, statement: Statement, near: Sequence[Near]) -> Finding | None:
    """A shared word that the nearest sentence has with the other sign, and no sentence as near with the same."""
    best, hedged = near[0], case.known.readers.statements.hedged
    same = statement.signs.keys() == best.statement.signs.keys()
    flipped = statement.flipped(best.statement, opposites=same)
    if not flipped or best.share < _NEAR or best.back < _BACK or hedged(statement) != hedged(best.statement):
        return None
    if not same and (len(statement.signs) < _FEWEST or not statement.denies):
        return None
    rivals = statements_near(case.sources, statement.signs)
    if any(each.share >= _NEAR and not statement.flipped(each.statement) for each in rivals):
        return None
    return _finding(case, statement, best, "statement.flipped" if same and len(flipped) == 1 else "statement.turned")


def _alone(case: Case, statement: Statement, near: Sequence[Near]) -> Finding | None:
    """A denial where everything the documents say of the same thing is without any negative word."""
    if not statement.denies or len(statement.signs) < _FEWEST or near[0].share < _SPOKEN_OF:
        return None
    close = [each for each in near if each.share >= near[0].share * _AS_NEAR]
    hedged = case.known.readers.statements.hedged
    if hedged(statement) or any(each.statement.denies or hedged(each.statement) for each in close):
        return None
    return _finding(case, statement, near[0], "statement.denied")


def _rival(case: Case, statement: Statement, near: Sequence[Near]) -> Finding | None:
    """Another number where a document says the same in the same words, and no document says it with this number."""
    if not near or near[0].share == 1:
        return None
    for each in near:
        if each.share < _NEAR_BUT_ONE or statement.flipped(each.statement):
            continue
        mine = statement.signs.keys() - each.statement.signs.keys()
        theirs = each.statement.signs.keys() - statement.signs.keys()
        if len(mine) == len(theirs) == 1 and all(map(str.isdigit, mine | theirs)) and mine <= case.sources.words:
            start = statement.text.lower().rfind(next(iter(mine))) + statement.start
            end = start + len(next(iter(mine)))
            place = Place(each.chunk, each.statement.start, each.statement.end)
            said = "The documents say the same with another number."
            return Finding("statement", start, end, "unsupported", rule="statement.rival", said=said, place=place)
    return None


def _finding(case: Case, statement: Statement, near: Near, rule: str) -> Finding:
    start, end = _marked(case.outline.text, statement)
    place = Place(near.chunk, near.statement.start, near.statement.end)
    return Finding(
        "statement", start, end, "unsupported", rule=rule, said="The documents say the opposite.", place=place
    )


def _marked(text: str, statement: Statement) -> tuple[int, int]:
    """The negation with the word before it when the sentence has just one, else the sentence."""
    found = list(_NEGATION.finditer(text, statement.start, statement.end))
    if len(found) != 1:
        return statement.start, statement.end
    begin = text.rfind(" ", statement.start, max(found[0].start() - 1, statement.start)) + 1
    stop = text.find(" ", found[0].end() + 1)
    return max(begin, statement.start), (stop if 0 <= stop <= statement.end else statement.end)
