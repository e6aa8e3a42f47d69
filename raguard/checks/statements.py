"""Which sentences say the opposite of what a document's sentence says in nearly the same words?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import pairwise

from raguard.case import Case, Finding
from raguard.checks.permissions import forbidding
from raguard.evidence.passages import Passage, fullest_passages
from raguard.evidence.sources import Place
from raguard.evidence.statements import Near, alike, same_words, statements_near
from raguard.reading.denials import Denial
from raguard.reading.statements import Statement

__all__ = ["flipped_statements"]

_NEAR = 0.7
"""The share of a sentence's words from which on another one says nearly the same."""
_BACK = 0.5
"""The share of a sentence's words that a document's denial must hold to turn it round."""
_SPOKEN_OF = 0.4
"""The share of a denial's words from which on a passage speaks of the same thing, so that it must be negative too."""
_NEAR_BY = 65
"""How many characters around a denied word a document may deny it in."""
_MOST_DENIALS = 5
_FEWEST_DENIED = 3
_FEWEST_HELD = 2
_FEWEST_WITH_NUMBER = 3
_NEAR_BUT_ONE = 0.6
"""All words but one: two of three at least."""
_DIGIT = re.compile(r"[0-9]")
_WORD_BEFORE = re.compile(r"[\w'-]{1,40} $")
_WORD_BEHIND = re.compile(r" [\w'-]{1,40}")
_OPPOSITE = "The documents say the opposite."


def flipped_statements(case: Case) -> Iterator[Finding]:
    """A finding for each sentence that a document turns round: high when all other words agree, else medium."""
    for statement in filter(partial(_doubtful, case), _suspects(case)):
        finding = _opposed(case, statement)
        if finding is not None and not _claims(case, statement):
            finding = None
        if finding is None and statement.denies:
            finding = _unheard_of(case, statement)
        if finding is None and (near := forbidding(case, statement)) is not None:
            finding = _finding(case, statement, near, "statement.turned")
        if finding is not None and not case.sources.quotes(statement.text.strip()):
            yield finding


def _suspects(case: Case) -> Iterator[Statement]:
    """The sentences that may be doubtful: a look at their letters before their words are read."""
    text, reader, denials = case.outline.text, case.known.readers.statements, case.documents.denials
    low = text.lower()
    telling = [*reader.turning(low), *denials.touched(low)]
    permits = case.known.prohibitions.permits if denials else None
    for start, end in pairwise((*reader.starts(text), len(text))):
        sentence = text[start:end]
        suspect = any(map(sentence.lower().__contains__, telling)) or _DIGIT.search(sentence) is not None
        if suspect or (permits is not None and permits(sentence)):
            yield reader.sentence(sentence, start, end)


def _doubtful(case: Case, statement: Statement) -> bool:
    """Whether a document might say the opposite or the same with another number."""
    if len(statement.signs) < _FEWEST_HELD:
        return False
    if statement.denies or case.known.readers.statements.opposed(statement) or any(map(str.isdigit, statement.signs)):
        return True
    denials = case.documents.denials
    if not denials:
        return False
    return denials.oppose(statement.signs, _BACK) or bool(case.known.prohibitions.permitted(statement.text))


def _claims(case: Case, statement: Statement) -> bool:
    """Whether the sentence states something of which it does not say that the documents lack it."""
    lacking = case.outline.touches_denial(statement.start, statement.end)
    return not lacking and case.known.readers.statements.claims(statement)


def _opposed(case: Case, statement: Statement) -> Finding | None:
    signs, denials = statement.signs, case.documents.denials
    finding = None
    if statement.denies or case.known.readers.statements.opposed(statement):
        near = alike(case.sources, signs)
        finding = _turned(case, statement, near) if near else None
    elif denials.oppose(signs, _BACK):
        said = denials.near(signs, _BACK)
        finding = (_turned(case, statement, said[0]) or _denied_there(case, statement, said)) if said else None
    if finding is None and len(signs) >= _FEWEST_WITH_NUMBER and any(map(str.isdigit, signs)):
        finding = _rival(case, statement, same_words(case.sources, signs))
    return finding


def _turned(case: Case, statement: Statement, near: Near) -> Finding | None:
    """A word that a sentence of the same words has with the other sign, and no sentence as near with the same."""
    hedged = case.known.readers.statements.hedged
    if statement.signs.keys() != near.statement.signs.keys():
        return None
    flipped = statement.flipped(near.statement)
    # "no difference" and "does not differ" say the same: the shared word rings in both
    if not flipped or hedged(statement, flipped) != hedged(near.statement, flipped):
        return None
    rivals = statements_near(case.sources, statement.signs)
    if any(each.share >= _NEAR and not statement.flipped(each.statement) for each in rivals):
        return None
    return _finding(case, statement, near, "statement.flipped" if len(flipped) == 1 else "statement.turned")


def _denied_there(case: Case, statement: Statement, near: Sequence[Near]) -> Finding | None:
    """A sentence without a negation, where a document denies the same thing and no other passage says it."""
    for each in near[:_MOST_DENIALS]:
        for denial in case.known.denials.find(each.chunk.reading.text, each.statement.start, each.statement.end):
            if _says_what_is_denied(case, statement, denial) and not _asserted(case, statement, denial):
                place = Place(each.chunk, each.statement.start, each.statement.end)
                start, end = _stripped(case.outline.text, statement)
                return Finding(
                    "statement", start, end, "unsupported", rule="statement.turned", said=_OPPOSITE, place=place
                )
    return None


