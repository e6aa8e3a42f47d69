"""Which identifiers does a text state, and when does one support another?"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raguard.reading.identifiers import IdentifierReader
from raguard.rulebook import load_rulebook
from raguard.text.folding import fold
from raguard.values.identifiers import Identifier
from raguard.values.quantities import Quantity
from raguard.values.value import Fact

READER = IdentifierReader(load_rulebook())


def facts(text: str) -> list[Fact]:
    return list(READER.find(fold(text).text))


def claims(text: str) -> list[str]:
    certain = (fact for fact in facts(text) if not fact.tentative)
    return [
        text[fact.start : fact.end]
        for fact in certain
        if not (isinstance(fact.value, Identifier) and fact.value.placeholder)
    ]


def value(text: str) -> Identifier:
    (found,) = (fact.value for fact in facts(text) if isinstance(fact.value, Identifier))
    return found


def covers(document: str, answer: str) -> bool:
    wanted = value(answer)
    return any(fact.value.covers(wanted) for fact in facts(document) if fact.value.axis == wanted.axis)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("See https://www.velmora.com/setup).", ["https://www.velmora.com/setup"]),
        ("See docs.velmora.io/a_(b) and www.velmora.com.", ["docs.velmora.io/a_(b)", "www.velmora.com"]),
        ("Write to help@velmora.com.", ["help@velmora.com"]),
        ("Call +44 20 7946 0958 or (212) 555-0187.", ["+44 20 7946 0958", "(212) 555-0187"]),
        (
            "Call 212-555-0187, 0800 123 4567 or 1-800-FLOWERS.",
            ["212-555-0187", "0800 123 4567", "1-800-FLOWERS"],
        ),
        ("Since v1.4, version 2.10 and 2.10.3-rc1.", ["v1.4", "2.10", "2.10.3-rc1"]),
        ("Run pip install acme==2.1.0 now.", ["2.1.0"]),
        ("The host 192.168.1.10 is down.", ["192.168.1.10"]),
        ("Ticket JIRA-4821, part FX-2200B, order PO-2024-118.", ["JIRA-4821", "FX-2200B", "PO-2024-118"]),
        ("Use reel TR1, gasket GX40 118B.", ["TR1", "GX40 118B"]),
        ("Parts 4417-B and AB-4417-B, error 0x8007000E.", ["4417-B", "AB-4417-B", "0x8007000E"]),
        ("Case 24-cv-01234, call 1 (800) 555-0199.", ["24-cv-01234", "1 (800) 555-0199"]),
        ("Needs velmora>=3.9,<4 or ~=3.10.", ["3.9", "3.10"]),
        ("Pass --dry-run and set MAX_RETRY_COUNT.", ["--dry-run", "MAX_RETRY_COUNT"]),
        ("See doi 10.1000/182 and src/main.py or README.md.", ["10.1000/182", "src/main.py", "README.md"]),
    ],
)
def test_spans_hold_the_identifier_alone(text: str, spans: list[str]) -> None:
    assert claims(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "The 3D print came 2nd at 10am and weighs 5kg.",
        "In Q3 of FY23 and H1, in the 1990s, COVID-19 hit.",
        "H2O and CO2 are not codes.",
        "The iPhone 15 of World War II.",
        "On 30.9.2024 and 30.09.24 there were 1.200.000 people.",
        "In 2013-2014 it sold 300-4000 of 12 345 678 at $1,200.50.",
        "A well-known pre-2020 rule, and/or the T-shirt -- e.g. this.",
        "It paid USD500 to Velmora.com, sold in the U.S.A.",
        "Call example.com with YOUR_API_KEY at 127.0.0.1 as jane@example.com.",
        "A 1000-W lamp, a 10x20 grid, form 10-K, 12-mar-2024 and 2024-Q3.",
        "It runs on Velmora 3.9 and pays 3.9 percent.",
        "The holder fits the Galaxy S23.",
        "",
    ],
)
def test_other_things_are_no_claims(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("part FX-2200B", "part FX2200B"),
        ("part fx 2200b", "part FX-2200B"),
        ("version 2.10.3", "v2.10.3"),
        ("v2.10.3", "version 2.10"),
        ("https://www.velmora.com/docs/setup/", "velmora.com/docs"),
        ("https://docs.velmora.com/a", "velmora.com"),
        ("+44 20 7946 0958", "020 7946 0958"),
        ("(212) 555-0187", "212.555.0187"),
        ("HELP@velmora.com", "help@Velmora.com"),
        ("src/app/main.py", "app/main.py"),
        ("acme==2.1.0", "version 2.1.0"),
        ("TR1", "tr1 and TR1"),
        ("Velmora 3.9", "version 3.9"),
        ("velmora>=3.9,<4", "version 3.9"),
        ("1-800-555-0199", "1 (800) 555-0199"),
    ],
)
def test_the_same_thing_supports(document: str, answer: str) -> None:
    wanted = [fact.value for fact in facts(answer) if not fact.tentative]
    stated = [fact.value for fact in facts(document) if fact.value.axis == Identifier.axis]
    assert len(wanted) == 1
    assert any(one.covers(wanted[0]) for one in stated)
    assert any(low <= point <= high for one in stated for point in one.points() for low, high in wanted[0].windows())


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("part FX-2200B", "part FX-2300B"),
        ("version 2.10", "version 2.10.3"),
        ("version 2.10.3", "version 2.1"),
        ("https://velmora.com/docsets", "velmora.com/docs"),
        ("https://velmora.com", "docs.velmora.com"),
        ("https://notvelmora.com", "velmora.com"),
        ("(212) 555-0187", "(212) 555-0188"),
        ("help@velmora.com", "sales@velmora.com"),
        ("src/main.py", "src/domain.py"),
        ("192.168.1.10", "192.168.1.1"),
        ("--dry-run", "--dry"),
        ("part 4417-B", "part 4417-C"),
        ("part AB-4417-B", "part AB-4417-C"),
        ("0x80070005", "0x8007000E"),
        ("24-cv-01234", "24-cv-01235"),
        ("1-800-555-0199", "1 (800) 555-0198"),
        ("Velmora 3.9", "version 3.10"),
    ],
)
def test_near_misses_do_not_support(document: str, answer: str) -> None:
    assert not covers(document, answer)


@pytest.mark.parametrize(("text", "number"), [("velmora>=3.9", 3.9), ("version 3.9.1", 3.9), ("version 2", None)])
def test_a_version_also_supports_the_plain_number(text: str, number: float | None) -> None:
    numbers = [fact for fact in facts(text) if isinstance(fact.value, Quantity)]
    assert [fact.value.amounts for fact in numbers] == ([] if number is None else [(number,)])  # type: ignore[attr-defined]
    assert all(fact.tentative for fact in numbers)


def test_distance_ranks_what_is_written_alike() -> None:
    answer = value("part FX-2200B")
    assert value("part FX-2300B").distance(answer) < value("part FX-7711C").distance(answer)
    assert value("ticket JIRA-4821").distance(answer) == math.inf


@given(st.from_regex(r"[A-Z]{2,4}", fullmatch=True), st.integers(100, 99_999))
def test_a_code_is_the_same_with_and_without_its_hyphen(letters: str, number: int) -> None:
    joined, hyphened = (
        Identifier.read("code", "compact", text) for text in (f"{letters}{number}", f"{letters}-{number}")
    )
    assert joined.covers(hyphened)
    assert hyphened.covers(joined)


@given(st.text(alphabet="aA1.-_/@+( )=:wvhtps#", max_size=60))
def test_any_text_gives_ordered_spans_inside_it(text: str) -> None:
    found = list(READER.find(text))
    assert all(0 <= fact.start < fact.end <= len(text) for fact in found)
    spans = [(fact.start, fact.end) for fact in found if not fact.tentative]
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize("unit", ["1,", "$", "a.b.c.d", "1-", "-", "@", "a@", "a@a.", "www.", "--a", "+1 ", "1.", "a/"])
def test_long_runs_are_read_in_pieces(unit: str) -> None:
    assert sum(1 for _ in READER.find(unit * (20_000 // len(unit)))) <= 20_000
