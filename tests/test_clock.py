"""Which times of day does a text state, and which of them are the same?"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raguard.reading.clock import ClockReader
from raguard.rulebook import load_rulebook
from raguard.values.clock import ClockRange, ClockValue

READER = ClockReader(load_rulebook())


def claims(text: str) -> list[str]:
    return [text[fact.start : fact.end] for fact in READER.find(text)]


def stated(document: str, answer: str) -> bool:
    """Whether every time of the answer is covered by one of the document."""
    known = [fact.value for fact in READER.find(document)]
    asked = [fact.value for fact in READER.find(answer)]
    assert asked, f"no time claimed in {answer!r}"
    return all(any(value.covers(wanted) for value in known) for wanted in asked)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("at 10:30 PM, 10.30pm, 5 p.m. sharp, 5PM.", ["10:30 PM", "10.30pm", "5 p.m.", "5PM"]),
        ("at 15:00, 9:30, 24:00 and 15:04:05", ["15:00", "9:30", "24:00", "15:04:05"]),
        ("noon, midnight, 12 noon, 12:00 midnight", ["noon", "midnight", "12 noon", "12:00 midnight"]),
        ("five o'clock, 5 o’clock in the evening", ["five o'clock", "5 o’clock in the evening"]),
        ("half past three, quarter to 5", ["half past three", "quarter to 5"]),
        ("at 8 in the morning", ["8 in the morning"]),
        ("open 7-9pm, 9 to 5 pm, from 9:00 AM to 10:30 PM", ["7-9pm", "9 to 5 pm", "9:00 AM to 10:30 PM"]),
        ("at 5 pm. Then 7-9pm, between 9 and 11 am", ["5 pm", "7-9pm", "9 and 11 am"]),
        ('{"Monday": "9:0-22:30","Tuesday":"11:0-21:0"}', ["9:0-22:30", "11:0-21:0"]),
        ("10 am to noon, 10:00 – 12:00", ["10 am to noon", "10:00 – 12:00"]),
        ("2024-09-30T10:00:00Z", ["10:00:00Z"]),
        (
            "3 PM EST (15:00 CET), 10:00:00+02:00, 15:00 UTC+2",
            ["3 PM EST", "15:00 CET", "10:00:00+02:00", "15:00 UTC+2"],
        ),
        ("at 5 PM Eastern Time", ["5 PM Eastern Time"]),
        ("at 15h30", ["15h30"]),
    ],
)
def test_times_are_found_whole(text: str, spans: list[str]) -> None:
    assert claims(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "They won 4:3, a 16:9 screen, odds of 3:1, open 24/7.",
        "a ratio of 16:10, score 10:12, John 3:16 and Psalm 23:10",
        "10.30 euros, 1.5 million, version 1:30:2:3, 25:00, 9:75",
        "I am 5, take 5 in the morning, 5 amps, 5 pmol",
        "$9:30 and 9:30%",
        "an afternoon at nine",
    ],
)
def test_look_alikes_claim_nothing(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("The call starts at 15:00.", "at 3 pm"),
        ("The call starts at 3:00.", "at 3 PM"),
        ("The call starts at 3:00.", "at 03:00"),
        ("It closes at midnight.", "at 24:00"),
        ("It closes at 24:00.", "at 12 am"),
        ("lunch at noon", "at 12:00"),
        ("half past three", "at 3:30 pm"),
        ("Monday 9:0-22:30", "from 9:00 AM to 10:30 PM"),
        ("Monday 9:0-22:30", "from 9 am"),
        ("open 7-9pm", "from 7 p.m. until 9 p.m."),
        ("open 11-2pm", "11:00 am to 2:00 pm"),
        ("open 10pm-2am", "22:00-02:00"),
        ("15:04:05", "at 15:04"),
        ("at 22:00 UTC", "at 23:00 CET"),
        ("at 3 PM EST", "at 3 PM ET"),
        ("at 15:00", "at 15:00 CET"),
        ("10:00:00+02:00", "8:00:00Z"),
    ],
)
def test_equal_times_are_covered(document: str, answer: str) -> None:
    assert stated(document, answer)


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("The call starts at 15:00.", "at 4:30 pm"),
        ("The call starts at 3 pm.", "at 3 am"),
        ("The call starts at 03:00.", "at 3 pm"),
        ("Monday 9:0-22:30", "at 9 pm"),
        ("Monday 9:0-22:30", "9 AM to 10 PM"),
        ("Monday 9:0-22:30", "at noon"),
        ("open 7-9pm", "at 7 am"),
        ("at 22:00 UTC", "at 22:00 CET"),
        ("at 22:00 UTC", "at 19:00 EST"),
        ("at 3 PM EST", "at 3 PM PST"),
        ("open from 9 am to 5 pm, then 6 pm to 8 pm", "9 am to 8 pm"),
    ],
)
def test_other_times_are_not_covered(document: str, answer: str) -> None:
    assert not stated(document, answer)


def test_a_range_has_ends_and_distances() -> None:
    value = READER.find("9:0-22:30")[0].value
    assert value == ClockRange(ClockValue((540,)), ClockValue((1350,)))
    assert isinstance(value, ClockRange)
    assert value.ends() == (ClockValue((540,)), ClockValue((1350,)))
    assert value.distance(ClockValue((1380,))) == 30
    assert value.distance(ClockRange(ClockValue((560,)), ClockValue((1350,)))) == 10
    assert ClockValue((10,)).distance(ClockValue((1430,))) == 20


def _forms(minutes: int) -> list[str]:
    hour, minute = divmod(minutes, 60)
    half = "pm" if hour >= 12 else "am"
    return [
        f"{hour:02}:{minute:02}:00",
        f"{(hour - 1) % 12 + 1}:{minute:02} {half}",
        f"{(hour - 1) % 12 + 1}:{minute:02}{half.upper()}",
        f"{(hour - 1) % 12 + 1}.{minute:02} {half[0]}.m.",
        f"{hour:02}:{minute:02} UTC",
    ]


@given(minutes=st.integers(0, 1439), other=st.integers(0, 1439))
def test_every_form_of_a_time_is_read_whole_and_covers_the_others(minutes: int, other: int) -> None:
    values = []
    for form in _forms(minutes):
        text = f"It was at {form} or so"
        assert claims(text) == [form]
        values.append(READER.find(text)[0].value)
    assert all(one.covers(two) for one in values for two in values)
    # 12:30 UTC without am or pm may be half past midnight too
    if other != minutes and ((other - minutes) % 720 or minutes % 720 >= 60):
        strangers = [READER.find(form)[0].value for form in _forms(other)]
        assert not any(one.covers(two) for one in values for two in strangers)


@given(first=st.integers(0, 1439), last=st.integers(0, 1439))
def test_a_range_covers_its_other_forms(first: int, last: int) -> None:
    ranges = [f"{one} to {two}" for one, two in zip(_forms(first), _forms(last), strict=True)]
    assert all(claims(text) == [text] for text in ranges)
    values = [READER.find(text)[0].value for text in ranges]
    assert all(one.covers(two) for one in values for two in values)


TIMES = [
    "9:30",
    "21:30",
    "9:30 am",
    "noon",
    "9:0-22:30",
    "7-9pm",
    "22:00 UTC",
    "23:00 CET",
    "3 PM ET",
    "3 PM EST",
]


@pytest.mark.parametrize("document", TIMES)
@pytest.mark.parametrize("answer", TIMES)
def test_what_covers_a_value_lies_in_its_windows(document: str, answer: str) -> None:
    value, wanted = READER.find(document)[0].value, READER.find(answer)[0].value
    if value.covers(wanted):
        assert any(low <= point <= high for point in value.points() for low, high in wanted.windows())
    assert value.covers(value)


@pytest.mark.parametrize("piece", ["9:30-", "7-", "12:30:", "half past ", "1 in ", "5 p.", "9", "noon to ", "3 pm"])
def test_hostile_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (200_000 // len(piece)) + ". It was at 5:45 pm"
    facts = READER.find(text)
    assert text[facts[-1].start : facts[-1].end] == "5:45 pm"
    assert all(first.end <= second.start for first, second in pairwise(facts))
