"""Which questions are timed? Invented ones or those of a data file."""

from __future__ import annotations

from pathlib import Path

from answers import read_answers
from invented import invented
from timing import Question

__all__ = ["invented_questions", "read_questions"]


def invented_questions(words: int, count: int, seed: int = 0) -> list[Question]:
    """``count`` invented answers of about ``words`` words."""
    return [(case.query, list(case.docs), case.response) for case in invented(words, count, seed)]


def read_questions(path: Path, limit: int | None = None) -> list[Question]:
    """The first ``limit`` answers of a data file, or all; raises DataError."""
    return [(answer.query, list(answer.docs), answer.response) for answer in read_answers(path)[:limit]]