def _says_what_is_denied(case: Case, statement: Statement, denial: Denial) -> bool:
    """Whether the sentence has most words of the denial, the denied one above all, and nothing negative."""
    if len(denial.words) < _FEWEST_DENIED or not denial.denied:
        return False
    held = [word for word in denial.words if word in statement.signs]
    if denial.denied[0] not in held or len(held) < _NEAR * len(denial.words):
        return False
    return not case.known.denials.rings(statement.text, denial.clause)


def _asserted(case: Case, statement: Statement, denial: Denial) -> bool:
    """Whether some passage says the sentence that another one denies: with nothing negative, or beside the denial."""
    shared = [word for word in denial.words if word in statement.signs]
    for passage in fullest_passages(case.sources, shared):
        places = [place for place, word in passage.places if word == denial.denied[0]]
        sentences = [passage.chunk.reading.sentence(place) for place in places]
        if len(sentences) > len(set(sentences)) or not all(_rings(case, passage, place, ()) for place in places):
            return True
    return False


def _rings(case: Case, passage: Passage, place: int, besides: Collection[str]) -> bool:
    """Whether the passage is negative around ``place``, within its sentence and but for the given words."""
    reading = passage.chunk.reading
    start, end = reading.sentence(place)
    around = reading.text[max(start, place - _NEAR_BY) : min(end, place + _NEAR_BY)]
    return case.known.denials.rings(around, besides)


def _unheard_of(case: Case, statement: Statement) -> Finding | None:
    """A denial where nothing is negative in the passages that speak most of what is denied."""
    for denial in case.known.denials.find(case.outline.text, statement.start, statement.end):
        if len(denial.words) >= _FEWEST_DENIED and not case.denied(denial.start, denial.end):
            finding = _unheard(case, denial)
            if finding is not None:
                return finding
    return None


def _unheard(case: Case, denial: Denial) -> Finding | None:
    passages = fullest_passages(case.sources, denial.words)
    if not passages or passages[0].held < max(_FEWEST_HELD, _SPOKEN_OF * len(denial.words)):
        return None
    near = (*passages, *_of_its_own(case, denial))
    if any(_negative(case, denial, passage) or _tabular(passage) for passage in near):
        return None
    start, end = _with_neighbours(case.outline.text, denial.start, denial.end)
    return Finding(
        "statement", start, end, "unsupported", rule="statement.denied", said=_OPPOSITE, place=passages[0].place
    )


def _of_its_own(case: Case, denial: Denial) -> list[Passage]:
    """The passages that speak of a short clause alone, when they hold most of it."""
    if not _FEWEST_DENIED <= len(denial.own) < len(denial.words):
        return []
    return [each for each in fullest_passages(case.sources, denial.own) if each.held >= _NEAR * len(denial.own)]


def _tabular(passage: Passage) -> bool:
    """Whether the passage touches a table, whose cells are no sentences and say no in their own way."""
    first, last = passage.places[0][0], passage.places[-1][0]
    return any(table.start <= last and first < table.end for table in passage.chunk.reading.ruled)


def _negative(case: Case, denial: Denial, passage: Passage) -> bool:
    """Whether the passage is negative near the words that the answer denies, within their sentences."""
    near = [place for place, word in passage.places if word in denial.denied]
    near = near or [place for place, word in passage.places if word in denial.subject]
    near = near or [place for place, _ in passage.places]
    return any(_rings(case, passage, place, denial.clause) for place in near)


def _rival(case: Case, statement: Statement, near: Sequence[Near]) -> Finding | None:
    """Another number where a document says the same in the same words, and no document says it with this number."""
    if not near or near[0].share == 1:
        return None
    for each in near:
        if each.share < _NEAR_BUT_ONE or statement.flipped(each.statement):
            continue
        mine = statement.signs.keys() - each.statement.signs.keys()
        theirs = each.statement.signs.keys() - statement.signs.keys()
        if (
            len(mine) == len(theirs) == 1
            and all(map(str.isdigit, mine | theirs))
            and all(map(case.sources.vocabulary.holds, mine))
        ):
            start = statement.text.lower().rfind(next(iter(mine))) + statement.start
            end = start + len(next(iter(mine)))
            place = Place(each.chunk, each.statement.start, each.statement.end)
            said = f"The documents say the same with {next(iter(theirs))}."
            return Finding("statement", start, end, "unsupported", rule="statement.rival", said=said, place=place)
    return None


def _finding(case: Case, statement: Statement, near: Near, rule: str) -> Finding:
    denials = list(case.known.denials.find(case.outline.text, statement.start, statement.end))
    start, end = statement.start, statement.end
    if len(denials) == 1:
        denial = denials[0]
        start, end = _with_neighbours(case.outline.text, denial.start, denial.end)
    place = Place(near.chunk, near.statement.start, near.statement.end)
    return Finding("statement", start, end, "unsupported", rule=rule, said=_OPPOSITE, place=place)


def _with_neighbours(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of a negation with the word before and the word behind it."""
    before, behind = _WORD_BEFORE.search(text[max(0, start - 42) : start]), _WORD_BEHIND.match(text, end)
    return (start - len(before.group()) if before else start), (behind.end() if behind else end)


def _stripped(text: str, statement: Statement) -> tuple[int, int]:
    """The span of a sentence without the white space behind it."""
    return statement.start, statement.start + len(text[statement.start : statement.end].rstrip())
