"""Are tables, listings and fields found where they can stand as they are when every line is tried?"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from references import tables as slow
from references import wording

from raguard import Config
from raguard.evidence.chunk import Chunk, Reading
from raguard.evidence.sources import Sources
from raguard.evidence.tables import Tables
from raguard.knowledge import Knowledge
from raguard.reading import records
from raguard.reading.listings import _items, find_records
from raguard.reading.tables import find_tables
from raguard.text.phrases import Places
from raguard.text.spoken import Spoken

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
KNOWN = Knowledge(Config())
RECORDS = Sources(
    [
        Chunk(number, None, Reading(text, KNOWN.readers, "en"))
        for number, text in enumerate(
            (
                "| Plan | Price |\n|---|---|\n| Plan A | $1 |\n| Plan A Plus | $2 |\n| Plans | $3 |\n| Glass | $4 |\n",
                "Plan A: $5\nPlus: $6\n",
                '{"name": "Glass Plus", "Ambience": {"casual": true, "classy": false}, "BusinessParking": {"lot":'
                ' null}, "OutdoorSeating": false, "GoodForMeal": {"dinner": true}, "WiFi": "free"}',
            )
        )
    ]
)
WORDS = "Plan plans A Plus Glass Wi-Fi casual ambience dinner meals parking lots outdoor seating outdoorseating and"
WORDING = st.lists(
    st.tuples(st.sampled_from(WORDS.split()), st.sampled_from([" ", " ", " ", ", ", ". "])).map("".join), max_size=20
).map("".join)
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


@MADE
@given(WORDING)
def test_rows_are_named_as_in_each_sentence_alone(text: str) -> None:
    sentences = KNOWN.outliner.outline(Places(text)).sentences
    tables = Tables(RECORDS)
    named = tables.named(Spoken(text, sentences))
    for start, end in sentences:
        alone = [(rows, start + first, start + last) for rows, first, last in wording.rows(tables, text[start:end])]
        assert [each[1:] for each in named.get((start, end), [])] == alone


@MADE
@given(WORDING)
def test_attributes_are_named_as_in_each_sentence_alone(text: str) -> None:
    sentences = KNOWN.outliner.outline(Places(text)).sentences
    attributes = KNOWN.attributes.attributes(RECORDS)
    found = list(attributes.mentions(Spoken(text, sentences)))
    for start, end in sentences:
        alone = wording.attributes(attributes, text[start:end], KNOWN.attributes.joints)
        placed = [each._replace(start=start + each.start, end=start + each.end) for each in alone]
        assert [mention for span, mention in found if span == (start, end)] == placed
