"""Which numbers stand in the documents, but not where a document says the same of another number?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from raguard.case import Case, Finding
from raguard.checks.other_days import rival_days
from raguard.evidence.chunk import Chunk
from raguard.evidence.sources import Place
from raguard.evidence.statements import Near, sentences_near, statements_near
from raguard.reading.nouns import COUNTED, numbers_by_noun
from raguard.reading.statements import OPPOSITE
from raguard.text.words import beginning, plain_words
from raguard.values.value import Value

__all__ = ["rival_numbers"]

_DIGITS = re.compile(r"\d[\d,]{0,15}(?:\.\d{1,6})?")
_AROUND = 70
"""How many characters on either side of a number say what it is about."""
_FEWEST = 5
"""How many words around a number a document must be asked for."""
_NEAR = 0.75
"""The share of them that its sentence must hold."""
_FEWEST_BESIDE = 2
"""How many words of the answer's sentence the one must hold that gives its number to another noun."""
_BESIDE = 0.5
"""The share of them that it must hold."""
_BREAK = re.compile(r"[\d.;:]")
_BEHIND = 40
"""How many characters behind a number its noun may begin in: 40 of the passengers."""
_SPOKEN_OF = 0.5
"""The share from which on a sentence with the same number may be what the answer took up."""
_LONG = 1_000
"""A longer sentence is not looked through for numbers before it is known to be near, and joins no two nouns."""
_MOST_NUMBERS = 3
"""In a sentence with more numbers it is hard to tell which belongs where."""


def rival_numbers(case: Case) -> Iterator[Finding]:
    """A finding for each number, or day, in whose place the documents have another one."""
    yield from rival_days(case)
    text = case.outline.claims
    places = map(re.Match[str].start, COUNTED.finditer(text)) if case.outline.sentences else ()
    for start, end in dict.fromkeys(map(case.outline.sentence, places)):
        numbers = list(COUNTED.finditer(text, start, end))
        if len(numbers) > _MOST_NUMBERS or case.outline.touches_denial(start, end):
            continue
        mine = {_plain(match[1]) for match in numbers}
        for match in numbers:
            among = _rivalling(case, match)
            finding = _judge(case, match, mine, start, end, among) if among and _held(case, match[1]) else None
            if finding is not None:
                yield finding


def _judge(
    case: Case, number: re.Match[str], mine: set[str], start: int, end: int, among: Sequence[Chunk]
) -> Finding | None:
    noun = beginning(number[2])
    rivalling = [chunk.index for chunk in among if not mine.issuperset(chunk.reading.counted(noun))]
    place = _rival(case, number, mine, start, end, rivalling) if rivalling else None
    if place is not None:
        return _finding(number, place)
    counting = [chunk.index for chunk in among if _plain(number[1]) in chunk.reading.counts]
    return _of_another_noun(case, number, start, end, counting) if counting else None


def _held(case: Case, number: str) -> bool:
    """Whether the documents may hold the number: what they do not hold is for another check."""
    return any(map(case.sources.vocabulary.holds, (_plain(number), *plain_words(number).split())))


def _rivalling(case: Case, number: re.Match[str]) -> list[Chunk]:
    """The chunks that have another number before the same word."""
    noun, own = beginning(number[2]), {_plain(number[1])}
    # what stands behind a number has a space or a hyphen before it, or is %
    chunks = case.sources.chunks if noun == "%" else case.sources.vocabulary.beginning(noun)
    return [chunk for chunk in chunks if not own.issuperset(chunk.reading.counted(noun))]


def _rival(
    case: Case, number: re.Match[str], mine: set[str], start: int, end: int, among: Collection[int]
) -> Place | None:
    """Where a document says nearly the same with another number; None where any says it with this one."""
    around = case.outline.claims[max(start, number.start() - _AROUND) : min(end, number.end() + _AROUND)]
    signs = case.known.readers.statements.sentence(around, 0, 0).signs
    words = {word: sign for word, sign in signs.items() if not word.isdigit() and not word.startswith(OPPOSITE)}
    if len(words) < _FEWEST:
        return None
    noun = beginning(number[2])
    sentences = (
        chunk.reading.text[start:end] if end - start < _LONG else None
        for chunk, (start, end) in sentences_near(case.sources, words, among)
    )
    if not any(sentence is None or _rivals(sentence, noun, mine) for sentence in sentences):
        return None
    values = _values(case, number.start())
    found = None
    for near in statements_near(case.sources, words):
        if near.share < _SPOKEN_OF:
            break
        if _plain(number[1]) in map(_plain, _DIGITS.findall(near.statement.text)) or _states(near, values):
            return None
        if found is None and near.share >= _NEAR and _rivals(near.statement.text, noun, mine):
            found = Place(near.chunk, near.statement.start, near.statement.end)
    return found


