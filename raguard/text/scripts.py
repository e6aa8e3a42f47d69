"""Which letters of a text are of another script than the Latin one, and where do they meet digits?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from raguard.text.view import Edit

__all__ = ["borders", "has_other_letters", "is_mostly_other", "may_have_borders", "other_letters"]

# Hebrew, Arabic, the scripts of India, Thai, Hangul, Ethiopic, kana, Han and what lies between; no signs such as ㎡
_CLOSE = "\u0530-\u1c7f\u1c90-\u1cff\u2d00-\u2ddf\u2e80-\u2fdf\u3005-\u3007\u3021-\u31ff\u3400-\ua63f\ua6a0-\ua6ff"
_CLOSE += "\ua800-\uab2f\uab70-\ud7ff\uf900-\ufaff\ufb13-\ufdff\ufe70-\ufefe\uff66-\uffdc"
# behind the plane of all these: no modifiers of Latin letters, no mathematical letters and no emoji
_CLOSE += "\U00010000-\U000100ff\U00010280-\U0001077f\U000107c0-\U0001cfff\U0001e000-\U0001edff\U00020000-\U000323af"
_SPACED = "\u0370-\u052f\u1c80-\u1c8f\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\u2cff\u2de0-\u2dff\ua640-\ua69f"
"""Greek, Coptic, Cyrillic and Glagolitic: 59руб is an amount, but 5α a name."""
_SCALES = "万萬만億亿억"
_OTHER = f"[{_CLOSE}]|[{_SPACED}]{{2}}"
_MAY_BE = f"[{_CLOSE}{_SPACED}]"
_BORDER = (
    f"[0-9{_CLOSE}-](?:(?<=[0-9])(?=[{_CLOSE}]|[{_SPACED}]{{2}})|(?<=[{_CLOSE}])(?=[0-9])"
    f"|(?<=[0-9][{_SCALES}])(?=[{_CLOSE}])|(?<=[{_CLOSE}]-)(?=[0-9]))"
)
"""It begins with a set of characters, so that a text is searched fast."""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # an eighth of the import time, for texts with such letters
    return re.compile(pattern)


def borders(text: str) -> Iterator[Edit]:
    """A space wherever a script runs its letters into a number, so that the number has the same borders in all of them.

    The hyphen that Hebrew and Arabic put after a prefix is no sign of the number either.

    >>> list(borders("售价59"))
    [(2, 2, ' ')]
    """
    for match in _compiled(_BORDER).finditer(text):
        yield (match.start() if match.group() == "-" else match.end()), match.end(), " "


def may_have_borders(characters: str) -> bool:
    """Whether a text of the given characters may hold such a place."""
    return _compiled(_MAY_BE).search(characters) is not None


def has_other_letters(text: str) -> bool:
    """Whether ``text`` holds words of another script than the Latin one; single Greek letters are symbols.

    >>> has_other_letters("5 α-particles"), has_other_letters("Toyota (トヨタ)")
    (False, True)
    """
    return not text.isascii() and _compiled(_OTHER).search(text) is not None


def is_mostly_other(text: str) -> bool:
    """Whether more than half of the letters are of another script; a name in brackets makes no foreign sentence.

    >>> is_mostly_other("東京は大きい Tokyo"), is_mostly_other("Tokyo (東京) is large."), is_mostly_other("59 %")
    (True, False, False)
    """
    if text.isascii():
        return False
    return 2 * sum(map(str.isalpha, other_letters(text))) > sum(map(str.isalpha, text))


def other_letters(text: str) -> str:
    """The letters of ``text`` that are of another script than the Latin one, with the marks of that script.

    >>> other_letters("ʃ is the š of 𝑥 ≤ ½, 가 is ga 🎉")
    '가'
    """
    return "".join(_compiled(f"{_MAY_BE}{{1,200}}").findall(text))
