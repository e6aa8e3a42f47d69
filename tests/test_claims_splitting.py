"""Do claims begin and end where a reader would part an answer, and does each of them know its place?"""

from __future__ import annotations

import asyncio
import copy
import pickle
import tomllib
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raguard import ConfigError
from raguard.claims.splitting import Claim, ClaimExtractor, SentenceClaimExtractor, split_into_claims
from raguard.text.fences import fenced as fences

CASES = tomllib.loads((Path(__file__).parent / "claims" / "splitting.toml").read_text(encoding="utf-8"))["case"]
GRANULARITIES: tuple[Literal["sentence", "clause"], ...] = ("sentence", "clause")
WORDS = [
    "Paris",
    "it",
    "is",
    "was",
    "and",
    "but",
    "the",
    "Dr",
    "U.S",
    "e.g",
    "p.m",
    "No",
    "5",
    "3.5",
    "ok",
    "è",
    "今天",
    "a",
    "I",
]
SIGNS = [
    *(
        ". ",
        "! ",
        "? ",
        "... ",
        "…",
        "。",
        "؟",
        ", ",
        "; ",
        ": ",
        " ",
        "\n",
        "\r\n",
        "\n\n",
        "\u00a0",
        "\u2028",
        ".",
        "-",
    ),
    *(
        '"',
        "“",
        "”",
        "«",
        "»",
        "(",
        ")",
        "[",
        "]",
        "「",
        "」",
        "'",
        "’",
        "`",
        "```\n",
        "**",
        "_",
        "[1]",
        " 🎉",
        "\x00",
        "\ud800",
    ),
    *(
        "- ",
        "* ",
        "1. ",
        "2. ",
        "1) ",
        "2) ",
        "(1) ",
        "# ",
        "> ",
        "| ",
        " |\n",
        "|---|\n",
        "---\n",
        "\t",
        "a) ",
        "http://x.y ",
    ),
]
TEXTS = st.one_of(st.lists(st.sampled_from([*WORDS, *SIGNS]), max_size=60).map("".join), st.text(max_size=80))
PROSE = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([". ", "! ", "? ", ", ", "; ", " ", " (", ") ", '"', "… "])),
    max_size=40,
).map(lambda pairs: "x " + "".join(map("".join, pairs)))


def covered(text: str, claims: list[Claim]) -> set[int]:
    """The places of the text that lie in a claim."""
    return {place for claim in claims for place in range(claim.start or 0, claim.end or 0)}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case_is_split_as_a_reader_would(case: dict[str, Any]) -> None:
    claims = split_into_claims(case["text"], granularity=case.get("granularity", "sentence"))
    assert list(claims) == case["claims"]
    assert [case["text"][claim.start : claim.end] for claim in claims] == case["claims"]


def test_cases_have_names_of_their_own_and_known_keys() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names)) >= 120
    for case in CASES:
        assert (
            {"name", "origin", "text", "claims"} <= case.keys() <= {"name", "origin", "text", "claims", "granularity"}
        )
        assert case["origin"] in {"in-the-wild", "synthetic", "issue"}


@given(text=TEXTS, granularity=st.sampled_from(GRANULARITIES))
def test_claims_know_their_places_and_are_in_order(text: str, granularity: Literal["sentence", "clause"]) -> None:
    end = 0
    for claim in split_into_claims(text, granularity=granularity):
        assert claim.start is not None
        assert claim.end is not None
        assert text[claim.start : claim.end] == claim
        assert end <= claim.start < claim.end
        assert claim == claim.strip()
        assert any(map(str.isalnum, claim))
        end = claim.end


@given(text=PROSE, granularity=st.sampled_from(GRANULARITIES))
def test_every_letter_and_digit_of_prose_lies_in_a_claim(text: str, granularity: Literal["sentence", "clause"]) -> None:
    inside = covered(text, split_into_claims(text, granularity=granularity))
    assert [place for place, sign in enumerate(text) if sign.isalnum() and place not in inside] == []


