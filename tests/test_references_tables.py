"""Are tables, listings and fields found where they can stand as they are when every line is tried?"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from references import tables as slow

from raguard.reading import records
from raguard.reading.listings import _items
from raguard.reading.tables import find_tables

ROWS = st.sampled_from([*"|,\t\n\n.: -", "a", "Plan A", "$10", "yes", "---", ". ", ", ", "x" * 150])
ITEMS = st.sampled_from([*":\n\n -\t|*", "1. ", "- ", ": ", " - ", "Plan", "Plan A", "$10", "é", "w" * 30, "w" * 61])
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
