"""Which part of a passage speaks of a claim? The one that has the longest run of words with it."""

from __future__ import annotations

import re

from raguard.report.marks import LONGEST, Passage, clip, passage

__all__ = ["quoted", "shared_run"]

_WORD = re.compile(r"\w+")
_FEWEST_LETTERS = 4
"""A shorter run says nothing of where a claim rests."""
_MOST_READ = 100_000
"""How many characters of a passage are searched."""


def quoted(source: str, text: str, claim: str) -> Passage:
    """``text`` as it stands where it is short, else its part that speaks of ``claim``, else its beginning.

    >>> quoted("passage 1", "Pets are welcome. " * 50 + "The rent is $900.", "Rent is $900, or so.").text
    'rent is $900'
    """
    run = shared_run(claim, text) if len(text) > LONGEST else None
    return Passage(source, clip(text)) if run is None else passage(source, text, *run)


def shared_run(claim: str, text: str) -> tuple[int, int] | None:
    """Where ``text`` holds the most letters in a row of words of ``claim``: start and end (characters), or None.

    Case and what stands between words do not count; of several the first.

    >>> shared_run("The moon is cheese.", "Some say the moon is rock.")
    (9, 20)
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(_WORD.findall(claim)):
        places.setdefault(word.casefold(), []).append(place)
    most, best = _FEWEST_LETTERS - 1, None
    runs: dict[int, tuple[int, int]] = {}
    for found in _WORD.finditer(text, 0, _MOST_READ):
        length, going = found.end() - found.start(), {}
        for place in places.get(found[0].casefold(), ()):
            start, letters = runs.get(place - 1, (found.start(), 0))
            going[place] = start, letters + length
            if letters + length > most:
                most, best = letters + length, (start, found.end())
        runs = going
    return best