def _of_another_noun(case: Case, number: re.Match[str], start: int, end: int, among: Collection[int]) -> Finding | None:
    """A sentence of the documents that gives the number to another noun, and another number to this one.

    None where any document may give the number to this one too.
    """
    text, noun, plain = case.outline.claims[start:end], beginning(number[2]), _plain(number[1])
    if noun == "%" or number[2] in case.known.lexicon.function_words:
        return None
    mine = numbers_by_noun(text)
    for chunk, (first, last) in sentences_near(case.sources, [noun], among):
        sentence = chunk.reading.text[first:last] if last - first < _LONG else ""
        theirs = numbers_by_noun(sentence)
        if mine[noun].issuperset(theirs.get(noun, ())) or not any(plain in numbers for numbers in theirs.values()):
            continue
        words = {word for word in case.known.readers.statements.sentence(text, 0, 0).signs if not word.isdigit()}
        shared = words & chunk.reading.said(first, last).signs.keys()
        if len(shared) < max(_FEWEST_BESIDE, _BESIDE * len(words)):
            continue
        if _counts_another(case, sentence, number, mine, words) and not _may_count(case, number):
            rule = "statement.other_count" if shared == words else "statement.other_number"
            return _finding(number, Place(chunk, first, last), rule)
    return None


def _counts_another(
    case: Case, sentence: str, number: re.Match[str], mine: Mapping[str, Collection[str]], words: Collection[str]
) -> bool:
    """Whether a sentence has the number only before other nouns, to which the answer gives another number or none."""
    noun, found = beginning(number[2]), False
    for match in COUNTED.finditer(sentence):
        if _plain(match[1]) == _plain(number[1]):
            other = beginning(match[2])
            counted = case.known.nouns.after(sentence, match.end(1))
            if match[1].endswith(",") or not counted or any(word.startswith(noun) for word in counted):
                return False
            if other in words and not mine.get(other):
                # "12 guests, 3 women" tells of 3 guests that are women
                return False
            found = True
    return found


def _may_count(case: Case, number: re.Match[str]) -> bool:
    """Whether any document has the number shortly before the same noun."""
    plain, noun = _plain(number[1]), re.compile(rf"\b{beginning(number[2])}", re.IGNORECASE)
    for chunk in case.sources.chunks:
        text = chunk.reading.text
        for match in _DIGITS.finditer(text):
            if _plain(match.group()) == plain:
                behind = _BREAK.split(text[match.end() : match.end() + _BEHIND], maxsplit=1)[0]
                if noun.search(behind):
                    return True
    return False


def _rivals(sentence: str, noun: str, mine: set[str]) -> bool:
    """Whether a sentence has a number beside ``mine`` before a word that begins like ``noun``."""
    return noun in sentence and not mine.issuperset(numbers_by_noun(sentence).get(noun, ()))


def _values(case: Case, place: int) -> tuple[Value, ...]:
    """What the claim around ``place`` states."""
    claim = bisect_right(case.claims, place, key=attrgetter("start")) - 1
    return case.claims[claim].values if claim >= 0 and place < case.claims[claim].end else ()


def _states(near: Near, values: Iterable[Value]) -> bool:
    """Whether a document's sentence states a value, in whatever form."""
    said = near.statement
    inside = [fact.value for fact in near.chunk.reading.facts_in(said.start, said.end)]
    return any(stated.axis == value.axis and stated.covers(value) for stated in inside for value in values)


def _finding(number: re.Match[str], place: Place, rule: str = "statement.other_number") -> Finding:
    start, end = number.span(1)
    said = "The documents say nearly the same with another number."
    return Finding("statement", start, end, "unsupported", rule=rule, said=said, place=place)


def _plain(number: str) -> str:
    return number.replace(",", "")
