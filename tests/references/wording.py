"""Which rows and attributes does a sentence name, word for word?"""

from __future__ import annotations

import re

from raguard.evidence.attributes import Attributes, Mention
from raguard.evidence.tables import Tables
from raguard.text.words import singular

_WORD = re.compile("[A-Za-z0-9]{1,40}")


def rows(tables: Tables, sentence: str) -> list[tuple[tuple[int, ...], int, int]]:
    """The rows of each table with a label that stands in ``sentence``, and where; the longest label wins."""
    words = list(_WORD.finditer(sentence))
    stems = [singular(word.group().lower()) for word in words]
    found, done = [], 0
    for first in range(len(words)):
        labels = {row.words for grid in tables.grids for row in grid.rows if row.words}
        held = [label for label in labels if first >= done and tuple(stems[first : first + len(label)]) == label]
        if held:
            label = max(held, key=len)
            done = first + len(label)
            alike = [tuple(n for n, row in enumerate(grid.rows) if row.words == label) for grid in tables.grids]
            found += [(numbers, words[first].start(), words[done - 1].end()) for numbers in alike if numbers]
    return found


def attributes(known: Attributes, sentence: str, joints: frozenset[str]) -> list[Mention]:
    """The attributes that ``sentence`` names, those of a group only where it has a word of the group too."""
    words = list(_WORD.finditer(sentence))
    stems = [singular(word.group().lower()) for word in words]
    found = []
    for first, word in enumerate(words):
        following = words[first + 1] if first + 1 < len(words) else None
        apart = following is None or sentence[word.end() : following.start()] != " "
        low = following.group().lower() if following else ""
        for attribute in map(known._attribute, range(len(known._told))):
            group = {singular(form) for form in attribute.group}
            described = apart or singular(low) in group or low in joints
            for form in attribute.forms:
                last = first + len(form)
                if tuple(stems[first:last]) == form and (not group or (group & set(stems) and described)):
                    found.append(Mention(attribute, word.start(), words[last - 1].end(), form in attribute.own))
    return found
