"""Does the real Presidio work as a screen, with the small model and without a network?"""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from raguard import ConfigError
from raguard.screens import GuardrailSuite, PresidioScreen

TEXT = "My name is Alice Johnson and I live in Berlin; mail alice@acme.co.uk."


@pytest.fixture(scope="module")
def presidio() -> PresidioScreen:
    """The screen, built and used once while every connection fails."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError("no network here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        screen = PresidioScreen(entities=["PERSON", "LOCATION", "EMAIL_ADDRESS"], block=["EMAIL_ADDRESS"])
        screen.scan(TEXT)
    return screen


def test_names_places_and_mail_are_found_with_their_spans(presidio: PresidioScreen) -> None:
    findings = presidio.scan(TEXT)
    assert [(finding.rule, finding.text, finding.severity.value) for finding in findings] == [
        ("presidio.person", "Alice Johnson", "warn"),
        ("presidio.location", "Berlin", "warn"),
        ("presidio.email_address", "alice@acme.co.uk", "block"),
    ]
    assert all(TEXT[finding.start : finding.end] == finding.text for finding in findings)


def test_address_under_no_public_suffix_is_none(presidio: PresidioScreen) -> None:
    assert presidio.scan("write to alice@acme.notasuffix") == ()


def test_long_run_without_a_space_is_read(presidio: PresidioScreen) -> None:
    assert presidio.scan("(" * 5_000) == ()


def test_it_is_a_screen_of_a_suite(presidio: PresidioScreen) -> None:
    report = GuardrailSuite(screens=[presidio], allow=["alice johnson"]).check(TEXT)
    assert [finding.text for finding in report.findings] == ["Berlin", "alice@acme.co.uk"]


@dataclass
class Result:
    entity_type: str
    start: int
    end: int
    score: float


class Analyzer:
    """An analyzer of one's own."""

    def __init__(self, *results: Result) -> None:
        self.results = results
        self.asked: dict[str, Any] = {}

    def analyze(self, **asked: Any) -> list[Result]:
        self.asked = asked
        return list(self.results)


def test_own_analyzer_is_asked_with_the_settings() -> None:
    analyzer = Analyzer(Result("PERSON", 4, 8, 0.9))
    screen = PresidioScreen(analyzer, entities=["PERSON"], language="de", threshold=0.7, allow=["Otto"])
    assert [finding.text for finding in screen.scan("Von Anna.")] == ["Anna"]
    assert analyzer.asked == {"text": "Von Anna.", "language": "de", "entities": ["PERSON"], "score_threshold": 0.7}
    assert screen.scan("Von Otto") == ()


def test_analyzer_that_raises_leaves_the_text_unchecked() -> None:
    class Broken:
        def analyze(self, **_: Any) -> Any:
            raise RuntimeError("secret words")

    report = GuardrailSuite(screens=[PresidioScreen(Broken())]).check("abc")
    assert report.unchecked == ("The text was not fully screened by presidio: it raised RuntimeError.",)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 2}, "threshold must be a number from 0 to 1, not 2"),
        ({"language": ""}, "language must be a code such as en, not ''"),
        ({"language": "de"}, "language: the analyzer that is built here reads English; give one for another language"),
        ({"entities": "PERSON"}, "entities must be a list of entity types such as PERSON, not 'PERSON'"),
        ({"block": [5]}, "block must be a list of entity types such as PERSON, not [5]"),
        ({"analyzer": 5}, "analyzer must have a method analyze, which int lacks"),
    ],
)
def test_bad_settings_say_what_is_wrong(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        PresidioScreen(**settings)
    assert str(caught.value) == message


def test_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(ConfigError) as caught:
        PresidioScreen()
    assert str(caught.value) == "PresidioScreen needs presidio-analyzer: pip install 'raguard-verify[presidio]'"