@given(text=TEXTS)
def test_clauses_part_sentences_and_nothing_else(text: str) -> None:
    sentences = split_into_claims(text)
    clauses = split_into_claims(text, granularity="clause")
    spans = [(sentence.start or 0, sentence.end or 0) for sentence in sentences]
    for clause in clauses:
        assert any(start <= (clause.start or 0) and (clause.end or 0) <= end for start, end in spans)
    lost = covered(text, sentences) - covered(text, clauses)
    assert [text[place] for place in lost if text[place].isalnum()] == []


@given(text=TEXTS)
def test_code_in_fences_holds_no_claim(text: str) -> None:
    fenced = f"It is new.\n\n~~~~~~~~\n{text.replace('~', '')}\n~~~~~~~~\n\nIt is old."
    assert split_into_claims(fenced) == ["It is new.", "It is old."]
    assert len(fences(fenced)) == 1


@given(text=TEXTS)
def test_splitting_is_the_same_each_time(text: str) -> None:
    assert [(claim, claim.start) for claim in split_into_claims(text)] == [
        (claim, claim.start) for claim in split_into_claims(text)
    ]


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize(
    "piece",
    [
        ".",
        "(",
        "()",
        "\n",
        '"',
        "a. ",
        "(((a. ",
        "*_",
        "`",
        "🎉",
        "a\n",
        "- ",
        "A.",
        "e.g. ",
        "a|b\n",
        "a, and it is b, ",
        "[1",
    ],
)
def test_hostile_repetition_is_split_to_its_end(piece: str, granularity: Literal["sentence", "clause"]) -> None:
    """A megabyte would take minutes if anything were quadratic; the size here keeps the suite fast."""
    text = piece * (100_000 // len(piece))
    inside = covered(text, split_into_claims(text, granularity=granularity))
    outside = [place for place, sign in enumerate(text) if sign.isalnum() and place not in inside]
    assert len(outside) <= 2, "more than the marks of an item"


def test_claim_equals_the_string_and_knows_its_place() -> None:
    claim = Claim("It rains.", start=10, end=19)
    assert (claim, claim.start, claim.end) == ("It rains.", 10, 19)
    assert hash(claim) == hash("It rains.")
    assert repr(claim) == repr("It rains.")
    assert "It rains." in {claim}
    assert (Claim("It rains.").start, Claim("It rains.").end) == (None, None)
    assert type(claim.upper()) is str


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_claim_survives_pickling_with_its_place(protocol: int) -> None:
    for claim in (Claim("It rains.", start=10, end=19), Claim("It rains.")):
        for kept in (pickle.loads(pickle.dumps(claim, protocol)), copy.copy(claim), copy.deepcopy(claim)):
            assert type(kept) is Claim
            assert (kept, kept.start, kept.end) == (claim, claim.start, claim.end)


def test_extractor_gives_claims_with_their_places() -> None:
    answer = "It opened in 1990 near the station, and it has a garden. It is old."
    claims = asyncio.run(SentenceClaimExtractor().extract(None, answer))
    assert claims == ["It opened in 1990 near the station, and it has a garden.", "It is old."]
    assert [claim.start for claim in claims if isinstance(claim, Claim)] == [0, 57]
    parted = asyncio.run(SentenceClaimExtractor(granularity="clause").extract(None, answer))
    assert parted == ["It opened in 1990 near the station", "and it has a garden.", "It is old."]


def test_extractor_must_say_how_it_extracts() -> None:
    class Silent(ClaimExtractor):
        pass

    with pytest.raises(TypeError, match="extract"):
        Silent()  # type: ignore[abstract]


@pytest.mark.parametrize("granularity", ["word", "", None])
def test_unknown_granularity_is_refused(granularity: Any) -> None:
    with pytest.raises(ConfigError, match=r'^granularity must be "sentence" or "clause", not '):
        split_into_claims("It rains.", granularity=granularity)
    with pytest.raises(ConfigError, match=r'^granularity must be "sentence" or "clause", not '):
        SentenceClaimExtractor(granularity=granularity)
