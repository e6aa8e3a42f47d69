"""What does a text say to a model that a reader of plain letters would miss? Disguised letters become plain ones.

Folding takes off accents, full-width forms and what has no width. Attackers have more: letters of other alphabets
that look alike, mathematical letters, invisible tag characters, words with a space between all letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from raguard.text.folding import fold
from raguard.text.view import Edit, View

__all__ = ["plainly"]

_LOOKALIKES = str.maketrans(
    "авеёкмнорстухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅԌԚԜӀαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡɩɑ",
    "abeekmhopctyxijshdqwlABEKMHOPCTYXIJSGQWIaeikvoptuxABEZHIKMNOPTYXgia",
)
_MIXED_WORD = re.compile(r"(?=[^\W\d_]{0,40}[a-zA-Z])(?=[^\W\d_]{0,40}[\u0250-\u052f])[^\W\d_]{2,80}")
_DISGUISE = re.compile(r"[\u2460-\u24ff\U0001d400-\U0001d7ff\U0001f130-\U0001f189\U000e0020-\U000e007e]")
_SPACED_OUT = re.compile(r"(?<![^\W_])[^\W\d_](?:([ ._*-])[^\W\d_](?:\1[^\W\d_]){4,198})(?![^\W_])")


@cache
def _letters() -> dict[int, str]:
    """Mathematical, circled and squared letters, and the invisible tags, each with the ASCII letter it stands for."""
    table = {code: chr(code - 0xE0000) for code in range(0xE0020, 0xE007F)}
    for first, last in ((0x2460, 0x24FF), (0x1D400, 0x1D7FF), (0x1F130, 0x1F189)):
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKD", chr(code))
            name = unicodedata.name(chr(code), "")
            if "SQUARED LATIN CAPITAL LETTER" in name or "CIRCLED LATIN CAPITAL LETTER" in name:
                plain = name[-1]
            if len(plain) == 1 and plain.isascii():
                table[code] = plain
    return table


def plainly(text: str) -> View:
    """``text`` folded and without disguises, and the way back; every other character keeps its place.

    >>> plainly("\\u0456gn\\u043er\\u0435 𝐭𝐡𝐢𝐬").text
    'ignore this'
    >>> view = plainly("now i g n o r e  it")
    >>> view.text, view.span(4, 10)
    ('now ignore  it', (4, 15))
    """
    view = fold(text)
    plain = view.text
    if not plain.isascii():
        if _DISGUISE.search(plain):
            plain = plain.translate(_letters())
        plain = _MIXED_WORD.sub(lambda word: word.group().translate(_LOOKALIKES), plain)
        view = View(view.source, plain, view.starts, view.origins)
    edits = list(_closing(plain))
    return view.edit(edits) if edits else view


def _closing(text: str) -> Iterator[Edit]:
    """Takes out what stands between the letters of words that are spaced out."""
    for run in _SPACED_OUT.finditer(text):
        for place in range(run.start() + 1, run.end(), 2):
            yield place, place + 1, ""
