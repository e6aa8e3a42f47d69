"""Which numbers does a text state, and when does one support another?"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raguard.reading.quantities import QuantityReader
from raguard.rulebook import load_rulebook
from raguard.text.folding import fold
from raguard.values.quantities import Quantity, Range
from raguard.values.value import Fact, Value, Window

READER = QuantityReader(load_rulebook())


def facts(text: str) -> list[Fact]:
    return list(READER.find(fold(text).text))


def claims(text: str) -> list[str]:
    return [text[fact.start : fact.end] for fact in facts(text) if not fact.tentative]


def value(text: str) -> Quantity | Range:
    found, *others = sorted(facts(text), key=lambda fact: fact.tentative)
    assert all(other.tentative for other in others)
    assert isinstance(found.value, Quantity | Range)
    return found.value


def covers(document: str, answer: str) -> bool:
    return any(stated.value.covers(value(answer)) for stated in facts(document))


def found_by_windows(document: Value, windows: tuple[Window, ...]) -> bool:
    return any(low <= point <= high for low, high in windows for point in document.points())


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("It costs $1.5M today.", ["$1.5M"]),
        ("It costs USD 1.5 million or 1.5 million dollars.", ["USD 1.5 million", "1.5 million dollars"]),
        ("Between €5 and 7 € or EUR 9.", ["€5 and 7 €", "EUR 9"]),
        ("Pay US$5, A$6 and USD890.", ["US$5", "A$6", "USD890"]),
        ("Stamps cost $.89 or 89 cents.", ["$.89", "89 cents"]),
        ("Take 20 g, not 20 mg.", ["20 g", "20 mg"]),
        ("Up 2 percentage points, or 25 basis points.", ["2 percentage points", "25 basis points"]),
        ("Bake at 350°F or 175 degrees Celsius.", ["350°F", "175 degrees Celsius"]),
        ("Exports of 934 000 t and 1'200 boxes.", ["934 000 t", "1'200"]),
        ("Es kostet 1.200,00 EUR.", ["1.200,00 EUR"]),
        ("A change of -0.96, then −4%.", ["-0.96", "−4%"]),
        ("A margin of (4)% on $(4.2) million.", ["(4)%", "$(4.2) million"]),
        ("A loss (1,234) was booked.", ["1,234"]),
        ("Two and a half hours, a dozen eggs.", ["Two and a half hours", "a dozen"]),
        ("One hundred and five people, twenty-one cats.", ["One hundred and five", "twenty-one"]),
        ("It takes 3 to 5 days or 3–6 days.", ["3 to 5 days", "3–6 days"]),
        ("For $10-20, or 10-15%.", ["$10-20", "10-15%"]),
        ("She came third of 68, in 68th place.", ["third", "68", "68th"]),
        ("About 2 million people, over 100+ km.", ["2 million", "100+ km"]),
        ("The 15 staff have 12.5k users and 128k tokens.", ["15", "12.5k", "128k"]),
        ("Use 1/2 cup, 1 1/2 cups or 2½ cups.", ["1/2 cup", "1 1/2 cups", "2½ cups"]),
        ("A 5-year-old ran 10 miles at 6 mph.", ["5-year", "10 miles", "6 mph"]),
        ("Rated 4.5 out of 5, or 4/5.", ["4.5", "4"]),
        ("It is 3x faster at 1920x1080.", ["3x", "1920", "1080"]),
        ("A 900 m² plot of 900 square feet.", ["900 m²", "900 square feet"]),
        ("They won 4–3 after 5–5.", ["4–3", "5–5"]),
        ("Pages 1,2,3 and 1-2-3.", ["1", "2", "3", "1", "2", "3"]),
        (
            "Half of the staff, half a million euros, half an hour.",
            ["Half", "half a million euros", "half an hour"],
        ),
        ("Two thirds of it, a third of it.", ["Two thirds", "a third"]),
        ("Within ninety (90) days, 36 (thirty-six) months.", ["ninety (90) days", "36 (thirty-six) months"]),
        ("For a term of (36) months.", ["(36) months"]),
        ("In 5 business days or two full years.", ["5 business days", "two full years"]),
        ("It takes 1 h 30 min or 2h 15m.", ["1 h 30 min", "2h 15m"]),
        ("An hour and a half, one hour and 30 minutes.", ["An hour and a half", "one hour and 30 minutes"]),
        ("A one-year term, within an hour.", ["one-year", "an hour"]),
        ("From 60k-75k EUR.", ["60k-75k EUR"]),
        ("It costs 50p at 720p.", ["50p"]),
        ("Sales doubled, then halved.", ["doubled", "halved"]),
    ],
)
def test_spans_hold_sign_currency_scale_and_unit(text: str, spans: list[str]) -> None:
    assert claims(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "The 3D print of H2O on reel TR1 for an iPhone16.",
        "COVID-19 and the Boeing-747.",
        "One of the things that someone did once.",
        "First, open the lid. Second, press start.",
        "At first, first of all, it is first come, first served.",
        "Open 24/7, it is twice as good as a couple of others.",
        "A few thousand dollars and several hundred more.",
        "In her 20s, during the 1980s.",
        "The Four Seasons on Channel Four, and Three Mile Island.",
        "A 401(k) plan.",
        "Once a year, twice a month, a week ago, one day, one year later.",
        "He doubled as a driver.",
        "",
    ],
)
def test_words_and_codes_are_no_claims(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("$1,500,000", "$1.5M"),
        ("USD 1.5 million", "1,500,000 dollars"),
        ("€1.200,00", "EUR 1,200"),
        ("$.89", "$0.89"),
        ("89 cents", "$0.89"),
        ("A$5", "$5"),
        ("£20", "20 pounds"),
        ("20 lb", "20 pounds"),
        ("1500", "$1,500"),
        ("15%", "15 percent"),
        ("15", "15%"),
        ("15 km", "15"),
        ("half of it", "50%"),
        ("a third of it", "33%"),
        ("0.5", "half of it"),
        ("1.5 km", "1,500 m"),
        ("350 degrees", "350 °F"),
        ("350°F", "350 degrees Fahrenheit"),
        ("350 °F", "177 °C"),
        ("50 miles", "80 km"),
        ("90 minutes", "1.5 hours"),
        ("12 months", "1 year"),
        ("8 GB", "8 GiB"),
        ("3.355", "3,355"),
        ("3.355", "3.355"),
        ("1,998,412", "about 2 million"),
        ("$1,536,000", "$1.5 million"),
        ("1,200,000", "over 1 million"),
        ("1.9 million", "nearly 2 million"),
        ("6.9%", "about 7%"),
        ("15.34%", "15.3%"),
        ("-4%", "fell by 4%"),
        ("(4)%", "-4%"),
        ("fell by 4%", "-4%"),
        ("a dozen", "12"),
        ("two and a half hours", "2.5 hours"),
        ("one hundred and five", "105"),
        ("the second floor", "2nd"),
        ("2", "2nd"),
        ("twice", "two"),
        ("3 to 5 days", "3–5 days"),
        ("3 to 5 days", "5 days"),
        ("4-3", "3-4"),
        ("12.5", "12.5 million"),
        ("$1,887.8", "$1,887.8 million"),
        ("thirty-six (36) months", "three years"),
        ("fourteen (14) days", "two weeks"),
        ("5 business days", "5 days"),
        ("5 days", "five working days"),
        ("12 months", "one year"),
        ("60 minutes", "takes an hour"),
        ("90 minutes", "1 h 30 min"),
        ("two hours 15 minutes", "2h 15m"),
        ("1 hour, 30 minutes", "1 hour"),
        ("18 months", "1 year and 6 months"),
        ("[100,200,300]", "200"),
        ("year,rev\n12,100", "100"),
        ("doubled", "up 100%"),
        ("twice", "doubled"),
        ("3x", "tripled"),
        ("64%", "nearly two thirds of it"),
        ("48%", "almost half of it"),
        ("62%", "more than half of it"),
        ("150%", "1.5 times"),
        ("1 Gbit/s", "1 gigabit per second"),
        ("50p", "£0.50"),
        ("60k-75k EUR", "€75,000"),
        ("20", "$20"),
        ("20 and more", "20%"),
        ("20 users", "20"),
        ("45 deg", "45 degrees"),
    ],
)
def test_the_same_amount_supports(document: str, answer: str) -> None:
    assert covers(document, answer)
    assert any(found_by_windows(stated.value, value(answer).windows()) for stated in facts(document))


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("$1,500,000", "$1.6M"),
        ("$3 billion", "$3 million"),
        ("$5", "$5 million"),
        ("3", "3 million"),
        ("NOK 5", "$5"),
        ("€5", "£5"),
        ("US$5", "A$5"),
        ("20 mg", "20 g"),
        ("2 percentage points", "2 percent"),
        ("5 °C", "5 °F"),
        ("1.5 km", "1,600 m"),
        ("90 minutes", "2 hours"),
        ("1 month", "30 days"),
        ("7,050,000 square kilometers", "2,722,080 square miles"),
        ("15.3%", "15%"),
        ("1,998,412", "about 3 million"),
        ("1,536,000", "1,500,000"),
        ("$1.5 million", "$1,536,000"),
        ("2.4 million", "nearly 2 million"),
        ("6", "about 7"),
        ("-4%", "4%"),
        ("15", "5"),
        ("the third floor", "3 offices"),
        ("2 km", "2nd"),
        ("3 to 5 days", "3–6 days"),
        ("5 days", "3–5 days"),
        ("3", "3.355"),
        ("half of it", "60%"),
        ("ninety (90) days", "90 months"),
        ("5 business days", "5 weeks"),
        ("24 months", "one year"),
        ("90 minutes", "1 h 45 min"),
        ("an hour and a half", "an hour and a quarter"),
        ("1,200", "200"),
        ("1,200\n3,400", "200"),
        ("doubled", "tripled"),
        ("38%", "almost half of it"),
        ("52%", "almost half of it"),
        ("150%", "2.5 times"),
        ("20 users", "$20"),
        ("20 users", "20%"),
        ("type 2 diabetes", "2 months"),
        ("5 people", "5 km"),
        ("50p", "£0.60"),
        ("60k-75k EUR", "€70,000"),
    ],
)
def test_near_misses_do_not_support(document: str, answer: str) -> None:
    assert not covers(document, answer)


def test_digits_alone_are_told_apart_from_full_agreement() -> None:
    bare, million = value("12.5"), value("12.5 million")
    assert isinstance(bare, Quantity)
    assert bare.by_digits(million)
    assert not value("12,500,000").by_digits(million)  # type: ignore[union-attr]


def test_a_range_gives_both_ends_with_the_shared_unit() -> None:
    days = value("3 to 5 days")
    assert isinstance(days, Range)
    assert [end.unit.id if end.unit else None for end in days.ends()] == ["day", "day"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("$5", "money"), ("5%", "percent"), ("5 km", "number"), ("five", "number"), ("$5-10", "money")],
)
def test_kind_is_what_the_number_counts(text: str, kind: str) -> None:
    assert value(text).kind == kind


def test_distance_prefers_the_same_unit_and_leaves_out_unlike_things() -> None:
    answer = value("$10")
    assert value("$12").distance(answer) < value("12").distance(answer) < value("€10").distance(answer)
    assert value("10 km").distance(answer) == float("inf")


@given(
    st.integers(1, 999),
    st.integers(0, 9),
    st.sampled_from([(10**6, "million", "M"), (10**9, "billion", "bn")]),
)
def test_one_amount_written_in_several_ways_is_one(whole: int, tenth: int, scale: tuple[int, str, str]) -> None:
    factor, word, letter = scale
    amount = whole * factor + tenth * factor // 10
    ways = [
        f"${whole}.{tenth} {word}",
        f"${whole}.{tenth}{letter}",
        f"USD {amount:,}",
        f"{amount} dollars",
        f"{whole}.{tenth} {word} US dollars",
        f"${amount:,}.00",
    ]
    values = [value(way) for way in ways]
    for one in values:
        for other in values:
            assert one.covers(other)
            assert found_by_windows(one, other.windows())


@given(st.text(alphabet="0123456789.,-–$%€()kM xof'½/+thalfneto \n", max_size=60))
def test_any_text_gives_ordered_spans_inside_it(text: str) -> None:
    found = list(READER.find(text))
    assert all(0 <= fact.start < fact.end <= len(text) for fact in found)
    spans = [(fact.start, fact.end) for fact in found if not fact.tentative]
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


LINES = (
    "0 1 5 9 24 100 1,200 3.5 2019 1/2 ½",
    "one two five first second third half both once twenty hundred million",
    "a an the of in to and or about over nearly than at fell up by rose around possible out per x",
    "$ USD kr % percent years days hours minutes km dollars users people full business more so plus",
    "above up older members kg kr between through sold is 5 to $ £ €",
    "( ) [ ] { } | , . ; : ? ! - – \" ' 's th st p + / = °",
)
PIECES = [*(piece for line in LINES for piece in line.split()), "\n", "\n\n", " - ", "\x00"]
SHORT_WAY = [
    st.text(alphabet='0157,;:[]{}| \n.$%-+("kas', max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    st.lists(st.sampled_from([*PIECES, " ", " ", " "]), max_size=20).map("".join),
]


@given(st.one_of(SHORT_WAY))
@settings(max_examples=400)
def test_the_short_way_for_lone_numbers_finds_the_same(text: str) -> None:
    short = list(READER.find(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QuantityReader, "_alone", lambda *_: None)
        assert list(READER.find(text)) == short


@pytest.mark.parametrize(
    "unit",
    [
        "1,",
        "[1](",
        "1 h 2 min ",
        "(1 ",
        "a,b\n1,200\n",
        "$",
        "1-",
        "five-",
        "one hundred and ",
        "1 000 ",
        "half a ",
        "1/",
        "1%",
        "(",
    ],
)
def test_long_runs_are_read_in_pieces(unit: str) -> None:
    assert sum(1 for _ in READER.find(unit * (20_000 // len(unit)))) <= 20_000
