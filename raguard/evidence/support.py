"""How far do the documents carry the words of one claim? Measures of what they lack, whatever it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import accumulate, pairwise
from typing import NamedTuple

from raguard.evidence.wordings import Closest, Wordings
from raguard.reading.claim_words import ClaimWord
from raguard.text.blanks import Span

__all__ = ["Lack", "lack"]

_NEAR = 8
"""Novelty is counted over so many claiming words in a row: an invention is local, whatever stands around it."""
_SCALE = 20.0
"""Nats of novel words that make a novelty of 1: about three rare words."""
_SOME = 12.0
"""A claim of less weight says too little for a share of it to tell much."""
_ECHO = 0.5
"""What a word weighs of which only the question speaks."""
_SENTENCE = 3
"""Fewer words are an item or a label, and no claim by themselves."""
_FEWEST_NEW = 1
_LEAST_NEW = 0.2
"""A claim that is all new has so many novel words that are no filler, and so much novelty."""
_SHORTEST_PART = 3
_SHORT_STEM = 4
_ENDINGS = "aeiostlr"
"""What may go on behind a stem of four letters."""


class Lack(NamedTuple):
    """What the documents lack of a claim; a measure is 0 when they lack nothing."""

    measures: Mapping[str, float]
    """By name: "novelty", "missing", "unseen_pairs", "names", "numbers", "tail", "all_new" (see docs/checks.md)."""
    closest: Closest | None
    """Where they speak most of it."""
    new: Span | None
    """Where in the answer its novel words stand."""


def lack(
    words: Sequence[ClaimWord],
    held: Callable[[ClaimWord], bool],
    wordings: Wordings,
    asked: Set[str],
    stems: Mapping[str, str],
    worth: Callable[[Mapping[str, float]], bool] = lambda _: True,
) -> Lack | None:
    """What the documents lack of a claim with these words; None when no word of it claims anything.

    ``held`` tells of a word whether a check has found it in the documents already; ``asked`` are the question's stems;
    ``stems`` gives the stem of any word. Where the documents speak of the claim is looked for only when ``worth`` says
    so, given the most that the measures can come to; else there is None too.
    """
    claiming = [word for word in words if word.rarity]
    if not claiming:
        return None
    joined = _joined(words, wordings, stems)
    novel = [
        word not in joined and _is_novel(word, held, wordings, asked) and not _parted(word, wordings, stems)
        for word in claiming
    ]
    weights = [word.weight if new else 0.0 for word, new in zip(claiming, novel, strict=True)]
    densest, novelty = _densest(weights)
    behind = len(claiming) * 2 // 3
    measures = {
        "novelty": novelty / _SCALE,
        "missing": 1.0,
        "unseen_pairs": 1.0,
        "names": _few(new and word.name and not word.number for word, new in zip(claiming, novel, strict=True)),
        "numbers": _few(new and word.number for word, new in zip(claiming, novel, strict=True)),
        "tail": sum(weights[behind:]) / (sum([word.rarity for word in claiming[behind:]]) or 1.0),
        "all_new": float(len(words) >= _SENTENCE and _all_new(claiming, novel, novelty)),
    }
    if not worth(measures):
        return None
    by_stem = {word.stem: word.weight for word in claiming}
    for stem in (asked & by_stem.keys()) - wordings.stems:
        by_stem[stem] *= _ECHO
    total = sum(by_stem.values())
    closest = wordings.closest(by_stem)
    missing = 1 - closest.around if closest is not None else 1.0
    measures["missing"] = missing * min(1.0, total / _SOME)
    measures["unseen_pairs"] = _unseen_pairs([word.stem for word in words], wordings.pairs)
    window = slice(densest, densest + _NEAR)
    return Lack(measures, closest, _span(claiming[window], novel[window]))


def _is_novel(word: ClaimWord, held: Callable[[ClaimWord], bool], wordings: Wordings, asked: Set[str]) -> bool:
    """Whether the documents hold nothing like a word."""
    stem, stems = word.stem, wordings.stems
    if stem in stems or stem in asked or held(word):
        return False
    if word.number:
        return not _same_number(stem, stems)
    if wordings.begins(stem):
        return False
    return len(stem) != _SHORT_STEM or not any(f"{stem}{letter}" in stems for letter in _ENDINGS)


def _joined(words: Sequence[ClaimWord], wordings: Wordings, stems: Mapping[str, str]) -> Set[ClaimWord]:
    """The words that the documents write as one with their neighbour: pick up in the claim, pickup there."""
    found = set[ClaimWord]()
    for first, second in pairwise(words):
        lacking = first.stem not in wordings.stems or second.stem not in wordings.stems
        if lacking and first.end + 1 == second.start and stems[f"{first.written}{second.written}"] in wordings.stems:
            found |= {first, second}
    return found


def _parted(word: ClaimWord, wordings: Wordings, stems: Mapping[str, str]) -> bool:
    """Whether the documents write a word as two: takeout in the claim, take out there."""
    written = word.written
    cuts = range(_SHORTEST_PART, len(written) - _SHORTEST_PART + 1)
    return any((stems[written[:cut]], stems[written[cut:]]) in wordings.pairs for cut in cuts)


def _same_number(stem: str, stems: Set[str]) -> bool:
    """Whether the documents hold the number in thousands or millions, or the other way round."""
    try:
        value = float(stem)
    except ValueError:
        return False
    return any(f"{value * factor:.10g}" in stems for factor in (1, 1e3, 1e6, 1e-3, 1e-6))


def _densest(weights: Sequence[float]) -> tuple[int, float]:
    """Where the heaviest run of so many words begins, and its weight."""
    if len(weights) <= _NEAR:
        return 0, sum(weights)
    sums = [0.0, *accumulate(weights)]
    runs = [sums[first + _NEAR] - sums[first] for first in range(len(weights) - _NEAR + 1)]
    first = max(range(len(runs)), key=runs.__getitem__)
    return first, runs[first]


def _few(hits: Iterable[bool]) -> float:
    """A count of a few, of which more than two say nothing more."""
    return min(1.0, sum(hits) / 2)


def _all_new(words: Sequence[ClaimWord], novel: Sequence[bool], novelty: float) -> bool:
    """Whether a claim of some weight has no word that the documents hold."""
    telling = sum([2 * word.weight >= word.rarity for word in words])
    return all(novel) and telling >= _FEWEST_NEW and novelty >= _LEAST_NEW * _SCALE


def _unseen_pairs(stems: Sequence[str], seen: Set[tuple[str, str]]) -> float:
    """The share of neighbouring words that stand beside each other in no document."""
    pairs = list(pairwise(stems))
    return sum([pair not in seen for pair in pairs]) / len(pairs) if pairs else 0.0


def _span(words: Sequence[ClaimWord], novel: Sequence[bool]) -> Span | None:
    """From the first to the last novel word."""
    new = [word for word, is_new in zip(words, novel, strict=True) if is_new]
    return (new[0].start, new[-1].end) if new else None
