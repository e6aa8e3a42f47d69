"""Which runs of a text may be names, when a run is tried at every character?"""

from __future__ import annotations

import re

from raguard.lexicon import Lexicon
from raguard.text.words import CONTRACTED

_REST = r"(?:\.(?:[A-Z]\.){0,4}|\w{0,40}(?:['&.-][A-Za-z0-9]\w{0,40}){0,5})"
_JOINTS = "of|the|for|&|de|la|du|von|van|der|bin|al|del|di|da"
_WORD = rf"(?:[A-Z]{_REST}|[a-z]{{1,2}}[A-Z]\w{{1,40}})"
_RUN = re.compile(
    rf"(?<![\w'])(?<!\w[.&-]){_WORD}(?:(?:[ ]{{1,2}}|[ ](?:{_JOINTS})[ ]|[ ]of[ ]the[ ]|/){_WORD}){{0,8}}"
)
_TOKEN = re.compile(r"(?:[A-Z]\.){1,5}(?![A-Za-z])|[^\W_]+(?:&[^\W_]+)*")


def runs(text: str) -> list[list[tuple[str, int]]]:
    """The words of each run as they are written, and where they begin."""
    return [
        [(part.group(), run.start() + part.start()) for part in _TOKEN.finditer(run.group())]
        for run in _RUN.finditer(text)
    ]


def names(text: str, lexicon: Lexicon) -> list[list[tuple[str, int]]]:
    """The words of each run that are left without articles and possessives, each looked at on its own."""
    found = []
    for run in runs(text):
        words = [(word, start) for word, start in run if word not in CONTRACTED]
        while words and _opens_only(text, *words[0], lexicon):
            del words[0]
        while words and words[-1][0] in lexicon.particles:
            del words[-1]
        if any(character.isalpha() for word, _ in words for character in word):
            found.append(words)
    return found


def _opens_only(text: str, word: str, start: int, lexicon: Lexicon) -> bool:
    bare = word.replace(".", "")
    if bare.lower() in lexicon.function_words and not (len(bare) > 1 and bare.isupper() and bare.isalpha()):
        return True
    end = start + len(word)
    return re.match(r"n't(?!\w)", text[end - 1 :], re.IGNORECASE) is not None
