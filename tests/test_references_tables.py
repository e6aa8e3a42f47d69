"""Are tables, listings and fields found where they can stand as they are when every line is tried?"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from references import tables as slow

from raguard.reading import records
from raguard.reading.listings import _items, find_records
from raguard.reading.tables import find_tables

ROWS = st.sampled_from([*"|,\t\n\n.: -", "a", "Plan A", "$10", "yes", "---", ". ", ", ", "x" * 150])
ITEMS = st.sampled_from([*":\n\n -\t|*", "1. ", "- ", ": ", " - ", "Plan", "Plan A", "$10", "é", "w" * 30, "w" * 61])
JSON = st.sampled_from(
    [
        *"{}[],:'\"\\ ",
        '"name": ',
        '"name": "A", ',
        '"Wi-Fi": true',
        ", ",
        "'a': ",
        "'b'",
        "12",
        "-4.5",
        "null",
        "\n",
        "x",
    ]
)
OBJECTS = st.lists(
    st.sampled_from(['"name": "A"', '"Title": 1', '"a": 2', '"b": [3, 4]', '"c": {"name": 5}']), max_size=4
)
MADE = settings(max_examples=150, deadline=None)


def texts(pieces: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts made of some pieces."""
    return st.lists(pieces, max_size=25).map("".join)


@MADE
@given(texts(ROWS))
def test_tables_are_those_of_a_look_at_every_line(text: str) -> None:
    assert list(find_tables(text)) == slow.tables(text)


@MADE
@given(texts(ITEMS))
def test_items_of_a_listing_are_those_of_a_search_at_every_place(text: str) -> None:
    assert [item.span() for item in _items(text)] == [item.span() for item in slow.items(text)]


@MADE
@given(texts(ITEMS))
def test_key_lines_are_those_of_a_search_at_every_place(text: str) -> None:
    assert [match.span() for match in records._key_lines(text)] == slow.key_lines(text)


@MADE
@given(texts(JSON))
def test_pairs_of_json_are_those_of_its_single_tokens(text: str) -> None:
    assert list(records._json_fields(text)) == list(slow.json_fields(text))


@MADE
@given(st.lists(OBJECTS, max_size=6))
def test_records_are_runs_of_objects_with_the_same_keys(objects: list[list[str]]) -> None:
    text = ", ".join("{" + ", ".join(fields) + "}" for fields in objects)
    fields = list(slow.json_fields(text))
    starts = [[{field.start for field in record} for record in group] for group in slow.record_groups(fields)]
    found = [[{cell.start for cell in row} for row in table.rows] for table in find_records(text, fields)]
    assert found == starts
