"""Do several processes judge many cases as one does, in order, without reading ahead, and whatever happens to them?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from multiprocessing import active_children
from types import MappingProxyType
from typing import Any

import pytest
from casefile import load_cases

from raguard import Case, ConfigError, Document, Finding, Verifier
from raguard.batch import AHEAD
from raguard.checks import DEFAULT_CHECKS

FATAL = "Which one ends the process?"


def fatal_check(case: Case) -> Iterator[Finding]:
    """Ends the process over one question."""
    if case.query == FATAL:
        os._exit(3)
    yield from ()


class _Unimportable:
    """Stands in for a check that another process cannot import."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _refuse, ()

    def __call__(self, case: Case) -> Iterator[Finding]:
        yield from ()


def _refuse() -> None:
    raise ImportError("no such module here")


def _case(number: int, query: str = "How many?") -> dict[str, Any]:
    return {"query": query, "docs": ["There are 3 vans."], "response": f"There are {number} vans."}


def test_processes_give_the_verdicts_of_single_calls_in_order() -> None:
    """Mixed cases, documents as mappings, and cases that cannot be read or sent get the result of one process."""
    cases: list[Any] = [
        {"query": case.query, "docs": case.docs, "response": case.response, "history": case.history}
        for case in load_cases()
        if not case.config and case.lang == "auto"
    ][::12]
    cases += [None, {}, {"docs": [{"text": "There are 3 vans.", "id": "a"}], "response": "There are 4 vans."}]
    unsendable = Document("There are 3 vans.", id="a", metadata=MappingProxyType({"page": 1}))
    cases.insert(5, {"query": "How many?", "docs": [unsendable], "response": "There are 4 vans."})
    verifier = Verifier()
    alone = list(verifier.verify_many(cases))
    assert len(alone) > 30
    assert list(verifier.verify_many(cases, processes=2)) == alone
    assert active_children() == []


def test_a_process_that_ends_loses_one_case() -> None:
    """The case over which it ends is an error; the others of the same message are judged."""
    verifier = Verifier(checks=(*DEFAULT_CHECKS, fatal_check))
    cases = [_case(number, FATAL if number == 4 else "How many?") for number in range(12)]
    results = list(verifier.verify_many(cases, processes=2))
    expected = list(verifier.verify_many(cases[:4] + cases[5:]))
    assert results[:4] + results[5:] == expected
    assert [(warning.type, warning.severity) for warning in results[4].warnings] == [("check_error", "high")]
    assert (results[4].action, results[4].unchecked[0].what) == ("review", "everything")


def test_cases_are_taken_a_little_ahead_and_closing_ends_the_processes() -> None:
    """From an endless source a bounded number of cases is taken, and none after the iterator is closed."""
    taken: list[int] = []

    def endless() -> Iterator[Mapping[str, Any]]:
        while True:
            taken.append(len(taken))
            yield _case(len(taken))

    results: Any = Verifier().verify_many(endless(), processes=2)
    assert taken == []
    assert [next(results).action for _ in range(4)] == ["review", "review", "proceed", "review"]
    assert len(taken) <= 4 + 2 * AHEAD
    results.close()
    assert active_children() == []


def test_what_the_source_raises_comes_after_the_verdicts_before() -> None:
    """Three cases and an exception are three verdicts and the exception."""

    def broken() -> Iterator[Mapping[str, Any]]:
        yield from map(_case, range(3))
        raise OSError("the file ends here")

    results = Verifier().verify_many(broken(), processes=2)
    assert [next(results).action for _ in range(3)] == ["review", "review", "review"]
    with pytest.raises(OSError, match="the file ends here"):
        next(results)
    assert active_children() == []


def test_a_check_that_no_module_holds_is_a_config_error_at_once() -> None:
    """A function made inside another one cannot be sent."""

    def own(case: Case) -> Iterator[Finding]:
        yield from ()

    with pytest.raises(ConfigError, match="checks must be functions of a module"):
        Verifier(checks=(own,)).verify_many([], processes=2)


def test_a_check_that_another_process_cannot_import_is_a_config_error() -> None:
    """It is raised in place of the first verdict."""
    results = Verifier(checks=(_Unimportable(),)).verify_many([_case(3)], processes=2)
    with pytest.raises(ConfigError, match=r"cannot start \(ImportError: no such module here\)"):
        next(results)
    assert active_children() == []


@pytest.mark.parametrize("processes", [0, -1, True, 1.5, "2"])
def test_processes_must_be_a_whole_number(processes: Any) -> None:
    """Anything else is named."""
    with pytest.raises(ConfigError, match="processes must be a whole number of at least 1 or None"):
        Verifier().verify_many([], processes=processes)
