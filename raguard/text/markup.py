"""Which characters are dress and not text? Markdown marks, inline HTML and entities come off; offsets stay true."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from raguard.text.fences import fenced
from raguard.text.folding import fold
from raguard.text.view import Edit, View

__all__ = ["has_attributes", "undress"]

_SIGNS = "*_`~<&\\"
"""Each piece of dress begins with one of these, but for links."""
_HINTS = (*_SIGNS, "](")
_SIGN = re.compile(f"[{re.escape(_SIGNS)}]")
_SIGN_OR_BRACKET = re.compile(rf"[]!\[{re.escape(_SIGNS)}]")
_DRESS = re.compile(
    r"""
      (?P<gone> (?<![\d*])\*{1,3}(?=[^\s*]) | (?<=[^\s*])\*{1,3}(?![\d*])     # emphasis, but not 40*12
              | (?<!\w)_{1,40}(?=\w) | (?<=[^\W_])_{1,40}(?!\w)
              | `{1,20} | ~~ | (?<=[^\S\n])\\(?=\n) | \\(?=[][\\`*_{}()\#+.!$%&|>-]) )
    | (?P<script> <su[bp]> (?P<small>\w{1,4}) </su[bp]> )
    | (?P<anchor> <a\s (?:[^<>\n]{0,200}\s)? href\s?=\s?["']? (?P<href>[^\s"'<>]{1,500}) ["']? (?:\s[^<>\n]{0,200})? > )
    | (?P<inline> </?(?:b|i|u|em|strong|sup|sub|span|mark|code|a|font|small)(?:\s[^<>\n]{0,200})?> )
    | (?P<space> </?(?:br|p|div|li|ul|ol|td|tr|th|table|h[1-6])(?:\s[^<>\n]{0,200})?/?> )
    | (?P<link> !?\[ (?!\d{1,3}\]) (?=[^][\n]{1,200}\]\([^()\s]{1,500}\))     # but [1](...) is a citation
             | (?<=[^\n])(?<!\[\d)(?<!\[\d\d)(?<!\[\d{3})\]\((?=[^()\s]{1,500}\)) )
    | (?P<entity> &(?:\#\d{1,7}|\#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,10}); )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BASE = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,3}$|[\d)\]]$")
"""What a power stands on: a number, a bracket, the letters of a unit."""
_VALUED = re.compile(r"""[\w:.-]{1,40}\s?=\s?(?:"[^"<>\n]{0,200}"|'[^'<>\n]{0,200}'|[^\s"'<>]{1,500})""")
"""An attribute of a tag with its value."""
_TARGET = re.compile(r"href\s?=", re.IGNORECASE)
_TAGS = frozenset({"anchor", "inline", "space"})
_MOST_BARE = 2
"""A tag has at most so many attributes without a value; what has more words between < and > is text."""
_SMALL = re.compile(r"</?su[bp]", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_WORD = re.compile(r"(?!(?:st|nd|rd|th)(?!\w))[^\W\d_]{2}")


def undress(view: View, *, keep_code: bool) -> View:
    """``view`` without Markdown marks, inline HTML and entities, and without code and its fences unless ``keep_code``.

    >>> undress(View(s := "**Alice** _Johnson_ &amp; Co", s), keep_code=True).text
    'Alice Johnson & Co'
    """
    for hint in _HINTS:
        if hint in view.text:
            return _undressed(view, keep_code=keep_code)
    return view


def _undressed(view: View, *, keep_code: bool) -> View:
    if not keep_code:
        view = view.edit((block.start, block.end, "\n") for block in fenced(view.text))
    edits = list(_apart(view.text, _edits(view.text)))
    return view.edit(edits) if edits else view


def has_attributes(text: str) -> bool:
    """Whether undressing ``text`` takes out attributes of HTML tags, link targets aside.

    >>> has_attributes('<a href="x.y">'), has_attributes('<td title="$59">'), has_attributes("<b free>")
    (False, True, True)
    """
    if "<" not in text:
        return False
    tags = (match for match in _dressed(text) if match.lastgroup in _TAGS)
    return any(_bare_words(tag.group()) or _valued(tag) for tag in tags)


def _valued(tag: re.Match[str]) -> list[str]:
    """The attributes of a tag that have a value, but for the target of a link."""
    valued: list[str] = _VALUED.findall(tag.group())
    return [each for each in valued if tag["href"] is None or not _TARGET.match(each)]


def _bare_words(tag: str) -> list[str]:
    """The words of a tag behind its name, without attributes that have a value."""
    return _VALUED.sub(" ", tag).strip("</>").split()[1:]


def _dressed(text: str) -> Iterator[re.Match[str]]:
    """Each piece of dress, from left to right."""
    done = 0
    for sign in (_SIGN_OR_BRACKET if "](" in text else _SIGN).finditer(text):
        match = _DRESS.match(text, sign.start()) if sign.start() >= done else None
        if match is not None and not (match.lastgroup in _TAGS and len(_bare_words(match.group())) > _MOST_BARE):
            done = match.end()
            yield match


def _edits(text: str) -> Iterator[Edit]:
    for match in _dressed(text):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "entity":
            from html import unescape  # its table of entities is large, and few texts need it

            plain = unescape(match.group())
            if len(plain) == 1:
                yield start, end, fold(plain).text
        elif kind == "script" and _is_footnote(match):
            yield start, match.start("small"), "["
            yield match.end("small"), end - 1, ""
            yield end - 1, end, "]"
        elif kind == "script":
            yield start, match.start("small"), ""
            if match["small"].isdigit() and match.group()[3] in "pP" and not text[start - 1 : start].isspace():
                # as in folded superscripts: 10² must not read 102
                yield *match.span("small"), "^"
            yield match.end("small"), end, ""
        elif kind == "anchor":
            yield start, match.start("href"), " ("
            yield match.end("href"), end, ") "
        elif kind == "space":
            yield start, end, "\n"
        else:
            yield start, end, " (" if match.group() == "](" else ""


def _is_footnote(script: re.Match[str]) -> bool:
    """Whether a raised number marks a note and is not a power: 10<sup>2</sup> and km<sup>2</sup> are powers."""
    raised = script["small"].isdigit() and script.group()[3] in "pP"
    return raised and not _BASE.search(script.string, max(0, script.start() - 5), script.start())


def _apart(text: str, edits: Iterable[Edit]) -> Iterator[Edit]:
    """The edits with a space where taking out would run a word and a number into one: <b>59</b>cats."""
    run: list[Edit] = []
    for edit in edits:
        if run and (edit[2] or edit[0] != run[-1][1]):
            yield from _closed(text, run)
            run = []
        if edit[2]:
            yield edit
        else:
            run.append(edit)
    yield from _closed(text, run) if run else ()


def _closed(text: str, run: list[Edit]) -> Iterator[Edit]:
    """A run of touching edits that take out, with a space in its place when a word and a number stand around it."""
    start, end = run[0][0], run[-1][1]
    runs_on = text[start - 1 : start].isdigit() and _WORD.match(text, end)
    runs_in = text[end : end + 1].isdigit() and _LETTERS.fullmatch(text, max(0, start - 2), start)
    # H<sub>2</sub>O is one word
    part = (runs_on or runs_in) and not _SMALL.search(text, start, end)
    yield start, run[0][1], " " if part else ""
    yield from run[1:]
