"""Which dates does a text state, and which of them cover which?"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raguard.reading.dates import DateReader
from raguard.rulebook import load_rulebook
from raguard.values.dates import DateValue, SpokenDate
from raguard.values.periods import DateRange, EitherDate

READER = DateReader(load_rulebook())


def claims(text: str, lang: str = "en") -> list[str]:
    return [text[fact.start : fact.end] for fact in READER.find(text, lang=lang) if not fact.tentative]


def tentative(text: str) -> list[str]:
    return [text[fact.start : fact.end] for fact in READER.find(text) if fact.tentative]


def stated(document: str, answer: str) -> bool:
    """Whether every date of the answer is covered by one of the document, or a range by both its ends."""
    known = [fact.value for fact in READER.find(document)]
    asked = [fact.value for fact in READER.find(answer) if not fact.tentative]
    assert asked, f"no date claimed in {answer!r}"
    return all(
        any(value.covers(wanted) for value in known)
        or (isinstance(wanted, DateRange) and all(any(v.covers(end) for v in known) for end in wanted.ends()))
        for wanted in asked
    )


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        # days
        ("due September 30, 2024.", ["September 30, 2024"]),
        ("due Sept. 30th, 2024, at noon", ["Sept. 30th, 2024"]),
        ("due SEPTEMBER 30, 2024", ["SEPTEMBER 30, 2024"]),
        ("due september 30", ["september 30"]),
        ("on the 30th of September, 2024", ["30th of September, 2024"]),
        ("30 September 2024 and 30-Sep-24", ["30 September 2024", "30-Sep-24"]),
        ("signed 2024-09-30T10:00:00Z", ["2024-09-30"]),
        ("30.9.2024, 30/9/24, 09/10/2025, 2024/9/30", ["30.9.2024", "30/9/24", "09/10/2025", "2024/9/30"]),
        ("on Monday, Sept. 2, 2024 we met", ["Monday, Sept. 2, 2024"]),
        ("on Tuesday 3 May", ["Tuesday 3 May"]),
        ("a wrapped September\n30, 2024", ["September\n30, 2024"]),
        # months and years
        ("in September 2024, in Sept '24", ["September 2024", "Sept '24"]),
        ("since 9/2024 and 2024-09", ["9/2024", "2024-09"]),
        ("It opened in 1998 (rebuilt 2004).", ["1998"]),
        ("The lab (2004) closed. Founded: 1998", ["2004", "1998"]),
        ("By 2030, in the year 1850, 2019's best, the 2019 report", ["2030", "1850", "2019", "2019"]),
        ("on a 2006 Chevy at the 2024 Olympics", ["2006", "2024"]),
        ("in 2013, 2014 and 2015", ["2013", "2014", "2015"]),
        ("mid-2021, early March, the late 1990s", ["mid-2021", "early March", "late 1990s"]),
        # longer periods
        ("the 1990s, the '90s, the nineties", ["1990s", "'90s", "nineties"]),
        ("the 19th century, 20th-century art", ["19th century", "20th-century"]),
        ("the 18th and 19th centuries", ["18th", "19th centuries"]),
        ("Q3 2024, Q3'24, 3Q24, Q3", ["Q3 2024", "Q3'24", "3Q24", "Q3"]),
        ("the third quarter of 2024, 1st quarter 2023", ["third quarter of 2024", "1st quarter 2023"]),
        ("H1 2023 and the first half of 2023", ["H1 2023", "first half of 2023"]),
        (
            "FY23, FY2023, fiscal year 2023, fiscal 2023",
            ["FY23", "FY2023", "fiscal year 2023", "fiscal 2023"],
        ),
        ("in spring 2022 or the fall of 1989", ["spring 2022", "fall of 1989"]),
        # weekdays and words
        ("on Mondays and Friday", ["Mondays", "Friday"]),
        (
            "next Tuesday, yesterday, last week, this quarter",
            ["next Tuesday", "yesterday", "last week", "this quarter"],
        ),
        # ranges and lists
        ("March 3-5 and May 3–5, 2025", ["March 3-5", "May 3–5, 2025"]),
        ("from March 3 to March 5", ["March 3 to March 5"]),
        ("3 to 5 May 2025", ["3 to 5 May 2025"]),
        ("2013–14, 2010-2014, from 2010 to 2014", ["2013–14", "2010-2014", "2010 to 2014"]),
        ("between 2010 and 2014", ["2010 and 2014"]),
        ("between May 3 and 5, 2025", ["May 3 and 5, 2025"]),
        ("Mon–Fri, Sat & Sun; Monday through Friday", ["Mon–Fri", "Sat", "Sun", "Monday through Friday"]),
        ("Sun: closed", ["Sun"]),
        ("December 31, 2016, 2015 and 2014", ["December 31, 2016", "2015", "2014"]),
        ("May 3, 5 and 7, 2025", ["May 3", "5", "7, 2025"]),
        ("January-March 2024", ["January-March 2024"]),
        ("by 9/30", ["9/30"]),
    ],
)
def test_dates_are_found_whole(text: str, spans: list[str]) -> None:
    assert claims(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "Users may 3 times retry, they march 5 abreast.",
        "Theresa May met April Jones and June Carter, not Julian.",
        "an august body that sat in the sun for a second, the fall of Rome",
        "The SKU is 2019. Order no. 2019, ticket #2019, Room 2019, model 2019-AB, AB-2019.",
        "1,998,412 units, 120240, 2019.5, $2019, 2000 people, 1500 words, 2024 km",
        "9.22.22.222, 1.2.3, section 4.1.12, 24/7, 555-2010-2014",
        "in her early thirties, the third quart, half of it, Q5, H3 2024, Mon ami",
        "Black Friday and Good Friday",
        "A 3.5 March record: March 3.5 km",
        "Jan Novak",
    ],
)
def test_look_alikes_claim_nothing(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Population 2019", ["2019"]),
        ("| 2019 | 2020 |", ["2019", "2020"]),
        ("a 2019", ["2019"]),
        ("the 2019 findings", ["2019"]),
        ("still used today", ["today"]),
        ("The SKU is 2019.", []),
        ("2000 people", []),
        ("2019-AB and 2019.5", []),
    ],
)
def test_bare_years_are_tentative(text: str, spans: list[str]) -> None:
    assert tentative(text) == spans
    assert claims(text) == []


@pytest.mark.parametrize("cue", ["in", "on", "since", "until", "every", "last", "early", "mid"])
def test_may_needs_a_cue_and_a_capital(cue: str) -> None:
    assert claims(f"It rains {cue} May a lot")
    assert not claims(f"It rains {cue} may a lot")


FINE = "The audit closed on 2024-09-30."


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        *[
            (FINE, f"It closed {answer}.")
            for answer in (
                "September 30, 2024",
                "on September 30",
                "in September 2024",
                "in September",
                "in 2024",
                "in Q3 2024",
                "in H2 2024",
                "in the 2020s",
                "in the 21st century",
                "on Monday, September 30, 2024",
                "in FY2024",
                "in Q3",
                "in late September 2024",
            )
        ],
        ("The fair runs from March 3 to March 5.", "It runs March 3-5."),
        ("March 3–5, 2025", "March 3 to 5"),
        ("3 to 5 May 2025", "May 3–5, 2025"),
        ("The fair runs March 3-5.", "It runs on March 4."),
        ("It starts March 3. It ends March 5.", "March 3-5"),
        ("He served from 2010 to 2014.", "He was there in 2012."),
        ("He served from 2010 to 2014.", "He served 2011-13."),
        ("He served 2013–14.", "from 2013 to 2014"),
        ("December 31, 2016, 2015 and 2014", "On December 31, 2014"),
        ("The lease ends on 10 September 2025.", "It ends on 09/10/2025."),
        ("It ends on 09/10/2025.", "It ends on 10 September 2025."),
        ("Signed on 05.03.2024.", "signed on 5 March 2024"),
        ("in the third quarter of 2024", "in 3Q24"),
        ("In fiscal year 2023 the loss narrowed.", "It narrowed in FY2023."),
        ("In 2023 the loss narrowed.", "It narrowed in FY23."),
        ("in the nineties", "in the 1990s"),
        ("It opened in 1742.", "in the 18th century"),
        ("in the 1800s", "in the 19th century"),
        ("fall 2022", "autumn 2022"),
        ("Open Mon-Fri.", "It is open on Wednesday."),
        ("Monday to Friday", "Mon–Fri"),
        ("on Monday, Sept. 2, 2024", "on Monday"),
        ("next Tuesday", "on Tuesday"),
        ("Work ended in mid-2021.", "It ended in 2021."),
        ("Q1 and Q2 2024", "Q1 2024"),
        ("Revenue 2019 | 5", "in 2019"),
        ("1 Jan 2010 to 31 Dec 2014", "in 2012"),
        ("2011-12", "December 2011"),
        ("2011-12", "2011 to 2012"),
    ],
)
def test_coarser_and_equal_dates_are_covered(document: str, answer: str) -> None:
    assert stated(document, answer)


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("It closed in September 2024.", "September 12, 2024"),
        ("It closed on September 30.", "September 30, 2024"),
        ("It closed on June 15.", "June 1"),
        (FINE, "on September 29, 2024"),
        (FINE, "in October 2024"),
        (FINE, "in 2023"),
        (FINE, "in Q2 2024"),
        (FINE, "on Tuesday, September 30, 2024"),
        (FINE, "on Monday"),
        ("It closed on September 30.", "on Monday, September 30"),
        ("The fair runs from March 3 to March 5.", "March 3-7"),
        ("He served from 2010 to 2014.", "from 2010 to 2016"),
        ("He served from 2010 to 2014.", "in 2015"),
        ("He served from 2010 to 2014.", "in March 2012"),
        ("In 2010 and 2014.", "in 2012"),
        ("December 2016", "in 2013"),
        ("Work ended in mid-2021.", "mid-2023"),
        ("Work ended in early 2021.", "in late 2021"),
        ("It opened in spring 2022.", "in fall 2022"),
        ("in winter 2022", "in December 2022"),
        ("Revenue grew in Q2 2024.", "in 3Q24"),
        ("It opened in 2005.", "in the 1990s"),
        ("It opened in 1742.", "in the 19th century"),
        ("Open Mon-Fri.", "on Sunday"),
        ("on Tuesday", "next Tuesday"),
        ("next Tuesday", "next Friday"),
        ("yesterday", "tomorrow"),
        ("The SKU is 2019.", "in 2019"),
        ("120240 boxes", "in 2024"),
        ("Users may 3 times retry.", "on May 3"),
        ("It ends on 09/10/2025.", "on 9 November 2025"),
    ],
)
def test_finer_and_other_dates_are_not_covered(document: str, answer: str) -> None:
    assert not stated(document, answer)


def test_order_decides_ambiguous_days() -> None:
    rulebook = load_rulebook()
    values = {order: DateReader(rulebook, order=order).find("09/10/2025")[0].value for order in ("auto", "dmy", "mdy")}
    assert values["dmy"] == DateValue.day(2025, 10, 9)
    assert values["mdy"] == DateValue.day(2025, 9, 10)
    assert values["auto"] == EitherDate((DateValue.day(2025, 10, 9), DateValue.day(2025, 9, 10)))
    assert DateReader(rulebook, order="mdy").find("30/9/2025")[0].value == DateValue.day(2025, 9, 30)


def test_a_date_can_be_split_into_day_and_year() -> None:
    value = READER.find("Monday, September 30, 2024")[0].value
    assert isinstance(value, DateValue)
    assert value.without_year() == DateValue.day(None, 9, 30)
    assert value.year_part() == DateValue.years("year", 2024)
    assert DateValue.years("year", 2024).without_year() is None
    assert DateValue.day(None, 9, 30).year_part() is None


def test_a_range_without_year_keeps_its_ends() -> None:
    value = READER.find("March 3-5, 2025")[0].value
    assert isinstance(value, DateRange)
    assert value.ends() == (DateValue.day(2025, 3, 3), DateValue.day(2025, 3, 5))
    assert value.without_year() == DateRange(DateValue.day(None, 3, 3), DateValue.day(None, 3, 5))
    assert value.year_part() == DateValue.years("year", 2025)


def test_a_yearless_weekday_date_has_two_ends() -> None:
    assert DateValue.day(None, 3, 3).ends() == ()
    value = READER.find("Monday, March 3")[0].value
    assert isinstance(value, DateValue)
    assert value.ends() == (DateValue.day(None, 3, 3), SpokenDate(weekday=0))


def test_distance_names_the_nearest_rival() -> None:
    wanted = DateValue.day(2024, 9, 30)
    assert DateValue.day(2024, 9, 29).distance(wanted) == 1
    assert DateValue.day(None, 9, 28).distance(wanted) == 2
    assert wanted.distance(DateValue.day(2024, 10, 1)) < wanted.distance(DateValue.years("year", 2023))
    assert DateValue.years("year", 2024).distance(DateValue.day(None, 9, 30)) == inf
    assert SpokenDate(weekday=0).distance(SpokenDate(weekday=6)) == 1
    assert SpokenDate("yesterday").distance(wanted) == inf


def test_impossible_days_stay_what_they_are() -> None:
    assert claims("on September 31, 2024 and February 30") == ["September 31, 2024", "February 30"]
    assert not stated("in September 2024", "on September 31, 2024")


@pytest.mark.parametrize(
    ("lang", "text", "spans"),
    [
        ("fr", "le 12 mars 2023 et le 5 mai, 3 personnes", ["12 mars 2023", "5 mai"]),
        ("de", "Am 12. März 2023 um 3 Uhr, 5. September 2024", ["12. März 2023", "5. September 2024"]),
        ("de", "Am 12. Marz 2023", ["12. Marz 2023"]),
        ("es", "12 de marzo de 2023", ["12 de marzo de 2023"]),
        ("ja", "2023年3月12日", ["2023年3月12日"]),
        ("xx", "12 mars", []),
    ],
)
def test_other_languages_name_their_months(lang: str, text: str, spans: list[str]) -> None:
    assert claims(text, lang) == spans


def test_a_foreign_date_is_the_same_day() -> None:
    assert READER.find("12 mars 2023", lang="fr")[0].value == READER.find("March 12, 2023")[0].value


def test_english_never_loads_the_parser() -> None:
    code = (
        "import sys\n"
        "from raguard.rulebook import load_rulebook\n"
        "from raguard.reading.dates import DateReader\n"
        "assert DateReader(load_rulebook()).find('on 3 May 2020, 12 mars 2023')\n"
        "sys.exit('dateparser' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


FORMS: list[Callable[[date], str]] = [
    lambda d: d.isoformat(),
    lambda d: f"{d:%B} {d.day}, {d.year}",
    lambda d: f"{d:%b}. {d.day}, {d.year}",
    lambda d: f"{d.day} {d:%B} {d.year}",
    lambda d: f"{d.day}-{d:%b}-{d.year}",
    lambda d: f"the {_ordinal(d.day)} of {d:%B} {d.year}".removeprefix("the "),
    lambda d: f"{d:%A}, {d:%B} {_ordinal(d.day)}, {d.year}",
    lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    lambda d: f"{d.month}/{d.day}/{d.year}",
    lambda d: f"{d:%B} {d.day}, {d.year}".upper(),
]


def _ordinal(day: int) -> str:
    suffix = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{suffix}"


@given(day=st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_every_form_of_a_day_is_read_whole_and_covers_the_others(day: date) -> None:
    forms = [form(day) for form in FORMS]
    values = []
    for form in forms:
        text = f"It was on {form}, they say."
        assert claims(text) == [form]
        values.append(READER.find(text)[0].value)
    assert all(one.covers(other) for one in values for other in values)


@given(day=st.dates(date(1000, 1, 1), date(2099, 12, 31)), other=st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_days_cover_only_themselves(day: date, other: date) -> None:
    one, two = (DateValue.day(value.year, value.month, value.day) for value in (day, other))
    assert one.covers(two) == (day == other)


PERIODS = [
    "September 30, 2024",
    "September 2024",
    "September 30",
    "in 2024",
    "Q3 2024",
    "Q3",
    "H2 2024",
    "fall 2024",
    "winter 2024",
    "the 2020s",
    "21st century",
    "in 1900s",
    "2010 to 2014",
    "March 3-5",
    "May 30 to June 2, 2024",
    "Monday",
    "Monday, May 5",
    "Mon-Wed",
    "next Monday",
    "yesterday",
    "09/10/2025",
    "2011-12",
    "mid-2024",
    "FY24",
    "1950s to 1970s",
    "18th century to 20th century",
    "from 1100 to 1900",
    "January 1, 2000 to May 5, 2024",
]


@pytest.mark.parametrize("document", PERIODS)
@pytest.mark.parametrize("answer", PERIODS)
def test_what_covers_a_value_lies_in_its_windows(document: str, answer: str) -> None:
    value, wanted = READER.find(document)[0].value, READER.find(answer)[0].value
    if value.covers(wanted):
        assert any(low <= point <= high for point in value.points() for low, high in wanted.windows())
    assert value.covers(value)
    assert len(value.points()) <= 300


@pytest.mark.parametrize(
    "piece",
    [
        "1/1/1/1/",
        "March March ",
        "2024-2024-",
        "May 3, 3, ",
        "early ",
        "Mon, ",
        "2010 to ",
        "first and ",
        "9" * 50,
        "12 ",
    ],
)
def test_hostile_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (200_000 // len(piece)) + ". It was on May 3, 2024"
    facts = READER.find(text)
    assert text[facts[-1].start : facts[-1].end] == "May 3, 2024"
    assert all(first.end <= second.start for first, second in pairwise(facts))
