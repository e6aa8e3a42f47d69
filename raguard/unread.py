"""What in an answer is not read? Every gap of the rules that the answer runs into, in words."""

from __future__ import annotations

from collections.abc import Iterator

from raguard.language import UNDETERMINED
from raguard.result import Unchecked
from raguard.text.fences import Fenced, fenced
from raguard.text.markup import has_attributes
from raguard.text.scripts import has_other_letters

__all__ = ["unread"]


def unread(text: str, lang: str, *, other_script: bool, translated: bool) -> Iterator[Unchecked]:
    """The gaps for ``text`` (folded, as it is dressed) in ``lang``.

    The language may be written in another script, or be one whose number words are read (``translated``).

    >>> [gap.why for gap in unread("ꤊꤢ꤬ꤛꤢ꤭", UNDETERMINED, other_script=True, translated=False)][0]
    'not looked for: no model for an undetermined language'
    """
    code = [block for block in fenced(text) if block.is_code]
    if code:
        yield Unchecked("code", "fenced code blocks are no claims")
        if not _says_more(text, code):
            yield Unchecked("everything", "all of the answer is fenced code")
    if has_attributes(text):
        yield Unchecked("attributes", "of HTML tags link targets alone are read")
    if lang != "en":
        language = "an undetermined language" if lang == UNDETERMINED else f'"{lang}"'
        names = "not looked for" if other_script else "judged by presence alone"
        yield Unchecked("names", f"{names}: no model for {language}")
        numbers = "" if translated else "numbers in words, "
        yield Unchecked("words", f"{numbers}terms, statements and vague phrases are not read in {language}")
    elif has_other_letters(text):
        yield Unchecked("other scripts", "of letters other than Latin ones nothing is read but the digits between them")


def _says_more(text: str, code: list[Fenced]) -> bool:
    """Whether a letter or a digit stands outside of the code."""
    ends = [0, *(block.end for block in code)]
    starts = [*(block.start for block in code), len(text)]
    return any(map(str.isalnum, "".join([text[end:start] for end, start in zip(ends, starts, strict=True)])))
