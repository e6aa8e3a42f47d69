"""Which characters are dress and not text? Markdown marks, inline HTML and entities come off; offsets stay true."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from raguard.text.view import Edit, View

__all__ = ["fences", "undress"]

_HINT = re.compile(r"[*_`~<&\\]|\]\(")
_FENCE = re.compile(r"^[ \t>]{0,12}(`{3,20}(?=[^`\n]*$)|~{3,20})(?P<info>[^\n]*)$", re.MULTILINE)
_DRESS = re.compile(
    r"""
      (?P<gone> (?<![\d*])\*{1,3}(?=[^\s*]) | (?<=[^\s*])\*{1,3}(?![\d*])     # emphasis, but not 40*12
              | (?<!\w)_{1,40}(?=\w) | (?<=[^\W_])_{1,40}(?!\w)
              | `{1,20} | ~~ | (?<=[^\S\n])\\(?=\n) | \\(?=[][\\`*_{}()\#+.!$%&|>-])
              | </?(?:b|i|u|em|strong|sup|sub|span|mark|code|a|font|small)(?:\s[^<>\n]{0,200})?> )
    | (?P<space> </?(?:br|p|div|li|ul|ol|td|tr|th|table|h[1-6])(?:\s[^<>\n]{0,200})?/?> )
    | (?P<link> !?\[ (?=[^][\n]{1,200}\]\([^()\s]{1,500}\)) | (?<=[^\n])\]\((?=[^()\s]{1,500}\)) )
    | (?P<entity> &(?:\#\d{1,7}|\#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,10}); )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def fences(text: str) -> list[tuple[int, int]]:
    """The spans of fenced code blocks, fences included; a block that is never closed runs to the end.

    >>> fences("a\\n```py\\nx = 1\\n```\\nb")
    [(2, 17)]
    """
    if "```" not in text and "~~~" not in text:
        return []
    spans, opened = [], None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif (
            not match["info"].strip()
            and match.group(1)[0] == opened.group(1)[0]
            and len(match.group(1)) >= len(opened.group(1))
        ):
            spans.append((opened.start(), match.end()))
            opened = None
    return spans if opened is None else [*spans, (opened.start(), len(text))]


def undress(view: View, *, keep_code: bool) -> View:
    """``view`` without Markdown marks, inline HTML and entities, and without fenced code unless ``keep_code``.

    >>> undress(View(s := "**Alice** _Johnson_ &amp; Co", s), keep_code=True).text
    'Alice Johnson & Co'
    """
    if not _HINT.search(view.text):
        return view
    if not keep_code:
        view = view.edit((start, end, "\n") for start, end in fences(view.text))
    edits = list(_edits(view.text))
    return view.edit(edits) if edits else view


def _edits(text: str) -> Iterator[Edit]:
    for match in _DRESS.finditer(text):
        if match.lastgroup == "entity":
            plain = html.unescape(match.group())
            if len(plain) == 1:
                yield match.start(), match.end(), " " if plain == "\u00a0" else plain
        elif match.lastgroup == "space":
            yield match.start(), match.end(), "\n"
        elif match.lastgroup == "link" and match.group() == "](":
            yield match.start(), match.end(), " ("
        else:
            yield match.start(), match.end(), ""
