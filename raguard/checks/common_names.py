"""How sure is it that common words with capitals are a name that the documents should hold?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from raguard.case import Case
from raguard.reading.names import NameRun, Token
from raguard.text.words import plain_words

__all__ = ["common_name_rule"]

_OPENS = re.compile(r"(?<!\w)(?P<mark>[\"'])(?:(?=[A-Z])(?:[\w&:,.-]{1,30} ){0,6})?$")
_CLOSES = re.compile(r"(?: [\w&:,.-]{1,30}){0,6}[,.!?]?(?P<mark>[\"'])(?!\w)")
_REACH = 120
"""How far from a name the marks around its title are looked for."""
_SHORT_ANSWER = 12
"""Up to that many words an answer of one sentence says little but the name that was asked for."""


def common_name_rule(case: Case, run: NameRun, missing: Sequence[Token]) -> str:
    """The rule for a name of common words, some of them missing from the documents.

    It is surest as a title in quotation marks or as the answer that is asked for, unless only its kind is missing:
    the county of a city may well be called by it.
    """
    if _titled(case.view.text, run.start, run.end):
        return "name.title"
    named = any(token.lower not in case.known.lexicon.kinds for token in missing)
    return "name.answer" if named and _answers(case) else "name.common"


def _titled(text: str, start: int, end: int) -> bool:
    """Whether the name is a title in quotation marks, or a part of one."""
    opens = _OPENS.search(text[max(0, start - _REACH) : start])
    closes = _CLOSES.match(text, end, end + _REACH)
    return opens is not None and closes is not None and opens["mark"] == closes["mark"]


def _answers(case: Case) -> bool:
    """Whether a short answer replies to a question that asks for a name: who, which, where."""
    if len(case.outline.sentences) != 1 or len(case.outline.text.split()) > _SHORT_ANSWER:
        return False
    return not case.known.lexicon.asking_words.isdisjoint(plain_words(case.query).split())
