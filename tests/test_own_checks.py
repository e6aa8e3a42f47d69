"""Do checks of one's own get a fair hearing, and can none of them hide what another finds?"""

from __future__ import annotations

import doctest
from asyncio import CancelledError
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from raguard import Case, Check, Config, ConfigError, Finding, Verifier, VerifyResult
from raguard.checks import DEFAULT_CHECKS

ROOT = Path(__file__).parent.parent
DOCS = ["The depot opened in 2019."]
ANSWER = "The depot opened in 2021."
YEAR = ("high", "unsupported_date", "2021")


def _verdict(*checks: Check) -> VerifyResult:
    return Verifier(checks=(*DEFAULT_CHECKS, *checks)).verify("When?", DOCS, ANSWER, lang="en")


def _found(result: VerifyResult) -> list[tuple[str, str, str]]:
    return [(warning.severity, warning.type, warning.text or warning.suggestion) for warning in result.warnings]


def _yielding(*findings: Any) -> Check:
    def own_check(case: Case) -> Iterable[Any]:
        return findings

    return own_check


def test_the_documented_check_does_what_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/checks.md runs as it is written."""
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / "docs" / "checks.md"), module_relative=False)
    assert (results.failed, results.attempted) == (0, 18)


def test_a_finding_of_an_own_check_stands_beside_the_shipped_ones() -> None:
    result = _verdict(_yielding(Finding("depot", 4, 9, "flagged", rule="name.absent", said="No depot is known.")))
    assert _found(result) == [("high", "missing_entity", "depot"), YEAR]
    assert result.warnings[0].suggestion == '"depot" not found in retrieved documents. No depot is known.'


@pytest.mark.parametrize(
    ("finding", "fault"),
    [
        ("depot", "yielded str where a Finding is due"),
        (Finding("depot", 4, 99, "unsupported", rule="name.absent"), "yielded a finding whose span is none of the"),
        (Finding("depot", -3, 9, "unsupported", rule="name.absent"), "yielded a finding whose span is none of the"),
        (Finding("depot", 9, 4, "unsupported", rule="name.absent"), "yielded a finding whose span is none of the"),
        (Finding("depot", "4", 9, "unsupported", rule="name.absent"), "yielded a finding whose span is none of the"),  # type: ignore[arg-type]
        (Finding("depot", 4, 9, "wrong", rule="name.absent"), "yielded a finding whose status is none of supported, "),  # type: ignore[arg-type]
        (Finding("depot", 4, 9, ["echo"], rule="name.absent"), "yielded a finding whose status is none of supported, "),  # type: ignore[arg-type]
        (Finding("depot", 4, 9, "unsupported", rule="house.none"), "yielded a finding with a rule that no file of the"),
        (Finding("depot", 4, 9, "unsupported", rule=["a"]), "yielded a finding whose kind, rule or said is no string"),  # type: ignore[arg-type]
        (Finding(5, 4, 9, "supported"), "yielded a finding whose kind, rule or said is no string"),  # type: ignore[arg-type]
        (Finding("depot", 4, 9, "unsupported"), "yielded a finding of the status unsupported without a rule"),
        (Finding("depot", 4, 9, "supported", place="here"), "yielded a finding whose place is none of a document"),  # type: ignore[arg-type]
    ],
)
def test_a_finding_that_cannot_be_used_is_told_and_hides_no_other(finding: Any, fault: str) -> None:
    good = Finding("depot", 0, 3, "flagged", rule="name.absent")
    result = _verdict(_yielding(finding, good, finding))
    error, *others = _found(result)
    assert error[:2] == ("high", "check_error")
    assert error[2].startswith(f"The check own_check {fault}")
    assert error[2].endswith("; that finding was left out.")
    assert others == [("high", "missing_entity", "The"), YEAR]
    assert [(gap.what, gap.why) for gap in result.unchecked] == [("own_check", "a finding could not be used")]


def test_a_place_in_the_question_is_none_of_a_document() -> None:
    def own_check(case: Case) -> Iterable[Finding]:
        yield Finding("when", 0, 3, "supported", place=case.asked.find(["when"]))

    assert _found(_verdict(own_check))[0] == (
        "high",
        "check_error",
        "The check own_check yielded a finding whose place is none of a document; that finding was left out.",
    )


class Unwell(BaseException):
    """What extensions may raise is not always an Exception."""


@pytest.mark.parametrize("ending", [SystemExit(3), GeneratorExit(), CancelledError(), Unwell()])
def test_a_check_that_would_end_more_ends_neither_the_program_nor_the_verdict(ending: BaseException) -> None:
    def ends(case: Case) -> Iterator[Finding]:
        yield Finding("depot", 4, 9, "flagged", rule="name.absent")
        raise ending

    result = _verdict(ends)
    kind = type(ending).__name__
    assert _found(result) == [
        ("high", "check_error", f"The check ends failed ({kind}); its part was not checked."),
        ("high", "missing_entity", "depot"),
        YEAR,
    ]
    assert [(gap.what, gap.why) for gap in result.unchecked] == [("ends", "the check failed")]


def test_an_interrupt_passes_through_a_check() -> None:
    def interrupted(case: Case) -> Iterable[Finding]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _verdict(interrupted)


@pytest.mark.parametrize("checks", [None, "abc", 5, ["missing_names"], {"a": len}])
def test_checks_that_are_no_functions_are_refused_in_one_sentence(checks: Any) -> None:
    with pytest.raises(ConfigError, match=r"^checks must be a list of functions that take a Case, not "):
        Verifier(checks=checks)


def test_the_config_chooses_among_the_shipped_checks_and_leaves_own_ones_alone() -> None:
    own = _yielding(Finding("depot", 4, 9, "flagged", rule="name.absent"))
    verifier = Verifier(Config(checks=("missing_names",)), checks=(*DEFAULT_CHECKS, own))
    result = verifier.verify("When?", DOCS, ANSWER, lang="en")
    assert _found(result) == [("high", "missing_entity", "depot")]
    assert [gap.what for gap in result.unchecked] == [
        check.__name__ for check in DEFAULT_CHECKS if check.__name__ != "missing_names"
    ]
