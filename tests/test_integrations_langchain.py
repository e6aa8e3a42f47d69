"""Do runnables and middleware of LangChain show what the gate lets through, and is a text released as it is judged?"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from extra_venv import passed

from raguard import Config, ConfigError, RaguardError
from raguard.gate import Gate
from raguard.integrations.released_text import ReleasedText
from raguard.modes import Modes
from raguard.showing import NOTICE

DOCS = ["The rent is $900."]


@cache
def gate(on_review: Any, mode: Any = "enforce") -> Gate:
    return Gate(config=Config(modes=Modes(mode=mode)), on_review=on_review)


def shown(given: Gate, *pieces: Any) -> list[str]:
    text = ReleasedText(given, "How much?", DOCS)
    parts = [text.feed(piece) for piece in pieces]
    parts.append(text.finish())
    assert text.gated().text == "".join(parts)
    return parts


def test_a_sentence_is_released_when_it_is_judged() -> None:
    assert shown(gate("redact"), "The rent", " is $900. It", " was $950.") == [
        "",
        "The rent is $900.",
        "",
        " (unsupported text removed)",
    ]


def test_the_notice_stands_in_the_place_of_the_first_blocked_sentence() -> None:
    assert shown(gate("block"), "The rent is $900. It was $950. Bye. ", "Bye.") == [
        f"The rent is $900.\n\n{NOTICE}",
        "",
        "",
    ]
    assert shown(gate("block"), "It was $950.") == ["", NOTICE]


def test_annotating_releases_at_once_and_adds_a_paragraph() -> None:
    note = "\n\n[the retrieved documents do not support all of this text: 1]"
    assert shown(gate("annotate"), "It was", " $950.") == ["It was", " $950.", note]
    assert shown(gate("annotate"), "It is $900.") == ["It is $900.", ""]


@pytest.mark.parametrize("on_review", ["annotate", "redact", "block"])
def test_the_shadow_releases_at_once(on_review: Any) -> None:
    text = ReleasedText(gate(on_review, "shadow"), "How much?", DOCS)
    assert [text.feed("It was"), text.feed(" $950."), text.finish()] == ["It was", " $950.", ""]
    assert (text.gated().verdict.action, text.gated().enforced) == ("review", ())


def test_a_piece_that_is_no_string_is_an_error_of_the_answer() -> None:
    assert shown(gate("block"), "It is $900. ", 7) == ["It is $900.", "", f"\n\n{NOTICE}"]
    for mode in ("enforce", "shadow"):
        text = ReleasedText(gate("redact", mode), "How much?", DOCS)
        text.feed(None)  # type: ignore[arg-type]
        text.finish()
        assert text.gated().verdict.warnings[0].type == "input_error"


def test_what_became_of_it_is_known_at_the_end() -> None:
    with pytest.raises(RaguardError, match="the answer has not ended"):
        ReleasedText(gate("block"), "How much?", DOCS).gated()


@pytest.mark.skipif(find_spec("langchain") is not None, reason="langchain is installed here")
def test_without_langchain_it_is_one_sentence_with_the_command() -> None:
    message = r"^raguard.integrations.langchain needs langchain: pip install 'raguard-verify\[langchain\]'$"
    with pytest.raises(ConfigError, match=message):
        import raguard.integrations.langchain  # noqa: F401


@pytest.mark.extras
def test_real_chains_and_agents_show_what_is_supported(tmp_path: Path) -> None:
    assert passed(tmp_path, "langchain", "langchain_cases.py").startswith("46 passed")
