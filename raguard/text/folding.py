"""How is text made comparable? Dashes, quotes, spaces, digits and accents in their many forms become one.

Almost every character folds to exactly one, so that offsets stay; only what has no width (joiners, soft hyphens,
combining marks) and ligatures change the length, and then the view carries the way back. Scripts that run their letters
into numbers get a space between, so that a number has the same borders in all of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from raguard.text.scripts import borders, may_have_borders
from raguard.text.view import Edit, View
from raguard.text.words import occurrences

__all__ = ["fold"]

_SINGLE = {
    **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃־", "-"),
    **dict.fromkeys("‘’‚‛′ʼ´＇", "'"),
    **dict.fromkeys("“”„‟″«»＂〝〞", '"'),
    **dict.fromkeys("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a", " "),
    **dict.fromkeys("\u202f\u205f\u3000\v\f", " "),
    **dict.fromkeys("\u2028\u2029\u0085\r", "\n"),
    "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "ħ": "h", "Ħ": "H", "ð": "d", "Ð": "D",
    # they look like spaces and are letters and symbols: the Hangul fillers, a blank pattern of Braille
    **dict.fromkeys("\u115f\u1160\u3164\uffa0\u2800", " "),
    "\u20e3": ")", "º": "°", "˚": "°", "⁄": "/", "٫": ".", "٬": ",", "٪": "%",
}  # fmt: skip
_WIDE = {
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ß": "ss",
}
_BREAK = re.compile("\u200b(?:(?<=[^\\W\\d_]{2}\u200b)(?=\\d)|(?<=\\d\u200b)(?=[^\\W\\d_]{2}))")
"""A place to break the line between a number and a word parts them; elsewhere it is nothing, as joiners are."""
_WIDTHLESS = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0100-\U000e01ef"
    "\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20e2\u20e4-\u20ff"
)
_RESIZED = re.compile(f"[{_WIDTHLESS}{''.join(_WIDE)}](?:(?<=\u00ad) ?\n(?=\\w))?")
"""What changes the length; a soft hyphen goes with the line end behind it."""
_UNFOLDED = bytes(code for code in range(128) if chr(code) not in "\v\f\r")
"""The ASCII characters that stay as they are."""
_RUN = re.compile(r"[\v-\r\x80-\U0010ffff]+")
_FEW = 16
"""Where one character in so many may not be in its plainest form, only the runs of such characters are looked at."""
_MANY = 40
"""From this many different characters on, all are folded in one pass over the text; fewer are folded one by one."""
_FOLDED_RANGES = (
    (0x80, 0x24F),
    (0x1E00, 0x1EFF),
    (0xFF01, 0xFF5E),
    (0x660, 0x669),
    (0x6F0, 0x6F9),
    (0x2070, 0x2089),
    (0x1D400, 0x1D7FF),
)
_ENCLOSED_RANGES = ((0x249C, 0x24E9), (0x1F110, 0x1F189))
_ENCLOSED = re.compile(r"[A-Z ]{1,40} LATIN (CAPITAL|SMALL) LETTER ([A-Z])")
"""What the names of letters in circles, squares and brackets look like."""


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    """One character for one: letters without accents, circles and style, digits in ASCII, one dash, quote and space."""
    table = {}
    for first, last in _FOLDED_RANGES:
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKD", chr(code))
            if len(plain) > 1:
                plain = "".join(character for character in plain if not unicodedata.combining(character))
            if len(plain) == 1 and plain != chr(code) and (plain.isascii() or plain.isdigit()):
                table[code] = str(unicodedata.digit(plain)) if plain.isdigit() else plain
    for first, last in _ENCLOSED_RANGES:
        for code in range(first, last + 1):
            if letter := _ENCLOSED.fullmatch(unicodedata.name(chr(code), "")):
                table[code] = letter[2] if letter[1] == "CAPITAL" else letter[2].lower()
    # the decimal digits of every script
    digits = filter(str.isdecimal, map(chr, range(0x80, 0x20000)))
    table |= {ord(digit): str(unicodedata.digit(digit)) for digit in digits}
    # half a character is none
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    # superscripts mark notes and powers: 10² must not read 102
    for mark in "²³¹⁰⁴⁵⁶⁷⁸⁹":
        table[ord(mark)] = "^"
    table.update({ord(character): plain for character, plain in _SINGLE.items()})
    return table


def fold(given: str | View) -> View:
    """A text, or what a view made of one, with every character in its plainest form, and the way back.

    >>> fold("“São Paulo” – 5\\u00a0km").text
    '"Sao Paulo" - 5 km'
    >>> view = fold("so\\u00adft 12 ﬁles")
    >>> view.text, view.span(5, 13)
    ('soft 12 files', (6, 13))
    >>> fold("Ⓛⓔⓔⓓⓢ, 𝐋𝐞𝐞𝐝𝐬").text
    'Leeds, Leeds'
    >>> fold("售价59美元").text
    '售价 59 美元'
    """
    if isinstance(given, str):
        origin, text = View(given, given), given
    else:
        origin, text = given, given.text
    if text.isascii() and "\r" not in text and "\f" not in text and "\v" not in text:
        return origin
    if "\r" in text:
        # a line end of two characters is one of one, with a space before it in its place
        text = text.replace("\r\n", " \n")
    if "\u200b" in text:
        text = _BREAK.sub(" ", text)
    unfolded = _unfolded(text)
    if not unfolded:
        return origin if text is origin.text else View(origin.source, text, origin.starts, origin.origins)
    view = View(origin.source, _folded(text, unfolded), origin.starts, origin.origins)
    if view.text.isascii():
        return view
    kinds = "".join(set(unfolded))
    if resized := _RESIZED.findall(kinds):
        view = view.edit(_resizing(view.text, resized))
    spaces = list(borders(view.text)) if may_have_borders(kinds) else ()
    return view.edit(spaces) if spaces else view


def _unfolded(text: str) -> str:
    """The characters of ``text`` that may not be in their plainest form."""
    # the bytes of other characters stay together
    return text.encode("utf-8", "surrogatepass").translate(None, _UNFOLDED).decode("utf-8", "surrogatepass")


def _folded(text: str, unfolded: str) -> str:
    """``text`` with every character replaced that has one to stand for it; those that may are in ``unfolded``."""
    table = _table()
    replaced = [kind for kind in set(unfolded) if ord(kind) in table]
    if len(replaced) > _MANY:
        few = len(unfolded) * _FEW < len(text)
        return _RUN.sub(lambda run: run.group().translate(table), text) if few else text.translate(table)
    for kind in replaced:
        text = text.replace(kind, table[ord(kind)])
    return text


def _resizing(text: str, kinds: Iterable[str]) -> Iterator[Edit]:
    """What changes the length of ``text``, which has characters of these kinds that do."""
    places = sorted([place for kind in kinds for place in occurrences(text, kind)])
    for match in filter(None, [_RESIZED.match(text, place) for place in places]):
        yield *match.span(), _WIDE.get(match.group(), "")
