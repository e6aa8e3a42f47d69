"""Which checks run, and how is each asked so that one that fails costs its own part alone?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from raguard.case import Case, Check
from raguard.checks import DEFAULT_CHECKS
from raguard.errors import ConfigError
from raguard.result import FINDING_UNUSABLE, Unchecked, Warning
from raguard.verdict import Judge, error

__all__ = ["Outcome", "ask", "check_name", "chosen_checks", "crashed", "log_crash"]


@dataclass(slots=True)
class Outcome:
    """What the checks of one answer have yielded so far, apart from the findings in its case."""

    errors: list[Warning] = field(default_factory=list)
    unchecked: list[Unchecked] = field(default_factory=list)


def chosen_checks(checks: object, names: Sequence[str] | None) -> tuple[Check, ...]:
    """The checks that run: the caller's own, and those of the shipped ones that ``names`` lists (None: all of them).

    Raises ConfigError when ``checks`` is not a list of functions.
    """
    if not isinstance(checks, (list, tuple)) or not all(map(callable, checks)):
        raise ConfigError(f"checks must be a list of functions that take a Case, not {checks!r:.80}")
    return tuple(
        check for check in checks if names is None or check not in DEFAULT_CHECKS or check_name(check) in names
    )


def check_name(check: Check) -> str:
    """What a check is called in results: the name of its function, or of its class."""
    return str(getattr(check, "__name__", type(check).__name__))


def ask(check: Check, case: Case, judge: Judge, outcome: Outcome) -> None:
    """Adds what a check finds to the case and to ``outcome``.

    A finding that cannot be used becomes an error; the others stay. Raises whatever the check raises.
    """
    faults: dict[str, None] = {}
    for finding in check(case):
        if isinstance(finding, Unchecked):
            outcome.unchecked.append(finding)
        elif (fault := judge.fault(finding, case)) is None:
            case.findings.append(finding)
        else:
            faults[fault] = None
    for fault in faults:
        told = f"The check {check_name(check)} {fault}; that finding was left out."
        outcome.errors.append(error("check_error", told))
        outcome.unchecked.append(Unchecked(check_name(check), FINDING_UNUSABLE))


def crashed(what: str, crash: BaseException) -> Warning:
    """The error warning for a part that crashed; the crash is logged as well."""
    log_crash(what, crash)
    return error(
        "check_error",
        f"{what[0].upper()}{what[1:]} failed ({type(crash).__name__}); its part was not checked.",
    )


def log_crash(what: str, crash: BaseException) -> None:
    """Logs that ``what`` crashed, by the type of the crash: its message or traceback may hold the text."""
    import logging  # needs a tenth of the import time, and nearly never

    logging.getLogger("raguard").error("%s failed with %s", what, type(crash).__name__)
