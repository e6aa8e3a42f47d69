"""Which questions are timed? Invented ones or those of a data file, also with documents of other sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from answers import read_answers
from invented import Case, invented
from timing import Question

__all__ = ["asked", "invented_questions", "long_answers", "read_questions", "resized", "spread"]


def asked(cases: Iterable[Case]) -> list[Question]:
    """The questions of invented cases."""
    return [(case.query, list(case.docs), case.response) for case in cases]


def invented_questions(words: int, count: int, seed: int = 0) -> list[Question]:
    """``count`` invented answers of about ``words`` words."""
    return asked(invented(words, count, seed))


def read_questions(path: Path, limit: int | None = None) -> list[Question]:
    """The first ``limit`` answers of a data file, or all; raises DataError."""
    return [(answer.query, list(answer.docs), answer.response) for answer in read_answers(path)[:limit]]


def spread(questions: Sequence[Question], count: int) -> list[Question]:
    """``count`` of the questions, from all over their list; all of them when there are no more.

    >>> spread([("a", [], ""), ("b", [], ""), ("c", [], ""), ("d", [], "")], 2)
    [('a', [], ''), ('c', [], '')]
    """
    count = min(count, len(questions))
    return [questions[place * len(questions) // count] for place in range(count)]


def resized(questions: Sequence[Question], sizes: Sequence[int], pool: Iterable[Question]) -> list[Question]:
    """The questions with documents of about ``sizes`` characters: their own text first, then that of ``pool``.

    Where the pool begins changes from one question to the next; when it is used up, it begins again.
    """
    texts = list(dict.fromkeys(doc for _, docs, _ in pool for doc in docs if doc.strip()))
    step = max(1, len(texts) // len(questions))
    return [
        (query, list(_cut(chain(docs, _round(texts, place * step)), sizes)), response)
        for place, (query, docs, response) in enumerate(questions)
    ]


def long_answers(questions: Sequence[Question], words: int, count: int) -> list[Question]:
    """Answers of ``words`` words: those of several questions joined, with the documents of a question far from them."""
    first = re.compile(rf"(?:\s*\S+){{1,{words}}}")
    answers = [response for _, _, response in questions if response.strip()]
    found = []
    for place in range(count):
        number = place * len(answers) // count
        joined, length = [], 0
        for answer in _round(answers, number):
            joined.append(answer)
            length += len(answer.split())
            if length >= words:
                break
        query, docs, _ = questions[(place * len(questions) // count + len(questions) // 2) % len(questions)]
        match = first.match("\n\n".join(joined))
        found.append((query, docs, match.group() if match else ""))
    return found


def _round(texts: Sequence[str], first: int) -> Iterator[str]:
    """The texts from number ``first`` on, round and round."""
    while texts:
        yield texts[first % len(texts)]
        first += 1


def _cut(texts: Iterator[str], sizes: Sequence[int]) -> Iterator[str]:
    """The texts one after the other, cut at spaces into pieces of about these sizes."""
    text = ""
    for size in sizes:
        parts = [text]
        while sum(map(len, parts)) < size and (more := next(texts, None)) is not None:
            parts.append(more)
        text = "\n\n".join(filter(None, parts))
        end = text.rfind(" ", size // 2, size) + 1 or size
        yield text[:end].strip()
        text = text[end:]
