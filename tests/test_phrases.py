"""Does looking only where an opening stands find what looking everywhere finds?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import raguard.text.phrases
from raguard.openings import Openings, openings
from raguard.rulebook import load_rulebook
from raguard.text.phrases import Phrases, Places

BOOK = load_rulebook()
RULES = [
    rule for family in ("layout", "refusals", "vague") for rule in BOOK[family].rules if rule.pattern or rule.forms
]
PIECES = sorted(
    {piece for rule in RULES for text in (*rule.accepts, *rule.rejects) for piece in re.split(r"(?<=\W)", text)}
)
TEXTS = st.one_of(
    st.lists(st.sampled_from([text for rule in RULES for text in (*rule.accepts, *rule.rejects)])),
    st.lists(st.sampled_from([*PIECES, "_", "\n", "é", "İ"])),
).map("".join)
PATTERNS = [rule for rule in RULES if rule.pattern]


def build() -> tuple[Phrases, Phrases]:
    """Phrases as written and phrases of whole words."""
    return Phrases(PATTERNS), Phrases(BOOK["vague"].rules, whole_words=True)


FAST = build()


def opened(words: str, *, numbered: str = "", symbols: str = "", lines: bool = False, spaces: int = 0) -> Openings:
    """The given openings, words between spaces."""
    return Openings(frozenset(words.split()), frozenset(numbered.split()), frozenset(symbols), lines, spaces)


@pytest.fixture(scope="module")
def slow() -> tuple[Phrases, Phrases]:
    """The same ones that know no opening words and search the whole text."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(raguard.text.phrases, "openings", lambda _: None)
        built = build()
        for phrases in built:
            phrases.prepare()
        return built


@given(text=TEXTS)
def test_phrases_are_found_at_openings_as_in_the_whole_text(slow: tuple[Phrases, Phrases], text: str) -> None:
    for fast, reference in zip(FAST, slow, strict=True):
        assert list(fast.find(Places(text))) == list(reference.find(Places(text)))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\b(?:no|not\sany)\s(?:thing)\b", opened("no not")),
        (r"(?<!\w)days?(?!\w)", opened("day days")),
        (r"\b(?-i:[A-C])nn\b(?!\sLee)", opened("ann bnn cnn")),
        (r"\b(?:very\s){0,3}(?:good|bad)\b", opened("very good bad")),
        (r"\b24/7", opened("24")),
        (r"[$€]\s?(?:k|m)\b|(?:\(|\busd\s?)k\b|/", opened("usd usdk", symbols="$€(/")),
        (r"\bn't\s", opened("n")),
        (r"(?m:^)(?:hi|[hj]ey),|\bbye\b", opened("bye", lines=True)),
        (r"\bitems?\s{0,2}#?\d", opened("item items", numbered="item items")),
        (r"(?<=\d)[\s ]{0,2}/|\bout\b", opened("out", symbols="/", spaces=2)),
    ],
)
def test_openings_are_all_that_a_match_can_begin_with(pattern: str, found: Openings) -> None:
    assert openings(re.compile(pattern, re.IGNORECASE)) == found


@pytest.mark.parametrize(
    "pattern",
    [
        r"no\b",  # inside "piano"
        r"\bno",  # the beginning of "nobody"
        r"\bno\w?\b",
        r"\b\d{1,2}\sdays\b",
        r"\b(?:no|\W)\b",
        r"(?<=\s)no\b",
        r"\b(?:ha){1,3}\b",
        r"\Bno\b",
        r"\s?no\b",
        r"[\s-]?/",
        r"\s/",
        r"\b(?:v2|\d)\d",
        r"\bno\d?",
        r"[^a]",
    ],
)
def test_a_match_that_may_begin_with_any_word_or_inside_of_one_has_no_openings(pattern: str) -> None:
    assert openings(re.compile(pattern)) is None


def test_prepared_phrases_compile_nothing_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ``prepare`` has compiled is found without compiling again."""
    phrases = Phrases(BOOK["vague"].rules, whole_words=True)
    phrases.prepare()
    monkeypatch.setattr(raguard.text.phrases, "_compiled", None)
    found = [match.rule.id for match in phrases.find(Places("Studies show that many people agree."))]
    assert found == ["vague.study.show", "vague.people.many"]
