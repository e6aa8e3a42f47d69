"""Which numbers of a document only number its items and pages or point to a source? They state nothing.

"2. Scope" and "[3]" do not say that there are two or three of anything. The last numeral of a list that begins with 1
stays a number: it counts the items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from raguard.values.quantities import Quantity
from raguard.values.value import Fact

__all__ = ["enumerators", "may_enumerate"]

_BEFORE = re.compile(r"[ \t>]{0,12}(?:[-*+•#]{1,6}[ \t]{1,3})?\(?")
_AFTER = re.compile(r"[.)][ \t]{1,4}[\"'(]?[^\W\d_]")
_LONGEST = 22
_CITED = re.compile(r"\w[.,;!?\"')\]]{0,3} ?\[$")
_LARGEST = 999
_PAGE = re.compile(r"(?:^|\n)\W{0,8}(?:page|pg\.|p\.|seite|página|pagina)[ ]{1,3}$", re.IGNORECASE)
_PAGE_END = re.compile(r"(?:[ ]{0,2}(?:of|/|von|de|di)[ ]{0,2}\d{1,4})?[^\w\n]{0,8}(?:\n|$)")


def enumerators(text: str, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The numerals of lists, page numbers and citation marks among the ``facts`` of ``text``, in order of position."""
    small = [fact for fact in facts if _is_small(fact)]
    lists = list(_lists([fact for fact in small if _numbers_an_item(text, fact)]))
    cited = [fact for fact in small if _is_cited(text, fact)]
    pages = [fact for fact in small if _heads_a_page(text, fact)]
    return tuple(
        sorted([*cited, *pages, *(fact for numerals in lists for fact in numerals)], key=lambda fact: fact.start)
    )


def may_enumerate(text: str, fact: Fact) -> bool:
    """Whether a value of ``text`` can be one of its enumerators, which depends on the others."""
    if not _is_small(fact):
        return False
    return _is_cited(text, fact) or _numbers_an_item(text, fact) or _heads_a_page(text, fact)


def _is_small(fact: Fact) -> bool:
    value = fact.value
    if not isinstance(value, Quantity) or fact.end - fact.start > len(str(_LARGEST)) or not value.bare:
        return False
    amount = value.readings[0].amount
    return 0 < amount <= _LARGEST and amount == int(amount)


def _numbers_an_item(text: str, fact: Fact) -> bool:
    """Whether the number stands at the beginning of a line, and a stop or bracket and a word follow."""
    if _AFTER.match(text, fact.end) is None:
        return False
    line = text.rfind("\n", max(0, fact.start - _LONGEST), fact.start) + 1
    return (line > 0 or fact.start < _LONGEST) and _BEFORE.fullmatch(text, line, fact.start) is not None


def _is_cited(text: str, fact: Fact) -> bool:
    """Whether the number is a citation mark: a bracket behind a word."""
    if text[fact.end : fact.end + 1] != "]":
        return False
    return _CITED.search(text, max(0, fact.start - 6), fact.start) is not None


def _heads_a_page(text: str, fact: Fact) -> bool:
    """Whether the number stands in a line of its own behind the word for a page."""
    return (
        _PAGE_END.match(text, fact.end) is not None
        and _PAGE.search(text, max(0, fact.start - 20), fact.start) is not None
    )


def _lists(numerals: list[Fact]) -> Iterator[list[Fact]]:
    """The numerals of each list without one that counts it; a lone numeral above 1 may be the end of a sentence."""
    run: list[Fact] = []
    for fact in [*numerals, None]:
        if run and (fact is None or _number(fact) != _number(run[-1]) + 1):
            if len(run) > 1:
                yield run[:-1] if _number(run[0]) == 1 else run
            run = []
        if fact is not None:
            run.append(fact)


def _number(fact: Fact) -> int:
    assert isinstance(fact.value, Quantity)
    return int(fact.value.readings[0].amount)
