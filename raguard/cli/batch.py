"""What does a file of many cases come to? One line of JSON for each, in their order, as soon as it is judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from raguard import Verifier
from raguard.cli.inputs import STDIN
from raguard.cli.lines import read_lines
from raguard.cli.output import complain, say_json
from raguard.cli.status import INPUT_ERROR, PROCEED, REVIEW

__all__ = ["judge_lines"]


def judge_lines(path: str, verifier: Verifier, lang: str, processes: int | None) -> int:
    """Prints the result of each line of a JSON Lines file; returns the worst exit status of them.

    It ends when nobody reads on, and what was not judged by then needs review.
    """
    status = PROCEED
    faults: dict[int, str] = {}
    for number, result in enumerate(verifier.verify_many(_cases(path, faults), lang=lang, processes=processes)):
        if number in faults:
            result = verifier.refuse(faults.pop(number))
        if not say_json(result.to_dict(), indent=None):
            return max(status, REVIEW)
        if any(warning.type == "input_error" for warning in result.warnings):
            status = INPUT_ERROR
        elif result.action == "review":
            status = max(status, REVIEW)
    return status


def _cases(path: str, faults: dict[int, str]) -> Iterator[Any]:
    """The case of each line that is not blank; of one that is not JSON None, and in ``faults`` why, by its number."""
    name = "standard input" if path == STDIN else path
    for case_number, line in enumerate(read_lines(path)):
        if line.fault is not None:
            faults[case_number] = f"Line {line.number} {line.fault}"
            complain(f"{name}: line {line.number}: {line.fault}")
        yield line.value
