"""Can a regular expression of a rule backtrack badly? It must read no text in more than a few ways.

A backtracking engine tries every way to read a text before it gives up. With a bound on every repeat the ways are
finite, and they are counted, without a clock: the pattern is laid out as states, and a few texts are grown side by
side, character by character, towards the one that can be read in most ways. That is a search and no proof; it finds
what people write by mistake. ``(?:\\w{1,20}\\s){1,5}`` is fine, because white space tells where one round ends;
``(?:ab|ab){1,9}c`` reads nine rounds in 512 ways.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]  # no public one exists; nothing else imports it
from typing import Any, NamedTuple

__all__ = ["PARSER", "REPEATS", "SINGLE", "characters", "loosened", "pattern_fault"]

_MOST_REPEATED = 200
_MOST_WAYS = 300
"""Three times the ways of the shipped pattern that has most, an ordinary one for paths of files."""
_MOST_STATES = 20_000
_TEXTS_GROWN = 6
PARSER: Any = _parser
"""The parser of regular expressions, with the names of their operators."""
REPEATS = frozenset({_parser.MAX_REPEAT, _parser.MIN_REPEAT, _parser.POSSESSIVE_REPEAT})
"""The operators of a parsed pattern that repeat a part of it."""
SINGLE = frozenset({_parser.LITERAL, _parser.NOT_LITERAL, _parser.ANY, _parser.IN})
"""The operators that read one character."""
_LOOKS = frozenset({_parser.ASSERT, _parser.ASSERT_NOT})
_SAMPLE = frozenset(map(chr, range(32, 0x180))) | frozenset(
    "\n\t\u2010\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u20ac"
)
_SPACES = re.compile(r"(\\\S|\[\^?\]?(?:\\.|[^\]\\]){0,1000}\])|(?:\\?\s){1,100}", re.DOTALL)


def loosened(pattern: str) -> str:
    """``pattern`` with each run of spaces, unless in a set, standing for any white space.

    >>> loosened("no later than[ -]day")
    'no(?:\\\\s{1,4})later(?:\\\\s{1,4})than[ -]day'
    """
    return _SPACES.sub(lambda match: match[1] or r"(?:\s{1,4})", pattern)


def pattern_fault(pattern: str) -> str | None:
    """What is wrong with a ``pattern``, to stand behind its name; None when it can be used.

    >>> pattern_fault(r"(?:\\w{1,20}\\s){1,5}left")
    >>> pattern_fault(r"(?:a|a){1,100}b")
    'can read a text in too many ways; let each repeat and each alternative begin with something else'
    >>> pattern_fault(r"no .* here")
    'repeats without a bound; bound every repeat by at most 200, such as \\\\w{1,40}'
    """
    try:
        re.compile(pattern)
        parsed = _parser.parse(pattern)
    except (re.error, OverflowError, FutureWarning) as error:
        return f"is no regular expression: {error}"
    except RecursionError:
        return "is nested too deeply"
    if parsed.state.flags != re.UNICODE:
        return "sets flags; use the key case_sensitive"
    if parsed.getwidth()[0] == 0:
        return "matches an empty text, so it would match everywhere"
    return _fault(parsed) or _ways_fault(parsed)


def _fault(tokens: Any) -> str | None:
    """What is wrong with the repeats among ``tokens``, those within others first."""
    for operator, argument in tokens:
        if operator in REPEATS and (argument[1] is _parser.MAXREPEAT or argument[1] > _MOST_REPEATED):
            return f"repeats without a bound; bound every repeat by at most {_MOST_REPEATED}, such as \\w{{1,40}}"
        for part in _parts(argument):
            fault = _fault(part) or (_ways_fault(part) if operator in _LOOKS else None)
            if fault:
                return fault
        if operator in REPEATS and (fault := _ways_fault([(operator, argument)])):
            return fault
    return None


def _ways_fault(tokens: Any) -> str | None:
    try:
        many = _too_many_ways(_laid_out(tokens))
    except _TooLargeError:
        return "is too large; make its repeats shorter"
    if many:
        return "can read a text in too many ways; let each repeat and each alternative begin with something else"
    return None


class _TooLargeError(Exception):
    """A pattern has too many states to be looked at."""


class _State(NamedTuple):
    """What a state reads on its way to the next one, and the states that it leads to without reading.

    States are numbered so that all ways lead to higher numbers.
    """

    reads: list[frozenset[str]]
    jumps: list[int]


def _laid_out(tokens: Any) -> list[_State]:
    states: list[_State] = [_State([], [])]
    _Layout(states).lay(tokens, 0)
    return states


class _Layout:
    """Lays tokens out as states; a state that reads leads to the state that was made after it."""

    def __init__(self, states: list[_State]) -> None:
        self._states = states
        self._groups: dict[int, Any] = {}

    def lay(self, tokens: Any, start: int) -> int:
        """Adds the states of ``tokens`` behind the state ``start`` and returns the last one."""
        for operator, argument in tokens:
            if operator in SINGLE:
                self._states[start].reads.append(characters(operator, argument))
                start = self._add()
            elif operator in REPEATS:
                least, most, body = argument
                start = self._repeat(least, most, body, start)
            elif operator is _parser.BRANCH:
                start = self._either(argument[1], start)
            elif operator is _parser.GROUPREF_EXISTS:
                start = self._either([argument[1], argument[2] or []], start)
            elif operator is _parser.SUBPATTERN:
                self._groups[argument[0]] = argument[3]
                start = self.lay(argument[3], start)
            elif operator is _parser.ATOMIC_GROUP:
                start = self.lay(argument, start)
            elif operator is _parser.GROUPREF:
                start = self.lay(self._groups.get(argument, ()), start)
        return start

    def _add(self) -> int:
        if len(self._states) >= _MOST_STATES:
            raise _TooLargeError
        self._states.append(_State([], []))
        return len(self._states) - 1

    def _repeat(self, least: int, most: int, body: Any, start: int) -> int:
        ends = []
        for done in range(most):
            if done >= least:
                ends.append(start)
            start = self.lay(body, self._jump([start]))
        return self._jump([*ends, start])

    def _either(self, branches: Iterable[Any], start: int) -> int:
        return self._jump([self.lay(branch, self._jump([start])) for branch in branches])

    def _jump(self, starts: Sequence[int]) -> int:
        """A new state to which all of ``starts`` lead."""
        end = self._add()
        for start in starts:
            self._states[start].jumps.append(end)
        return end


def _too_many_ways(states: Sequence[_State]) -> bool:
    """Whether one of the texts that can be read in most ways, grown side by side, can be read in too many."""
    sets = list({state.reads[0] for state in states if state.reads})
    # one character of each kind: those that the same sets hold
    kinds = {tuple(character in one for one in sets): character for character in frozenset().union(*sets)}
    grown = [_reading(Counter([0]), states)]
    while grown:
        if max(sum(reading.values()) for reading in grown) > _MOST_WAYS:
            return True
        further = {
            frozenset(longer.items()): longer
            for reading in grown
            for character in kinds.values()
            if (longer := _reading(_after(reading, character, states), states))
        }
        grown = heapq.nlargest(_TEXTS_GROWN, further.values(), key=lambda ways: (sum(ways.values()), len(ways)))
    return False


def _after(reading: Counter[int], character: str, states: Sequence[_State]) -> Counter[int]:
    """The ways to the states behind those that can read ``character``."""
    return Counter({at + 1: ways for at, ways in reading.items() if character in states[at].reads[0]})


def _reading(ways: Counter[int], states: Sequence[_State]) -> Counter[int]:
    """The states that read next, with the number of ways to each, when ``ways`` lead to the given ones."""
    waiting = list(ways)
    heapq.heapify(waiting)
    while waiting:
        at = heapq.heappop(waiting)
        for after in states[at].jumps:
            if after not in ways:
                heapq.heappush(waiting, after)
            ways[after] += ways[at]
    return Counter({at: count for at, count in ways.items() if states[at].reads})


def characters(operator: Any, argument: Any) -> frozenset[str]:
    """The characters, in any case, that a token for one character can read; of a set only sampled ones."""
    return _characters(operator, tuple(argument) if isinstance(argument, list) else argument)


@lru_cache(maxsize=1_000)
def _characters(operator: Any, argument: Any) -> frozenset[str]:
    if operator is _parser.LITERAL:
        found = frozenset({chr(argument)})
    elif operator is _parser.ANY:
        found = _SAMPLE - {"\n"}
    elif operator is _parser.NOT_LITERAL:
        found = _SAMPLE - {chr(argument)}
    else:
        written = {chr(value) for kind, value in argument if kind is _parser.LITERAL}
        found = frozenset(character for character in _SAMPLE | written if _in_set(character, argument))
    return found | frozenset(map(str.lower, found)) | frozenset(map(str.upper, found))


def _in_set(character: str, items: Any) -> bool:
    negated = items[0][0] is _parser.NEGATE
    hit = any(_item_matches(character, operator, value) for operator, value in items if operator is not _parser.NEGATE)
    return hit != bool(negated)


def _item_matches(character: str, operator: Any, value: Any) -> bool:
    if operator is _parser.LITERAL:
        return bool(ord(character) == value)
    if operator is _parser.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    name = str(value).removeprefix("CATEGORY_")
    shorthand: dict[str, str] = {
        "DIGIT": r"\d",
        "NOT_DIGIT": r"\D",
        "SPACE": r"\s",
        "NOT_SPACE": r"\S",
        "WORD": r"\w",
        "NOT_WORD": r"\W",
    }
    return re.match(shorthand[name], character) is not None


def _parts(argument: Any) -> list[Any]:
    if isinstance(argument, _parser.SubPattern):
        return [argument]
    if isinstance(argument, (tuple, list)):
        return [part for item in argument for part in _parts(item)]
    return []
