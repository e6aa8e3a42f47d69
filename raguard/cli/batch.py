"""What does a file of many cases come to? One line of JSON for each, in their order, as soon as it is judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from raguard import Verifier
from raguard.cli.inputs import STDIN, InputError, not_json
from raguard.cli.output import complain, say_json
from raguard.cli.status import INPUT_ERROR, PROCEED, REVIEW
from raguard.files import read_line

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
    """The case of each line that is not blank; of one that is no JSON None, and in ``faults`` why, by its number."""
    name = "standard input" if path == STDIN else path
    try:
        with _opened(path) as stream:
            line_number = case_number = 0
            while line := read_line(stream):
                line_number += 1
                if line.strip():
                    try:
                        case = json.loads(line.decode("utf-8-sig"))
                    except (ValueError, RecursionError) as error:
                        case, faults[case_number] = None, f"Line {line_number} {not_json(error)}"
                        complain(f"{name}: line {line_number}: {not_json(error)}")
                    yield case
                    case_number += 1
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from error


def _opened(path: str) -> BinaryIO:
    if path != STDIN:
        return Path(path).open("rb")
    if sys.stdin is None:
        raise InputError("standard input: is closed; give a file of cases")
    return sys.stdin.buffer
