"""Has every result the shape that the shipped JSON Schema promises, and does the schema promise no more?"""

from __future__ import annotations

import copy
import dataclasses
import doctest
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from raguard import (
    CheckedFact,
    Config,
    Document,
    Evidence,
    Ruleset,
    Summary,
    Unchecked,
    VerifyResult,
    Warning,
    verify,
)
from raguard.checks import DEFAULT_CHECKS
from raguard.rulebook import load_rulebook

SCHEMA = json.loads(files("raguard").joinpath("schema/result.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

QUERY = "What is the Q3 2024 deadline?"
DOCS = [Document("Q2 project was delivered on June 15. Next milestone is Q4 planning.", id="status.md#1")]
RESPONSE = "The Q3 2024 deadline is September 30, 2024."

RESULTS = {
    "a flagged date with evidence": lambda: verify(QUERY, DOCS, RESPONSE),
    "a supported answer": lambda: verify(QUERY, DOCS, "The Q2 project was delivered on June 15."),
    "names, money, numbers and a vague phrase": lambda: verify(
        "", DOCS, "Studies show that Volkmann Industries paid $3 million for 12% of the 4,000 shares."
    ),
    "no documents": lambda: verify(QUERY, [], RESPONSE),
    "no documents, allowed": lambda: verify(QUERY, [], RESPONSE, config=Config(no_documents="skip")),
    "wrong types everywhere": lambda: verify(None, [None, {}], b"x"),  # type: ignore[arg-type,list-item]
    "a language without a model": lambda: verify("", ["Der Vertrag endet."], "Der Vertrag endet.", lang="de"),
    "an unknown language": lambda: verify(QUERY, DOCS, RESPONSE, lang="klingon"),
    "broken text": lambda: verify(QUERY, DOCS, "It was due on 4 May 2024 \ud800."),
}


@pytest.fixture
def review() -> dict[str, Any]:
    return copy.deepcopy(verify(QUERY, DOCS, RESPONSE).to_dict())


def test_the_schema_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", RESULTS)
def test_a_result_is_valid_and_the_same_as_its_json(case: str) -> None:
    result = RESULTS[case]()
    VALIDATOR.validate(result.to_dict())
    VALIDATOR.validate(json.loads(result.to_json()))
    assert result.summary == Summary(
        *(sum(warning.severity == severity for warning in result.warnings) for severity in ("high", "medium", "low"))
    )


@pytest.mark.parametrize(
    ("described", "kind"),
    [
        (SCHEMA, VerifyResult),
        (SCHEMA["$defs"]["warning"], Warning),
        (SCHEMA["$defs"]["evidence"], Evidence),
        (SCHEMA["$defs"]["fact"], CheckedFact),
        (SCHEMA["$defs"]["unchecked"], Unchecked),
        (SCHEMA["$defs"]["summary"], Summary),
        (SCHEMA["$defs"]["ruleset"], Ruleset),
    ],
)
def test_the_schema_names_exactly_the_fields(described: dict[str, Any], kind: type[Any]) -> None:
    names = [field.name for field in dataclasses.fields(kind)]
    assert list(described["properties"]) == names
    assert described["required"] == names
    assert described["additionalProperties"] is False


def test_an_unknown_key_is_refused(review: dict[str, Any]) -> None:
    review["warnings"][0]["score"] = 1
    with pytest.raises(jsonschema.ValidationError, match="score"):
        VALIDATOR.validate(review)


def test_a_review_without_a_high_warning_is_refused(review: dict[str, Any]) -> None:
    review["summary"]["high"] = 0
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(review)


def test_proceeding_with_a_high_warning_is_refused(review: dict[str, Any]) -> None:
    review["action"] = "proceed"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(review)


DOCUMENTATION = Path(__file__).parent.parent / "docs" / "result.md"


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of the documentation, without its head."""
    section = DOCUMENTATION.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ")][1:]


def test_the_documentation_of_the_result_is_true() -> None:
    assert doctest.testfile(str(DOCUMENTATION), module_relative=False).failed == 0


def test_the_documentation_names_every_rule_with_its_type_and_severity() -> None:
    documented, kind = set(), ""
    for type_, _, severity, rules in rows("Warning types"):
        kind = type_.strip(" `") or kind
        documented |= {(rule, kind, severity.strip()) for rule in re.findall(r"`(\w+\.\w+)`", rules)}
    shipped = {(rule.id, rule.data["type"], rule.data["severity"]) for rule in load_rulebook()["warnings"].rules}
    others = {("vague.own", "vague_reference", "medium")}
    others |= {("input.error", "input_error", "high"), ("check.error", "check_error", "high")}
    assert documented == shipped | others


def test_the_documentation_names_every_check_in_order() -> None:
    assert [check.strip(" `") for check, _ in rows("Checks")] == [check.__name__ for check in DEFAULT_CHECKS]
