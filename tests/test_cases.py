"""Does every case of ``cases/*.toml`` get exactly the verdict that it specifies?"""

from __future__ import annotations

import json
from functools import cache

import pytest
from casefile import Case, load_cases

from raguard import Config, Verifier
from raguard.result import SEVERITIES


@cache
def _verifier(config: str) -> Verifier:
    return Verifier(Config(**json.loads(config)))


def _param(case: Case) -> object:
    marks = [pytest.mark.xfail(strict=True, raises=AssertionError, reason=case.xfail)] if case.xfail else []
    return pytest.param(case, id=case.id, marks=marks)


@pytest.mark.parametrize("case", [_param(case) for case in load_cases()])
def test_case_gets_its_exact_verdict(case: Case) -> None:
    """Action and warnings are those of the case, nothing more and nothing less; spans and order are true."""
    verifier = _verifier(json.dumps(case.config))
    result = verifier.verify(case.query, case.docs, case.response, lang=case.lang, history=case.history)

    found = tuple((warning.severity, warning.type, warning.text) for warning in result.warnings)
    assert found == case.warnings
    assert result.action == case.action
    for warning in result.warnings:
        if isinstance(case.response, str):
            assert case.response[warning.start : warning.end] == warning.text
    order = [(SEVERITIES.index(warning.severity), warning.start) for warning in result.warnings]
    assert order == sorted(order)


def test_cases_hold_both_verdicts_in_every_file() -> None:
    """A file that only passes or only stops would not show where the line is."""
    actions: dict[str, set[str]] = {}
    for case in load_cases():
        flagged = "flagged" if case.warnings else "clean"
        actions.setdefault(case.id.partition("::")[0], set()).add(flagged)
    assert {stem: seen for stem, seen in actions.items() if len(seen) < 2} == {}
